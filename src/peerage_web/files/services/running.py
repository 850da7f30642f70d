"""Running a job: claimed once, watched, and finished in one step."""

from __future__ import annotations

import logging
import shutil
import time
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone

from peerage.errors import PeerageError
from peerage_web import sandbox
from peerage_web.files.models import Job, storable
from peerage_web.sandbox.contract import Bounds, Files, Options, problem_of
from peerage_web.sandbox.work import grade_files

log = logging.getLogger(__name__)
State = Job.State
BEAT = 2.0  # seconds between signs of life
LOST_AFTER = timedelta(seconds=20)  # without one


def run_job(*, identity: UUID) -> None:
    """Grade a queued job; one that is cancelled, deleted or claimed by another is left alone."""
    job = _claim(identity)
    if job is None:
        return
    shutil.rmtree(job.results, ignore_errors=True)
    if _finish(job, **_outcome(job)):
        log.info("job %s: %s", job.pk, Job.objects.get(pk=job.pk).state)
    _tidy(job)


def _outcome(job: Job) -> dict[str, Any]:
    """What to write into the job when its run has ended."""
    watch = _Watch(job)
    try:
        summary = sandbox.run(
            grade_files,
            files_of(job),
            Options.from_dict(job.options),
            bounds(),
            str(job.results),
            seconds=settings.LIMITS.job_seconds,
            memory=settings.LIMITS.memory,
            on_step=watch.step,
            stop=watch.should_stop,
        )
    except sandbox.StoppedError:
        return {"state": State.CANCELLED, "step": ""}
    except (PeerageError, sandbox.SandboxError) as error:
        return {"state": State.FAILED, "problem": storable(problem_of(error))}
    return {"state": State.DONE, "summary": summary, "step": ""}


def files_of(job: Job) -> Files:
    """Where the library finds a job's files."""
    others = job.roster_name or None, job.anchors_name or None
    return Files(str(job.folder), job.file_name, *others, origin=job.origin)


def bounds() -> Bounds:
    """The limits on what is in a file."""
    return Bounds(settings.LIMITS.reviews, settings.LIMITS.list_length)


def _claim(identity: UUID) -> Job | None:
    """The job, if it was still waiting; only one worker ever gets it."""
    job = Job.objects.filter(pk=identity, state=State.QUEUED).first()
    if job is None:
        return None
    now = timezone.now()
    mine = Job.objects.filter(pk=identity, state=State.QUEUED, attempt=job.attempt).update(
        state=State.RUNNING, attempt=job.attempt + 1, started_at=now, heartbeat_at=now, steps_done=0
    )
    if not mine:
        return None
    job.refresh_from_db()
    return job


def _finish(job: Job, **changes: Any) -> bool:
    """Write the outcome, unless the job was given to another attempt or deleted meanwhile."""
    mine = Job.objects.filter(pk=job.pk, state=State.RUNNING, attempt=job.attempt)
    return bool(mine.update(finished_at=timezone.now(), **changes))


def _tidy(job: Job) -> None:
    """Files that belong to no result: of a deleted job everything, of a run that came to nothing its own."""
    now = Job.objects.filter(pk=job.pk).first()
    if now is None:
        shutil.rmtree(job.folder, ignore_errors=True)
    elif now.attempt != job.attempt or now.state != State.DONE:
        shutil.rmtree(job.results, ignore_errors=True)


class _Watch:
    """Signs of life for the database, and questions from it.

    A database that is busy for a moment must not cost a visitor the grades: what could not be written is
    written with the next beat.
    """

    def __init__(self, job: Job) -> None:
        self._mine = Job.objects.filter(pk=job.pk, state=State.RUNNING, attempt=job.attempt)
        self._done = 0
        self._beaten = time.monotonic()

    def step(self, name: str) -> None:
        """The job has begun a step."""
        self._beat(step=storable(name[:200]), steps_done=self._done)
        self._done += 1

    def should_stop(self) -> bool:
        """Whether the visitor has cancelled or deleted the job, or it belongs to another attempt."""
        if time.monotonic() - self._beaten >= BEAT:
            self._beat()
        try:
            return not self._mine.filter(cancel_requested=False).exists()
        except DatabaseError:
            connection.close_if_unusable_or_obsolete()
            return False

    def _beat(self, **changes: Any) -> None:
        try:
            self._mine.update(heartbeat_at=timezone.now(), **changes)
            self._beaten = time.monotonic()
        except DatabaseError:
            connection.close_if_unusable_or_obsolete()
