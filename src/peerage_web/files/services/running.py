"""Running a job: claimed once, watched, and finished in one step; and jobs whose worker is gone.

A running job belongs to one attempt of one worker: its lease. Whatever ends a lease says whether it was still
held, for the job may have been deleted or given to another attempt meanwhile.
"""

from __future__ import annotations

import logging
import shutil
import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, TypeVar
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError, connection, connections, transaction
from django.db.models import F, QuerySet, Sum
from django.db.models.functions import Now

from peerage.errors import PeerageError
from peerage_web.files.models import Job, storable
from peerage_web.files.services.jobs import AGAIN, NO_DISK_SPACE, WAITING, claim_next
from peerage_web.files.services.storage import bounds, files_of
from peerage_web.sandbox import parent
from peerage_web.sandbox.contract.errors import (
    LOST_PROBLEM,
    DiskFullError,
    KilledError,
    SandboxError,
    StoppedError,
    describe_problem,
)
from peerage_web.sandbox.contract.jobs import JobOptions
from peerage_web.sandbox.work.grading import grade_files
from peerage_web.shared.services.disk import has_disk_space, size_of

log = logging.getLogger(__name__)
State = Job.State
LATELY = timedelta(minutes=2)
QUICK = 30.0  # seconds of grading, of late, after which a visitor's jobs step back behind all others


def run_next(*, worker: str, small_only: bool = False) -> bool:
    """Grade the job whose turn it is; False where there is none, or no room on the disk to grade it."""
    job = claim_next(worker=worker, small_only=small_only) if has_disk_space() else None
    if job is None:
        return False
    run(job)
    return True


def run(job: Job) -> None:
    shutil.rmtree(job.results, ignore_errors=True)
    try:
        with Heartbeat(job) as heartbeat:
            changes = _outcome(job, heartbeat)
    except KilledError:
        retry_until_written(lambda: try_again_or_give_up(job))
    except DiskFullError:
        retry_until_written(lambda: requeue_for_disk_space(job))
    else:
        if retry_until_written(lambda: finish(job, **changes)):
            log.info("job %s: %s", job.pk, changes["state"])
    retry_until_written(lambda: _tidy(job))


def _outcome(job: Job, heartbeat: Heartbeat) -> dict[str, Any]:
    """What to write into the job when its run has ended."""
    try:
        summary = parent.run(
            grade_files,
            files_of(job),
            JobOptions.from_dict(job.options),
            bounds(),
            job.results.name,
            seconds=settings.LIMITS.job_seconds,
            memory=settings.LIMITS.memory,
            quick=retry_until_written(lambda: _quick(job)),
            on_step=heartbeat.step,
            stop=heartbeat.should_stop,
        )
    except StoppedError:
        return {"state": State.CANCELLED, "step": ""}
    except (KilledError, DiskFullError):
        raise
    except (PeerageError, SandboxError) as error:
        return {"state": State.FAILED, "problem": storable(describe_problem(error))}
    return {"state": State.DONE, "summary": summary, "step": "", "disk_bytes": size_of(job.folder)}


def _quick(job: Job) -> float:
    """Seconds for which the job may go before those of others: less for who has had much of late."""
    lately = Job.objects.filter(visitor=job.visitor, finished_at__gt=Now() - LATELY)
    used = lately.aggregate(used=Sum(F("finished_at") - F("started_at")))["used"]
    return max(0.0, QUICK - (used.total_seconds() if used else 0.0))


def _tidy(job: Job) -> None:
    """Files that belong to no result: of a deleted job everything, of a run that came to nothing its own."""
    now = Job.objects.filter(pk=job.pk).first()
    if now is None:
        shutil.rmtree(job.folder, ignore_errors=True)
    elif now.attempt != job.attempt or now.state != State.DONE:
        shutil.rmtree(job.results, ignore_errors=True)


# -- signs of life --------------------------------------------------------------------------------------

BEAT = 2.0  # seconds between signs of life
ASK = 1.0  # seconds between questions whether to stop


class Heartbeat:
    """Signs of life for the database, and questions from it, in a thread of its own: `with Heartbeat(job)`.

    A database that is locked or away holds up this thread alone: the child is watched as before, and what
    could not be written is written with the next beat.
    """

    def __init__(self, job: Job) -> None:
        self._mine = lease_of(job)
        self._wake, self._ended, self._unwanted = threading.Event(), threading.Event(), threading.Event()
        self._steps: tuple[str, int] = (job.step, 0)
        self._written: tuple[str, int] | None = None
        self._beaten = time.monotonic()
        self._thread = threading.Thread(target=self._live, name="heartbeat", daemon=True)

    def __enter__(self) -> Heartbeat:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._wake.set()
        self._thread.join()

    def step(self, name: str) -> None:
        self._steps = (storable(name[:200]), self._steps[1] + 1)
        self._wake.set()

    def should_stop(self) -> bool:
        """Whether the visitor has cancelled or deleted the job, or it belongs to another attempt."""
        return self._unwanted.is_set()

    def _live(self) -> None:
        try:
            while not self._ended.is_set():
                self._wake.wait(ASK)
                self._wake.clear()
                self._look()
        finally:
            connections.close_all()

    def _look(self) -> None:
        steps = self._steps
        due = time.monotonic() - self._beaten >= BEAT
        try:
            if due or steps != self._written:
                self._beat(steps)
            if not self._mine.filter(cancel_requested=False).exists():
                self._unwanted.set()
        except (DatabaseError, InterfaceError):
            connection.close()

    def _beat(self, steps: tuple[str, int]) -> None:
        changes: dict[str, Any] = {"step": steps[0], "steps_done": max(0, steps[1] - 1)}
        self._mine.update(heartbeat_at=Now(), **changes)
        self._written, self._beaten = steps, time.monotonic()


# -- the lease of a job ---------------------------------------------------------------------------------

ATTEMPTS = 2
DISK_SPACE_PAUSE = timedelta(seconds=30)  # until a job that found no room on the disk is tried again
DATABASE_PAUSE = 1.0  # seconds between tries to reach the database
Answer = TypeVar("Answer")


def lease_of(job: Job) -> QuerySet[Job]:
    """The job, as long as it is this attempt's."""
    return Job.objects.filter(pk=job.pk, state=State.RUNNING, attempt=job.attempt)


def finish(job: Job, **changes: Any) -> bool:
    """Write the outcome, unless the job was given to another attempt or deleted meanwhile."""
    return bool(lease_of(job).update(finished_at=Now(), **changes))


def try_again_or_give_up(job: Job) -> bool:
    """The run was ended from outside: one more try, then it is reported. False where it was over already."""
    return _try_again(job) if job.attempt < ATTEMPTS else _give_up(job)


def requeue(job: Job, **changes: Any) -> bool:
    """Put a job that was not to blame back into the queue; it does not count as a try."""
    changes = {"step": WAITING, **changes}
    if not _put_back(job, attempt=job.attempt - 1, **changes):
        return False
    shutil.rmtree(job.results, ignore_errors=True)
    return True


def requeue_for_disk_space(job: Job) -> bool:
    """The disk was full: the job waits, and not as one that was tried."""
    log.warning("job %s found the disk full and waits", job.pk)
    return requeue(job, step=NO_DISK_SPACE, not_before=Now() + DISK_SPACE_PAUSE)


def retry_until_written(write: Callable[[], Answer]) -> Answer:
    """Until the database takes it: what was worked out is not lost because the database is away."""
    while True:
        try:
            return write()
        except (OperationalError, InterfaceError):
            log.warning("the database does not answer; what is to be written waits")
            connection.close()
            time.sleep(DATABASE_PAUSE)


def _try_again(job: Job) -> bool:
    if not _put_back(job, step=AGAIN):
        return False
    log.warning("job %s was interrupted and is tried again", job.pk)
    shutil.rmtree(job.results, ignore_errors=True)
    return True


def _give_up(job: Job) -> bool:
    if not finish(job, state=State.FAILED, problem=LOST_PROBLEM):
        return False
    log.error("job %s was interrupted twice and is given up", job.pk)
    shutil.rmtree(job.results, ignore_errors=True)
    return True


def _put_back(job: Job, **changes: Any) -> bool:
    return bool(lease_of(job).update(state=State.QUEUED, heartbeat_at=None, worker="", **changes))


# -- jobs whose worker is gone --------------------------------------------------------------------------

LOST_AFTER = 20.0  # seconds without a sign of life, seen by who could have heard one
GAP = 12.0  # seconds between two looks after which what was seen before counts no more


class LostJobs:
    """Finds jobs whose heartbeat has stopped, by looking again and again.

    No machine's clock is asked, so none can be wrong. Each look writes to the same rows as a heartbeat:
    where the database is locked or away, none can be heard, the look fails or takes long, and the
    watching begins anew.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._looked = -GAP
        self._seen: dict[tuple[UUID, int, datetime | None], float] = {}

    def recover(self) -> int:
        """Look; jobs silent for too long are tried once more, then reported. How many there were."""
        return sum(try_again_or_give_up(job) for job in self._silent())

    def _silent(self) -> list[Job]:
        began = self._clock()
        jobs = _running()
        now = self._clock()
        if now - self._looked > GAP:
            self._seen.clear()
        self._looked = now
        marks = [(job.pk, job.attempt, job.heartbeat_at) for job in jobs]
        self._seen = {mark: self._seen.get(mark, now) for mark in marks}
        silent = zip(marks, jobs, strict=True)
        return [job for mark, job in silent if began - self._seen[mark] >= LOST_AFTER]


def _running() -> list[Job]:
    with transaction.atomic():
        running = Job.objects.filter(state=State.RUNNING)
        running.update(steps_done=F("steps_done"))  # waits where a heartbeat would have to wait
        return list(running)


def recover_jobs_of(*, workers: str) -> None:
    """Jobs of workers that died: tried once more, then reported. `workers` is how their names begin."""
    for job in _held_by(workers):
        try_again_or_give_up(job)


def return_jobs_of(*, workers: str) -> None:
    """Jobs of workers that were stopped on purpose: they wait again, and it does not count as a try."""
    for job in _held_by(workers):
        requeue(job)


def _held_by(workers: str) -> list[Job]:
    return list(Job.objects.filter(state=State.RUNNING, worker__startswith=workers))
