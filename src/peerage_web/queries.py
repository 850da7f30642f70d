"""What pages and the API read from the database."""

from __future__ import annotations

from django.db.models import QuerySet
from django.utils import timezone

from peerage_web.models import Job


def live_jobs() -> QuerySet[Job]:
    """Jobs that may still be seen; an expired one is gone, even if its files are deleted a moment later."""
    return Job.objects.filter(expires_at__gt=timezone.now())


def place_in_queue(job: Job) -> int:
    """How many jobs come before this one."""
    return Job.objects.filter(state__in=Job.ACTIVE, queued_at__lt=job.queued_at).count()
