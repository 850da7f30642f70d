"""What pages and the API read from the database."""

from __future__ import annotations

import re

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone

from peerage_web.files.models import Job

_KEY = re.compile(r"[A-Za-z0-9_-]{43}")  # see new_key


def live_jobs() -> QuerySet[Job]:
    """Jobs that may still be seen; an expired one is gone, even if its files are deleted a moment later."""
    return Job.objects.filter(expires_at__gt=timezone.now())


def jobs_of(owner: User) -> QuerySet[Job]:
    """What somebody who signs in has here, newest first."""
    return live_jobs().filter(owner=owner).order_by("-created_at")


def jobs_with(key: str) -> QuerySet[Job]:
    """The one job with this key, or none; what cannot be a key never reaches the database."""
    jobs = live_jobs()
    return jobs.filter(key=key) if _KEY.fullmatch(key) else jobs.none()


def place_in_queue(job: Job) -> int:
    """How many jobs come before this one."""
    return Job.objects.filter(state__in=Job.ACTIVE, queued_at__lt=job.queued_at).count()
