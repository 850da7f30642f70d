"""The files of a job on disk, how much of it visitors may take, and what nobody needs any more."""

from __future__ import annotations

import logging
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import connection
from django.db.models import Sum

from peerage_web.files.models import Job
from peerage_web.sandbox.contract.jobs import Bounds, JobFiles
from peerage_web.shared.errors import Busy, Full, Refused
from peerage_web.shared.services.disk import has_disk_space
from peerage_web.shared.uploads import too_large

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile
    from django.db.models import QuerySet


log = logging.getLogger(__name__)
_reported: set[Path] = set()


def make_folder(job: Job) -> Path:
    """The folder for what the visitor gives, in a folder that nobody else on the machine can open."""
    job.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder = job.folder / "input"
    folder.mkdir(exist_ok=True, mode=0o700)
    return folder


def store(job: Job, upload: UploadedFile[bytes], name: str) -> None:
    """Keep an upload under this name; refused where it is too large or there is no room for it."""
    size = upload.size or 0
    if size > settings.LIMITS.file_bytes:
        raise Refused(str(too_large()))
    refuse_without_disk_space(visitor=job.visitor, size=size)
    with (make_folder(job) / name).open("wb") as file:
        for chunk in upload.chunks():
            file.write(chunk)


def refuse_without_disk_space(*, visitor: str, size: int) -> None:
    """Busy where the visitor's files take their share of the disk, Full where all files together do."""
    limits = settings.LIMITS
    if not has_disk_space():
        raise Full(_FULL)
    taken = Job.objects.filter(expires_at__isnull=False).order_by()  # what classes keep, they answer for
    if _bytes(taken.filter(visitor=visitor)) + size > limits.visitor_bytes:
        raise Busy(
            f"Your files and results use {limits.visitor_bytes >> 20:,} MB, the limit for one visitor."
            " Delete a result that you have downloaded, or wait until one expires."
        )
    if _bytes(taken) + size > limits.disk_bytes:
        raise Full(_FULL)


_FULL = (
    "This service has no storage space left right now. Try again later, or grade the file with Peerage"
    " on your own computer."
)


def _bytes(jobs: QuerySet[Job]) -> int:
    return int(jobs.aggregate(size=Sum("disk_bytes"))["size"] or 0)


def remove(path: Path) -> bool:
    """Whether the file or folder is gone; one that cannot be deleted is reported once."""
    try:
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)
    except FileNotFoundError:  # a run or another round was faster
        return not path.exists()
    except OSError as error:
        if path not in _reported:
            _reported.add(path)
            reason = (error.strerror or type(error).__name__).lower()
            log.error("a leftover in the folder %s cannot be deleted (%s)", path.parent.name, reason)
        return False
    return True


def checkpoint_sqlite() -> None:
    """SQLite keeps what was deleted in its write-ahead log until that is written back."""
    if connection.vendor == "sqlite" and not connection.in_atomic_block:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def files_of(job: Job) -> JobFiles:
    """Where the library finds a job's files."""
    others = job.roster_name or None, job.anchors_name or None
    return JobFiles(str(job.folder), job.file_name, *others, origin=job.origin)


def bounds() -> Bounds:
    """The limits on what is in a file."""
    return Bounds(settings.LIMITS.reviews, settings.LIMITS.list_length)


HOUR = 3600.0


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
