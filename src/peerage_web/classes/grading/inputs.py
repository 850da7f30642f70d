"""The inputs of a run: files as `peerage grade` takes them, made from what was handed in.

- `feedback.csv`: who put which work at which place; only rankings that were handed in, of each the newest.
  Reviews that ended and works that were taken out are left out; staff rankings are graders of their own.
- `roster.csv`: whose work is whose.
- `anchors.csv`: what staff think works are worth; of several on one work their mean. The library needs
  three works for that, so that with fewer there is no such file.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from django.db.models import Max

from peerage_web.classes.allocation.models import Review
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import STAFF, Role
from peerage_web.classes.grading.models import StaffGrade, StaffRanking
from peerage_web.classes.grading.queries import Labels, labels_of, owners, unlike
from peerage_web.classes.reviewing.models import HandedInRanking
from peerage_web.classes.submissions.models import Work

FEEDBACK, ROSTER, ANCHORS = "feedback.csv", "roster.csv", "anchors.csv"
LABELS = "labels.json"  # beside the inputs: what every label stands for, and how many reviews were given
ASKED = (Review.State.OPEN, Review.State.RELEASED)  # a work that was replaced or taken out is not missed
Rankings = dict[int, list[list[int]]]  # of a reviewer: places, best first, each a list of reviews
FEWEST_ANCHORS = 3  # works, below which staff grades say nothing about a scale


@dataclass(frozen=True, slots=True)
class ExtraGrade:
    """One more staff grade, or another one of the same person, that a run is tried with."""

    work: int
    by: int
    points: float


@dataclass(slots=True)
class Inputs:
    """Files by name, and what their labels stand for."""

    files: dict[str, bytes] = field(default_factory=dict)
    works: dict[str, int] = field(default_factory=dict)
    people: dict[str, int] = field(default_factory=dict)  # members; staff rankings stand for none
    roster: dict[str, int] = field(default_factory=dict)  # members, whether they ranked or not
    reviews: dict[int, tuple[int, int]] = field(default_factory=dict)  # of a member: asked for, given
    lists: int = 0  # of peers
    staff_lists: int = 0
    staff_graded: int = 0  # works, also where they are too few to count

    @property
    def sha256(self) -> str:
        """Of all files."""
        return sha256_of(self.files)

    @property
    def size(self) -> int:
        """Bytes."""
        return sum(map(len, self.files.values()))


def sha256_of(files: dict[str, bytes]) -> str:
    """Of names and contents, in the order of the names."""
    whole = hashlib.sha256()
    for name, content in sorted(files.items()):
        whole.update(f"{name}:{len(content)}:".encode())
        whole.update(content)
    return whole.hexdigest()


def write_inputs(assignment: Assignment, folder: Path, extra: Iterable[ExtraGrade] = ()) -> Inputs:
    """Write the files into a folder that is there."""
    found = inputs_of(assignment, extra)
    for name, content in found.files.items():
        (folder / name).write_bytes(content)
    return found


def inputs_of(assignment: Assignment, extra: Iterable[ExtraGrade] = ()) -> Inputs:
    """The inputs as they are now; a bounded number of queries."""
    labels = labels_of(assignment)
    graded = {
        work: points for work, points in staff_grades(assignment, extra).items() if work in labels.works
    }
    found = Inputs(works={labels.works[pk]: pk for pk in labels.works}, staff_graded=len(graded))
    rankings = newest_rankings(assignment)
    found.reviews = _counted(assignment, rankings)
    rows = list(_peer_rows(assignment, rankings, labels, found))
    rows += _staff_rows(assignment, labels, found)
    found.files[FEEDBACK] = _table(("grader", "item", "rank"), rows)
    found.files[ROSTER] = _table(
        ("student", "item", "submits", "role", "section", "email"), _roster(assignment, labels, found)
    )
    ranked = {item for _grader, item, _rank in rows}
    anchors = [(labels.works[work], f"{points:.10g}") for work, points in graded.items()]
    if sum(item in ranked for item, _points in anchors) >= FEWEST_ANCHORS:
        found.files[ANCHORS] = _table(("item", "score"), sorted(anchors))
    return found


def keep_labels(inputs: Inputs, path: Path) -> None:
    """What labels stand for, for whoever reads the results; people may change their numbers meanwhile."""
    kept = {name: getattr(inputs, name) for name in ("works", "people", "roster", "reviews")}
    path.write_text(json.dumps(kept, ensure_ascii=False), encoding="utf-8")


def _table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().encode()


# -- feedback -----------------------------------------------------------------------------------------------


def newest_rankings(assignment: Assignment) -> Rankings:
    """What each reviewer handed in last: places, best first, each a list of reviews."""
    ours = HandedInRanking.objects.filter(ranking__assignment=assignment)
    newest = ours.order_by().values("ranking").annotate(last=Max("number"))
    last = {one["ranking"]: one["last"] for one in newest}
    rows = ours.order_by("ranking__reviewer").values_list("ranking", "number", "ranking__reviewer", "bins")
    return {reviewer: bins for ranking, number, reviewer, bins in rows if last[ranking] == number}


def _counted(assignment: Assignment, rankings: Rankings) -> dict[int, tuple[int, int]]:
    """Of each member: how many reviews they were asked for, and how many of these are in their ranking."""
    rows = Review.objects.filter(assignment=assignment, state__in=ASKED, work__taken_out_at=None).order_by()
    asked: Counter[int] = Counter()
    still: dict[int, int] = {}
    for pk, who, state in rows.values_list("pk", "reviewer", "state"):
        asked[who] += 1
        if state == Review.State.OPEN:
            still[pk] = who
    given = {
        who: sum(still.get(pk) == who for place in bins for pk in place) for who, bins in rankings.items()
    }
    return {who: (asked[who], given.get(who, 0)) for who in sorted({*asked, *given})}


def _peer_rows(
    assignment: Assignment, rankings: Rankings, labels: Labels, found: Inputs
) -> Iterable[tuple[str, str, int]]:
    open_reviews = Review.objects.filter(
        assignment=assignment, state=Review.State.OPEN, work__taken_out_at=None
    )
    work_of = dict(open_reviews.order_by().values_list("pk", "work"))
    for reviewer, bins in rankings.items():
        grader = labels.people[reviewer]
        kept = _places([[work_of[pk] for pk in place if pk in work_of] for place in bins], labels)
        if not kept:
            continue
        found.people[grader] = reviewer
        found.lists += 1
        yield from ((grader, item, rank) for item, rank in kept)


def _staff_rows(assignment: Assignment, labels: Labels, found: Inputs) -> Iterable[tuple[str, str, int]]:
    """Of each member of staff the newest ranking; nobody's own list of reviews, so under another label."""
    here = set(Work.objects.filter(assignment=assignment, taken_out_at=None).values_list("pk", flat=True))
    rankings = StaffRanking.objects.filter(assignment=assignment, withdrawn_at=None).select_related("by")
    newest = {one.by_id: one for one in rankings.order_by("at", "pk")}
    taken = {label.casefold() for label in (*labels.people.values(), *labels.works.values())}
    for one in newest.values():
        kept = _places([[pk for pk in place if pk in here] for place in one.bins], labels)
        if len(kept) < 2:  # one work on its own says nothing of any other
            continue
        grader = unlike(f"{one.by.email} (staff)", taken)
        found.staff_lists += 1
        yield from ((grader, item, rank) for item, rank in kept)


def _places(bins: list[list[int]], labels: Labels) -> list[tuple[str, int]]:
    """Items with their ranks; equal ranks are ties, and places that are left empty close up."""
    full = [place for place in bins if place]
    return [
        (item, rank)
        for rank, place in enumerate(full, start=1)
        for item in sorted(labels.works[work] for work in place)
    ]


# -- roster and staff grades ----------------------------------------------------------------------------


def _roster(assignment: Assignment, labels: Labels, found: Inputs) -> list[tuple[str, ...]]:
    """Students of the course, and whoever else made or ranked a work of it."""
    own = dict(owners(labels))
    handed_in = set(
        Work.objects.filter(assignment=assignment, submissions__handed_in_at__isnull=False)
        .order_by()
        .values_list("pk", flat=True)
        .distinct()
    )
    graders = set(found.people.values())
    members = Membership.objects.filter(course=assignment.course_id).select_related("person").order_by("pk")
    rows: list[tuple[str, ...]] = []
    for one in members:
        work = own.get(one.pk)
        item = labels.works[work] if work in handed_in and work is not None else ""
        if one.role == Role.STUDENT or item or one.pk in graders:
            role = "staff" if one.role in STAFF else "student"
            submits = "yes" if item else "no"
            found.roster[labels.people[one.pk]] = one.pk
            rows.append((labels.people[one.pk], item, submits, role, one.section, one.person.email))
    return rows


def staff_grades(assignment: Assignment, extra: Iterable[ExtraGrade] = ()) -> dict[int, float]:
    """Work to what staff think it is worth: the newest of each, and their mean."""
    ours = StaffGrade.objects.filter(work__assignment=assignment, withdrawn_at=None)
    ours = ours.filter(work__taken_out_at=None)
    given = {(work, by): points for work, by, points in ours.values_list("work", "by", "points")}
    given |= {(one.work, one.by): one.points for one in extra}
    works: dict[int, list[float]] = {}
    for (work, _by), points in sorted(given.items()):
        works.setdefault(work, []).append(points)
    return {work: fmean(points) for work, points in works.items()}
