"""What has to be done from time to time: lost jobs found, expired ones deleted."""

from __future__ import annotations

import logging
import shutil
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from peerage_web.files.models import Job
from peerage_web.files.services import queue
from peerage_web.files.services.jobs import delete_job
from peerage_web.files.services.recovery import recover_lost_jobs
from peerage_web.files.services.storage import forget_deleted_rows
from peerage_web.shared.services.rate_limits import forget_old_counts

log = logging.getLogger(__name__)
HOUR = 3600.0
_reported: set[Path] = set()


def maintain() -> None:
    """One round of everything."""
    recover_lost_jobs()
    delete_expired_jobs()
    delete_old_tasks()
    delete_leftovers()
    forget_old_counts()
    forget_deleted_rows()


def delete_expired_jobs() -> int:
    """Jobs past their time."""
    expired = list(Job.objects.filter(expires_at__lte=timezone.now()))
    for job in expired:
        delete_job(job=job)
    return len(expired)


def delete_old_tasks() -> None:
    """Tasks that nobody put down: their worker was killed. They hold no more than a job's number."""
    longest = timedelta(seconds=settings.LIMITS.job_seconds + HOUR)
    _tasks().exclude(status=queue.READY).filter(started_at__lt=timezone.now() - longest).delete()


def delete_leftovers() -> None:
    """Files that belong to no job: of uploads that were broken off."""
    known = {str(pk) for pk in Job.objects.values_list("pk", flat=True)}
    for folder, kept in ((settings.JOBS, known), (settings.INCOMING, set())):
        for path in folder.iterdir() if folder.is_dir() else ():
            if path.name not in kept and _age(path) > HOUR:
                _delete(path)


def _delete(path: Path) -> None:
    """What cannot be deleted is reported once, and is no reason to leave the rest undone."""
    try:
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)
    except OSError as error:
        if path not in _reported:
            _reported.add(path)
            reason = (error.strerror or type(error).__name__).lower()
            log.error("a leftover in the folder %s cannot be deleted (%s)", path.parent.name, reason)


def _age(path: Path) -> float:
    try:
        return float(time.time() - path.lstat().st_mtime)
    except FileNotFoundError:  # it went by itself
        return 0.0


def _tasks() -> QuerySet[Any]:
    from django_tasks_db.models import DBTaskResult

    found: QuerySet[Any] = DBTaskResult.objects.all()
    return found
