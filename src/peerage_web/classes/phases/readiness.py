"""What blocks the next step of an assignment, what would be lost by going back, and what deserves a word.

Each reason carries a code and its figures; `texts` turns it into words in the reader's language.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.utils import timezone

from peerage_web.classes.allocation.models import Report, Review
from peerage_web.classes.assignments.models import Assignment, TeamMember
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Role
from peerage_web.classes.grading.models import GradingRun
from peerage_web.classes.phases.state_machine import Step
from peerage_web.classes.reviewing.models import Comment, HandedInRanking, Ranking
from peerage_web.classes.submissions.models import Work

FEWEST_WORKS = 3  # below that there is nothing to rank that says anything


@dataclass(frozen=True, slots=True)
class StepReason:
    """Why a step cannot be taken, or what to know before it is."""

    code: str
    figures: dict[str, Any] = field(default_factory=dict)


def blockers(assignment: Assignment, step: Step) -> list[StepReason]:
    """What has to be put right before the step; empty: it can be taken."""
    return _BLOCKERS[step.code](assignment)


def warnings(assignment: Assignment, step: Step) -> list[StepReason]:
    """What to know before the step is taken."""
    found = _WARNINGS.get(step.code)
    return found(assignment) if found is not None else []


# -- onward -------------------------------------------------------------------------------------------


def _before_publishing(assignment: Assignment) -> list[StepReason]:
    found = []
    students = students_of(assignment).count()
    if students < FEWEST_WORKS:
        found.append(StepReason("few-students", {"count": students, "least": FEWEST_WORKS}))
    if assignment.due_at is None:
        found.append(StepReason("no-due-date"))
    elif assignment.due_at <= timezone.now():
        found.append(StepReason("due-is-past"))
    if assignment.reviews_due_at is None:
        found.append(StepReason("no-reviews-due-date"))
    if not assignment.file_kinds:
        found.append(StepReason("no-file-kinds"))
    if students and students <= assignment.reviews_per_student and not assignment.in_teams:
        most = max(students - 1, 1)
        found.append(StepReason("too-many-reviews", {"count": assignment.reviews_per_student, "most": most}))
    return found


def _before_allocating(assignment: Assignment) -> list[StepReason]:
    works = works_in(assignment)
    found = []
    if works < FEWEST_WORKS:
        found.append(StepReason("few-works", {"count": works, "least": FEWEST_WORKS}))
    return found


def _before_reviewing(assignment: Assignment) -> list[StepReason]:
    found = []
    if not Review.objects.filter(assignment=assignment, state=Review.State.OPEN).exists():
        found.append(StepReason("no-allocation"))
    if assignment.reviews_due_at is not None and assignment.reviews_due_at <= timezone.now():
        found.append(StepReason("reviews-due-is-past"))
    return found


def _before_releasing(assignment: Assignment) -> list[StepReason]:
    runs = GradingRun.objects.filter(assignment=assignment)
    if not runs.filter(drawn_at__isnull=False, purpose=GradingRun.Purpose.GRADES).exists():
        return [StepReason("no-grades")]
    return [] if runs.filter(approved_at__isnull=False).exists() else [StepReason("no-approved-run")]


def _nothing(assignment: Assignment) -> list[StepReason]:
    return []


# -- back: only where nothing is lost ---------------------------------------------------------------------


def _before_unpublishing(assignment: Assignment) -> list[StepReason]:
    works = Work.objects.filter(assignment=assignment).count()
    return [StepReason("works-handed-in", {"count": works})] if works else []


def _before_submitting_again(assignment: Assignment) -> list[StepReason]:
    reviews = Review.objects.filter(assignment=assignment).count()
    return [StepReason("allocation-committed", {"count": reviews})] if reviews else []


def _before_allocating_again(assignment: Assignment) -> list[StepReason]:
    people = (
        set(Ranking.objects.filter(assignment=assignment).values_list("reviewer", flat=True))
        | set(
            Comment.objects.filter(review__assignment=assignment)
            .exclude(text="")
            .values_list("review__reviewer", flat=True)
        )
        | set(Report.objects.filter(review__assignment=assignment).values_list("review__reviewer", flat=True))
    )
    return [StepReason("reviews-begun", {"count": len(people)})] if people else []


# -- what to know ----------------------------------------------------------------------------------------


def _on_publishing(assignment: Assignment) -> list[StepReason]:
    if not assignment.in_teams:
        return []
    placed = TeamMember.objects.filter(assignment=assignment).values("membership")
    alone = students_of(assignment).exclude(pk__in=placed).count()
    return [StepReason("without-team", {"count": alone})] if alone else []


def _on_allocating(assignment: Assignment) -> list[StepReason]:
    missing = makers_without_work(assignment)
    return [StepReason("works-missing", {"count": missing})] if missing else []


def _on_closing(assignment: Assignment) -> list[StepReason]:
    asked = (
        Review.objects.filter(assignment=assignment, state=Review.State.OPEN)
        .values("reviewer")
        .distinct()
        .count()
    )
    done = (
        HandedInRanking.objects.filter(ranking__assignment=assignment)
        .order_by()
        .values("ranking__reviewer")
        .distinct()
        .count()
    )
    found = [StepReason("rankings-missing", {"count": asked - done})] if asked > done else []
    reports = Report.objects.filter(review__assignment=assignment, settled_at=None).count()
    return [*found, *([StepReason("open-reports", {"count": reports})] if reports else [])]


def _on_releasing(assignment: Assignment) -> list[StepReason]:
    """What the approved run does not know."""
    runs = GradingRun.objects.filter(assignment=assignment, purpose=GradingRun.Purpose.GRADES)
    approved = runs.filter(approved_at__isnull=False).order_by("-approved_at").first()
    if approved is None:
        return []
    handed = HandedInRanking.objects.filter(ranking__assignment=assignment)
    later = handed.filter(handed_in_at__gt=approved.made_at).count()
    found = [StepReason("rankings-after-run", {"count": later})] if later else []
    newer = runs.filter(number__gt=approved.number, drawn_at__isnull=False).exists()
    return [*found, *([StepReason("newer-run")] if newer else [])]


_BLOCKERS = {
    "publish": _before_publishing,
    "stop-submitting": _before_allocating,
    "start-reviewing": _before_reviewing,
    "close": _nothing,
    "release": _before_releasing,
    "unpublish": _before_unpublishing,
    "submit-again": _before_submitting_again,
    "allocate-again": _before_allocating_again,
    "review-again": _nothing,
    "retract": _nothing,
}
_WARNINGS = {
    "publish": _on_publishing,
    "stop-submitting": _on_allocating,
    "close": _on_closing,
    "release": _on_releasing,
}


# -- figures ----------------------------------------------------------------------------------------------


def students_of(assignment: Assignment) -> Any:
    """Everybody who is to hand in and to review."""
    return Membership.objects.filter(course=assignment.course_id, role=Role.STUDENT)


def works_in(assignment: Assignment) -> int:
    """Works that were handed in and not taken out."""
    return (
        Work.objects.filter(assignment=assignment, taken_out_at=None, submissions__handed_in_at__isnull=False)
        .distinct()
        .count()
    )


def makers(assignment: Assignment) -> int:
    """How many works there will be if everybody hands in: students, or teams and students without one."""
    students = students_of(assignment)
    if not assignment.in_teams:
        found: int = students.count()
        return found
    placed = TeamMember.objects.filter(assignment=assignment, membership__role=Role.STUDENT)
    alone: int = students.exclude(pk__in=placed.values("membership")).count()
    return placed.values("team").distinct().count() + alone


def makers_without_work(assignment: Assignment) -> int:
    """How many works are still to come."""
    handed = (
        Work.objects.filter(assignment=assignment, submissions__handed_in_at__isnull=False).distinct().count()
    )
    return max(makers(assignment) - handed, 0)
