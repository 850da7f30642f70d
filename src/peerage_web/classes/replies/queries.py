"""Replies as authors, reviewers and staff read them, and until when one can be written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet
from django.utils import timezone

from peerage_web.classes.allocation.models import Review
from peerage_web.classes.appeals.queries import appeals_until
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Phase
from peerage_web.classes.release.feedback import ReviewFeedback
from peerage_web.classes.release.models import ReleasedGrade
from peerage_web.classes.replies.models import Reply


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
