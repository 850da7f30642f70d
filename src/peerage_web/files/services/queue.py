"""The queue: the jobs that wait are the queue, and whose turn it is follows from what the database knows.

A visitor runs fewer jobs at once than there are task workers, so one worker is always for the others; the
order of the rest is that of queries.in_order.
"""

from __future__ import annotations

from collections import Counter

from django.conf import settings
from django.db.models import F
from django.db.models.functions import Now

from peerage_web.files.models import Job
from peerage_web.files.queries import in_order
from peerage_web.files.services.costs import SMALL
from peerage_web.shared.services.locks import exclusively

State = Job.State
WAITING = "waiting for its turn"
AGAIN = "waiting to be tried again"
NO_ROOM = "waiting for room on the disk"
QUEUE = "queue"  # the name of the lock: who changes what waits or runs holds it


def claim_next(*, worker: str, small_only: bool = False) -> Job | None:
    """The job whose turn it is, now running and this worker's alone; None where nothing waits for it."""
    if not Job.objects.filter(state=State.QUEUED).exists():  # asked often, and without a lock
        return None
    with exclusively(QUEUE):
        job = _next(small_only)
        if job is None:
            return None
        Job.objects.filter(pk=job.pk).update(
            state=State.RUNNING,
            attempt=F("attempt") + 1,
            worker=worker,
            started_at=Now(),
            heartbeat_at=Now(),
            steps_done=0,
            not_before=None,
        )
    job.refresh_from_db()
    return job


def _next(small_only: bool) -> Job | None:
    running = Counter(Job.objects.filter(state=State.RUNNING).values_list("visitor", flat=True))
    most = max(1, settings.TASK_WORKERS - 1)
    for job in in_order():
        if running[job.visitor] < most and (job.cost <= SMALL or not small_only):
            return job
    return None
