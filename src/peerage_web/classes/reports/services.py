"""Works that somebody cannot review: another comes at once, and three complaints take a work out."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.accounts.services.mail import queue_mail
from peerage_web.classes.allocation.models import AllocationRun, Report, Review
from peerage_web.classes.allocation.queries import finished_by
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import STAFF, Phase
from peerage_web.classes.reassignment.lists import end_reviews, locked_lists, new_run, replace
from peerage_web.classes.record.services import record
from peerage_web.classes.submissions.models import Work
from peerage_web.shared.errors import Refused

TAKES_OUT = 3  # reports of this kind on one work
BROKEN = (Report.Reason.BLANK, Report.Reason.UNREADABLE)  # to know an author is no fault of the work
State = Review.State


@dataclass(frozen=True, slots=True)
class ReportOutcome:
    """What became of a report."""

    replacement: Review | None  # None: no other work is left, and the list is shorter
    taken_out: bool


def report_work(*, review: Review, reason: str, text: str = "", by: Person) -> ReportOutcome:
    """The reviewer cannot review this work: it ends, and the least reviewed work they may see comes instead.

    What they ranked and wrote stays. Refused where the review has ended already or reviewing is over.
    """
    if reason not in Report.Reason.values:
        raise Refused(_("Say what is wrong with the submission."))
    assignment = review.assignment
    with locked_lists(assignment):
        locked = (
            Assignment.objects.select_for_update(of=("self",)).select_related("course").get(pk=assignment.pk)
        )
        review = Review.objects.select_related("work", "reviewer").get(pk=review.pk)
        _refuse_late(locked, review)
        Report.objects.create(review=review, reason=reason, text=text.strip()[:1000])
        record("work-reported", by=by, assignment=locked, subject=review.reviewer, reason=reason)
        end_reviews([review], State.REPLACED)
        run = new_run(locked, AllocationRun.Kind.REPLACEMENT, by, options={"reason": reason})
        taken_out = review.work.taken_out_at is None and _broken(review.work) >= TAKES_OUT
        if taken_out:
            _take_out(review.work, locked, why="reports", by=None)
        replacements = replace(run=run, ended=[review])
    return ReportOutcome(replacements[0] if replacements else None, taken_out)


def _refuse_late(assignment: Assignment, review: Review) -> None:
    if review.state != State.OPEN:
        raise Refused(_("This submission is no longer assigned to you."))
    if assignment.phase != Phase.REVIEWING:
        raise Refused(_("The review phase is over."))


def _broken(work: Work) -> int:
    """Reports of a broken work that nobody has settled; each is by another reviewer."""
    return Report.objects.filter(review__work=work, reason__in=BROKEN, settled_at=None).count()


def _take_out(work: Work, assignment: Assignment, *, why: str, by: Person | None) -> None:
    """Nobody is to review it. Whoever has handed in a ranking is done; everybody else gets another work."""
    work.taken_out_at, work.taken_out_why = timezone.now(), why
    work.save(update_fields=["taken_out_at", "taken_out_why"])
    held = list(Review.objects.filter(work=work, state=State.OPEN).select_related("reviewer"))
    end_reviews(held, State.TAKEN_OUT)
    if held and assignment.phase == Phase.REVIEWING:
        done = finished_by(assignment)
        run = new_run(assignment, AllocationRun.Kind.REPLACEMENT, by, options={"reason": why})
        replace(run=run, ended=[one for one in held if one.reviewer_id not in done])
    record("work-taken-out", by=by, assignment=assignment, subject=first_maker(work), reason=why)
    if by is None:
        _tell_staff(work, assignment)


def _tell_staff(work: Work, assignment: Assignment) -> None:
    """One message for each of staff and each work, however often it comes to this."""
    course = assignment.course
    staff = Membership.objects.filter(course=course, role__in=STAFF).select_related("person")
    for member in staff:
        queue_mail(
            person=member.person,
            kind="taken_out",
            context={"assignment": assignment, "course": course, "reports": _broken(work)},
            language=course.language,
            about=f"course {course.pk}",
            once=f"taken out {work.pk} {member.person_id}",
        )


def first_maker(work: Work) -> Membership | None:
    """Whom the record names: the author, or one of the team."""
    if work.author is not None:
        return work.author
    place = work.team.members.select_related("membership").order_by("pk").first() if work.team else None
    return place.membership if place is not None else None


# -- what staff decide -----------------------------------------------------------------------------------


def keep_out(*, work: Work, by: Person, why: str = "") -> None:
    """Staff say that it cannot be reviewed: it goes or stays out, and its reports are settled."""
    assignment = work.assignment
    with locked_lists(assignment):
        locked = (
            Assignment.objects.select_for_update(of=("self",)).select_related("course").get(pk=assignment.pk)
        )
        work.refresh_from_db()
        if work.taken_out_at is None:
            _take_out(work, locked, why=why.strip()[:300] or "staff", by=by)
        _settle(work, by, "out")


def put_back(*, work: Work, by: Person) -> None:
    """Staff say that it can be reviewed: its reports are settled, and count no more.

    Reviews that ended because it was taken out are there again, with all that was written; whoever had one
    has one work more for it. Those who reported it keep the works that came instead.
    """
    assignment = work.assignment
    with locked_lists(assignment):
        work.refresh_from_db()
        if work.taken_out_at is not None:
            work.taken_out_at, work.taken_out_why = None, ""
            work.save(update_fields=["taken_out_at", "taken_out_why"])
            Review.objects.filter(work=work, state=State.TAKEN_OUT).update(state=State.OPEN, ended_at=None)
            record("work-put-back", by=by, assignment=assignment, subject=first_maker(work))
        _settle(work, by, "in")


def _settle(work: Work, by: Person, outcome: str) -> None:
    reports = Report.objects.filter(review__work=work, settled_at=None)
    count = reports.update(settled_at=timezone.now(), settled_by=by, outcome=outcome)
    if count:
        record("reports-settled", by=by, assignment=work.assignment, subject=first_maker(work), count=count)
