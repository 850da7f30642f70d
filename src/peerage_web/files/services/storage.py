"""The files of a job on disk."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import connection

from peerage_web.files.models import Job
from peerage_web.shared.errors import Full, Refused
from peerage_web.shared.uploads import too_large

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile


def make_folder(job: Job) -> Path:
    """The folder for what the visitor gives, in a folder that nobody else on the machine can open."""
    job.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder = job.folder / "input"
    folder.mkdir(exist_ok=True, mode=0o700)
    return folder


def store(job: Job, upload: UploadedFile[bytes], name: str) -> None:
    """Keep an upload under this name; refused where it is too large or the disk too full."""
    if (upload.size or 0) > settings.LIMITS.file_bytes:
        raise Refused(str(too_large()))
    _refuse_without_space()
    with (make_folder(job) / name).open("wb") as file:
        for chunk in upload.chunks():
            file.write(chunk)


def _refuse_without_space() -> None:
    """The last of the disk is for jobs that are under way and for the database."""
    if settings.DATA.is_dir() and shutil.disk_usage(settings.DATA).free < settings.LEAST_FREE:
        raise Full(
            "This service has no room for more files right now. Try again later, or grade the file on your"
            " own machine: peerage grade FILE"
        )


def forget_deleted_rows() -> None:
    """SQLite keeps what was deleted in its write-ahead log until that is written back."""
    if connection.vendor == "sqlite" and not connection.in_atomic_block:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
