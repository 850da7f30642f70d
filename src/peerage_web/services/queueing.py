"""The queue: a job that waits has one task in it, and no other job has any."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from peerage_web.models import Job

if TYPE_CHECKING:
    from django.db.models import QuerySet

READY, RUNNING = "READY", "RUNNING"  # states of a task
WAITING = "waiting for its turn"
AGAIN = "waiting to be tried again"


def put(job: Job) -> bool:
    """Give a waiting job its task, unless it has one; call it in a transaction."""
    from peerage_web.tasks import grade_job

    # the row is locked, so that two who find the job without a task do not both give it one
    waiting = Job.objects.select_for_update().filter(pk=job.pk, state=Job.State.QUEUED)
    if waiting.first() is None or tasks_of(job).filter(status=READY).exists():
        return False
    grade_job.enqueue(str(job.pk))
    return True


def take_out(job: Job) -> None:
    """Remove the tasks of a job; one at work stays until its worker has put it down (see tasks.py)."""
    tasks_of(job).exclude(status=RUNNING).delete()


def tasks_of(job: Job) -> QuerySet[Any]:
    """Every task of a job: waiting, at work or done."""
    from django_tasks_db.models import DBTaskResult

    found: QuerySet[Any] = DBTaskResult.objects.filter(args_kwargs__args__0=str(job.pk))
    return found
