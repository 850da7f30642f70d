"""Drafts: files that wait for their visitor, their preview, what was filled in so far, and a second try."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction

from peerage.errors import PeerageError
from peerage_web.files.models import Job, storable
from peerage_web.files.services.jobs import STARTED, delete_job, preview_seconds
from peerage_web.files.services.storage import bounds, files_of, make_folder, refuse_without_disk_space, store
from peerage_web.sandbox.contract.errors import SandboxError, describe_problem
from peerage_web.sandbox.contract.jobs import EMPTY_PREVIEW, EXAMPLE_FILES, JobFiles, JobOptions, safe_name
from peerage_web.sandbox.work.reading import preview_files, write_example
from peerage_web.shared.errors import Refused
from peerage_web.shared.services.disk import size_of
from peerage_web.shared.services.rate_limits import refuse_too_many_uploads
from peerage_web.shared.services.sandbox_slots import ask_sandbox

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile

    from peerage_web.accounts.models import Person


PASTED = "pasted.txt"
EXAMPLE = JobOptions(scale="0:10", letters="A>=8.5,B>=7,C>=6,D")


def create_job(
    *, upload: UploadedFile[bytes], visitor: str, origin: str = "page", owner: Person | None = None
) -> Job:
    refuse_too_many_uploads(visitor=visitor)
    name = safe_name(upload.name or "")
    size = upload.size or 0
    job = Job(visitor=visitor, origin=origin, owner=owner, file_name=name, file_bytes=size, disk_bytes=size)
    try:
        store(job, upload, name)
        job.save()
    except BaseException:
        shutil.rmtree(job.folder, ignore_errors=True)
        raise
    return job


def upload_of_text(text: str) -> UploadedFile[bytes]:
    """Pasted text as if it had been uploaded."""
    return SimpleUploadedFile(PASTED, text.encode())


def create_example_job(*, visitor: str, owner: Person | None = None, name: str = "posters") -> Job:
    """A draft of a bundled class, with its roster."""
    feedback, roster = EXAMPLE_FILES
    refuse_too_many_uploads(visitor=visitor)
    refuse_without_disk_space(visitor=visitor, size=0)
    job = Job(
        visitor=visitor,
        owner=owner,
        file_name=feedback,
        roster_name=roster,
        options=EXAMPLE.to_dict(),
    )
    folder = make_folder(job)
    try:
        ask_sandbox(write_example, JobFiles(str(job.folder), feedback), name, visitor=visitor)
        job.file_bytes = (folder / feedback).stat().st_size
        job.disk_bytes = size_of(folder)
        job.save()
    except BaseException:
        shutil.rmtree(job.folder, ignore_errors=True)
        raise
    return job


def add_file(*, job: Job, kind: str, upload: UploadedFile[bytes] | None) -> None:
    """Give a draft its roster or its staff grades (`kind`: roster, anchors), or take them away again.

    Refused where the job is no draft any more: its files are those it was started with. Counts as an upload.
    """
    if upload is not None:
        refuse_too_many_uploads(visitor=job.visitor)
    field = f"{kind}_name"
    before = getattr(job, field)
    if upload is None and not before:
        return
    taken = {name for name in (job.file_name, job.roster_name, job.anchors_name) if name} - {before}
    name = safe_name(upload.name or "", taken, f"{kind}.csv") if upload is not None else ""
    incoming = make_folder(job) / f".{secrets.token_hex(8)}"  # no upload can have such a name: see safe_name
    try:
        if upload is not None:
            store(job, upload, incoming.name)
        _exchange(job, field, incoming, before, name)
    finally:
        incoming.unlink(missing_ok=True)
    setattr(job, field, name)
    Job.objects.filter(pk=job.pk).update(disk_bytes=size_of(job.folder))


def _exchange(job: Job, field: str, incoming: Path, before: str, name: str) -> None:
    """Put the new file in the place of the one before, in one step with the name in the database."""
    with transaction.atomic():  # whoever starts the job waits until both are done, or has been faster
        if not Job.objects.filter(pk=job.pk, state=Job.State.DRAFT).update(**{field: name}):
            raise Refused(STARTED)
        if before:
            (incoming.parent / before).unlink(missing_ok=True)
        if name:
            incoming.rename(incoming.parent / name)


def save_options(*, job: Job, options: JobOptions) -> None:
    """Remember the options of a draft, so that the page looks the same when it is opened again."""
    Job.objects.filter(pk=job.pk, state=Job.State.DRAFT).update(options=storable(options.to_dict()))
    job.refresh_from_db()


def draft_again(*, job: Job, visitor: str) -> Job:
    """A new draft with the files and options of a job; the old one stays as it is."""
    names = ("origin", "owner", "file_name", "file_bytes", "options", "roster_name", "anchors_name")
    size = size_of(job.folder / "input")
    refuse_too_many_uploads(visitor=visitor)
    refuse_without_disk_space(visitor=visitor, size=size)
    again = Job(visitor=visitor, disk_bytes=size, **{name: getattr(job, name) for name in names})
    try:
        shutil.copytree(job.folder / "input", make_folder(again), dirs_exist_ok=True)
        again.save()
    except BaseException:
        shutil.rmtree(again.folder, ignore_errors=True)
        raise
    return again


@contextmanager
def temporary_draft(
    *, upload: UploadedFile[bytes], others: Mapping[str, UploadedFile[bytes] | None], visitor: str
) -> Iterator[Job]:
    """Keep the files while they are worked on; deleted at the end, unless the job was put into the queue."""
    job = create_job(upload=upload, visitor=visitor, origin="api")
    try:
        for kind, file in others.items():
            add_file(job=job, kind=kind, upload=file)
        yield job
    finally:
        if job.state == Job.State.DRAFT:
            delete_job(job=job)


LONGEST = 500  # characters of a field


def keep_rejected_form(*, job: Job, fields: Mapping[str, Any], reason: str = "") -> None:
    """Remember what was filled in and why nothing was started: the page shows it again at its own address."""
    kept = {name: str(value)[:LONGEST] for name, value in fields.items()}
    job.filled = storable({"fields": kept, "said": reason})
    Job.objects.filter(pk=job.pk).update(filled=job.filled)


def forget_rejected_form(*, job: Job) -> None:
    """The next form replaces it."""
    if job.filled is not None:
        job.filled = None
        Job.objects.filter(pk=job.pk).update(filled=None)


def preview_job(*, job: Job, options: JobOptions) -> dict[str, Any]:
    """What is in the files, and what the pre-flight says.

    `inspection` (see peerage.inspect), `preflight` (counts, warnings, findings, notes), `method` (the one
    Peerage would choose), `anchors` (items, unknown) and `problem`: None if the files can be graded so.
    Raises Busy where no sandbox slot gets free.
    """
    try:
        preview: dict[str, Any] = ask_sandbox(
            preview_files,
            files_of(job),
            options,
            bounds(),
            visitor=job.visitor,
            cost=preview_seconds(job),
        )
    except (PeerageError, SandboxError) as error:
        return {**EMPTY_PREVIEW, "problem": describe_problem(error)}
    return preview
