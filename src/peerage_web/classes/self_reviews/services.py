"""Keeping what authors think of their own submissions."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from peerage_web.classes.activity_log.services import record
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.self_reviews.models import SelfReview
from peerage_web.classes.self_reviews.queries import self_review_sheet
from peerage_web.shared.errors import Refused


def save_self_review(*, assignment: Assignment, member: Membership, rank: int, comment: str) -> SelfReview:
    """The latest counts. Refused before the ranking of the others is submitted."""
    sheet = self_review_sheet(assignment, member)
    if sheet is None:
        raise Refused(_("First submit your own files and your ranking of the others."))
    if not 1 <= rank <= sheet.ranks:
        raise Refused(_("Choose a rank for your own submission."))
    with transaction.atomic():
        kept, is_new = SelfReview.objects.update_or_create(
            submission=sheet.submission,
            membership=member,
            defaults={"rank": rank, "ranks": sheet.ranks, "comment": comment.strip()},
        )
        if is_new:
            record("self-reviewed", by=member.person, assignment=assignment)
    return kept
