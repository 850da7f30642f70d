"""Files that the child has unpacked, put where works and examples are kept."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

from peerage_web import sandbox
from peerage_web.classes.models import Assignment, PracticeExample, SubmissionFile
from peerage_web.classes.services.archives.problems import refused
from peerage_web.classes.services.kinds import HEAD, kind_of
from peerage_web.classes.services.making import CannotMakeError, make_copy
from peerage_web.classes.services.practice_files import folder_of
from peerage_web.sandbox.contract.shown import is_plain_file
from peerage_web.shared.services.sandbox_slots import ask

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


def place_example(example: PracticeExample, source: Path, visitor: str) -> None:
    """Take the file over, and make the copy that students see at once: there are few."""
    if not is_plain_file(source):
        PracticeExample.objects.filter(pk=example.pk).update(stored="", kind="")
        return
    _refuse_other_kinds(source, example.title, example.kind)
    folder = folder_of(example)
    _take(source, folder)
    try:
        made = make_copy(
            folder=folder,
            kind=example.kind,
            run=partial(ask, visitor=visitor, cost=1.0, seconds=SECONDS),
        )
    except (CannotMakeError, sandbox.SandboxError):
        raise refused({"code": "file-damaged", "file": f"examples: {example.title}"}) from None
    PracticeExample.objects.filter(pk=example.pk).update(pages=len(made.pictures))


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
