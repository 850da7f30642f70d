"""Files that the child has unpacked, put where works and examples are kept."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings

from peerage_web.classes.models import Assignment, SubmissionFile
from peerage_web.classes.models.keys import secret_key
from peerage_web.classes.services.archives.problems import refused
from peerage_web.classes.services.kinds import HEAD, kind_of
from peerage_web.classes.services.making import CannotMakeError, make_copy
from peerage_web.classes.services.practice_files import forget_file
from peerage_web.sandbox.contract.errors import SandboxError
from peerage_web.sandbox.contract.rendering import is_plain_file
from peerage_web.shared.services.sandbox_slots import ask_sandbox

SECONDS = 60


def place_work(file: SubmissionFile, source: Path) -> None:
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
    folder: Path = settings.WORKS / stored
    _take(source, folder)
    run = partial(ask_sandbox, visitor=visitor, cost=1.0, seconds=SECONDS)
    try:
        return len(make_copy(folder=folder, kind=kind, run=run).pictures)
    except (CannotMakeError, SandboxError):
        raise refused({"code": "file-damaged", "file": title}) from None


def _refuse_other_kinds(source: Path, name: str, kind: str) -> None:
    """What is shown and how it is sent hangs on the kind, so it is told from the file itself."""
    with source.open("rb") as file:
        head = file.read(HEAD)
    found = kind_of(head, name, Assignment.Kind.values)
    alike = {"text", "markdown"}
    if found != kind and not {found, kind} <= alike:
        raise refused({"code": "file-damaged", "file": name})


def _take(source: Path, folder: Path) -> None:
    folder.mkdir(parents=True, mode=0o700)
    shutil.move(source, folder / "original")
    (folder / "original").chmod(0o600)
