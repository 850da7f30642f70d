"""Jobs: making, starting, cancelling and deleting them."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from peerage_web.models import Job
from peerage_web.services.errors import Busy, Refused
from peerage_web.work.files import safe_name
from peerage_web.work.options import Options

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.core.files.uploadedfile import UploadedFile

State = Job.State


def create_job(
    *, upload: UploadedFile[bytes], visitor: str, origin: str = "page", owner: User | None = None
) -> Job:
    """Keep an uploaded file as a draft."""
    if not upload.size:
        raise Refused("The file is empty. Choose a file with one row per review.")
    name = safe_name(upload.name or "")
    job = Job(visitor=visitor, origin=origin, owner=owner, file_name=name, file_bytes=upload.size)
    _store(job, upload, name)
    job.save()
    return job


def add_file(*, job: Job, kind: str, upload: UploadedFile[bytes] | None) -> None:
    """Give a draft its roster or its staff grades (`kind`: roster, anchors), or take them away again."""
    field = f"{kind}_name"
    before = getattr(job, field)
    if before:
        (job.folder / "input" / before).unlink(missing_ok=True)
    taken = {name for name in (job.file_name, job.roster_name, job.anchors_name) if name} - {before}
    name = safe_name(upload.name or "", taken, f"{kind}.csv") if upload is not None else ""
    if upload is not None:
        _store(job, upload, name)
    setattr(job, field, name)
    job.save(update_fields=[field])


def _store(job: Job, upload: UploadedFile[bytes], name: str) -> None:
    folder = job.folder / "input"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (folder / name).open("wb") as file:
        for chunk in upload.chunks():
            file.write(chunk)


def start_job(*, job: Job, options: Options) -> None:
    """Put a draft into the queue; refused where too many wait already."""
    from peerage_web.tasks import grade_job

    with transaction.atomic():
        _refuse_when_full(job)
        changed = Job.objects.filter(pk=job.pk, state=State.DRAFT).update(
            state=State.QUEUED, options=options.to_dict(), step="waiting for its turn"
        )
        if not changed:
            raise Refused("This file is being graded already.")
        grade_job.enqueue(str(job.pk))
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
        raise Busy(
            f"{limits.jobs} files are waiting to be graded, which is all this service takes at once."
            " Try again in a few minutes, or grade the file on your own machine: peerage grade FILE"
        )


def cancel_job(*, job: Job) -> None:
    """Stop a job that waits or runs; a running one stops within seconds."""
    waiting = Job.objects.filter(pk=job.pk, state__in=[State.DRAFT, State.QUEUED])
    if not waiting.update(state=State.CANCELLED, finished_at=timezone.now()):
        Job.objects.filter(pk=job.pk, state=State.RUNNING).update(cancel_requested=True)
    job.refresh_from_db()


def delete_job(*, job: Job) -> None:
    """Delete a job, its files, and every trace of it in the database; a running one is stopped."""
    from django_tasks_db.models import DBTaskResult

    identity = job.pk
    folder = job.folder
    with transaction.atomic():
        DBTaskResult.objects.filter(args_kwargs__args__0=str(identity)).delete()
        Job.objects.filter(pk=identity).delete()
    shutil.rmtree(folder, ignore_errors=True)
    forget_deleted_rows()


def forget_deleted_rows() -> None:
    """SQLite keeps what was deleted in its write-ahead log until that is written back."""
    if connection.vendor == "sqlite" and not connection.in_atomic_block:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
