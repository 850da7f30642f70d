"""Jobs: what they cost, the queue, starting, cancelling, keeping and deleting them.

The jobs that wait are the queue, and whose turn it is follows from what the database knows. A visitor runs
fewer jobs at once than there are task workers, so one worker is always for the others; the order of the rest
is that of `waiting_jobs`.
"""

import re
from collections import Counter
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import OperationalError
from django.db.models import F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Now

from peerage_web.accounts.models import Person
from peerage_web.files.models import Job, storable
from peerage_web.files.services.storage import checkpoint_sqlite, remove
from peerage_web.sandbox.contract.jobs import JobOptions
from peerage_web.shared.database import database_now, exclusively
from peerage_web.shared.errors import Busy, Full, Refused

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
    waiting = [waiting_job.pk for waiting_job in waiting_jobs()]
    return waiting.index(job.pk) if job.pk in waiting else 0


def _waited(job: Any) -> float:
    """Seconds since it came, or since its visitor had a turn."""
    since = job.queued_at or job.now
    seconds: float = (job.now - max(since, job.last_turn or since)).total_seconds()
    return max(0.0, seconds)


# About how long work on a job's files will take, told from their size before it begins. Rough on purpose: it
# decides who waits for whom, never what is refused. Measured on one core: a class of 480,000 reviews (12 MB)
# takes 140 s to grade and 4 s to look at; a small one a second, and a tenth of it.
SMALL = 20.0  # seconds up to which a job counts as small
COMPARED = 8  # times as long, where every method is tried
PACKED = {".xlsx": 6, ".xlsm": 6, ".parquet": 6, ".gz": 6, ".zip": 6}  # bytes of text in one byte of file
_START, _GRADED, _LOOKED_AT = 1.0, 80_000, 3_000_000  # seconds; bytes of text in a second


def grading_seconds(job: Job, options: JobOptions) -> float:
    """To grade the job."""
    once = _START + _text_bytes(job) / _GRADED
    return once * COMPARED if options.compare else once


def preview_seconds(job: Job) -> float:
    """To read the job's files and check them."""
    return _START / 10 + _text_bytes(job) / _LOOKED_AT


def explaining_seconds(job: Job) -> float:
    """To explain one of its items: as long as grading took, more or less."""
    if job.started_at is None or job.finished_at is None:
        return grading_seconds(job, JobOptions())
    return float((job.finished_at - job.started_at).total_seconds())


def _text_bytes(job: Job) -> float:
    return float(job.file_bytes * PACKED.get(Path(job.file_name).suffix.lower(), 1))


State = Job.State
WAITING = "waiting for its turn"
AGAIN = "waiting to be tried again"
NO_DISK_SPACE = "waiting for room on the disk"
QUEUE = "queue"  # the name of the lock: who changes what waits or runs holds it


def claim_next(*, worker: str, small_only: bool = False) -> Job | None:
    """The job whose turn it is, now running and this worker's alone; None where nothing waits for it."""
    if not Job.objects.filter(state=State.QUEUED).exists():  # asked often, and without a lock
        return None
    with exclusively(QUEUE):
        job = _next(small_only)
        if job is None:
            return None
        Job.objects.filter(pk=job.pk).update(
            state=State.RUNNING,
            attempt=F("attempt") + 1,
            worker=worker,
            started_at=Now(),
            heartbeat_at=Now(),
            steps_done=0,
            not_before=None,
        )
    job.refresh_from_db()
    return job


def _next(small_only: bool) -> Job | None:
    running = Counter(Job.objects.filter(state=State.RUNNING).values_list("visitor", flat=True))
    most = max(1, settings.TASK_WORKERS - 1)
    for job in waiting_jobs():
        if running[job.visitor] < most and (job.cost <= SMALL or not small_only):
            return job
    return None


STARTED = "This file is being graded already."


def start_job(*, job: Job, options: JobOptions) -> None:
    """Put a draft into the queue; refused where too many wait already."""
    with exclusively(QUEUE):  # or two that come at once would both find the last free place
        _refuse_when_full(job)
        changed = Job.objects.filter(pk=job.pk, state=State.DRAFT).update(
            state=State.QUEUED,
            options=storable(options.to_dict()),
            queued_at=Now(),
            step=WAITING,
            cost=grading_seconds(job, options),
        )
        if not changed:
            raise Refused(STARTED)
    job.refresh_from_db()


def _refuse_when_full(job: Job) -> None:
    active = Job.objects.filter(state__in=Job.ACTIVE)
    limits = settings.LIMITS
    if active.filter(visitor=job.visitor).count() >= limits.jobs_per_visitor:
        raise Busy(
            f"You are already grading as many files as one visitor may ({limits.jobs_per_visitor})."
            " Wait until one is done, or cancel one."
        )
    if active.count() >= limits.jobs:
        raise Full(
            f"{limits.jobs} files are waiting to be graded, the limit of this service."
            " Try again in a few minutes, or grade the file with Peerage on your own computer."
        )


def cancel_job(*, job: Job) -> None:
    """Stop a job that waits or runs; a running one stops within seconds."""
    waiting = Job.objects.filter(pk=job.pk, state__in=[State.DRAFT, State.QUEUED])
    if not waiting.update(state=State.CANCELLED, finished_at=Now(), step=""):
        Job.objects.filter(pk=job.pk, state=State.RUNNING).update(cancel_requested=True)
    job.refresh_from_db()


def delete_job(*, job: Job) -> None:
    """Delete a job, its files, and every trace of it in the database; a running one is stopped.

    From the first step on nobody sees it. The files go before the row: where the disk is full the database
    takes nothing before there is room again, and where a file cannot be deleted the row is what remembers
    it for the next round of maintenance.
    """
    mine = Job.objects.filter(pk=job.pk)
    with suppress(OperationalError):  # the disk is full: see above
        mine.update(expires_at=Now(), cancel_requested=True)
        mine.filter(state=State.QUEUED).update(state=State.CANCELLED, finished_at=Now())
    if remove(job.folder):
        mine.delete()  # what a run still writes, its worker removes: see running.py
        checkpoint_sqlite()


def delete_jobs_of(*, owner: Person) -> int:
    """Delete everything that somebody uploaded; how many files that were."""
    jobs = list(Job.objects.filter(owner=owner))
    for job in jobs:
        delete_job(job=job)  # the row alone would leave its files behind
    return len(jobs)


KEPT_DAYS = (7, 14, 30, 60, 90, 180)  # of which an instance offers those it allows


def offered_days() -> list[int]:
    """For how many days from now a visitor may keep a result."""
    most = settings.LIMITS.kept_days_longest
    return [days for days in KEPT_DAYS if days <= most]


def keep_result(*, job: Job, name: str, days: int | None) -> None:
    """Give it a name (or none), and let it stay for so many days from now; never for a shorter time."""
    changes = {"name": storable(name.strip()[:100])}
    if days is not None and days in offered_days():
        changes["expires_at"] = max(job.kept_until, database_now() + timedelta(days=days))
    Job.objects.filter(pk=job.pk).update(**changes)


def delete_expired_jobs() -> int:
    expired = list(Job.objects.filter(expires_at__lte=Now()))
    for job in expired:
        delete_job(job=job)
    return len(expired)
