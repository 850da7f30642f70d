"""Whose grade a platform may not show yet: students rate what they received before they see a grade."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone

from peerage_web.classes.models import Release, ReleasedGrade
from peerage_web.classes.queries.release.current import asks_for_ratings
from peerage_web.classes.queries.release.feedback import received

HOLD = timedelta(days=7)  # after which a grade is sent whether its student has looked or not


def held_back(release: Release) -> set[int]:
    """Memberships that have something to rate, and have seen no grade of the assignment."""
    if not asks_for_ratings(release.assignment) or release.made_at <= timezone.now() - HOLD:
        return set()
    seen = ReleasedGrade.objects.filter(release__assignment=release.assignment_id, seen_at__isnull=False)
    grades = release.grades.exclude(membership__in=seen.values("membership")).select_related("work")
    works = {one.work for one in grades if one.work is not None}
    written = received(sorted(works, key=lambda one: one.pk))
    to_rate = {work for work, some in written.items() if any(one.shown for one in some)}
    return {one.membership_id for one in grades if one.work_id in to_rate}


def may_be_sent_now() -> Q:
    """Of columns: somebody has seen a grade, or the time is over, since the outbox was filled."""
    seen = ReleasedGrade.objects.filter(release=OuterRef("release"), seen_at__gt=OuterRef("filled_at"))
    over = Q(release__made_at__lte=timezone.now() - HOLD, filled_at__lt=F("release__made_at") + HOLD)
    return Q(Exists(seen)) | over
