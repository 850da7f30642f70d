"""Replies of authors to their reviewers: writing, reading, reporting and hiding them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.allocation.models import Review
from peerage_web.classes.appeals.queries import appeals_until
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Phase
from peerage_web.classes.release.feedback import ReviewFeedback, feedback_for, prepared
from peerage_web.classes.release.models import ReleasedGrade, Reply
from peerage_web.classes.release.queries import current_grade, has_seen_a_grade
from peerage_web.classes.submissions.names import NamesFound, names_in
from peerage_web.shared.errors import Refused


@dataclass(frozen=True, slots=True)
class OwnReply:
    """What an author has replied, or may still reply."""

    reply: Reply | None
    until: datetime | None  # None: as long as grades are released
    is_open: bool


def own_reply(grade: ReleasedGrade, received: Iterable[ReviewFeedback]) -> OwnReply:
    """For the page of a grade that its student has seen. There must be a comment to reply to."""
    reply = Reply.objects.filter(submission=grade.submission_id).first() if grade.submission_id else None
    if reply is not None or not any(feedback.shown for feedback in received):
        return OwnReply(reply, None, is_open=False)
    until = appeals_until(grade)
    return OwnReply(None, until, is_open=until is None or timezone.now() < until)


def replies_to(assignment: Assignment, reviewer: Membership) -> QuerySet[Reply]:
    """What a reviewer may read: of submissions that they reviewed, while grades are released."""
    if assignment.phase != Phase.RELEASED:
        return Reply.objects.none()
    reviewed = Review.objects.filter(assignment=assignment, reviewer=reviewer, state=Review.State.OPEN)
    return Reply.objects.filter(submission__in=reviewed.values("submission"), hidden_at=None).exclude(text="")


def reported_replies(assignment: Assignment) -> QuerySet[Reply]:
    """Those whose report nobody of staff has settled."""
    reported = Reply.objects.filter(submission__assignment=assignment, reported_at__isnull=False)
    reported = reported.filter(settled_at=None).order_by("reported_at", "pk")
    return reported.select_related("membership__person", "reported_by__person")


MOST_CHARACTERS = 5000


def write_reply(
    *, assignment: Assignment, member: Membership, text: str, names_are_fine: bool = False
) -> Reply:
    """Once for a submission, by any of its authors, after they have seen the grade."""
    text = text.strip()
    grade = current_grade(assignment, member)
    if grade is None or grade.submission is None or not has_seen_a_grade(assignment, member):
        raise Refused(_("First look at your grade and at what your reviewers wrote."))
    own = own_reply(grade, feedback_for(member.pk, prepared(grade)))
    if own.reply is not None:
        raise _written()
    if not own.is_open:
        raise Refused(_("The time to reply is over, or there is no comment to reply to."))
    if not text:
        raise Refused(_("Write a reply first."))
    if len(text) > MOST_CHARACTERS:
        raise Refused(
            _("Your reply is %(count)d characters long; the limit is %(most)d. Shorten it.")
            % {"count": len(text), "most": MOST_CHARACTERS}
        )
    if not names_are_fine and (names := names_in([text], assignment, member)):
        raise NamesFound(_("Your reply seems to name someone. It is not sent yet."), names)
    try:
        with transaction.atomic():
            reply = Reply.objects.create(submission=grade.submission, membership=member, text=text)
            record("reply-written", by=member.person, assignment=assignment)
    except IntegrityError:  # another member of the team was faster
        raise _written() from None
    return reply


def _written() -> Refused:
    return Refused(_("A reply to these reviewers has already been sent."))


def report_reply(*, review: Review, text: str, by: Person) -> None:
    """A reviewer finds a reply abusive; staff look at it. A second report adds nothing to the first."""
    with transaction.atomic():
        replies = replies_to(review.assignment, review.reviewer).filter(submission=review.submission_id)
        reply = replies.select_related("membership").first()
        if reply is None:
            raise Refused(_("There is no reply to report."))
        if Reply.objects.filter(pk=reply.pk, reported_at=None).update(
            reported_at=timezone.now(), reported_by=review.reviewer, report=text.strip()[:1000]
        ):
            record("reply-reported", by=by, assignment=review.assignment, subject=reply.membership)


def hide_reply(*, reply: Reply, by: Person, reason: str) -> None:
    """Its readers no longer see it; nothing is deleted, and a report of it is settled."""
    reason = reason.strip()[:300]
    if not reason:
        raise Refused(_("Give a reason for hiding the reply. It is kept in the activity log."))
    now = timezone.now()
    with transaction.atomic():
        if Reply.objects.filter(pk=reply.pk, hidden_at=None).update(
            hidden_at=now, hidden_by=by, hidden_reason=reason, settled_at=now
        ):
            _record("reply-hidden", reply, by, reason=reason)


def show_reply(*, reply: Reply, by: Person) -> None:
    """Reviewers may read it, again or still; a report of it is settled."""
    with transaction.atomic():
        theirs = Reply.objects.filter(pk=reply.pk)
        theirs.update(settled_at=timezone.now())
        if theirs.exclude(hidden_at=None).update(hidden_at=None, hidden_by=None, hidden_reason=""):
            _record("reply-shown", reply, by)
        elif reply.reported_at is not None and reply.settled_at is None:
            _record("reply-kept", reply, by)


def _record(verb: str, reply: Reply, by: Person, **data: Any) -> None:
    record(verb, by=by, assignment=reply.submission.assignment, subject=reply.membership, **data)
