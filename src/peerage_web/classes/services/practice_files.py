"""The file of an example: kept, and shown, as works are; its copy is made while whoever uploads it waits."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings
from django.utils.translation import gettext as _

from peerage_web.classes.file_problems import problem_in_words, stored_problem
from peerage_web.classes.models import Assignment, PracticeExample
from peerage_web.classes.models.keys import secret_key
from peerage_web.classes.services.kinds import HEAD, kind_of
from peerage_web.classes.services.making import CannotMakeError, make_copy
from peerage_web.sandbox.contract.errors import DiskFullError, KilledError, OutOfTimeError
from peerage_web.shared.errors import Full, Refused
from peerage_web.shared.services.disk import has_disk_space
from peerage_web.shared.services.sandbox_slots import ask_sandbox

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile

MEGABYTE = 1 << 20
SECONDS = 30.0  # for which staff wait


def folder_of(example: PracticeExample) -> Path:
    """Where its file is."""
    folder: Path = settings.WORKS / example.stored
    return folder


def keep_file(*, upload: UploadedFile[bytes], visitor: str) -> dict[str, object]:
    """The fields of an example with this file; Refused where it cannot be shown."""
    if (upload.size or 0) > settings.LIMITS.file_bytes:
        most = settings.LIMITS.file_bytes // MEGABYTE
        raise Refused(_("The file is larger than %(most)d MB.") % {"most": most})
    if not has_disk_space():
        raise Full(_("This service has no room for more files right now. Try again later."))
    kind = kind_of(upload.read(HEAD), upload.name or "", list(Assignment.Kind.values))
    upload.seek(0)
    if kind is None:
        raise Refused(_("An example can be a PDF, an image, or text."))
    stored = secret_key()
    folder: Path = settings.WORKS / stored
    try:
        pages = _make(folder, upload, kind, visitor)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return {"stored": stored, "kind": kind, "pages": pages}


def _make(folder: Path, upload: UploadedFile[bytes], kind: str, visitor: str) -> int:
    folder.mkdir(parents=True, mode=0o700)
    with (folder / "original").open("wb") as kept:
        for chunk in upload.chunks():
            kept.write(chunk)
    try:
        made = make_copy(
            folder=folder, kind=kind, run=partial(ask_sandbox, visitor=visitor, cost=1.0, seconds=SECONDS)
        )
    except CannotMakeError as error:
        raise Refused(problem_in_words(str(error))) from None
    except (OutOfTimeError, KilledError, DiskFullError):
        raise Refused(problem_in_words(stored_problem("time"))) from None
    return len(made.pictures)


def forget_file(stored: str) -> None:
    """After its row; what is left behind, maintenance finds."""
    if stored:
        shutil.rmtree(settings.WORKS / stored, ignore_errors=True)
