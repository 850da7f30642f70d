"""Appeals: who may still appeal, the lists of pages, and what accepting one would change."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Case, QuerySet, Value, When
from django.utils import timezone

from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.allocation.models import Review
from peerage_web.classes.appeals.models import Appeal
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.grading.final_grades import final_grades, overrides_of
from peerage_web.classes.grading.models import GradingRun, Override, RunReviewer
from peerage_web.classes.grading.queries import approved_run, plan_of
from peerage_web.classes.names import name_key
from peerage_web.classes.release.models import ReleasedGrade
from peerage_web.classes.release.queries import (
    current_grade,
    current_release,
    differs,
    has_seen_a_grade,
    next_release,
    snapshot,
)

AT_ONCE = timedelta(minutes=1)  # between the end of a release and the one that takes its place


@dataclass(frozen=True, slots=True)
class AppealWindow:
    """What a student may do about a grade; `closed` says why nothing, as a code."""

    grade: ReleasedGrade | None
    until: datetime | None
    left: int  # appeals that they have left
    closed: str  # "", or none, no-grade, not-seen, over, used-up, open

    @property
    def is_open(self) -> bool:
        """Whether they may appeal now."""
        return not self.closed


def window_of(assignment: Assignment, member: Membership) -> AppealWindow:
    """For one student, now. What staff opened for them, and what they took back, is not counted."""
    plan, grade = plan_of(assignment), current_grade(assignment, member)
    asked = Appeal.objects.filter(assignment=assignment, membership=member)
    counted = asked.filter(opened_by=member.person_id).exclude(state=Appeal.State.WITHDRAWN).count()
    left = max(0, plan.appeals_each - counted)
    until = appeals_until(grade) if grade is not None else None
    is_waiting = asked.filter(state=Appeal.State.OPEN).exists()
    return AppealWindow(grade, until, left, _closed(assignment, member, grade, until, left, is_waiting))


def appeals_until(grade: ReleasedGrade) -> datetime | None:
    """When the time to appeal against this grade is over; None where there are no appeals."""
    days = plan_of(grade.release.assignment).appeal_days
    return notified_since(grade) + timedelta(days=days) if days else None


def _closed(
    assignment: Assignment,
    member: Membership,
    grade: ReleasedGrade | None,
    until: datetime | None,
    left: int,
    is_waiting: bool,
) -> str:
    if grade is None or grade.submission_id is None or (grade.points is None and not grade.letter):
        return "no-grade"
    if until is None:
        return "none"
    if is_waiting:
        return "open"
    if not has_seen_a_grade(assignment, member):
        return "not-seen"
    if timezone.now() >= until:
        return "over"
    return "" if left else "used-up"


def notified_since(grade: ReleasedGrade) -> datetime:
    """Since when the student is told this grade.

    A release that takes another's place starts no new window for those to whom it says the same; for the
    others it does, and so it does for everybody after grades were taken back.
    """
    if grade.release.number == 1:
        return grade.release.made_at
    earlier = ReleasedGrade.objects.filter(
        release__assignment=grade.release.assignment_id,
        membership=grade.membership_id,
        release__number__lt=grade.release.number,
    ).select_related("release")
    since = grade.release.made_at
    for before in earlier.order_by("-release__number"):
        ended = before.release.ended_at
        if ended is None or since - ended > AT_ONCE or differs(before, grade):
            break
        since = before.release.made_at
    return since


# -- Appeals as pages list them ------------------------------------------------------------------------


def appeals_of(assignment: Assignment) -> QuerySet[Appeal]:
    """Those that wait, oldest first; then those that ended, newest first."""
    appeals = Appeal.objects.filter(assignment=assignment).select_related("membership__person", "answered_by")
    waits = Case(When(state=Appeal.State.OPEN, then=Value(0)), default=Value(1))
    return appeals.annotate(waits=waits).order_by("waits", "-ended_at", "opened_at", "pk")


def own_appeals(assignment: Assignment, member: Membership) -> QuerySet[Appeal]:
    """A student's, newest first."""
    return Appeal.objects.filter(assignment=assignment, membership=member).order_by("-opened_at", "-pk")


def trail_of(appeal: Appeal) -> QuerySet[Event]:
    """Everything in the activity log that belongs to it, for staff; oldest first."""
    events = Event.objects.filter(assignment=appeal.assignment_id, data__appeal=appeal.key)
    return events.select_related("actor", "subject__person").order_by("at", "pk")


def reviewers_of(appeal: Appeal) -> list[RunReviewer]:
    """Who ranked the submission, and what the run that is appealed against says of them."""
    reviewers = Review.objects.filter(submission=appeal.submission_id, state=Review.State.OPEN).values(
        "reviewer"
    )
    rows = RunReviewer.objects.filter(run=appeal.release.run_id, membership__in=reviewers, given__gt=0)
    return sorted(
        rows.select_related("membership__person"),
        key=lambda row: (name_key(row.membership.shown_name), row.pk),
    )


# -- What accepting an appeal would change, for everybody, before anything is accepted -----------------


@dataclass(frozen=True, slots=True)
class AppealChange:
    """One student for whom something would change."""

    membership: Membership
    before: ReleasedGrade | None
    after: ReleasedGrade
    is_theirs: bool  # who made the submission that the appeal is about

    @property
    def change(self) -> float | None:
        """In points of the submission."""
        if self.before is None or self.before.points is None or self.after.points is None:
            return None
        return self.after.points - self.before.points


@dataclass(frozen=True, slots=True)
class AppealChanges:
    """Who moves: first who appealed, then others, those who move furthest first."""

    moves: list[AppealChange]
    students: int

    @property
    def others(self) -> list[AppealChange]:
        """But for those whose submission it is about."""
        return [move for move in self.moves if not move.is_theirs]


def movement_by_run(appeal: Appeal, run: GradingRun) -> AppealChanges:
    """If this run was released in place of what students see."""
    return _movement(appeal, run, ())


def movement_by_hand(appeal: Appeal) -> AppealChanges:
    """If the submission got its points by hand, and nothing was estimated anew."""
    run = approved_run(appeal.assignment)
    assert run is not None  # grades were released
    points = appeal.proposed_points or 0.0
    # what was set for one member of a team would stand before it
    whom = [
        member for submission, member in overrides_of(appeal.assignment) if submission == appeal.submission_id
    ]
    by_hand = [
        Override(submission_id=appeal.submission_id, membership_id=member, points=points)
        for member in {None, *whom}
    ]
    return _movement(appeal, run, by_hand)


def is_set_by_hand(appeal: Appeal) -> bool:
    """Whether staff have set the grade of this submission, which no estimate moves."""
    return any(submission == appeal.submission_id for submission, _member in overrides_of(appeal.assignment))


def _movement(appeal: Appeal, run: GradingRun, by_hand: Iterable[Override]) -> AppealChanges:
    release = current_release(appeal.assignment)
    released = {grade.membership_id: grade for grade in release.grades.all()} if release is not None else {}
    shown_in = release if release is not None else next_release(run)
    after = [snapshot(grade, shown_in) for grade in final_grades(run, by_hand) if not grade.is_empty]
    moves = [
        AppealChange(
            grade.membership,
            released.get(grade.membership_id),
            grade,
            is_theirs=grade.submission_id == appeal.submission_id,
        )
        for grade in after
        if grade.membership_id not in released or differs(released[grade.membership_id], grade)
    ]
    moves.sort(key=lambda move: (not move.is_theirs, -abs(move.change or 0.0), move.membership.pk))
    return AppealChanges(moves, len(after))
