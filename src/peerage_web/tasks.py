"""Background work, as the task worker finds it."""

from __future__ import annotations

from uuid import UUID

from django_tasks import task


@task()
def grade_job(identity: str) -> None:
    """Grade one job."""
    from peerage_web.services.running import run_job

    run_job(identity=UUID(identity))
