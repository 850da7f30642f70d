"""A running job belongs to one attempt of one worker; each of these ends that, unless it is over already."""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any, TypeVar

from django.db import InterfaceError, OperationalError, connection
from django.db.models import QuerySet
from django.db.models.functions import Now

from peerage_web.files.models import Job
from peerage_web.files.services import queue
from peerage_web.sandbox.contract.errors import LOST_PROBLEM

log = logging.getLogger(__name__)
State = Job.State
ATTEMPTS = 2
ROOM_AGAIN = timedelta(seconds=30)  # until a job that found no room on the disk is tried again
PAUSE = 1.0  # seconds between tries to reach the database
Answer = TypeVar("Answer")


def held(job: Job) -> QuerySet[Job]:
    """The job, as long as it is this attempt's."""
    return Job.objects.filter(pk=job.pk, state=State.RUNNING, attempt=job.attempt)


def finish(job: Job, **changes: Any) -> bool:
    """Write the outcome, unless the job was given to another attempt or deleted meanwhile."""
    return bool(held(job).update(finished_at=Now(), **changes))


def try_again_or_give_up(job: Job) -> bool:
    """The run was ended from outside: one more try, then it is reported. False where it was over already."""
    return _try_again(job) if job.attempt < ATTEMPTS else _give_up(job)


def hand_back(job: Job, **changes: Any) -> bool:
    """Put a job that was not to blame back into the queue; it does not count as a try."""
    changes = {"step": queue.WAITING, **changes}
    if not _waits_again(job, attempt=job.attempt - 1, **changes):
        return False
    shutil.rmtree(job.results, ignore_errors=True)
    return True


def wait_for_room(job: Job) -> bool:
    """The disk was full: the job waits, and not as one that was tried."""
    log.warning("job %s found the disk full and waits", job.pk)
    return hand_back(job, step=queue.NO_ROOM, not_before=Now() + ROOM_AGAIN)


def insist(write: Callable[[], Answer]) -> Answer:
    """Until the database takes it: what was worked out is not lost because the database is away."""
    while True:
        try:
            return write()
        except (OperationalError, InterfaceError):
            log.warning("the database does not answer; what is to be written waits")
            connection.close()
            time.sleep(PAUSE)


def _try_again(job: Job) -> bool:
    if not _waits_again(job, step=queue.AGAIN):
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


def _waits_again(job: Job, **changes: Any) -> bool:
    return bool(held(job).update(state=State.QUEUED, heartbeat_at=None, worker="", **changes))
