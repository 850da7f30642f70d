"""Files that are written atomically: whole, or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file beside its place and move it there, so that nobody ever finds half of it."""
    target = Path(path)
    if target.exists() and not target.is_file():  # a pipe, a terminal
        target.write_bytes(data)
        return
    if target.is_symlink():
        target = target.resolve()  # what a link leads to is what is meant
    draft = target.with_name(f".{target.name[:100]}.{os.getpid()}.part")
    with naming_file(path):
        try:
            draft.write_bytes(data)
            if target.exists():
                shutil.copymode(target, draft)
            os.replace(draft, target)
        finally:
            with suppress(OSError):
                draft.unlink()


@contextmanager
def naming_file(path: str | os.PathLike[str], consequence: str = "") -> Iterator[None]:
    """Let an error of the system name the file that was to be written; a full disk does not say by itself."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        words = f"{reason}: {consequence}" if consequence else reason
        raise OSError(error.errno, words, str(path)) from error


@contextmanager
def draft_folder(folder: Path) -> Iterator[Path]:
    """A folder to write drafts in, inside `folder` so that they can be moved; gone afterwards."""
    is_new = not folder.exists()
    with naming_file(folder):
        folder.mkdir(parents=True, exist_ok=True)
        inside = Path(tempfile.mkdtemp(prefix=".peerage-", dir=folder))
    try:
        yield inside
    finally:
        shutil.rmtree(inside, ignore_errors=True)
        if is_new:
            with suppress(OSError):  # it has files now
                folder.rmdir()


def move_drafts(drafts: Path, folder: Path) -> list[str]:
    """Put every draft in its place; their names, as paths within the folder."""
    names = sorted(path.relative_to(drafts).as_posix() for path in drafts.rglob("*") if path.is_file())
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
    for name in names:
        os.replace(drafts / name, folder / name)
    return names
