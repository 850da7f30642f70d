"""Keeping a comment from its author, and showing it again; both with an entry in the record."""

from __future__ import annotations

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.models import Comment, HiddenComment
from peerage_web.classes.services.record import record
from peerage_web.shared.errors import Refused


def hide_comment(*, comment: Comment, by: Person, reason: str) -> None:
    """Its author no longer reads it, from the next look on; nothing is deleted. Twice is once."""
    if not reason.strip():
        raise Refused(_("Say why the comment is hidden: the record keeps it."))
    try:
        with transaction.atomic():
            HiddenComment.objects.create(comment=comment, reason=reason.strip()[:300], by=by)
            _record("comment-hidden", comment, by, reason.strip()[:300])
    except IntegrityError:  # somebody was faster, which the constraint of the database knows
        return


def show_comment(*, comment: Comment, by: Person) -> None:
    """Its author reads it again."""
    with transaction.atomic():
        hidden = HiddenComment.objects.filter(comment=comment, shown_again_at=None)
        if hidden.update(shown_again_at=timezone.now()):
            _record("comment-shown", comment, by, "")


def _record(verb: str, comment: Comment, by: Person, reason: str) -> None:
    review = comment.review
    record(verb, by=by, assignment=review.assignment, subject=review.reviewer, reason=reason)
