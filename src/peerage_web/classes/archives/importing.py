"""Making a course of an archive: read in the sandbox, then all rows in one transaction, or none.

The copy is a course of its own: new keys and addresses, nobody invited, no date that moves anything by
itself. People are known again by their e-mail address. Copies of files for reviewers are made anew; what the
library wrote for grading runs is not taken over, only their grades.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import DataError, IntegrityError, transaction
from django.db.models import Sum
from django.utils import timezone
from django.utils.translation import gettext as _

import peerage
from peerage_web.accounts.models import Person
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.archives.checks import BadValueError, check_rows
from peerage_web.classes.archives.rows import Rows
from peerage_web.classes.archives.tables import FORMAT, FORMAT_VERSION, schema
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Course
from peerage_web.classes.keys import secret_key
from peerage_web.classes.practice.services import forget_file
from peerage_web.classes.submissions.copies import CannotMakeError, make_copy
from peerage_web.classes.submissions.models import SubmissionFile
from peerage_web.classes.submissions.storage import HEAD, delete_folders, kind_of
from peerage_web.sandbox.contract.errors import SandboxError
from peerage_web.sandbox.contract.jobs import JobFiles
from peerage_web.sandbox.contract.rendering import is_plain_file
from peerage_web.sandbox.work.archives import read_course_archive
from peerage_web.shared.errors import Full, Refused
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
        content = _read(upload, folder, by)
        return _made(content, folder / UNPACKED, by)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _read(upload: UploadedFile[bytes], folder: Path, by: Person) -> dict[str, Any]:
    (folder / "input").mkdir(parents=True, mode=0o700)
    with (folder / "input" / "course.zip").open("wb") as kept:
        for chunk in upload.chunks():
            kept.write(chunk)
    most = settings.LIMITS.archive_bytes
    asked = (JobFiles(str(folder), "course.zip"), schema(), FORMAT, FORMAT_VERSION, most)
    try:
        content: dict[str, Any] = ask_sandbox(
            read_course_archive, *asked, visitor=f"person {by.pk}", cost=5.0, seconds=SECONDS
        )
    except SandboxError:
        raise refused({"code": "no-zip"}) from None
    if "problem" in content:
        raise refused(content["problem"])
    try:
        check_rows(content["tables"])
    except BadValueError as error:
        raise refused(error.problem) from error
    _refuse_without_room(folder / UNPACKED)
    return content


def _refuse_without_room(unpacked: Path) -> None:
    """Full where all submissions of all classes would take more of the disk than they may."""
    taken = SubmissionFile.objects.order_by().aggregate(size=Sum("disk_bytes"))["size"] or 0
    if taken + size_of(unpacked) > settings.LIMITS.submissions_bytes:
        raise Full(str(refused({"code": "no-room"})))


def _made(content: dict[str, Any], unpacked: Path, by: Person) -> Course:
    """Rows and files; files of rows that are not kept are taken away again."""
    example_rows = content["tables"].get("PracticeExample", [])
    examples = keep_examples(example_rows, unpacked / "examples", visitor=f"person {by.pk}")
    files: list[SubmissionFile] = []
    try:
        with transaction.atomic():
            rows = Rows(content["tables"], by, examples)
            rows.make()
            for number, file in rows.files.items():
                files.append(file)
                place_file(file, unpacked / "submissions" / str(number))
            # people who are here already shall not find a second course, perhaps the same, before staff look
            Course.objects.filter(pk=rows.course.pk).update(hidden_at=timezone.now())
            said = content["manifest"]
            record("course-imported", by=by, course=rows.course, title=said["version"], after=said["made_at"])
    except BaseException as error:
        delete_folders(files)
        forget_examples(examples)
        if isinstance(error, BROKEN):
            raise refused({"code": "does-not-fit"}) from error
        raise
    return rows.course


# -- Files that the child has unpacked, put where submissions and examples are kept --------------------------


COPY_SECONDS = 60


def place_file(file: SubmissionFile, source: Path) -> None:
    """Take the file over; a task worker makes the copy for reviewers. One that was gone stays gone."""
    if not is_plain_file(source):
        SubmissionFile.objects.filter(pk=file.pk).update(state=SubmissionFile.State.FAILED)
        return
    _refuse_other_kinds(source, file.name, file.kind)
    _take(source, file.folder)
    size = file.original.stat().st_size
    SubmissionFile.objects.filter(pk=file.pk).update(bytes=size, disk_bytes=size)


def keep_examples(
    rows: Iterable[Mapping[str, Any]], folder: Path, visitor: str
) -> dict[int, tuple[str, int]]:
    """Take the files of the practice round over, and make the copies that students see: there are few.

    Row to its stored name and pages. This takes a while, so it is done before rows are written.
    """
    kept: dict[int, tuple[str, int]] = {}
    try:
        for row in rows:
            source = folder / str(row["id"])
            if row.get("kind") and is_plain_file(source):
                stored = secret_key()
                kept[row["id"]] = (stored, 0)
                kept[row["id"]] = (stored, _example_pages(row, source, stored, visitor))
    except BaseException:
        forget_examples(kept)
        raise
    return kept


def forget_examples(kept: Mapping[int, tuple[str, int]]) -> None:
    """Where no course came of it."""
    for stored, _pages in kept.values():
        forget_file(stored)


def _example_pages(row: Mapping[str, Any], source: Path, stored: str, visitor: str) -> int:
    title, kind = str(row.get("title", "")), str(row["kind"])
    _refuse_other_kinds(source, title, kind)
    folder: Path = settings.SUBMISSIONS / stored
    _take(source, folder)
    run = partial(ask_sandbox, visitor=visitor, cost=1.0, seconds=COPY_SECONDS)
    try:
        return len(make_copy(folder=folder, kind=kind, run=run).pictures)
    except (CannotMakeError, SandboxError):
        raise refused({"code": "file-damaged", "file": title}) from None


def _refuse_other_kinds(source: Path, name: str, kind: str) -> None:
    """What is shown and how it is sent hangs on the kind, so it is told from the file itself."""
    with source.open("rb") as file:
        head = file.read(HEAD)
    actual = kind_of(head, name, Assignment.Kind.values)
    alike = {"text", "markdown"}
    if actual != kind and not {actual, kind} <= alike:
        raise refused({"code": "file-damaged", "file": name})


def _take(source: Path, folder: Path) -> None:
    folder.mkdir(parents=True, mode=0o700)
    shutil.move(source, folder / "original")
    (folder / "original").chmod(0o600)


# -- What is wrong with an archive, in words -----------------------------------------------------------


def refused(problem: Mapping[str, Any]) -> Refused:
    """The refusal for a code that the child, or the import, has found."""
    code = str(problem.get("code"))
    figures = {name: str(value)[:100] for name, value in problem.items()} | {"ours": peerage.__version__}
    texts = {
        "may-not": _("This account cannot create courses. Ask the administrator of this site."),
        "no-room": _("This site has no space for more files right now. Try again later."),
        "no-zip": _(
            "This file cannot be opened as a course archive. Choose an archive exported from Peerage."
        ),
        "no-json": _("The tables in this archive cannot be read. Export the course again."),
        "no-course": _("This is not a course archive. Choose an archive exported from Peerage."),
        "newer": _(
            "This archive was made with Peerage %(version)s, which is newer than the version "
            "here (%(ours)s). Update Peerage here first."
        ),
        "unknown": _(
            "This archive was made with Peerage %(version)s and contains something Peerage "
            "%(ours)s does not know (%(what)s). To avoid losing data, nothing was imported. "
            "Update Peerage here first."
        ),
        "too-many-files": _("This archive has more than %(most)s files, or two files with the same name."),
        "too-large": _("This archive is larger than this site accepts (%(most)s MB)."),
        "no-rows": _("Table %(table)s in this archive is damaged. Export the course again."),
        "value": _("In table %(table)s, row %(row)s, column %(column)s has an invalid value."),
        "dates": _("The dates of the assignment “%(title)s” are not in order. %(why)s"),
        "dangling": _(
            "In table %(table)s, row %(row)s, column %(column)s refers to a row that does not exist."
        ),
        "file-missing": _("The file %(file)s is missing from the archive. Export the course again."),
        "file-damaged": _("The file %(file)s in the archive is damaged. Export the course again."),
        "does-not-fit": _("The rows in this archive are inconsistent. Export the course again."),
    }
    text = texts.get(code, texts["no-course"])
    wanted = ("version", "what", "most", "table", "row", "column", "file", "title", "why")
    return Refused(text % {**dict.fromkeys(wanted, "?"), **figures})
