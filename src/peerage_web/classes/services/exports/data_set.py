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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.models import Assignment, GradingRun
from peerage_web.classes.queries.exports.grades import source_of
from peerage_web.classes.queries.exports.identifying import Findings, findings_of
from peerage_web.classes.services.grading.inputs import ANCHORS, FEEDBACK, ROSTER
from peerage_web.classes.services.record import record
from peerage_web.shared.errors import Refused

Rows = list[list[str]]
MADE = (2000, 1, 1, 0, 0, 0)  # no file says when it was made, so that the same run gives the same bytes


@dataclass(frozen=True, slots=True)
class DataSet:
    """Tables without names, and what could still tell who somebody is."""

    run: GradingRun
    feedback: Rows  # grader, item, rank
    roster: Rows  # student, item, submits
    anchors: Rows  # item, score
    findings: Findings


def data_set(*, assignment: Assignment) -> DataSet:
    """What the export would hold; Refused as long as no run was approved."""
    run, _release = source_of(assignment)
    if run is None:
        raise Refused(_("No grading run was approved for release yet."))
    folder = run.job.folder / "input"
    if not (folder / FEEDBACK).is_file():
        raise Refused(_("The files of this run are gone. Start another one and approve it."))
    tables = {
        name: _read((folder / name).read_text(encoding="utf-8")) if (folder / name).is_file() else []
        for name in (FEEDBACK, ROSTER, ANCHORS)
    }
    people = _numbered(
        run, "p", [row["grader"] for row in tables[FEEDBACK]], _names(tables[ROSTER], "student")
    )
    items = _numbered(
        run,
        "w",
        [row["item"] for row in tables[FEEDBACK]],
        _names(tables[ROSTER], "item"),
        _names(tables[ANCHORS], "item"),
    )
    feedback = sorted([people[row["grader"]], items[row["item"]], row["rank"]] for row in tables[FEEDBACK])
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
    made = data_set(assignment=assignment)
    files = {
        FEEDBACK: _table(("grader", "item", "rank"), made.feedback),
        ROSTER: _table(("student", "item", "submits"), made.roster),
        **({ANCHORS: _table(("item", "score"), made.anchors)} if made.anchors else {}),
        "README.txt": _readme(made).encode(),
    }
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, MADE), content, zipfile.ZIP_DEFLATED)
    record("data-exported", by=by, assignment=assignment, count=len(made.feedback))
    return kept.getvalue()


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
    for name in ("method", "scale", "letters", "seed"):
        value = asked.get(name)
        if value not in (None, "") and (name != "seed" or value):
            parts += [f"--{name}", str(value)]
    return shlex.join(parts)


def _readme(made: DataSet) -> str:
    """In English, for whoever reads data sets."""
    lines = [
        "Rankings of a class, without names",
        "",
        f"{FEEDBACK}: who put which work at which place (1 is best, equal places are ties).",
        f"{ROSTER}: whose work is whose, so that nobody counts for their own.",
        *([f"{ANCHORS}: what staff thought some works are worth."] if made.anchors else []),
        "",
        f"Graded with Peerage {made.run.version} ({made.run.method}), as this does:",
        "",
        f"    {command_of(made.run, bool(made.anchors))}",
        "",
        "The estimates are the same. Points and bands are taken over random draws, which fall differently",
        "under other labels: a few tenths of a point in a hundred are usual.",
        "",
        "Numbers of people (p) and works (w) were drawn with a key that stays with the service.",
        "Left out: names, addresses, student numbers, sections, names of teams, files, comments, times.",
        "",
        "What could still identify somebody:",
        *(f"- {line}" for line in made.findings.sentences(english=True)),
        "",
    ]
    return "\n".join(lines)
