"""What blocks the next step of an assignment, what would be lost by going back, and what deserves a word.

Each reason carries a code and its figures; `texts` turns it into words in the reader's language.
"""

from dataclasses import dataclass, field
from typing import Any

from django.utils import timezone

from peerage_web.classes.allocation.models import Report, Review
from peerage_web.classes.assignments.models import Assignment, TeamMember
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Role
from peerage_web.classes.grading.models import GradingRun
from peerage_web.classes.phases.state_machine import Step
from peerage_web.classes.reviewing.models import Comment, Ranking, SubmittedRanking
from peerage_web.classes.submissions.models import Submission

FEWEST_SUBMISSIONS = 3  # below that there is nothing to rank that says anything


@dataclass(frozen=True, slots=True)
class StepReason:
    """Why a step cannot be taken, or what to know before it is."""

    code: str
    figures: dict[str, Any] = field(default_factory=dict)


def blockers(assignment: Assignment, step: Step) -> list[StepReason]:
    """What has to be put right before the step; empty: it can be taken."""
    return _BLOCKERS[step.code](assignment)


def warnings(assignment: Assignment, step: Step) -> list[StepReason]:
    reasons_of = _WARNINGS.get(step.code)
    return reasons_of(assignment) if reasons_of is not None else []


# -- onward -------------------------------------------------------------------------------------------


def _before_publishing(assignment: Assignment) -> list[StepReason]:
    reasons = []
    students = students_of(assignment).count()
    if students < FEWEST_SUBMISSIONS:
        reasons.append(StepReason("few-students", {"count": students, "least": FEWEST_SUBMISSIONS}))
    if assignment.due_at is None:
        reasons.append(StepReason("no-due-date"))
    elif assignment.due_at <= timezone.now():
        reasons.append(StepReason("due-is-past"))
    if assignment.reviews_due_at is None:
        reasons.append(StepReason("no-reviews-due-date"))
    if not assignment.file_kinds:
        reasons.append(StepReason("no-file-kinds"))
    if students and students <= assignment.reviews_per_student and not assignment.in_teams:
        most = max(students - 1, 1)
        reasons.append(
            StepReason("too-many-reviews", {"count": assignment.reviews_per_student, "most": most})
        )
    return reasons


def _before_allocating(assignment: Assignment) -> list[StepReason]:
    submissions = submissions_in(assignment)
    reasons = []
    if submissions < FEWEST_SUBMISSIONS:
        reasons.append(StepReason("few-submissions", {"count": submissions, "least": FEWEST_SUBMISSIONS}))
    return reasons


def _before_reviewing(assignment: Assignment) -> list[StepReason]:
    reasons = []
    if not Review.objects.filter(assignment=assignment, state=Review.State.OPEN).exists():
        reasons.append(StepReason("no-allocation"))
    if assignment.reviews_due_at is not None and assignment.reviews_due_at <= timezone.now():
        reasons.append(StepReason("reviews-due-is-past"))
    return reasons


def _before_releasing(assignment: Assignment) -> list[StepReason]:
    runs = GradingRun.objects.filter(assignment=assignment)
    if not runs.filter(drawn_at__isnull=False, purpose=GradingRun.Purpose.GRADES).exists():
        return [StepReason("no-grades")]
    return [] if runs.filter(approved_at__isnull=False).exists() else [StepReason("no-approved-run")]


def _nothing(assignment: Assignment) -> list[StepReason]:
    return []


# -- back: only where nothing is lost ---------------------------------------------------------------------


def _before_unpublishing(assignment: Assignment) -> list[StepReason]:
    submissions = Submission.objects.filter(assignment=assignment).count()
    return [StepReason("submissions-submitted", {"count": submissions})] if submissions else []


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
    missing = authors_without_submission(assignment)
    return [StepReason("submissions-missing", {"count": missing})] if missing else []


def _on_closing(assignment: Assignment) -> list[StepReason]:
    asked = (
        Review.objects.filter(assignment=assignment, state=Review.State.OPEN)
        .values("reviewer")
        .distinct()
        .count()
    )
    done = (
        SubmittedRanking.objects.filter(ranking__assignment=assignment)
        .order_by()
        .values("ranking__reviewer")
        .distinct()
        .count()
    )
    missing = [StepReason("rankings-missing", {"count": asked - done})] if asked > done else []
    reports = Report.objects.filter(review__assignment=assignment, settled_at=None).count()
    return [*missing, *([StepReason("open-reports", {"count": reports})] if reports else [])]


def _on_releasing(assignment: Assignment) -> list[StepReason]:
    """What the approved run does not know."""
    runs = GradingRun.objects.filter(assignment=assignment, purpose=GradingRun.Purpose.GRADES)
    approved = runs.filter(approved_at__isnull=False).order_by("-approved_at").first()
    if approved is None:
        return []
    submitted = SubmittedRanking.objects.filter(ranking__assignment=assignment)
    later = submitted.filter(submitted_at__gt=approved.made_at).count()
    late = [StepReason("rankings-after-run", {"count": later})] if later else []
    newer = runs.filter(number__gt=approved.number, drawn_at__isnull=False).exists()
    return [*late, *([StepReason("newer-run")] if newer else [])]


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
    """Everybody who is to submit and to review."""
    return Membership.objects.filter(course=assignment.course_id, role=Role.STUDENT)


def submissions_in(assignment: Assignment) -> int:
    """Submissions that were submitted and not excluded."""
    return (
        Submission.objects.filter(
            assignment=assignment, excluded_at=None, versions__submitted_at__isnull=False
        )
        .distinct()
        .count()
    )


def authors(assignment: Assignment) -> int:
    """How many submissions there are if everybody submits: students, or teams and students without one."""
    students = students_of(assignment)
    if not assignment.in_teams:
        count: int = students.count()
        return count
    placed = TeamMember.objects.filter(assignment=assignment, membership__role=Role.STUDENT)
    alone: int = students.exclude(pk__in=placed.values("membership")).count()
    return placed.values("team").distinct().count() + alone


def authors_without_submission(assignment: Assignment) -> int:
    """How many submissions are still to come."""
    submitted = (
        Submission.objects.filter(assignment=assignment, versions__submitted_at__isnull=False)
        .distinct()
        .count()
    )
    return max(authors(assignment) - submitted, 0)
