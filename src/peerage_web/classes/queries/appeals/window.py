"""Until when a student may appeal, and how often."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from peerage_web.classes.models import Appeal, Assignment, Membership, ReleasedGrade
from peerage_web.classes.queries.grading.plans import plan_of
from peerage_web.classes.queries.release.current import current_grade, has_seen_a_grade
from peerage_web.classes.queries.release.told import differs

AT_ONCE = timedelta(minutes=1)  # between the end of a release and the one that takes its place


@dataclass(frozen=True, slots=True)
class Window:
    """What a student may do about a grade; `closed` says why nothing, as a code."""

    grade: ReleasedGrade | None
    until: datetime | None
    left: int  # appeals that they have left
    closed: str  # "", or none, no-grade, not-seen, over, used-up, open

    @property
    def is_open(self) -> bool:
        """Whether they may appeal now."""
        return not self.closed


def window_of(assignment: Assignment, member: Membership) -> Window:
    """For one student, now. What staff opened for them, and what they took back, is not counted."""
    plan, grade = plan_of(assignment), current_grade(assignment, member)
    asked = Appeal.objects.filter(assignment=assignment, membership=member)
    counted = asked.filter(opened_by=member.person_id).exclude(state=Appeal.State.WITHDRAWN).count()
    left = max(0, plan.appeals_each - counted)
    until = None
    if grade is not None and plan.appeal_days:
        until = told_since(grade) + timedelta(days=plan.appeal_days)
    is_waiting = asked.filter(state=Appeal.State.OPEN).exists()
    return Window(grade, until, left, _closed(assignment, member, grade, until, left, is_waiting))


def _closed(
    assignment: Assignment,
    member: Membership,
    grade: ReleasedGrade | None,
    until: datetime | None,
    left: int,
    is_waiting: bool,
) -> str:
    if grade is None or grade.work_id is None or grade.points is None:
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


def told_since(grade: ReleasedGrade) -> datetime:
    """Since when the student is told this grade.

    A release that takes another's place starts no new window for those to whom it says the same; for the
    others it does, and so it does for everybody after grades were taken back.
    """
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
