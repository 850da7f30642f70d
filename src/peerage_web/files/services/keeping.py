"""What becomes of a result: its name, and how long it stays."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from peerage_web.files.models import Job, storable

DAYS = (7, 14, 30, 60, 90, 180)  # of which an instance offers those it allows


def offered_days() -> list[int]:
    """For how many days from now a visitor may keep a result."""
    most = settings.LIMITS.kept_days_longest
    return [days for days in DAYS if days <= most]


def keep_result(*, job: Job, name: str, days: int | None) -> None:
    """Give it a name (or none), and let it stay for so many days from now; never for a shorter time."""
    changes = {"name": storable(name.strip()[:100])}
    if days is not None and days in offered_days():
        changes["expires_at"] = max(job.kept_until, timezone.now() + timedelta(days=days))
    Job.objects.filter(pk=job.pk).update(**changes)
