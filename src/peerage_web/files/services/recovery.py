"""Jobs whose worker is gone: tried once more, then reported; or put back where it was stopped on purpose."""

from __future__ import annotations

import logging
import shutil
from datetime import UTC, datetime

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from peerage_web.files.models import Job
from peerage_web.files.services import queue
from peerage_web.files.services.running import LOST_AFTER
from peerage_web.sandbox.contract import LOST

log = logging.getLogger(__name__)
State = Job.State
ATTEMPTS = 2
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


def recover_lost_jobs() -> int:
    """Jobs whose worker died are tried once more, then reported; how many there were."""
    silent = timezone.now() - LOST_AFTER
    lost = Job.objects.filter(Q(heartbeat_at__lt=silent) | Q(heartbeat_at=None), state=State.RUNNING)
    waiting = Job.objects.filter(Q(queued_at__lt=silent) | Q(queued_at=None), state=State.QUEUED)
    count = sum(_retry(job) if job.attempt < ATTEMPTS else _give_up(job) for job in lost)
    for job in waiting:  # their tasks may have been taken by a worker that died before it claimed the job
        with transaction.atomic():
            count += queue.put(job)
    return count


def _retry(job: Job) -> bool:
    with transaction.atomic():
        mine = Job.objects.filter(pk=job.pk, state=State.RUNNING, attempt=job.attempt)
        if not mine.update(state=State.QUEUED, step=queue.AGAIN, heartbeat_at=None):
            return False
        queue.put(job)
    log.warning("job %s lost its worker and is tried again", job.pk)
    shutil.rmtree(job.results, ignore_errors=True)
    return True


def _give_up(job: Job) -> bool:
    mine = Job.objects.filter(pk=job.pk, state=State.RUNNING, attempt=job.attempt)
    if not mine.update(state=State.FAILED, finished_at=timezone.now(), problem=LOST):
        return False
    log.error("job %s lost its worker twice and is given up", job.pk)
    shutil.rmtree(job.results, ignore_errors=True)
    return True


def hand_back(job: Job) -> bool:
    """Put a job whose worker was stopped on purpose back into the queue; it does not count as a try."""
    with transaction.atomic():
        mine = Job.objects.filter(pk=job.pk, state=State.RUNNING, attempt=job.attempt)
        if not mine.update(
            state=State.QUEUED, attempt=job.attempt - 1, step=queue.WAITING, heartbeat_at=None
        ):
            return False
        queue.put(job)
    return True


def recover_jobs_of(*, workers: str) -> None:
    """Jobs of workers that died: tried once more, then reported. `workers` is how their names begin."""
    with transaction.atomic():
        for job in _held_by(workers):
            # its heart has stopped; there is no need to wait until that shows
            Job.objects.filter(pk=job.pk, state=State.RUNNING).update(heartbeat_at=LONG_AGO)
            _put_back_unclaimed(job)
    recover_lost_jobs()


def return_jobs_of(*, workers: str) -> None:
    """Jobs of workers that were stopped on purpose: they wait again, and it does not count as a try."""
    with transaction.atomic():
        for job in _held_by(workers):
            hand_back(job)
            _put_back_unclaimed(job)


def _held_by(workers: str) -> list[Job]:
    """Their jobs; the tasks are taken from them."""
    running = DBTaskResult.objects.running()
    tasks = [task for task in running if task.worker_ids and task.worker_ids[-1].startswith(workers)]
    DBTaskResult.objects.filter(pk__in=[task.pk for task in tasks]).delete()
    return list(Job.objects.filter(pk__in=[task.args_kwargs["args"][0] for task in tasks]))


def _put_back_unclaimed(job: Job) -> None:
    """The worker had taken the task but not yet the job."""
    if job.state == State.QUEUED:
        queue.put(job)
