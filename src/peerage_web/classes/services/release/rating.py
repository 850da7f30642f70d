"""Authors rate how helpful comments were, and only then see their grade: a low one cannot be paid back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.classes.models import Assignment, Helpfulness, Membership, ReleasedGrade
from peerage_web.classes.queries.release.current import asks_for_ratings, current_grade, has_seen_a_grade
from peerage_web.classes.queries.release.feedback import Received, received_by
from peerage_web.shared.errors import Refused

RATINGS = (1, 2, 3, 4, 5)


def still_to_rate(grade: ReleasedGrade) -> list[Received]:
    """What has to be rated before this student sees the grade; nothing once they have seen one."""
    assignment = grade.release.assignment
    if not asks_for_ratings(assignment) or has_seen_a_grade(assignment, grade.membership):
        return []
    written = received_by(grade.work, grade.membership)
    return [one for one in written if one.shown and one.rating is None]


def rate(*, assignment: Assignment, member: Membership, ratings: Mapping[str, int]) -> None:
    """Keep ratings, by the handles of what was received. They can be changed until the grade is shown."""
    with _own_grade(assignment, member) as grade:
        if grade is None:
            raise Refused(_("There is nothing to rate."))
        if has_seen_a_grade(assignment, member):
            raise Refused(_("You have seen your grade; what you rated before stays as it is."))
        for one in received_by(grade.work, member):
            rating = ratings.get(one.handle)
            if rating in RATINGS and one.shown:
                Helpfulness.objects.update_or_create(
                    review=one.review, by=member, defaults={"rating": rating}
                )


def reveal(*, assignment: Assignment, member: Membership) -> ReleasedGrade | None:
    """The student's grade if it may be shown now, and from now on it counts as seen; else None."""
    shown = current_grade(assignment, member)
    if shown is None or shown.seen_at is not None:
        return shown
    with _own_grade(assignment, member) as grade:
        if grade is None or still_to_rate(grade):
            return None
        if grade.seen_at is None:
            grade.seen_at = timezone.now()
            grade.save(update_fields=["seen_at"])
        return grade


@contextmanager
def _own_grade(assignment: Assignment, member: Membership) -> Iterator[ReleasedGrade | None]:
    """Locked, so that nobody rates in one tab after the grade was shown in another."""
    with transaction.atomic():
        # the member's own row stands for all their releases
        Membership.objects.select_for_update().get(pk=member.pk)
        yield current_grade(assignment, member)
