"""Making a course of an archive: read in the sandbox, then all rows in one transaction, or none.

The copy is a course of its own: new keys and addresses, nobody invited, no date that moves anything by
itself. People are known again by their e-mail address. Copies of files for reviewers are made anew; what the
library wrote for grading runs is not taken over, only their grades.
"""

from __future__ import annotations

import secrets
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import DataError, IntegrityError, transaction
from django.db.models import Sum

from peerage_web.accounts.models import Person
from peerage_web.classes.models import Course, SubmissionFile
from peerage_web.classes.services.archives.problems import refused
from peerage_web.classes.services.archives.rows import Rows
from peerage_web.classes.services.archives.tables import FORMAT, FORMAT_VERSION, schema
from peerage_web.classes.services.archives.unpacked import forget_examples, keep_examples, place_work
from peerage_web.classes.services.record import record
from peerage_web.classes.services.storing import delete_folders
from peerage_web.sandbox.contract.errors import SandboxError
from peerage_web.sandbox.contract.jobs import JobFiles
from peerage_web.sandbox.work.archives import read_course_archive
from peerage_web.shared.errors import Full
from peerage_web.shared.services.disk import has_disk_space, size_of
from peerage_web.shared.services.rate_limits import refuse_too_many_uploads
from peerage_web.shared.services.sandbox_slots import ask_sandbox

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile

SECONDS = 300  # for unpacking
UNPACKED = "unpacked"  # where the child puts files, see sandbox.work.archives
# rows that do not hold together: what the database or a model refuses
BROKEN = (IntegrityError, DataError, OverflowError, ValueError, TypeError, KeyError)


def import_course(*, upload: UploadedFile[bytes], by: Person) -> Course:
    """The course of an archive; Refused with what is wrong with it, and then nothing has changed."""
    if not by.may_create_courses:
        raise refused({"code": "may-not"})
    refuse_too_many_uploads(visitor=f"person {by.pk}")
    if not has_disk_space():
        raise Full(str(refused({"code": "no-room"})))
    folder: Path = (
        settings.ROSTERS / f"archive-{secrets.token_hex(12)}"
    )  # maintenance finds what a crash leaves
    try:
        found = _read(upload, folder, by)
        return _made(found, folder / UNPACKED, by)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _read(upload: UploadedFile[bytes], folder: Path, by: Person) -> dict[str, Any]:
    """What the child says of it."""
    (folder / "input").mkdir(parents=True, mode=0o700)
    with (folder / "input" / "course.zip").open("wb") as kept:
        for chunk in upload.chunks():
            kept.write(chunk)
    most = settings.LIMITS.archive_bytes
    asked = (JobFiles(str(folder), "course.zip"), schema(), FORMAT, FORMAT_VERSION, most)
    try:
        found: dict[str, Any] = ask_sandbox(
            read_course_archive, *asked, visitor=f"person {by.pk}", cost=5.0, seconds=SECONDS
        )
    except SandboxError:
        raise refused({"code": "no-zip"}) from None
    if "problem" in found:
        raise refused(found["problem"])
    _refuse_without_room(folder / UNPACKED)
    return found


def _refuse_without_room(unpacked: Path) -> None:
    """Full where all works of all classes would take more of the disk than they may."""
    taken = SubmissionFile.objects.order_by().aggregate(size=Sum("disk_bytes"))["size"] or 0
    if taken + size_of(unpacked) > settings.LIMITS.works_bytes:
        raise Full(str(refused({"code": "no-room"})))


def _made(found: dict[str, Any], unpacked: Path, by: Person) -> Course:
    """Rows and files; files of rows that are not kept are taken away again."""
    told = found["tables"].get("PracticeExample", [])
    examples = keep_examples(told, unpacked / "examples", visitor=f"person {by.pk}")
    works: list[SubmissionFile] = []
    try:
        with transaction.atomic():
            rows = Rows(found["tables"], by, examples)
            rows.make()
            for number, file in rows.files.items():
                works.append(file)
                place_work(file, unpacked / "works" / str(number))
            said = found["manifest"]
            record("course-imported", by=by, course=rows.course, title=said["version"], after=said["made_at"])
    except BaseException as error:
        delete_folders(works)
        forget_examples(examples)
        if isinstance(error, BROKEN):
            raise refused({"code": "does-not-fit"}) from error
        raise
    return rows.course
