"""One matrix of who reviews whom and how far they are; for staff alone. Few queries a page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce

from peerage_web.classes.allocation.models import Report, Review
from peerage_web.classes.assignments.models import Assignment, Team
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.reviewing.models import Comment, HandedInRanking, Ranking
from peerage_web.classes.submissions.models import Work

AT_ONCE = 500
SMALL = 60  # reviewers and works up to which the whole grid is shown
State = Review.State


@dataclass(frozen=True, slots=True)
class MatrixEntry:
    """One review: who, what, under which label, and how far: a code of `texts.HOW_FAR`."""

    review: int
    reviewer: int
    work: int
    label: str
    how_far: str
    is_open: bool


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """A reviewer with what they review, or a work with who reviews it."""

    key: int
    name: str
    entries: list[MatrixEntry] = field(default_factory=list)
    finished: bool = False


# -- names, as staff read them ---------------------------------------------------------------------------


def work_names(assignment: Assignment, works: Iterable[int] | None = None) -> dict[int, str]:
    """The author of each work, or the team."""
    found = Work.objects.filter(assignment=assignment).select_related("author__person", "team")
    if works is not None:
        found = found.filter(pk__in=list(works))
    return {one.pk: maker_name(one) for one in found}


def maker_name(work: Work) -> str:
    """Who made it."""
    if work.author is not None:
        return work.author.shown_name
    return work.team.name if isinstance(work.team, Team) else ""


def reviewers_of(assignment: Assignment, search: str = "", unfinished: bool = False) -> QuerySet[Membership]:
    """Everybody with reviews, whatever became of them."""
    having = Review.objects.filter(assignment=assignment).order_by().values("reviewer")
    found = Membership.objects.filter(pk__in=having).select_related("person")
    if search:
        found = found.filter(
            Q(name__icontains=search) | Q(person__email__icontains=search) | Q(student_id__icontains=search)
        )
    if unfinished:
        done = HandedInRanking.objects.filter(ranking__assignment=assignment).values("ranking__reviewer")
        found = found.exclude(pk__in=done)
    return found.order_by("name", "pk")


def works_of(assignment: Assignment, search: str = "") -> QuerySet[Work]:
    """Every work that was handed in."""
    found = Work.objects.filter(assignment=assignment, submissions__handed_in_at__isnull=False).distinct()
    if search:
        found = found.filter(
            Q(author__name__icontains=search)
            | Q(author__person__email__icontains=search)
            | Q(team__name__icontains=search)
        )
    return found.select_related("author__person", "team").order_by(
        Coalesce("author__name", "team__name"), "pk"
    )


# -- rows ------------------------------------------------------------------------------------------------


def rows_by_reviewer(assignment: Assignment, reviewers: Sequence[Membership]) -> list[MatrixRow]:
    """One row for each of these reviewers."""
    keys = [one.pk for one in reviewers]
    finished = _finished(assignment, keys)
    entries: dict[int, list[MatrixEntry]] = defaultdict(list)
    for one in _entries(assignment, Review.objects.filter(reviewer__in=keys)):
        entries[one.reviewer].append(one)
    return [MatrixRow(one.pk, one.shown_name, entries[one.pk], one.pk in finished) for one in reviewers]


def rows_by_work(assignment: Assignment, works: Sequence[Work]) -> list[MatrixRow]:
    """One row for each of these works."""
    entries: dict[int, list[MatrixEntry]] = defaultdict(list)
    for one in _entries(assignment, Review.objects.filter(work__in=[work.pk for work in works])):
        entries[one.work].append(one)
    return [MatrixRow(one.pk, maker_name(one), entries[one.pk]) for one in works]


def all_entries(assignment: Assignment) -> list[MatrixEntry]:
    """Every review of the assignment."""
    return _entries(assignment, Review.objects.all())


def _entries(assignment: Assignment, which: QuerySet[Review]) -> list[MatrixEntry]:
    reviews = which.filter(assignment=assignment).order_by("reviewer", "position", "pk")
    rows = list(reviews.values_list("pk", "reviewer", "work", "label", "state", "opened_at"))
    people = {row[1] for row in rows}
    ranked, done = _ranked(assignment, people), _done(assignment, people)
    written = set(
        Comment.objects.filter(review__assignment=assignment, review__in=which.values("pk"))
        .exclude(text="")
        .values_list("review", flat=True)
    )
    found = []
    for pk, reviewer, work, label, state, opened_at in rows:
        if state != State.OPEN:
            how_far = state
        elif pk in done[reviewer]:
            how_far = "done"
        elif label in ranked[reviewer] or pk in written:
            how_far = "written"
        else:
            how_far = "opened" if opened_at else "waiting"
        found.append(MatrixEntry(pk, reviewer, work, label, how_far, state == State.OPEN))
    return found


def _ranked(assignment: Assignment, people: set[int]) -> dict[int, set[str]]:
    """Labels that stand in an order that is being made."""
    found: dict[int, set[str]] = defaultdict(set)
    rankings = _of(Ranking.objects.filter(assignment=assignment), "reviewer", people)
    for reviewer, bins in rankings.values_list("reviewer", "bins"):
        found[reviewer] = {label for one in bins for label in one}
    return found


def _of(found: Any, field: str, people: set[int]) -> Any:
    """Of these people; databases bound how much one question may hold, and then it is for everybody."""
    return found.filter(**{f"{field}__in": people}) if len(people) <= AT_ONCE else found


def _done(assignment: Assignment, people: set[int]) -> dict[int, set[int]]:
    """Reviews in the newest ranking that was handed in."""
    found: dict[int, set[int]] = defaultdict(set)
    handed = HandedInRanking.objects.filter(ranking__assignment=assignment).order_by("number")
    handed = _of(handed, "ranking__reviewer", people)
    for reviewer, bins in handed.values_list("ranking__reviewer", "bins"):
        found[reviewer] = {review for one in bins for review in one}
    return found


def _finished(assignment: Assignment, people: Iterable[int]) -> set[int]:
    handed = HandedInRanking.objects.filter(
        ranking__assignment=assignment, ranking__reviewer__in=list(people)
    )
    return set(handed.order_by().values_list("ranking__reviewer", flat=True).distinct())


# -- reports ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reported:
    """A work with its reports that nobody has settled, or that is out."""

    work: Work
    name: str
    reports: list[Report]


def reported_works(assignment: Assignment) -> list[Reported]:
    """Works with open reports first, then what is out."""
    reports: dict[int, list[Report]] = defaultdict(list)
    found = Report.objects.filter(review__assignment=assignment).select_related("review__reviewer__person")
    for one in found:
        reports[one.review.work_id].append(one)
    unsettled = {work for work, theirs in reports.items() if any(one.settled_at is None for one in theirs)}
    works = Work.objects.filter(assignment=assignment).filter(
        Q(pk__in=unsettled) | Q(taken_out_at__isnull=False)
    )
    listed = [
        Reported(one, maker_name(one), reports[one.pk])
        for one in works.select_related("author__person", "team").order_by("pk")
    ]
    return sorted(listed, key=lambda one: one.work.pk not in unsettled)


def open_reports(assignment: Assignment) -> int:
    """How many reports wait for staff."""
    return Report.objects.filter(review__assignment=assignment, settled_at=None).count()
