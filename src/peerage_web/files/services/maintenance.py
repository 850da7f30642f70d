"""What has to be done from time to time: lost jobs found, expired ones deleted."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.db.models.functions import Now

from peerage_web.files.models import Job
from peerage_web.files.services.jobs import delete_job
from peerage_web.files.services.recovery import LostJobs
from peerage_web.files.services.storage import forget_deleted_rows, remove
from peerage_web.shared.services.rate_limits import forget_old_counts
from peerage_web.shared.traces import forget_old_traces

log = logging.getLogger(__name__)
HOUR = 3600.0


def maintain(lost: LostJobs) -> bool:
    """One round of everything, whether all went well; what goes wrong stops nothing else.

    What makes room comes first: on a full disk the rest may fail until there is some.
    """
    duties: list[Callable[[], object]] = [
        delete_leftovers,
        delete_expired_jobs,
        lost.recover,
        forget_old_counts,
        forget_old_traces,
        forget_deleted_rows,
    ]
    done = [_done(duty) for duty in duties]
    return all(done)


def _done(duty: Callable[[], object]) -> bool:
    try:
        duty()
    except Exception:
        log.exception("a duty of maintenance failed; it is tried again in the next round")
        return False
    return True


def delete_expired_jobs() -> int:
    """Jobs past their time."""
    expired = list(Job.objects.filter(expires_at__lte=Now()))
    for job in expired:
        delete_job(job=job)
    return len(expired)


def delete_leftovers() -> None:
    """Files that belong to no job: of uploads that were broken off."""
    known = {str(pk) for pk in Job.objects.values_list("pk", flat=True)}
    for folder, kept in ((settings.JOBS, known), (settings.INCOMING, set())):
        for path in folder.iterdir() if folder.is_dir() else ():
            if path.name not in kept and _age(path) > HOUR:
                remove(path)


def _age(path: Path) -> float:
    try:
        return float(time.time() - path.lstat().st_mtime)
    except FileNotFoundError:  # it went by itself
        return 0.0
