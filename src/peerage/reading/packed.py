"""Packed folders: feedback that was checked and numbered, in parts that can be read on their own.

A manifest says what is in the folder, with a SHA-256 of itself and of every file; what is not as it was
packed is refused.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from peerage.errors import DataError, Problem
from peerage.feedback.choices import Direction
from peerage.feedback.container import Feedback
from peerage.feedback.partition import concat_parts
from peerage.reading.reading import Reading
from peerage.reading.sentences import describe
from peerage.reading.table import translate_errors

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
    reading : how the files were read, complete.
    sentences : how a single file was read; of several files they are made anew.
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
    sentences: tuple[str, ...]
    peerage: str
    reading: Mapping[str, Any]
    source: Mapping[str, Any]
    files: tuple[Mapping[str, Any], ...]
    tables: Mapping[str, PackedFile]
    parts: tuple[PackedPart, ...]

    def to_bytes(self) -> bytes:
        """As it is written: JSON that ends with the hash of all that comes before it."""
        content = {"format": FORMAT, "version": VERSION, **asdict(self)}
        signed = {**content, "sha256": _digest(content)}
        return f"{json.dumps(signed, ensure_ascii=False, indent=1)}\n".encode()


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a packed folder; DataError where there is none, or none that can be used."""
    path = folder / MANIFEST
    if not path.is_file():
        raise DataError(why_not_packed(folder), source=str(folder))
    damaged = DataError(Problem("the manifest is damaged", fix=AGAIN), source=str(path))
    try:
        content = json.loads(path.read_bytes())
    except ValueError as error:
        raise damaged from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        rule = f"this is not the manifest of packed feedback, whose format is {FORMAT!r}"
        raise DataError(rule, source=str(path))
    if content.get("version") != VERSION:
        version = content.get("version")
        rule = f"packed in version {version!r} of the format, and this Peerage reads {VERSION}"
        raise DataError(Problem(rule, fix=AGAIN), source=str(path))
    if content.pop("sha256", None) != _digest(content):
        raise damaged
    try:
        return _from_dict(content)
    except (KeyError, TypeError) as error:
        raise damaged from error


def why_not_packed(folder: Path) -> Problem:
    """Why a folder without a manifest is no packed one: interrupted, or never packed."""
    if any(folder.glob(DRAFTS)) or (folder / "parts").is_dir():
        return Problem("packing was interrupted and nothing here can be used", fix=f"delete it and {AGAIN}")
    fix = f"give a file, a pattern such as {str(folder / '*.csv')!r}, or pack its files with peerage pack"
    return Problem(f"this is a folder, but not a packed one: there is no {MANIFEST} in it", fix=fix)


def _digest(content: Mapping[str, Any]) -> str:
    plain = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return sha256(plain.encode()).hexdigest()


def _from_dict(content: dict[str, Any]) -> Manifest:
    values = {field.name: content[field.name] for field in fields(Manifest)}
    direction = values["direction"]
    return Manifest(
        **{
            **values,
            "direction": None if direction is None else Direction(**direction),
            "notes": tuple(values["notes"]),
            "sentences": tuple(values["sentences"]),
            "files": tuple(values["files"]),
            "tables": {name: PackedFile(**file) for name, file in values["tables"].items()},
            "parts": tuple(PackedPart(**part) for part in values["parts"]),
        }
    )


@dataclass(frozen=True, slots=True)
class Packed:
    """A packed folder whose manifest was checked; its files are held against their hashes when they are read.

    Attributes
    ----------
    folder : where it is.
    manifest : what is in it.
    """

    folder: Path
    manifest: Manifest
    _tables: dict[str, pl.DataFrame] = field(default_factory=dict, repr=False)

    @property
    def items(self) -> int:
        """Number of items over all tasks."""
        return self.manifest.items

    @property
    def graders(self) -> int:
        return self.manifest.graders

    @property
    def tasks(self) -> int:
        return self.manifest.tasks

    @property
    def lists(self) -> int:
        return self.manifest.lists

    @property
    def reviews(self) -> int:
        return self.manifest.reviews

    @property
    def parts(self) -> tuple[PackedPart, ...]:
        """The parts, runs of graders one after the other."""
        return self.manifest.parts

    @property
    def files(self) -> tuple[PackedFile, ...]:
        """Every file that belongs to it, beside the manifest."""
        return (*self.manifest.tables.values(), *self.parts)

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(str(self.folder / file.file) for file in self.files)

    def table(self, name: str) -> pl.DataFrame:
        """The labels of `items`, `graders` or `tasks`, in the order of their numbers."""
        if name not in self._tables:
            self._tables[name] = self._load(self.manifest.tables[name])
        return self._tables[name]

    def read(self, part: int, *, labels: bool = True) -> Feedback:
        """The feedback of one part: items by their numbers in the whole, its graders from 0, lists by grader.

        Without ``labels``, which a fit does not need, labels of items and graders are null.
        """
        file = self.parts[part]
        rows = self._load(file)
        if len(rows) != file.reviews:
            raise self._damaged(file)
        manifest, graders = self.manifest, slice(file.first_grader, file.first_grader + file.graders)
        return Feedback(
            **_lists(rows, file.first_grader, manifest),
            item_tasks=self._item_tasks(),
            item_labels=self.table("items")["item"] if labels else _nameless(manifest.items),
            grader_labels=self.table("graders")["grader"][graders] if labels else _nameless(file.graders),
            task_labels=self.table("tasks")["task"],
            ordered_by=manifest.ordered_by,
            direction=manifest.direction,
        )

    def feedback(self) -> Feedback:
        """The whole: what reading the packed files at once gives."""
        parts = (self.read(which, labels=False) for which in range(len(self.parts)))
        whole = concat_parts(parts, self.lists, self.reviews)
        if self.tasks > 1:  # parts follow each other by grader, and each of them may have every task
            whole = whole.take_lists(np.argsort(whole.list_tasks, kind="stable"))
        whole = replace(
            whole,
            item_labels=self.table("items")["item"],
            grader_labels=self.table("graders")["grader"],
            notes=self.manifest.notes,
        )
        reading = Reading.from_dict(self.manifest.reading)
        sentences = self.manifest.sentences or describe(whole, None, reading)
        return replace(whole, reading=reading, sentences=sentences)

    def _item_tasks(self) -> NDArray[np.int32]:
        if self.tasks == 1:
            return np.zeros(self.items, dtype=np.int32)
        return self.table("items")["task"].to_numpy().astype(np.int32)

    def _load(self, file: PackedFile) -> pl.DataFrame:
        path = self._path(file)
        data = path.read_bytes()
        if len(data) != file.bytes or sha256(data).hexdigest() != file.sha256:
            raise self._damaged(file)
        with translate_errors(str(path), "the Parquet file is damaged or not one"):
            return pl.read_parquet(io.BytesIO(data))

    def _path(self, file: PackedFile) -> Path:
        path = self.folder / file.file
        if not path.is_file():
            raise DataError(Problem("a file of the packed folder is missing", fix=AGAIN), source=str(path))
        return path

    def _check_sizes(self) -> None:
        for file in self.files:
            if self._path(file).stat().st_size != file.bytes:
                raise self._damaged(file)

    def _damaged(self, file: PackedFile) -> DataError:
        rule = "the file is not as it was packed: its bytes have another SHA-256 than the manifest says"
        return DataError(Problem(rule, fix=AGAIN), source=str(self.folder / file.file))


def _lists(rows: pl.DataFrame, first_grader: int, manifest: Manifest) -> dict[str, Any]:
    """The arrays of the lists in a part, which has a row per review.

    A part has a column of scores or weights where it needs one; others stand for nothing there.
    """
    lists, ranks = rows["list"].to_numpy(), rows["rank"].to_numpy()
    begins = np.append(True, lists[1:] != lists[:-1])[: len(lists)]
    starts = np.flatnonzero(begins)
    bucket_starts = begins.copy()
    bucket_starts[1:] |= ranks[1:] != ranks[:-1]
    scores = rows["score"].to_numpy() if "score" in rows.columns else np.full(len(rows), np.nan)
    weights = rows["weight"].to_numpy()[starts] if "weight" in rows.columns else np.ones(len(starts))
    return {
        "items": rows["item"].to_numpy(),
        "bucket_starts": bucket_starts,
        "list_starts": np.append(starts, len(rows)),
        "list_graders": rows["grader"].to_numpy()[starts] - np.int32(first_grader),
        "list_tasks": rows["task"].to_numpy()[starts],
        "scores": scores if manifest.scores else None,
        "weights": weights if manifest.weights else None,
        "list_labels": rows["list_label"].gather(starts) if manifest.list_labels else None,
    }


def _nameless(number: int) -> pl.Series:
    """As many labels as there are, which take no memory."""
    return pl.repeat(None, number, dtype=pl.Null, eager=True)


def open_packed(folder: str | os.PathLike[str]) -> Packed:
    """A packed folder, as :func:`peerage.pack` writes it; its parts are checked when they are read.

    Raises :class:`peerage.DataError` where the folder was not packed or not to the end, where its manifest is
    damaged or of another version, and where one of its files is missing or has another size.
    """
    path = Path(folder)
    if not path.is_dir():
        raise DataError("there is no such folder", source=str(path))
    packed = Packed(path, read_manifest(path))
    packed._check_sizes()
    return packed


def packed_at(source: Any) -> Packed | None:
    """The packed folder that a path leads to; None where it is no folder."""
    if isinstance(source, Packed):
        return source
    if not isinstance(source, str | os.PathLike) or not Path(source).is_dir():
        return None
    return open_packed(source)
