"""What has to be done from time to time: lost jobs found, expired ones deleted."""

from __future__ import annotations

import logging
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from peerage_web.models import Job, Visit
from peerage_web.problems import LOST
from peerage_web.services.jobs import delete_job
from peerage_web.services.running import LOST_AFTER

log = logging.getLogger(__name__)
State = Job.State
ATTEMPTS = 2


def keep_up() -> None:
    """One round of everything."""
    recover_lost_jobs()
    delete_expired_jobs()
    Visit.objects.filter(window__lt=timezone.now() - timedelta(days=1)).delete()


def recover_lost_jobs() -> int:
    """Jobs whose worker died are tried once more, then reported; how many there were."""
    from django_tasks_db.models import DBTaskResult

    silent = timezone.now() - LOST_AFTER
    lost = Job.objects.filter(state=State.RUNNING, heartbeat_at__lt=silent)
    count = 0
    for job in lost:
        count += _retry(job) if job.attempt < ATTEMPTS else _give_up(job)
    for job in Job.objects.filter(state=State.QUEUED, created_at__lt=silent):
        # its task was taken by a worker that died before it could claim the job
        if not DBTaskResult.objects.ready().filter(args_kwargs__args__0=str(job.pk)).exists():
            count += _requeue(job)
    return count


def _retry(job: Job) -> bool:
    with transaction.atomic():
        mine = Job.objects.filter(pk=job.pk, state=State.RUNNING, attempt=job.attempt)
        if not mine.update(state=State.QUEUED, step="waiting to be tried again"):
            return False
        log.warning("job %s lost its worker and is tried again", job.pk)
        return _requeue(job)


def _requeue(job: Job) -> bool:
    from peerage_web.tasks import grade_job

    grade_job.enqueue(str(job.pk))
    return True


def _give_up(job: Job) -> bool:
    log.error("job %s lost its worker twice and is given up", job.pk)
    mine = Job.objects.filter(pk=job.pk, state=State.RUNNING, attempt=job.attempt)
    return bool(mine.update(state=State.FAILED, finished_at=timezone.now(), problem=LOST))


def delete_expired_jobs() -> int:
    """Jobs past their time, and folders that belong to none."""
    expired = list(Job.objects.filter(expires_at__lte=timezone.now()))
    for job in expired:
        delete_job(job=job)
    known = {str(pk) for pk in Job.objects.values_list("pk", flat=True)}
    if settings.JOBS.is_dir():
        _delete_orphans(known)
    return len(expired)


def _delete_orphans(known: set[str]) -> None:
    """Folders of uploads that were broken off before their job was saved."""
    import shutil
    import time

    hour_ago = time.time() - 3600
    for folder in settings.JOBS.iterdir():
        if folder.name not in known and folder.stat().st_mtime < hour_ago:
            shutil.rmtree(folder, ignore_errors=True)
