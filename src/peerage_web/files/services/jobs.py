"""Jobs: starting, cancelling and deleting them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import OperationalError
from django.db.models.functions import Now

from peerage_web.files.models import Job, storable
from peerage_web.files.services import queue
from peerage_web.files.services.costs import grading_seconds
from peerage_web.files.services.storage import forget_deleted_rows, remove
from peerage_web.sandbox.contract.jobs import JobOptions
from peerage_web.shared.errors import Busy, Full, Refused
from peerage_web.shared.services.locks import exclusively

if TYPE_CHECKING:
    from peerage_web.accounts.models import Person

State = Job.State
STARTED = "This file is being graded already."


def start_job(*, job: Job, options: JobOptions) -> None:
    """Put a draft into the queue; refused where too many wait already."""
    with exclusively(queue.QUEUE):  # or two that come at once would both find the last free place
        _refuse_when_full(job)
        changed = Job.objects.filter(pk=job.pk, state=State.DRAFT).update(
            state=State.QUEUED,
            options=storable(options.to_dict()),
            queued_at=Now(),
            step=queue.WAITING,
            cost=grading_seconds(job, options),
        )
        if not changed:
            raise Refused(STARTED)
    job.refresh_from_db()


def _refuse_when_full(job: Job) -> None:
    active = Job.objects.filter(state__in=Job.ACTIVE)
    limits = settings.LIMITS
    if active.filter(visitor=job.visitor).count() >= limits.jobs_per_visitor:
        raise Busy(
            f"You have {limits.jobs_per_visitor} files being graded already. Wait until one is done,"
            " or cancel it."
        )
    if active.count() >= limits.jobs:
        raise Full(
            f"{limits.jobs} files are waiting to be graded, which is all this service takes at once."
            " Try again in a few minutes, or grade the file with Peerage on your own computer."
        )


def cancel_job(*, job: Job) -> None:
    """Stop a job that waits or runs; a running one stops within seconds."""
    waiting = Job.objects.filter(pk=job.pk, state__in=[State.DRAFT, State.QUEUED])
    if not waiting.update(state=State.CANCELLED, finished_at=Now(), step=""):
        Job.objects.filter(pk=job.pk, state=State.RUNNING).update(cancel_requested=True)
    job.refresh_from_db()


def delete_job(*, job: Job) -> None:
    """Delete a job, its files, and every trace of it in the database; a running one is stopped.

    From the first step on nobody sees it. The files go before the row: where the disk is full the database
    takes nothing before there is room again, and where a file cannot be deleted the row is what remembers
    it for the next round of maintenance.
    """
    mine = Job.objects.filter(pk=job.pk)
    with suppress(OperationalError):  # the disk is full: see above
        mine.update(expires_at=Now(), cancel_requested=True)
        mine.filter(state=State.QUEUED).update(state=State.CANCELLED, finished_at=Now())
    if remove(job.folder):
        mine.delete()  # what a run still writes, its worker removes: see running.py
        forget_deleted_rows()


def delete_jobs_of(*, owner: Person) -> int:
    """Delete everything that somebody uploaded; how many files that were."""
    jobs = list(Job.objects.filter(owner=owner))
    for job in jobs:
        delete_job(job=job)  # the row alone would leave its files behind
    return len(jobs)
