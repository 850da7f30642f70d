"""What has to be done from time to time: lost jobs found, expired ones deleted."""

from __future__ import annotations

import logging
import shutil
import time
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from peerage_web.models import Job, Visit
from peerage_web.problems import LOST
from peerage_web.services import queueing
from peerage_web.services.jobs import delete_job, forget_deleted_rows
from peerage_web.services.running import LOST_AFTER

log = logging.getLogger(__name__)
State = Job.State
ATTEMPTS = 2
HOUR = 3600.0


def keep_up() -> None:
    """One round of everything."""
    recover_lost_jobs()
    delete_expired_jobs()
    delete_old_tasks()
    delete_leftovers()
    Visit.objects.filter(window__lt=timezone.now() - timedelta(days=1)).delete()
    forget_deleted_rows()


def recover_lost_jobs() -> int:
    """Jobs whose worker died are tried once more, then reported; how many there were."""
    silent = timezone.now() - LOST_AFTER
    lost = Job.objects.filter(Q(heartbeat_at__lt=silent) | Q(heartbeat_at=None), state=State.RUNNING)
    waiting = Job.objects.filter(Q(queued_at__lt=silent) | Q(queued_at=None), state=State.QUEUED)
    count = sum(_retry(job) if job.attempt < ATTEMPTS else _give_up(job) for job in lost)
    for job in waiting:  # their tasks may have been taken by a worker that died before it claimed the job
        with transaction.atomic():
            count += queueing.put(job)
    return count


def _retry(job: Job) -> bool:
    with transaction.atomic():
        mine = Job.objects.filter(pk=job.pk, state=State.RUNNING, attempt=job.attempt)
        if not mine.update(state=State.QUEUED, step=queueing.AGAIN, heartbeat_at=None):
            return False
        queueing.put(job)
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
            state=State.QUEUED, attempt=job.attempt - 1, step=queueing.WAITING, heartbeat_at=None
        ):
            return False
        queueing.put(job)
    return True


def delete_expired_jobs() -> int:
    """Jobs past their time."""
    expired = list(Job.objects.filter(expires_at__lte=timezone.now()))
    for job in expired:
        delete_job(job=job)
    return len(expired)


def delete_old_tasks() -> None:
    """Tasks that nobody put down: their worker was killed. They hold no more than a job's number."""
    longest = timedelta(seconds=settings.LIMITS.job_seconds + HOUR)
    _tasks().exclude(status=queueing.READY).filter(started_at__lt=timezone.now() - longest).delete()


def delete_leftovers() -> None:
    """Files that belong to no job: of uploads that were broken off."""
    known = {str(pk) for pk in Job.objects.values_list("pk", flat=True)}
    for folder, kept in ((settings.JOBS, known), (settings.INCOMING, set())):
        for path in folder.iterdir() if folder.is_dir() else ():
            if path.name not in kept and _age(path) > HOUR:
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def _age(path: Any) -> float:
    try:
        return float(time.time() - path.stat().st_mtime)
    except FileNotFoundError:  # it went by itself
        return 0.0


def _tasks() -> QuerySet[Any]:
    from django_tasks_db.models import DBTaskResult

    found: QuerySet[Any] = DBTaskResult.objects.all()
    return found
