"""Background work, as the task worker finds it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.dispatch import receiver
from django_tasks import task
from django_tasks.signals import task_finished


@task()
def grade_job(identity: str) -> None:
    """Grade one job."""
    from peerage_web.services.running import run_job

    run_job(identity=UUID(identity))


@receiver(task_finished)
def forget_task(sender: Any, task_result: Any, **more: Any) -> None:
    """What became of a job stands in the job; the task would only pile up."""
    from django_tasks_db.models import DBTaskResult

    DBTaskResult.objects.filter(pk=task_result.id).delete()
