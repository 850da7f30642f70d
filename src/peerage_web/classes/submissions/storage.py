"""Files of submissions on disk, under random names and within limits; their kind by the first bytes."""

from __future__ import annotations

import codecs
import hashlib
import shutil
import struct
import time
import zlib
from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings
from django.db.models import Sum
from django.utils.translation import gettext as _

from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.practice.models import PracticeExample
from peerage_web.classes.retention.queries import disk_usage_of
from peerage_web.classes.submissions.models import Submission, SubmissionFile
from peerage_web.classes.submissions.names import AuthorIdentity
from peerage_web.sandbox.contract.jobs import safe_name
from peerage_web.sandbox.contract.rendering import (
    COPY_FOLDER,
    COPY_INDEX,
    InvalidCopyError,
    PageImage,
    ReviewCopy,
    read_review_copy,
)
from peerage_web.shared.errors import Busy, Full, Refused
from peerage_web.shared.services.disk import has_disk_space
from peerage_web.templatetags.peerage_words import file_size

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile


MEGABYTE = 1 << 20
HOUR = 3600.0


def store(assignment: Assignment, upload: UploadedFile[bytes]) -> SubmissionFile:
    """Write one file to the disk, for a row that is not saved yet; Refused where it is not to be taken."""
    name = safe_name(upload.name or "", (), "submission")
    size = upload.size or 0
    _refuse_size(name, size, assignment)
    head = upload.read(HEAD)
    upload.seek(0)
    kind = kind_of(head, name, assignment.file_kinds)
    if kind is None and "word" in assignment.file_kinds and head.startswith(_OLE):
        text = _(
            "“%(name)s” is protected by a password or in Word’s old format (.doc). Save it as .docx "
            "without a password, or as a PDF, and upload that."
        )
        raise Refused(text % {"name": name})
    if kind is None:
        labels = ", ".join(str(Assignment.Kind(kind).label) for kind in assignment.file_kinds)
        text = _(
            "“%(name)s” is not one of the accepted file types: %(kinds)s. Export it as one "
            "of these and upload that."
        )
        raise Refused(text % {"name": name, "kinds": labels})
    if not has_disk_space():
        raise Full(_no_room())
    file = SubmissionFile(name=name, kind=kind, bytes=size, disk_bytes=size)
    try:
        file.sha256 = _write(file, upload)
    except BaseException:
        shutil.rmtree(file.folder, ignore_errors=True)
        raise
    return file


def _no_room() -> str:
    return _("This site has no space for more files right now. Try again later.")


def _refuse_size(name: str, size: int, assignment: Assignment) -> None:
    if size == 0:
        raise Refused(_("“%(name)s” is empty. Choose another file.") % {"name": name})
    most = min(assignment.most_bytes, settings.LIMITS.file_bytes)
    if size > most:
        text = _(
            "“%(name)s” is larger than %(most)d MB. Make it smaller, for example by reducing its images."
        )
        raise Refused(text % {"name": name, "most": most // MEGABYTE})


def refuse_without_room(*, submission: Submission, size: int) -> None:
    """Busy where all versions of this submission take its share of the disk, Full where all submissions do.

    Of all submissions those of the course, and those of the service.
    """
    files = SubmissionFile.objects.order_by()
    mine = files.filter(version__submission=submission).aggregate(size=Sum("disk_bytes"))["size"] or 0
    if mine + size > settings.LIMITS.submission_bytes:
        text = _(
            "All versions of this submission together can take at most %(most)d MB. Upload a smaller file."
        )
        raise Busy(text % {"most": settings.LIMITS.submission_bytes // MEGABYTE})
    room = disk_usage_of(submission.assignment.course)
    if room.taken + size > room.most:
        text = _(
            "Your file was not accepted: this course has used all of its storage (%(most)s). "
            "Tell your instructor, who can ask for more."
        )
        raise Full(text % {"most": file_size(room.most)})
    taken = files.aggregate(size=Sum("disk_bytes"))["size"] or 0
    if taken + size > settings.LIMITS.submissions_bytes:
        raise Full(_("This site has no storage left for submissions. Tell your instructor."))


def _write(file: SubmissionFile, upload: UploadedFile[bytes]) -> str:
    file.folder.mkdir(parents=True, mode=0o700)
    digest = hashlib.sha256()
    with file.original.open("wb") as kept:
        for chunk in upload.chunks():
            digest.update(chunk)
            kept.write(chunk)
    return digest.hexdigest()


def sha256_of(files: list[SubmissionFile]) -> str:
    """Of all files, one after the other: of a single one, what `sha256sum` says of it."""
    digest = hashlib.sha256()
    for file in files:
        with file.original.open("rb") as kept:
            while chunk := kept.read(MEGABYTE):
                digest.update(chunk)
    return digest.hexdigest()


def delete_folders(files: list[SubmissionFile]) -> None:
    """After their rows: what a process leaves on the disk that dies before this, maintenance finds."""
    for file in files:
        shutil.rmtree(file.folder, ignore_errors=True)


def forget_authors(files: Iterable[SubmissionFile], author: AuthorIdentity) -> None:
    """Of a submission that stays without a name: the upload makes way for its copy, which names nobody."""
    for file in files:
        try:
            folder = file.folder / COPY_FOLDER
            copy = _without_name(read_review_copy(folder), folder, author)
            shutil.copyfile(folder / copy.download, file.original)
            if copy.download == "copy.txt" and file.kind != "text":  # its text is all that is left
                SubmissionFile.objects.filter(pk=file.pk).update(kind="text")
            (folder / COPY_INDEX).write_text(replace(copy, hidden="").to_json(), encoding="utf-8")
        except (InvalidCopyError, OSError):  # what may still name them goes as a whole
            file.original.unlink(missing_ok=True)
            shutil.rmtree(file.folder / COPY_FOLDER, ignore_errors=True)


def _without_name(copy: ReviewCopy, folder: Path, author: AuthorIdentity) -> ReviewCopy:
    """The copy where its text tells who wrote it: words are blacked out, and pages that have them are blank.

    A PDF cannot be changed word by word, so that its text takes the place of the download.
    """
    text, html = author.black_out(copy.text), author.black_out(copy.html)
    pages = [_page_without_name(page, folder, author) for page in copy.pictures]
    if (text, html, pages) == (copy.text, copy.html, copy.pictures):
        return copy
    (folder / copy.download).unlink(missing_ok=True)
    download = "copy.md" if copy.kind == "markdown" else "copy.txt"
    words = text or "\n\n".join(page.text for page in pages)
    (folder / download).write_text(words, encoding="utf-8")
    return replace(copy, text=text, html=html, pictures=pages, download=download)


def _page_without_name(page: PageImage, folder: Path, author: AuthorIdentity) -> PageImage:
    text = author.black_out(page.text)
    if text == page.text:
        return page
    (folder / page.name).unlink(missing_ok=True)
    name = f"{page.name.partition('.')[0]}.png"
    (folder / name).write_bytes(_blank_png(page.width, page.height))
    return replace(page, name=name, text=text)


def _blank_png(width: int, height: int) -> bytes:
    """A white picture, one bit to a pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    row = b"\0" + b"\xff" * -(-width // 8)
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    parts = [(b"IHDR", head), (b"IDAT", zlib.compress(row * height)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(kind, data) for kind, data in parts)


def delete_leftovers() -> None:
    """Folders that belong to no file: of uploads that were broken off, and of drafts thrown away."""
    if not settings.SUBMISSIONS.is_dir():
        return
    old = [path for path in settings.SUBMISSIONS.iterdir() if time.time() - path.stat().st_mtime > HOUR]
    names = {path.name for path in old}
    stored = set(SubmissionFile.objects.filter(stored__in=names).values_list("stored", flat=True)) | set(
        PracticeExample.objects.filter(stored__in=names).values_list("stored", flat=True)
    )
    for path in old:
        if path.name not in stored:
            shutil.rmtree(path, ignore_errors=True)


# -- What kind of file somebody uploads, told from its first bytes. A child finds out whether it opens ---


PDF_WITHIN = 1024  # bytes in which a PDF says what it is
HEAD = 64 * 1024  # bytes that are looked at
_IMAGES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff")
_ZIP, _OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_WORD = (".docx", ".docm", ".dotx")
_MARKDOWN = (".md", ".markdown", ".mkd")
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def kind_of(head: bytes, name: str, allowed: Collection[str]) -> str | None:
    """The kind, if it is one of those allowed. The name only tells Markdown from other text."""
    kind = _kind(head, name)
    if kind in ("text", "markdown") and kind not in allowed:
        kind = "markdown" if kind == "text" else "text"
    return kind if kind in allowed else None


def _kind(head: bytes, name: str) -> str | None:
    if b"%PDF-" in head[:PDF_WITHIN]:
        return "pdf"
    if head.startswith(_IMAGES):
        return "image"
    if head.startswith(_ZIP) and name.lower().endswith(_WORD):
        return "word"  # a child finds out what is in it
    if not _is_text(head):
        return None
    return "markdown" if name.lower().endswith(_MARKDOWN) else "text"


def _is_text(head: bytes) -> bool:
    """No zero bytes, unless it says that its letters have two; letters of old encodings are told later."""
    return head.startswith(_WIDE) or not any(byte < 9 or 14 <= byte < 27 for byte in head)
