"""What a backup holds, with a hash of every part; read and checked without the database."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from peerage_web.shared.errors import Refused

NAME = "manifest.json"
LISTED = "files.jsonl"
ROWS, FILES = "rows", "files"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class BackupFile:
    path: str  # under the backup's folder, with slashes
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class BackupManifest:
    made_at: str
    version: str  # of Peerage
    database: str  # sqlite or postgresql, where it came from
    migrations: list[list[str]]  # app and name of all that were applied
    rows: dict[str, int]  # model to how many
    last_ids: dict[str, int]  # model to the highest number ever given out, so that none is given out again
    parts: list[BackupFile]  # rows of each model, and the list of files
    missing: list[str] = field(default_factory=list)  # files that rows name and the data folder has not
    damaged: list[str] = field(default_factory=list)  # files that are not what was submitted
    format: int = FORMAT

    def write(self, folder: Path) -> str:
        """Last, and all at once; the hash of it, which stands for the whole backup."""
        text = json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n"
        draft = folder / f"{NAME}.new"
        draft.write_text(text, encoding="utf-8")
        draft.rename(folder / NAME)
        return hashlib.sha256(text.encode()).hexdigest()


def read(folder: Path) -> BackupManifest:
    """The manifest; Refused where this is no complete backup, or one that this version cannot read."""
    try:
        document: dict[str, Any] = json.loads((folder / NAME).read_text(encoding="utf-8"))
        parts = [BackupFile(**part) for part in document.pop("parts")]
        manifest = BackupManifest(parts=parts, **document)
    except (FileNotFoundError, NotADirectoryError):
        raise Refused(
            f"{folder} is no complete backup: it has no {NAME}, which is written when all the rest is there"
        ) from None
    except (ValueError, TypeError, KeyError):
        raise Refused(f"{folder / NAME} cannot be read; it was changed, or is of a newer Peerage") from None
    if manifest.format != FORMAT:
        raise Refused(
            f"{folder} has the format {manifest.format}; this Peerage reads {FORMAT}. Install the version"
            f" that made it: {manifest.version}"
        )
    return manifest


def files_in(folder: Path) -> Iterator[BackupFile]:
    """Files of the instance that are in the backup."""
    with (folder / LISTED).open(encoding="utf-8") as lines:
        for line in lines:
            yield BackupFile(**json.loads(line))


def write_list(folder: Path, files: Iterable[BackupFile]) -> None:
    """The list of files, for :func:`files_in`."""
    with (folder / LISTED).open("w", encoding="utf-8") as lines:
        for part in files:
            lines.write(json.dumps(asdict(part), ensure_ascii=False) + "\n")


def check(folder: Path, manifest: BackupManifest) -> Iterator[str]:
    """What is not as it was when the backup was made, in words; nothing where all is well.

    First the parts that the manifest names, then what is listed in them.
    """
    broken = list(_differing(folder, manifest.parts))
    yield from broken
    if broken:
        return
    listed = list(files_in(folder))
    yield from _differing(folder, listed)
    expected = {part.path for part in (*manifest.parts, *listed)} | {NAME}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if not path.is_dir() and name not in expected:
            yield f"{name} does not belong to the backup"


def _differing(folder: Path, parts: Iterable[BackupFile]) -> Iterator[str]:
    for part in parts:
        if not _is_inside(part.path):
            yield f"{part.path} leads out of the backup"
            continue
        try:
            size, sha256 = sha256_of(folder / part.path)
        except OSError:
            yield f"{part.path} is not there"
            continue
        if (size, sha256) != (part.bytes, part.sha256):
            yield f"{part.path} was changed: its SHA-256 is {sha256}, and was {part.sha256}"


def _is_inside(path: str) -> bool:
    parts = PurePosixPath(path)
    return not parts.is_absolute() and ".." not in parts.parts


def part_of(folder: Path, path: Path) -> BackupFile:
    """A file that was just written, as the manifest has it."""
    size, sha256 = sha256_of(path)
    return BackupFile(path.relative_to(folder).as_posix(), size, sha256)


def sha256_of(path: Path) -> tuple[int, str]:
    """Bytes and hash of a file."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
        return file.tell(), digest.hexdigest()
