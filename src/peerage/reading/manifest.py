"""The manifest of a packed folder: what is in it, and what every file in it can be known by."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from peerage.errors import DataError, Problem
from peerage.feedback.choices import Direction

MANIFEST = "manifest.json"
FORMAT = "peerage packed feedback"
VERSION = 1
DRAFTS = ".peerage-*"  # what a pack leaves behind that was not let finish
AGAIN = "pack the files again, with peerage pack"


@dataclass(frozen=True, slots=True)
class PackedFile:
    """One file of a packed folder: its name there, its bytes, and what they are known by."""

    file: str
    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True)
class PackedPart(PackedFile):
    """The lists of one run of graders, `first_grader` and those after it."""

    first_grader: int
    graders: int
    lists: int
    reviews: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Everything about packed feedback but its arrays and labels.

    Attributes
    ----------
    items, graders, tasks, lists, reviews : how many there are.
    scores, weights, list_labels : whether the feedback has any.
    reading : the options the files were read with.
    source : what results say of where the feedback came from; the same as if the files had been read.
    files : the files that were packed, with their hashes.
    tables : the labels of `items`, `graders` and `tasks`, and who made what where the files said so.
    """

    items: int
    graders: int
    tasks: int
    lists: int
    reviews: int
    ordered_by: Literal["rank", "score"]
    scores: bool
    weights: bool
    list_labels: bool
    direction: Direction | None
    notes: tuple[str, ...]
    peerage: str
    reading: Mapping[str, Any]
    source: Mapping[str, Any]
    files: tuple[Mapping[str, Any], ...]
    tables: Mapping[str, PackedFile]
    parts: tuple[PackedPart, ...]

    def to_bytes(self) -> bytes:
        """As it is written: JSON that ends with the hash of all that comes before it."""
        told = {"format": FORMAT, "version": VERSION, **asdict(self)}
        return f"{json.dumps({**told, 'sha256': _digest(told)}, ensure_ascii=False, indent=1)}\n".encode()


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a packed folder; DataError where there is none, or none that can be used."""
    path = folder / MANIFEST
    if not path.is_file():
        raise DataError(why_not_packed(folder), source=str(folder))
    damaged = DataError(Problem("the manifest is damaged", fix=AGAIN), source=str(path))
    try:
        told = json.loads(path.read_bytes())
    except ValueError as error:
        raise damaged from error
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        rule = f"this is not the manifest of packed feedback, whose format is {FORMAT!r}"
        raise DataError(rule, source=str(path))
    if told.get("version") != VERSION:
        rule = f"packed in version {told.get('version')!r} of the format, and this Peerage reads {VERSION}"
        raise DataError(Problem(rule, fix=AGAIN), source=str(path))
    if told.pop("sha256", None) != _digest(told):
        raise damaged
    try:
        return _from_dict(told)
    except (KeyError, TypeError) as error:
        raise damaged from error


def why_not_packed(folder: Path) -> Problem:
    """Why a folder without a manifest is no packed one: interrupted, or never packed."""
    if any(folder.glob(DRAFTS)) or (folder / "parts").is_dir():
        return Problem("packing was interrupted and nothing here can be used", fix=f"delete it and {AGAIN}")
    fix = f"give a file, a pattern such as {str(folder / '*.csv')!r}, or pack its files with peerage pack"
    return Problem(f"this is a folder, but not a packed one: there is no {MANIFEST} in it", fix=fix)


def _digest(told: Mapping[str, Any]) -> str:
    plain = json.dumps(told, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return sha256(plain.encode()).hexdigest()


def _from_dict(told: dict[str, Any]) -> Manifest:
    known = {field.name: told[field.name] for field in fields(Manifest)}
    direction = known["direction"]
    return Manifest(
        **{
            **known,
            "direction": None if direction is None else Direction(**direction),
            "notes": tuple(known["notes"]),
            "files": tuple(known["files"]),
            "tables": {name: PackedFile(**file) for name, file in known["tables"].items()},
            "parts": tuple(PackedPart(**part) for part in known["parts"]),
        }
    )
