"""Jobs: making, starting, cancelling and deleting them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.utils import timezone

from peerage_web import sandbox
from peerage_web.models import Job
from peerage_web.services import queueing
from peerage_web.services.errors import Busy, Full, Refused
from peerage_web.services.rate import one_at_a_time, refuse_too_many_uploads
from peerage_web.services.storable import storable
from peerage_web.services.turns import a_turn
from peerage_web.uploads import too_large
from peerage_web.work.example import FILES, write_example
from peerage_web.work.files import safe_name
from peerage_web.work.options import Options

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.core.files.uploadedfile import UploadedFile

State = Job.State
PASTED = "pasted.txt"
EXAMPLE = Options(scale="0:10", letters="A>=8.5,B>=7,C>=6,D")


def create_job(
    *, upload: UploadedFile[bytes], visitor: str, origin: str = "page", owner: User | None = None
) -> Job:
    """Keep an uploaded file as a draft."""
    refuse_too_many_uploads(visitor=visitor)
    name = safe_name(upload.name or "")
    job = Job(visitor=visitor, origin=origin, owner=owner, file_name=name, file_bytes=upload.size or 0)
    try:
        _store(job, upload, name)
        job.save()
    except BaseException:
        shutil.rmtree(job.folder, ignore_errors=True)
        raise
    return job


def upload_of_text(text: str) -> UploadedFile[bytes]:
    """Pasted text as if it had been uploaded."""
    return SimpleUploadedFile(PASTED, text.encode())


def create_example_job(*, visitor: str, owner: User | None = None, name: str = "posters") -> Job:
    """A draft of a bundled class, with its roster."""
    feedback, roster = FILES
    refuse_too_many_uploads(visitor=visitor)
    job = Job(
        visitor=visitor,
        owner=owner,
        file_name=feedback,
        roster_name=roster,
        options=EXAMPLE.to_dict(),
    )
    folder = make_folder(job)
    limits = settings.LIMITS
    try:
        with a_turn():
            sandbox.run(write_example, str(folder), name, seconds=limits.look_seconds, memory=limits.memory)
        job.file_bytes = (folder / feedback).stat().st_size
        job.save()
    except BaseException:
        shutil.rmtree(job.folder, ignore_errors=True)
        raise
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


def _refuse_without_room() -> None:
    """The last of the disk is for jobs that are under way and for the database."""
    if settings.DATA.is_dir() and shutil.disk_usage(settings.DATA).free < settings.LEAST_FREE:
        raise Full(
            "This service has no room for more files right now. Try again later, or grade the file on your"
            " own machine: peerage grade FILE"
        )


def make_folder(job: Job) -> Path:
    """The folder for what the visitor gives, in a folder that nobody else on the machine can open."""
    job.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder = job.folder / "input"
    folder.mkdir(exist_ok=True, mode=0o700)
    return folder


def _store(job: Job, upload: UploadedFile[bytes], name: str) -> None:
    if (upload.size or 0) > settings.LIMITS.file_bytes:
        raise Refused(str(too_large()))
    _refuse_without_room()
    with (make_folder(job) / name).open("wb") as file:
        for chunk in upload.chunks():
            file.write(chunk)


def start_job(*, job: Job, options: Options) -> None:
    """Put a draft into the queue; refused where too many wait already."""
    with transaction.atomic():
        one_at_a_time(what="start")  # or two that come at once would both find the last place free
        _refuse_when_full(job)
        changed = Job.objects.filter(pk=job.pk, state=State.DRAFT).update(
            state=State.QUEUED,
            options=storable(options.to_dict()),
            queued_at=timezone.now(),
            step=queueing.WAITING,
        )
        if not changed:
            raise Refused("This file is being graded already.")
        queueing.put(job)
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
            " Try again in a few minutes, or grade the file on your own machine: peerage grade FILE"
        )


def cancel_job(*, job: Job) -> None:
    """Stop a job that waits or runs; a running one stops within seconds."""
    with transaction.atomic():
        waiting = Job.objects.filter(pk=job.pk, state__in=[State.DRAFT, State.QUEUED])
        if waiting.update(state=State.CANCELLED, finished_at=timezone.now(), step=""):
            queueing.take_out(job)
        else:
            Job.objects.filter(pk=job.pk, state=State.RUNNING).update(cancel_requested=True)
    job.refresh_from_db()


def delete_job(*, job: Job) -> None:
    """Delete a job, its files, and every trace of it in the database; a running one is stopped."""
    identity, folder = job.pk, job.folder
    with transaction.atomic():
        Job.objects.filter(pk=identity).delete()
        queueing.take_out(job)
    shutil.rmtree(folder, ignore_errors=True)  # what a run still writes, its worker removes: see running.py
    forget_deleted_rows()


def forget_deleted_rows() -> None:
    """SQLite keeps what was deleted in its write-ahead log until that is written back."""
    if connection.vendor == "sqlite" and not connection.in_atomic_block:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
