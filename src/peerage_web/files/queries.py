"""What pages and the API read from the database."""

from __future__ import annotations

import re
from typing import Any

from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Now

from peerage_web.accounts.models import Person
from peerage_web.files.models import Job

_KEY = re.compile(r"[A-Za-z0-9_-]{43}")  # see new_key


def live_jobs() -> QuerySet[Job]:
    """Jobs that may still be seen; an expired one is gone, even if its files are deleted a moment later."""
    return Job.objects.filter(expires_at__gt=Now())


def jobs_of(owner: Person) -> QuerySet[Job]:
    """What somebody who signs in has here, newest first."""
    return live_jobs().filter(owner=owner).order_by("-created_at")


def jobs_with(key: str) -> QuerySet[Job]:
    """The one job with this key, or none; what cannot be a key never reaches the database."""
    jobs = live_jobs()
    return jobs.filter(key=key) if _KEY.fullmatch(key) else jobs.none()


def waiting_jobs() -> list[Job]:
    """The jobs that wait, the next one first.

    Small jobs go before large ones, and a second of waiting makes up for a second of work: a large job waits
    its length longer than a small one, and no more. A visitor's waiting begins anew with every turn: who has
    ten jobs takes turns with who has one.
    """
    ready = Job.objects.filter(Q(not_before=None) | Q(not_before__lte=Now()), state=Job.State.QUEUED)
    had = Job.objects.filter(visitor=OuterRef("visitor"), started_at__isnull=False).order_by("-started_at")
    waiting = ready.annotate(now=Now(), last_turn=Subquery(had.values("started_at")[:1]))
    return sorted(waiting, key=lambda job: (job.cost - _waited(job), job.queued_at, job.pk))


def place_in_queue(job: Job) -> int:
    """How many jobs come before this one."""
    waiting = [waiting_job.pk for waiting_job in waiting_jobs()]
    return waiting.index(job.pk) if job.pk in waiting else 0


def _waited(job: Any) -> float:
    """Seconds since it came, or since its visitor had a turn."""
    since = job.queued_at or job.now
    seconds: float = (job.now - max(since, job.last_turn or since)).total_seconds()
    return max(0.0, seconds)
