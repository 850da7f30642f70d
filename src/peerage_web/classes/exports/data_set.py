"""A data set that could be published: who ranked what how, under numbers that lead back to nobody.

It holds what the run was graded from, with another label for everybody and everything. `peerage grade` has
the same estimates from it; the random draws behind points and bands fall in the order of labels, so that
those differ by the noise of the draws. (The same order of labels would give the same draws, and would tell
whoever has the roster who is who.) Names, addresses, student numbers, sections, teams' names, files, comments
and times are not in it. Labels are drawn with a key that stays here: the same run gives the same file, and
nobody can find out a label by trying names.
"""

from __future__ import annotations

import csv
import hashlib
import hmac
import io
import shlex
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from peerage_web.accounts.models import Person
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.exports.gradebooks import source_of
from peerage_web.classes.grading.inputs import ANCHORS, FEEDBACK, ROSTER
from peerage_web.classes.grading.models import GradingRun
from peerage_web.shared.errors import Refused

Rows = list[list[str]]
MADE = (2000, 1, 1, 0, 0, 0)  # no file says when it was made, so that the same run gives the same bytes


@dataclass(frozen=True, slots=True)
class DataSet:
    """Tables without names, and what could still tell who somebody is."""

    run: GradingRun
    feedback: Rows  # grader, item, rank, shown; and the score, where the rubric counted
    roster: Rows  # student, item, submits
    anchors: Rows  # item, score
    findings: Findings


def data_set(*, assignment: Assignment) -> DataSet:
    """What the export would hold; Refused as long as no run was approved."""
    run, _release = source_of(assignment)
    if run is None:
        raise Refused(_("No grading run has been approved for release yet."))
    folder = run.job.folder / "input"
    if not (folder / FEEDBACK).is_file():
        raise Refused(_("The files of this run no longer exist. Start another run and approve it."))
    tables = {
        name: _read((folder / name).read_text(encoding="utf-8")) if (folder / name).is_file() else []
        for name in (FEEDBACK, ROSTER, ANCHORS)
    }
    people = _numbered(
        run, "p", [row["grader"] for row in tables[FEEDBACK]], _names(tables[ROSTER], "student")
    )
    items = _numbered(
        run,
        "s",
        [row["item"] for row in tables[FEEDBACK]],
        _names(tables[ROSTER], "item"),
        _names(tables[ANCHORS], "item"),
    )
    feedback = sorted(
        [people[row["grader"]], items[row["item"]], *list(row.values())[2:]] for row in tables[FEEDBACK]
    )
    roster = sorted(
        [people[row["student"]], items[row["item"]] if row["item"] else "", row["submits"]]
        for row in tables[ROSTER]
    )
    anchors = sorted([items[row["item"]], row["score"]] for row in tables[ANCHORS])
    return DataSet(run, feedback, roster, anchors, findings_of(feedback, roster, anchors))


def _read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def _names(rows: list[dict[str, str]], column: str) -> list[str]:
    return [row[column] for row in rows if row[column]]


def _numbered(run: GradingRun, letter: str, *labels: Iterable[str]) -> dict[str, str]:
    """Label to its number, in an order that nobody knows who does not know the key."""
    key = hashlib.sha256(f"data set {letter} {run.inputs_sha256} {settings.SECRET_KEY}".encode()).digest()
    distinct = {label for part in labels for label in part}
    order = sorted(distinct, key=lambda label: hmac.new(key, label.encode(), hashlib.sha256).digest())
    width = len(str(len(order)))
    return {label: f"{letter}{number:0{width}}" for number, label in enumerate(order, start=1)}


def data_set_file(*, assignment: Assignment, by: Person) -> bytes:
    """The tables, how to grade them, and what could identify somebody, as one ZIP."""
    dataset = data_set(assignment=assignment)
    files = {
        FEEDBACK: _table(_columns(dataset), dataset.feedback),
        ROSTER: _table(("student", "item", "submits"), dataset.roster),
        **({ANCHORS: _table(("item", "score"), dataset.anchors)} if dataset.anchors else {}),
        "README.txt": _readme(dataset).encode(),
    }
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, MADE), content, zipfile.ZIP_DEFLATED)
    record("data-exported", by=by, assignment=assignment, count=len(dataset.feedback))
    return kept.getvalue()


def _columns(dataset: DataSet) -> tuple[str, ...]:
    return ("grader", "item", "rank", "shown", "score")[: len(dataset.feedback[0])]


def _table(header: Sequence[str], rows: Rows) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().encode()


def command_of(run: GradingRun, with_anchors: bool) -> str:
    """The command that gives the run's grades from these files."""
    asked = run.options
    parts = ["peerage", "grade", FEEDBACK, "--roster", ROSTER]
    if with_anchors:
        parts += ["--anchors", ANCHORS]
        parts += ["--anchors-as-evidence"] if asked.get("anchors_as_evidence") else []
    for name in ("method", "scale", "peer_scale", "curve", "letters", "seed"):
        value = asked.get(name)
        if value not in (None, "") and (name != "seed" or value):
            parts += [f"--{name.replace('_', '-')}", str(value)]
    parts += ["--complete"] if asked.get("complete") else []
    return shlex.join(parts)


def _readme(dataset: DataSet) -> str:
    """In English, for whoever reads data sets."""
    lines = [
        "Rankings of a class, without names",
        "",
        f"{FEEDBACK}: who ranked which submission how (1 is best, equal ranks are ties), and when it was",
        "shown to them (1 is first; empty for staff).",
        *(
            ["Its scores are the points of the rubric, where a level was chosen by every criterion."]
            if "score" in _columns(dataset)
            else []
        ),
        f"{ROSTER}: whose submission is whose, so that nobody counts for their own. Students without a",
        "submission are listed, too: their item is empty.",
        *([f"{ANCHORS}: what staff thought some submissions are worth."] if dataset.anchors else []),
        "",
        f"Graded with Peerage {dataset.run.version} ({dataset.run.method}), as this does:",
        "",
        f"    {command_of(dataset.run, bool(dataset.anchors))}",
        "",
        "The fitted scores are the same. Points and likely ranges are taken over random draws, which fall",
        "differently under other labels: in a small class, points may differ by some points of a hundred and",
        "the ends of ranges by more.",
        "",
        "Numbers of people (p) and submissions (s) were drawn with a key that stays with the service.",
        "Left out: names, addresses, student numbers, sections, names of teams, files, comments,",
        "levels of rubrics, times.",
        "",
        "What could still identify somebody:",
        *(f"- {line}" for line in dataset.findings.sentences(english=True)),
        "",
    ]
    return "\n".join(lines)


# -- What in a data set without names could still tell who somebody is: counted, and said in plain words


FEW = 5  # people with the same figures, below which somebody who knows the figures may know who it is
SMALL_CLASS = 20


@dataclass(frozen=True, slots=True)
class Findings:
    """Counts of what could be recognised."""

    people: int
    reviewers: int
    own_orders: int  # reviewers whose order nobody else has
    rare: int  # people with so many reviews given, received and team mates as fewer than FEW have
    rare_figures: tuple[tuple[int, int, int], ...]  # the rarest of them: given, received, authors
    teams: tuple[int, ...]  # sizes of teams of which there is one only
    off_roster: int  # graders who are not on the roster: staff
    anchored: int  # submissions with a staff grade

    def sentences(self, *, english: bool = False) -> list[str]:
        """All that applies, the weightiest first."""
        with translation.override("en" if english else translation.get_language()):
            return [text for text in self._all() if text]

    def _all(self) -> list[str]:
        return [
            _(
                "People who took part may recognise their own ranking: %(own)d of %(all)d reviewers have one "
                "that nobody else has. From it, they can find the numbers of the submissions they reviewed, "
                "and how others ranked them."
            )
            % {"own": self.own_orders, "all": self.reviewers},
            self._rare(),
            self._teams(),
            ngettext(
                "%(count)d reviewer is not on the roster and can be recognised as staff.",
                "%(count)d reviewers are not on the roster and can be recognised as staff.",
                self.off_roster,
            ) % {"count": self.off_roster} if self.off_roster else "",
            ngettext(
                "%(count)d submission has a staff grade. Staff who remember the grade know whose "
                "submission it is.",
                "%(count)d submissions have a staff grade. Staff who remember the grades know "
                "whose submissions they are.",
                self.anchored,
            ) % {"count": self.anchored} if self.anchored else "",
            _("The class is small (%(count)d people). Anybody who knows it may guess who is "
              "ranked first or last.")
            % {"count": self.people} if self.people < SMALL_CLASS else "",
        ]  # fmt: skip

    def _rare(self) -> str:
        if not self.rare:
            return _(
                "Nobody stands out by the number of reviews they gave and received. At least "
                "%(few)d people share each combination."
            ) % {"few": FEW}
        shown = "; ".join(
            _("%(given)d given, %(got)d received") % {"given": given, "got": got}
            for given, got, _authors in self.rare_figures[:3]
        )
        text = ngettext(
            "%(count)d person stands out by the number of reviews they gave and received "
            "(%(shown)s). Fewer than %(few)d people share these numbers. Anybody who knows them "
            "may know who it is.",
            "%(count)d people stand out by the number of reviews they gave and received (such as "
            "%(shown)s). Fewer than %(few)d people share these numbers. Anybody who knows them "
            "may know who these people are.",
            self.rare,
        )
        return text % {"count": self.rare, "few": FEW, "shown": shown}

    def _teams(self) -> str:
        if not self.teams:
            return ""
        sizes = ", ".join(map(str, self.teams))
        return _("Team sizes that only one team has: %(sizes)s.") % {"sizes": sizes}


def findings_of(
    feedback: Sequence[Sequence[str]], roster: Sequence[Sequence[str]], anchors: Sequence[Sequence[str]]
) -> Findings:
    """Count. Rows are those of the files: grader, item, rank, shown; student, item, …; item, score."""
    orders: dict[str, list[tuple[str, str]]] = defaultdict(list)
    received: Counter[str] = Counter()
    for grader, item, rank, *_shown in feedback:
        orders[grader].append((item, rank))
        received[item] += 1
    submission_of = {row[0]: row[1] for row in roster}
    authors = Counter(item for item in submission_of.values() if item)
    figures = {
        who: (len(orders.get(who, [])), received[item] if item else 0, authors[item] if item else 0)
        for who, item in submission_of.items()
    }
    shared = Counter(figures.values())
    rare = [figure for figure, count in shared.items() if count < FEW]
    sizes = Counter(size for size in authors.values() if size > 1)
    same = Counter(tuple(sorted(order)) for order in orders.values())
    return Findings(
        people=len(submission_of),
        reviewers=len(orders),
        own_orders=sum(count == 1 for count in same.values()),
        rare=sum(shared[figure] for figure in rare),
        rare_figures=tuple(sorted(rare, key=lambda figure: (shared[figure], figure))),
        teams=tuple(sorted(size for size, count in sizes.items() if count == 1)),
        off_roster=sum(who not in submission_of for who in orders),
        anchored=len(anchors),
    )
