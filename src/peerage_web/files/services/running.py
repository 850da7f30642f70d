"""Running a job: claimed once, watched, and finished in one step."""

from __future__ import annotations

import logging
import shutil
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import F, Sum
from django.db.models.functions import Now

from peerage.errors import PeerageError
from peerage_web.files.models import Job, storable
from peerage_web.files.services import leases, queue
from peerage_web.files.services.heart import Heart
from peerage_web.sandbox import parent
from peerage_web.sandbox.contract.errors import (
    DiskFullError,
    KilledError,
    SandboxError,
    StoppedError,
    describe_problem,
)
from peerage_web.sandbox.contract.jobs import Bounds, JobFiles, JobOptions
from peerage_web.sandbox.work.grading import grade_files
from peerage_web.shared.services.disk import has_room, size_of

log = logging.getLogger(__name__)
State = Job.State
LATELY = timedelta(minutes=2)
QUICK = 30.0  # seconds of grading, of late, after which a visitor's jobs step back behind all others


def run_next(*, worker: str, small_only: bool = False) -> bool:
    """Grade the job whose turn it is; False where there is none, or no room on the disk to grade it."""
    job = queue.claim_next(worker=worker, small_only=small_only) if has_room() else None
    if job is None:
        return False
    run(job)
    return True


def run(job: Job) -> None:
    """Grade a job that was claimed."""
    shutil.rmtree(job.results, ignore_errors=True)
    try:
        with Heart(job) as heart:
            changes = _outcome(job, heart)
    except KilledError:
        leases.insist(lambda: leases.try_again_or_give_up(job))
    except DiskFullError:
        leases.insist(lambda: leases.wait_for_room(job))
    else:
        if leases.insist(lambda: leases.finish(job, **changes)):
            log.info("job %s: %s", job.pk, changes["state"])
    leases.insist(lambda: _tidy(job))


def _outcome(job: Job, heart: Heart) -> dict[str, Any]:
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
            quick=leases.insist(lambda: _quick(job)),
            on_step=heart.step,
            stop=heart.should_stop,
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


def files_of(job: Job) -> JobFiles:
    """Where the library finds a job's files."""
    others = job.roster_name or None, job.anchors_name or None
    return JobFiles(str(job.folder), job.file_name, *others, origin=job.origin)


def bounds() -> Bounds:
    """The limits on what is in a file."""
    return Bounds(settings.LIMITS.reviews, settings.LIMITS.list_length)


def _tidy(job: Job) -> None:
    """Files that belong to no result: of a deleted job everything, of a run that came to nothing its own."""
    now = Job.objects.filter(pk=job.pk).first()
    if now is None:
        shutil.rmtree(job.folder, ignore_errors=True)
    elif now.attempt != job.attempt or now.state != State.DONE:
        shutil.rmtree(job.results, ignore_errors=True)
