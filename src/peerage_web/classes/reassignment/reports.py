"""Submissions that somebody cannot review: another comes at once, and three reports exclude it."""

from dataclasses import dataclass

from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.allocation.models import AllocationRun, Report, Review
from peerage_web.classes.allocation.queries import finished_by
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Phase
from peerage_web.classes.reassignment.lists import end_reviews, locked_lists, new_run, replace
from peerage_web.classes.submissions.models import Submission
from peerage_web.shared.errors import Refused

REPORTS_TO_EXCLUDE = 3  # reports of this kind on one submission
BROKEN = (Report.Reason.BLANK, Report.Reason.UNREADABLE)  # to know an author is no fault of the submission
State = Review.State


@dataclass(frozen=True, slots=True)
class ReportOutcome:
    replacement: Review | None  # None: no other submission is left, and the list is shorter
    excluded: bool


def report_submission(*, review: Review, reason: str, text: str = "", by: Person) -> ReportOutcome:
    """The reviewer cannot review this submission: it ends, and the least reviewed they may see comes instead.

    What they ranked and wrote stays. Refused where the review has ended already or reviewing is over.
    """
    if reason not in Report.Reason.values:
        raise Refused(_("Say what is wrong with the submission."))
    if reason == Report.Reason.OTHER and not text.strip():
        raise Refused(_("Say in a few words what is wrong with the submission."))
    assignment = review.assignment
    with locked_lists(assignment):
        locked = (
            Assignment.objects.select_for_update(of=("self",)).select_related("course").get(pk=assignment.pk)
        )
        review = Review.objects.select_related("submission", "reviewer").get(pk=review.pk)
        _refuse_late(locked, review)
        Report.objects.create(review=review, reason=reason, text=text.strip()[:1000])
        record("submission-reported", by=by, assignment=locked, subject=review.reviewer, reason=reason)
        end_reviews([review], State.REPLACED)
        run = new_run(locked, AllocationRun.Kind.REPLACEMENT, by, options={"reason": reason})
        excluded = review.submission.excluded_at is None and _broken(review.submission) >= REPORTS_TO_EXCLUDE
        if excluded:
            _exclude(review.submission, locked, why="reports", by=None)
        replacements = replace(run=run, ended=[review])
    return ReportOutcome(replacements[0] if replacements else None, excluded)


def _refuse_late(assignment: Assignment, review: Review) -> None:
    if review.state != State.OPEN:
        raise Refused(_("This submission is no longer assigned to you."))
    if assignment.phase != Phase.REVIEWING:
        raise Refused(_("The review phase is over."))


def _broken(submission: Submission) -> int:
    """Reports of a broken submission that nobody has settled; each is by another reviewer."""
    return Report.objects.filter(review__submission=submission, reason__in=BROKEN, settled_at=None).count()


def _exclude(submission: Submission, assignment: Assignment, *, why: str, by: Person | None) -> None:
    """Nobody is to review it. Whoever has submitted a ranking is done; everybody else gets another one."""
    submission.excluded_at, submission.excluded_reason = timezone.now(), why
    submission.save(update_fields=["excluded_at", "excluded_reason"])
    held = list(Review.objects.filter(submission=submission, state=State.OPEN).select_related("reviewer"))
    end_reviews(held, State.EXCLUDED)
    if held and assignment.phase == Phase.REVIEWING:
        done = finished_by(assignment)
        run = new_run(assignment, AllocationRun.Kind.REPLACEMENT, by, options={"reason": why})
        replace(run=run, ended=[review for review in held if review.reviewer_id not in done])
    record("submission-excluded", by=by, assignment=assignment, subject=first_author(submission), reason=why)


def first_author(submission: Submission) -> Membership | None:
    """Whom the activity log names: the author, or one of the team."""
    if submission.author is not None:
        return submission.author
    place = (
        submission.team.members.select_related("membership").order_by("pk").first()
        if submission.team
        else None
    )
    return place.membership if place is not None else None


# -- what staff decide -----------------------------------------------------------------------------------


def exclude_submission(*, submission: Submission, by: Person, why: str = "") -> None:
    """Staff say that it cannot be reviewed: it goes or stays out, and its reports are settled."""
    assignment = submission.assignment
    with locked_lists(assignment):
        locked = (
            Assignment.objects.select_for_update(of=("self",)).select_related("course").get(pk=assignment.pk)
        )
        submission.refresh_from_db()
        if submission.excluded_at is None:
            _exclude(submission, locked, why=why.strip()[:300] or "staff", by=by)
        _settle(submission, by, "out")


def include_submission(*, submission: Submission, by: Person) -> None:
    """Staff say that it can be reviewed: its reports are settled, and count no more.

    Reviews that ended because it was excluded are there again, with all that was written; whoever had one
    has one submission more for it. Those who reported it keep the submissions that came instead.
    """
    assignment = submission.assignment
    with locked_lists(assignment):
        submission.refresh_from_db()
        if submission.excluded_at is not None:
            submission.excluded_at, submission.excluded_reason = None, ""
            submission.save(update_fields=["excluded_at", "excluded_reason"])
            Review.objects.filter(submission=submission, state=State.EXCLUDED).update(
                state=State.OPEN, ended_at=None
            )
            record("submission-included", by=by, assignment=assignment, subject=first_author(submission))
        _settle(submission, by, "in")


def _settle(submission: Submission, by: Person, outcome: str) -> None:
    reports = Report.objects.filter(review__submission=submission, settled_at=None)
    count = reports.update(settled_at=timezone.now(), settled_by=by, outcome=outcome)
    if count:
        record(
            "reports-settled",
            by=by,
            assignment=submission.assignment,
            subject=first_author(submission),
            count=count,
        )
