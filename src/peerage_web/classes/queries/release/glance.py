"""The instructor's overview: is everything in, how sure are the grades, whom to talk to, where to look next.

For several assignments at once, with a number of queries that does not grow with any of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Avg, Count, Exists, F, OuterRef, Q

from peerage_web.classes.models import (
    Appeal,
    Assignment,
    GradingRun,
    HandedInRanking,
    Helpfulness,
    HiddenComment,
    Membership,
    ReleasedGrade,
    Report,
    Review,
    RunGrade,
    RunReviewer,
    TeamMember,
    Work,
)
from peerage_web.classes.queries.release.staff_lists import NOT_HELPFUL
from peerage_web.classes.queries.release.told import scale_of
from peerage_web.classes.words import Phase, Role

MOST = 6  # assignments on the page of a course
NAMES = 5  # of people and works in one answer; the rest is counted
NAMED = ("reversed", "chance")  # what the library finds of a reviewer that is worth a talk
SURE = 0.95
_OVER = (Phase.CLOSED, Phase.RELEASED)


@dataclass(frozen=True, slots=True)
class Talk:
    """Somebody to talk to, and why: a code of `sentences.TALK`."""

    membership: Membership
    why: str


@dataclass(slots=True)
class Glance:
    """The four answers about one assignment."""

    assignment: Assignment
    # is everything in
    with_work: int = 0  # students, alone or with their team
    students: int = 0
    rankings: int = 0
    reviewers: int = 0
    # how sure are the grades
    run: GradingRun | None = None
    width: float | None = None  # the mean of the bands
    letters: int = 0
    unsure_letters: int = 0
    seen: int = 0
    told: int = 0
    # whom to talk to, where to look next
    people: list[Talk] = field(default_factory=list)
    more_people: int = 0
    look: list[RunGrade] = field(default_factory=list)
    reports: int = 0
    appeals: int = 0
    unhelpful: int = 0

    @property
    def is_everything_in(self) -> bool:
        """As far as the phase asks for it."""
        works = self.with_work >= self.students
        reviewed = self.assignment.phase in (Phase.REVIEWING, *_OVER)
        return works and (not reviewed or (bool(self.reviewers) and self.rankings >= self.reviewers))

    @property
    def missing_works(self) -> int:
        """Still to come, or never will."""
        return self.students - self.with_work

    @property
    def missing_rankings(self) -> int:
        """Of those who have works to review."""
        return self.reviewers - self.rankings

    @property
    def scale(self) -> tuple[float, float]:
        """Of the run."""
        return scale_of(self.run) if self.run is not None else (0.0, 100.0)

    @property
    def nothing_to_look_at(self) -> bool:
        """Whether the fourth answer is empty."""
        return not (self.look or self.reports or self.appeals or self.unhelpful)


def most_urgent(assignments: Sequence[Assignment]) -> list[Assignment]:
    """Those that run, then those whose grades are out, the newest first; not those in set-up."""
    shown = [one for one in assignments if one.phase != Phase.SETUP]
    newest = sorted(shown, key=lambda one: one.pk, reverse=True)
    return sorted(newest, key=lambda one: one.phase == Phase.RELEASED)[:MOST]


def glances(assignments: Sequence[Assignment], now: datetime, *, with_grades: bool = True) -> list[Glance]:
    """Of these assignments of one course, in their order; without grades for who may not see them."""
    found = {one.pk: Glance(one) for one in assignments}
    if found:
        _add_what_is_in(found, assignments[0].course_id)
    if found and with_grades:
        _add_runs(found)
        _add_people(found, now)
        _add_where_to_look(found)
    return list(found.values())


# -- is everything in -----------------------------------------------------------------------------------


def _add_what_is_in(found: dict[int, Glance], course: int) -> None:
    """People are counted, not works: somebody's own or their team's is in, or it is not."""
    students = Membership.objects.filter(course=course, role=Role.STUDENT)
    everybody = set(students.values_list("pk", flat=True))
    handed = Work.objects.filter(assignment__in=found, submissions__handed_in_at__isnull=False)
    with_work: dict[int, set[int]] = defaultdict(set)
    for number, author in handed.exclude(author=None).values_list("assignment", "author"):
        with_work[number].add(author)
    placed = TeamMember.objects.filter(assignment__in=found, team__in=handed.values("team"))
    for number, member in placed.values_list("assignment", "membership"):
        with_work[number].add(member)
    for number, one in found.items():
        one.students, one.with_work = len(everybody), len(everybody & with_work[number])
    asked = Review.objects.filter(assignment__in=found, state=Review.State.OPEN).order_by()
    # a work that came after the ranking was handed in opens it again
    waiting = asked.exclude(_has_handed_in(handed_in_at__gte=OuterRef("created_at")))
    reviewer = Count("reviewer", distinct=True)
    for number, count in asked.values_list("assignment").annotate(reviewer):
        found[number].reviewers = found[number].rankings = count
    for number, count in waiting.values_list("assignment").annotate(reviewer):
        found[number].rankings -= count


def _has_handed_in(**when: object) -> Exists:
    """Of a review: whether its reviewer has handed in a ranking."""
    return Exists(
        HandedInRanking.objects.filter(
            ranking__assignment=OuterRef("assignment"), ranking__reviewer=OuterRef("reviewer"), **when
        )
    )


# -- how sure are the grades ------------------------------------------------------------------------------


def _add_runs(found: dict[int, Glance]) -> None:
    """The approved run, else the newest that has grades."""
    drawn = GradingRun.objects.filter(
        assignment__in=found, purpose=GradingRun.Purpose.GRADES, drawn_at__isnull=False
    )
    for run in drawn.order_by("number"):
        before = found[run.assignment_id].run
        if before is None or before.approved_at is None or _is_later(run, before):
            found[run.assignment_id].run = run
    by_run = {one.run.pk: one for one in found.values() if one.run is not None}
    grades = RunGrade.objects.filter(run__in=by_run).order_by().values_list("run")
    counted = grades.annotate(
        width=Avg(F("points_high") - F("points_low")),
        letters=Count("letter_chance"),
        unsure=Count("pk", filter=Q(letter_chance__lt=SURE)),
    )
    for number, width, letters, unsure in counted:
        one = by_run[number]
        one.width, one.letters, one.unsure_letters = width, letters, unsure
    released = ReleasedGrade.objects.filter(release__assignment__in=found, release__ended_at=None).order_by()
    for number, told, seen in released.values_list("release__assignment").annotate(
        Count("pk"), Count("seen_at")
    ):
        found[number].told, found[number].seen = told, seen


def _is_later(run: GradingRun, before: GradingRun) -> bool:
    return run.approved_at is not None and (
        before.approved_at is None or run.approved_at > before.approved_at
    )


# -- whom to talk to --------------------------------------------------------------------------------------


def _add_people(found: dict[int, Glance], now: datetime) -> None:
    """Appeals first, then orders that run against the class, hidden words, and rankings that never came."""
    people: dict[int, dict[int, str]] = defaultdict(dict)

    def add(rows: object, why: str) -> None:
        for number, member in rows:  # type: ignore[attr-defined]
            people[number].setdefault(member, why)

    here = Membership.objects.exclude(role=Role.DROPPED)
    appeals = Appeal.objects.filter(assignment__in=found, state=Appeal.State.OPEN, membership__in=here)
    add(appeals.values_list("assignment", "membership"), "appeal")
    runs = [one.run for one in found.values() if one.run is not None]
    named = RunReviewer.objects.filter(run__in=runs, membership__in=here).order_by("reliability", "pk")
    for why in NAMED:
        add(named.filter(flag=why).values_list("run__assignment", "membership"), why)
    hidden = HiddenComment.objects.filter(comment__review__assignment__in=found, shown_again_at=None)
    wrote = ("comment__review__assignment", "comment__review__reviewer")
    add(hidden.filter(comment__review__reviewer__in=here).values_list(*wrote), "hidden")
    over = [number for number, one in found.items() if _reviews_are_over(one.assignment, now)]
    absent = Review.objects.filter(assignment__in=over, state=Review.State.OPEN, reviewer__in=here)
    absent = absent.exclude(_has_handed_in()).order_by("reviewer")
    add(absent.values_list("assignment", "reviewer").distinct(), "absent")
    # a large class may have hundreds, of whom a few are named
    shown = {number: list(some.items())[:NAMES] for number, some in people.items()}
    members = here.select_related("person").in_bulk({who for some in shown.values() for who, _why in some})
    for number, some in shown.items():
        found[number].people = [Talk(members[who], why) for who, why in some if who in members]
        found[number].more_people = len(people[number]) - len(some)


def _reviews_are_over(assignment: Assignment, now: datetime) -> bool:
    due = assignment.reviews_due_at
    late = assignment.phase == Phase.REVIEWING and due is not None and due < now
    return late or assignment.phase in _OVER


# -- where to look next -----------------------------------------------------------------------------------


def _add_where_to_look(found: dict[int, Glance]) -> None:
    """The library's list of works where a look of staff helps most, and what waits for an answer."""
    by_run = {one.run.pk: one for one in found.values() if one.run is not None}
    listed = RunGrade.objects.filter(run__in=by_run, attention__lte=NAMES, staff=None)
    for grade in listed.select_related("work__author__person", "work__team").order_by("attention", "pk"):
        by_run[grade.run_id].look.append(grade)
    reports = Report.objects.filter(review__assignment__in=found, settled_at=None)
    appeals = Appeal.objects.filter(assignment__in=found, state=Appeal.State.OPEN)
    unhelpful = Helpfulness.objects.filter(review__assignment__in=found, rating__lte=NOT_HELPFUL)
    for name, rows, where in (
        ("reports", reports, "review__assignment"),
        ("appeals", appeals, "assignment"),
        ("unhelpful", unhelpful, "review__assignment"),
    ):
        for number, count in rows.order_by().values_list(where).annotate(Count("pk")):
            setattr(found[number], name, count)
