"""The queue: a job that waits has one task in it, and no other job has any."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.dispatch import receiver
from django_tasks import task
from django_tasks.signals import task_finished

from peerage_web.files.models import Job
from peerage_web.files.services.running import run_job

if TYPE_CHECKING:
    from django.db.models import QuerySet

READY, RUNNING = "READY", "RUNNING"  # states of a task
WAITING = "waiting for its turn"
AGAIN = "waiting to be tried again"


@task()
def grade_job(identity: str) -> None:
    """Grade one job: what the task worker does."""
    run_job(identity=UUID(identity))


@receiver(task_finished)
def forget_task(sender: Any, task_result: Any, **more: Any) -> None:
    """What became of a job stands in the job; the task would only pile up."""
    from django_tasks_db.models import DBTaskResult

    DBTaskResult.objects.filter(pk=task_result.id).delete()


def put(job: Job) -> bool:
    """Give a waiting job its task, unless it has one; call it in a transaction."""
    # the row is locked, so that two who find the job without a task do not both give it one
    waiting = Job.objects.select_for_update().filter(pk=job.pk, state=Job.State.QUEUED)
    if waiting.first() is None or tasks_of(job).filter(status=READY).exists():
        return False
    grade_job.enqueue(str(job.pk))
    return True


def take_out(job: Job) -> None:
    """Remove the tasks of a job; one at work stays until its worker has put it down (see forget_task)."""
    tasks_of(job).exclude(status=RUNNING).delete()


def tasks_of(job: Job) -> QuerySet[Any]:
    """Every task of a job: waiting, at work or done."""
    from django_tasks_db.models import DBTaskResult

    found: QuerySet[Any] = DBTaskResult.objects.filter(args_kwargs__args__0=str(job.pk))
    return found
