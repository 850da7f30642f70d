"""Making a backup: the database first, as it was at one moment, then the files that its rows name.

Files are written before the rows that name them and are not changed afterwards, so what the snapshot names is
on the disk. Two things can happen meanwhile: a draft is thrown away, and a person is erased. Then the files
do not fit, and it is done again with a newer snapshot, quickly: what was copied and has not changed is not
copied again. What does not fit twice in the same way is damage, and is told.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.utils import timezone

from peerage import __version__
from peerage_web.operations.backup import manifest
from peerage_web.operations.backup.database import (
    Folder,
    folders,
    kept_rows,
    last_ids,
    migrations_in,
    models_of,
    name_of,
    read_rows,
    snapshot,
    write_lines,
)
from peerage_web.operations.backup.manifest import FILES, LISTED, ROWS, BackupFile, BackupManifest
from peerage_web.operators.queries import LAST_BACKUP
from peerage_web.shared.errors import Refused

TRIES = 100  # a draft that is thrown away spoils one; a busy class may do so for a while
UNDER_WAY = (
    "making",
    "shown.new",
)  # of a copy for reviewers that is being made: see classes.submissions.copies
ORIGINAL = "original"
CHUNK = 1 << 20  # bytes
# size, time and number of a file when it was copied
Copied = dict[str, tuple[tuple[int, int, int], BackupFile]]


@dataclass(frozen=True, slots=True)
class CreatedBackup:
    manifest: BackupManifest
    sha256: str  # of the manifest, which has those of everything else
    files: int
    bytes: int
    extra: int  # folders in the data folder that no row names: uploads under way, and leftovers of some


def create_backup(*, folder: Path) -> CreatedBackup:
    """Into this folder, which has to be new or empty."""
    _refuse_place(folder)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    contents, files = _copy_until_consistent(folder)
    manifest.write_list(folder, files)
    contents = replace(contents, parts=[*contents.parts, manifest.part_of(folder, folder / LISTED)])
    os.sync()  # before the manifest says that all is there
    sha256 = contents.write(folder)
    os.sync()
    named = {part.path.split("/")[2] for part in files if part.path.startswith(f"{FILES}/submissions/")}
    extra = len(_names(settings.SUBMISSIONS) - named)
    _remember(contents, len(files))
    return CreatedBackup(contents, sha256, len(files), sum(part.bytes for part in files), extra)


def _remember(contents: BackupManifest, files: int) -> None:
    """For the page of operators: when, and how much."""
    faults = len(contents.missing) + len(contents.damaged)
    record = {
        "made_at": contents.made_at,
        "rows": sum(contents.rows.values()),
        "files": files,
        "faults": faults,
    }
    draft = settings.DATA / f"{LAST_BACKUP}.new"
    draft.write_text(json.dumps(record), encoding="utf-8")
    draft.rename(settings.DATA / LAST_BACKUP)


def _copy_until_consistent(folder: Path) -> tuple[BackupManifest, list[BackupFile]]:
    copied: Copied = {}
    before: tuple[list[str], list[str]] | None = None
    for _try in range(TRIES):
        contents, files = _copy_once(folder, copied)
        faults = (contents.missing, contents.damaged)
        if not any(faults) or faults == before:
            _drop_others(folder, files)
            return contents, files
        before = faults
    raise Refused("files are thrown away faster than they can be copied; try again when less is going on")


def _drop_others(folder: Path, files: list[BackupFile]) -> None:
    """What an earlier try has copied, and no row names any more."""
    named = {part.path for part in files}
    for path in sorted((folder / FILES).rglob("*"), reverse=True):  # what is in a folder before the folder
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif path.relative_to(folder).as_posix() not in named:
            path.unlink()


def _refuse_place(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Refused(f"{folder} is not empty; name a folder that is, or one that is not there yet")
    if folder.absolute().is_relative_to(settings.DATA):
        raise Refused(f"{folder} is in the data folder, and would be lost with it; name another place")


def _names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} if folder.is_dir() else set()


def _copy_once(folder: Path, copied: Copied) -> tuple[BackupManifest, list[BackupFile]]:
    """One try: what the manifest will say, but for the list of files, and that list."""
    for name in (ROWS, FILES):
        (folder / name).mkdir(mode=0o700, exist_ok=True)
    moment = timezone.now()
    with snapshot(folder) as alias:
        migrations = migrations_in(alias)
        counts = {
            name_of(model): write_lines(
                folder / ROWS / f"{name_of(model)}.jsonl", read_rows(kept_rows(model, alias))
            )
            for model in models_of()
        }
        ids, named = last_ids(alias), list(folders(alias))
    files, missing, damaged = _copy_all(named, folder, copied)
    parts = [manifest.part_of(folder, path) for path in sorted((folder / ROWS).iterdir())]
    contents = BackupManifest(
        made_at=moment.isoformat(timespec="seconds"),
        version=__version__,
        database=connection.vendor,
        migrations=migrations,
        rows=counts,
        last_ids=ids,
        parts=parts,
        missing=missing,
        damaged=damaged,
    )
    return contents, files


def _copy_all(
    named: list[Folder], backup: Path, copied: Copied
) -> tuple[list[BackupFile], list[str], list[str]]:
    """Every file of these folders; what is missing of them, and what is not what was submitted."""
    files: list[BackupFile] = []
    missing: list[str] = []
    damaged: list[str] = []
    for place in named:
        parts = {part.path: part for part in _copy_folder(place, backup, copied)}
        files += parts.values()
        prefix = f"{FILES}/{place.path}"
        there = {name.removeprefix(f"{prefix}/").split("/")[0] for name in parts}
        missing += [f"{place.path}/{need}" for need in place.needed if need not in there]
        original = parts.get(f"{prefix}/{ORIGINAL}")
        if place.sha256 and original is not None and original.sha256 != place.sha256:
            damaged.append(f"{place.path}/{ORIGINAL}")
    return files, missing, damaged


def _copy_folder(place: Folder, backup: Path, copied: Copied) -> Iterator[BackupFile]:
    source = settings.DATA / place.path
    for path in _files_below(source):
        name = f"{FILES}/{place.path}/{path.relative_to(source).as_posix()}"
        with suppress(FileNotFoundError):  # it went while we looked; where it is needed, it is missed
            now = path.stat()
            state = (now.st_size, now.st_mtime_ns, now.st_ino)
            if name not in copied or copied[name][0] != state:
                copied[name] = state, _copy(path, backup / name, name)
            yield copied[name][1]


def _files_below(folder: Path) -> Iterator[Path]:
    """Plain files, in the order of their names; none of a copy that is being made."""
    for place, names, file_names in os.walk(folder):
        names[:] = sorted(name for name in names if name not in UNDER_WAY)
        for name in sorted(file_names):
            path = Path(place) / name
            if path.is_file() and not path.is_symlink():
                yield path


def _copy(source: Path, target: Path, name: str) -> BackupFile:
    """Copy, and hash what was copied in the same pass."""
    digest, size = hashlib.sha256(), 0
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with source.open("rb") as read, target.open("wb") as written:
        while chunk := read.read(CHUNK):
            digest.update(chunk)
            written.write(chunk)
            size += len(chunk)
    return BackupFile(name, size, digest.hexdigest())
