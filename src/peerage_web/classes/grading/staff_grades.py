"""Staff grades and staff rankings, of which the newest per person counts; and grades set by hand."""

import math
from collections.abc import Sequence
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.grading.models import GradingPlan, Override, StaffGrade, StaffRanking
from peerage_web.classes.grading.queries import grades_by_hand, plan_of
from peerage_web.classes.grading.services import lock_name
from peerage_web.classes.permissions import Action, when
from peerage_web.classes.submissions.models import Submission
from peerage_web.classes.submissions.queries import authors_of
from peerage_web.shared.database import exclusively
from peerage_web.shared.errors import Refused

FEWEST = 2  # submissions in a ranking


def grade_submission(*, submission: Submission, by: Person, points: float, reason: str = "") -> StaffGrade:
    """Say what a submission is worth; what the same person said before stays, with its end."""
    with exclusively(lock_name(submission.assignment)):
        _refuse_phase(submission.assignment)
        refuse_beyond(points, plan_of(submission.assignment))
        if not submission.versions.filter(submitted_at__isnull=False).exists():
            raise Refused(_("Nothing has been submitted, so there is nothing to grade."))
        _end_grade(submission, by)
        grade = StaffGrade.objects.create(submission=submission, by=by, points=points, reason=reason)
        _record("staff-graded", submission, by, after=f"{points:.10g}")
    return grade


def withdraw_grade(*, submission: Submission, by: Person) -> bool:
    """Take back what one said; whether there was something."""
    with exclusively(lock_name(submission.assignment)):
        _refuse_phase(submission.assignment)
        ended = _end_grade(submission, by)
        if ended:
            _record("staff-grade-withdrawn", submission, by)
    return ended


def _end_grade(submission: Submission, by: Person) -> bool:
    before = StaffGrade.objects.filter(submission=submission, by=by, withdrawn_at=None)
    return bool(before.update(withdrawn_at=timezone.now()))


def refuse_beyond(points: float, plan: GradingPlan) -> None:
    """Grades of staff are on the scale of the plan."""
    if not math.isfinite(points) or not plan.scale_low <= points <= plan.scale_high:
        text = _("%(points)s is outside the scale, which goes from %(low)s to %(high)s.")
        ends = {"low": f"{plan.scale_low:.10g}", "high": f"{plan.scale_high:.10g}"}
        raise Refused(text % {"points": f"{points:.10g}", **ends})


def rank_submissions(*, assignment: Assignment, by: Person, tiers: Sequence[Sequence[int]]) -> StaffRanking:
    """Rank some submissions, best first; those in one tier are tied. It replaces one's earlier ranking."""
    full = [sorted(place) for place in tiers if place]
    wanted = [submission for place in full for submission in place]
    with exclusively(lock_name(assignment)):
        _refuse_phase(assignment)
        if len(wanted) < FEWEST or len(full) < FEWEST:
            raise Refused(_("Give at least two submissions different ranks."))
        here = Submission.objects.filter(
            assignment=assignment, pk__in=wanted, excluded_at=None, versions__submitted_at__isnull=False
        ).distinct()
        if len(set(wanted)) != len(wanted) or here.count() != len(wanted):
            raise Refused(_("One of these submissions is no longer available. Reload the page."))
        _end_rankings(assignment, by)
        ranking = StaffRanking.objects.create(assignment=assignment, by=by, tiers=full)
        record("staff-ranked", by=by, assignment=assignment, count=len(wanted))
    return ranking


def withdraw_ranking(*, assignment: Assignment, by: Person) -> bool:
    """Take back one's order; whether there was one."""
    with exclusively(lock_name(assignment)):
        _refuse_phase(assignment)
        ended = _end_rankings(assignment, by)
        if ended:
            record("staff-ranking-withdrawn", by=by, assignment=assignment)
    return ended


def _end_rankings(assignment: Assignment, by: Person) -> bool:
    before = StaffRanking.objects.filter(assignment=assignment, by=by, withdrawn_at=None)
    return bool(before.update(withdrawn_at=timezone.now()))


def _refuse_phase(assignment: Assignment) -> None:
    if not Assignment.objects.filter(pk=assignment.pk, phase__in=when(Action.GRADE_AS_STAFF)).exists():
        raise Refused(_("The assignment is in a different phase now. Reload the page."))


def _record(verb: str, submission: Submission, by: Person, **data: Any) -> None:
    record(verb, by=by, assignment=submission.assignment, subject=first_author(submission), **data)


def first_author(submission: Submission) -> Membership | None:
    """Whom the activity log names for a submission; of a team the first."""
    return next(iter(authors_of(submission).members), None)


# -- Grades that staff set by hand, with a reason. None is deleted; one that is taken back keeps its row


def set_grade(
    *,
    submission: Submission,
    by: Person,
    points: float | None = None,
    letter: str = "",
    reason: str,
    membership: Membership | None = None,
) -> Override:
    """Set the grade of a submission, or of one member of its team; it replaces one that was set before.

    Points, or one of the letters where the assignment has no points.
    """
    with exclusively(lock_name(submission.assignment)):
        _refuse_override_phase(submission.assignment)
        if not reason.strip():
            raise Refused(_("Give a reason: someone may ask about it later."))
        _refuse_kind(plan_of(submission.assignment), points, letter)
        authors = authors_of(submission).members
        if membership is not None and membership.pk not in {author.pk for author in authors}:
            raise Refused(_("This student is not an author of the submission."))
        _end(submission, membership)
        override = Override.objects.create(
            submission=submission,
            membership=membership,
            points=points,
            letter=letter,
            reason=reason.strip(),
            by=by,
        )
        record(
            "grade-set",
            by=by,
            assignment=submission.assignment,
            subject=membership or first_author(submission),
            after=letter if points is None else f"{points:.10g}",
            reason=reason.strip(),
        )
    return override


def _refuse_kind(plan: GradingPlan, points: float | None, letter: str) -> None:
    """Grades by hand are of the kind that the class gets."""
    if plan.gives_points:
        if points is None or letter:
            raise Refused(_("Enter the points for the submission."))
        refuse_beyond(points, plan)
        return
    offered = grades_by_hand(plan)
    if not offered:
        raise Refused(_("This assignment gives a standing only, so there is no grade to set by hand."))
    if points is not None or letter not in offered:
        text = _("This assignment gives no points. Choose one of: %(letters)s.")
        raise Refused(text % {"letters": ", ".join(offered)})


def unset_grade(*, override: Override, by: Person) -> None:
    """The run's grade counts again."""
    with exclusively(lock_name(override.submission.assignment)):
        _refuse_override_phase(override.submission.assignment)
        if not _end(override.submission, override.membership):
            return
        record(
            "grade-unset",
            by=by,
            assignment=override.submission.assignment,
            subject=override.membership or first_author(override.submission),
            before=override.letter if override.points is None else f"{override.points:.10g}",
        )


def _end(submission: Submission, membership: Membership | None) -> bool:
    standing = Override.objects.filter(submission=submission, membership=membership, withdrawn_at=None)
    return bool(standing.update(withdrawn_at=timezone.now()))


def _refuse_override_phase(assignment: Assignment) -> None:
    if not Assignment.objects.filter(pk=assignment.pk, phase__in=when(Action.OVERRIDE)).exists():
        raise Refused(_("The assignment is in a different phase now. Reload the page."))
