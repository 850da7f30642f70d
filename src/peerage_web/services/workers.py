"""What dead workers have left behind is put back into the queue at once."""

from __future__ import annotations

from datetime import UTC, datetime

from django.db import transaction
from django_tasks_db.models import DBTaskResult

from peerage_web.models import Job
from peerage_web.services import queueing
from peerage_web.services.upkeep import hand_back, recover_lost_jobs

State = Job.State
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


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
        queueing.put(job)
