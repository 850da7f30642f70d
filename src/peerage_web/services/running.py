"""Running a job: claimed once, watched, and finished in one step."""

from __future__ import annotations

import logging
import shutil
import time
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from peerage.errors import PeerageError
from peerage_web import sandbox
from peerage_web.models import Job
from peerage_web.problems import problem_of
from peerage_web.work.bounds import Bounds
from peerage_web.work.files import Files
from peerage_web.work.grading import grade_files
from peerage_web.work.options import Options

log = logging.getLogger(__name__)
State = Job.State
BEAT = 2.0  # seconds between signs of life
LOST_AFTER = timedelta(seconds=20)  # without one


def run_job(*, identity: UUID) -> None:
    """Grade a queued job; one that is cancelled, deleted or claimed by another is left alone."""
    job = _claim(identity)
    if job is None:
        return
    out = job.results
    shutil.rmtree(out, ignore_errors=True)
    watch = _Watch(job)
    try:
        found = sandbox.run(
            grade_files,
            files_of(job),
            Options.from_dict(job.options),
            bounds(),
            str(out),
            seconds=settings.LIMITS.job_seconds,
            memory=settings.LIMITS.memory,
            on_step=watch.step,
            stop=watch.should_stop,
        )
    except sandbox.StoppedError:
        _finish(job, state=State.CANCELLED, step="")
        shutil.rmtree(out, ignore_errors=True)
    except (PeerageError, sandbox.SandboxError) as error:
        _finish(job, state=State.FAILED, problem=problem_of(error))
        shutil.rmtree(out, ignore_errors=True)
    except Exception as error:
        log.exception("job %s failed for a reason nobody foresaw", job.pk)
        _finish(job, state=State.FAILED, problem=problem_of(error))
        shutil.rmtree(out, ignore_errors=True)
    else:
        _finish(job, state=State.DONE, summary=found, step="")


def files_of(job: Job) -> Files:
    """Where the library finds a job's files."""
    return Files(str(job.folder), job.file_name, job.roster_name or None, job.anchors_name or None)


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
    if mine.update(finished_at=timezone.now(), **changes):
        return True
    if not Job.objects.filter(pk=job.pk).exists():
        shutil.rmtree(job.folder, ignore_errors=True)
    return False


class _Watch:
    """Signs of life for the database, and questions from it."""

    def __init__(self, job: Job) -> None:
        self._mine = Job.objects.filter(pk=job.pk, state=State.RUNNING, attempt=job.attempt)
        self._done = 0
        self._beaten = time.monotonic()

    def step(self, name: str) -> None:
        """The job has begun a step."""
        self._mine.update(step=name[:200], steps_done=self._done, heartbeat_at=timezone.now())
        self._done += 1
        self._beaten = time.monotonic()

    def should_stop(self) -> bool:
        """Whether the visitor has cancelled or deleted the job, or it belongs to another attempt."""
        if time.monotonic() - self._beaten >= BEAT:
            self._beaten = time.monotonic()
            self._mine.update(heartbeat_at=timezone.now())
        return not self._mine.filter(cancel_requested=False).exists()
