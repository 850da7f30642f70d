"""Packed folders: feedback that was checked and numbered, in parts that can be read on their own."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage.errors import DataError, Problem
from peerage.feedback.container import Feedback
from peerage.reading.manifest import AGAIN, Manifest, PackedFile, PackedPart, read_manifest
from peerage.reading.packed_lists import Lists, merged_lists
from peerage.reading.table import translate_errors

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
        """Number of graders."""
        return self.manifest.graders

    @property
    def tasks(self) -> int:
        """Number of tasks."""
        return self.manifest.tasks

    @property
    def lists(self) -> int:
        """Number of lists."""
        return self.manifest.lists

    @property
    def reviews(self) -> int:
        """Number of reviews."""
        return self.manifest.reviews

    @property
    def parts(self) -> tuple[PackedPart, ...]:
        """The parts, runs of graders one after the other."""
        return self.manifest.parts

    @property
    def paths(self) -> tuple[str, ...]:
        """Every file that belongs to it."""
        files = (*self.manifest.tables.values(), *self.parts)
        return tuple(str(self.folder / one.file) for one in files)

    def table(self, name: str) -> pl.DataFrame:
        """The labels of `items`, `graders` or `tasks`, in the order of their numbers."""
        if name not in self._tables:
            self._tables[name] = self._frame(self.manifest.tables[name])
        return self._tables[name]

    def read(self, part: int, *, labels: bool = True) -> Feedback:
        """The feedback of one part: items by their numbers in the whole, its graders from 0, lists by grader.

        Without ``labels``, which a fit does not need, labels of items and graders are null.
        """
        one = self.parts[part]
        frame = self._frame(one)
        if len(frame) != one.reviews:
            raise self._damaged(one)
        return self._feedback([Lists.of(frame, one.first_grader)], one, labels=labels)

    def feedback(self) -> Feedback:
        """The whole: what reading the packed files at once gives."""
        read = (Lists.of(self._frame(one), 0) for one in self.parts)
        return self._feedback(read, None, labels=True)

    def _feedback(self, read: Iterable[Lists], part: PackedPart | None, *, labels: bool) -> Feedback:
        known = self.manifest
        counts = (known.reviews, known.lists) if part is None else (part.reviews, part.lists)
        merged = merged_lists(read, *counts, known)
        if part is None and known.tasks > 1:
            merged = merged.by_task()
        graders = part.graders if part else known.graders
        first = part.first_grader if part else 0
        return Feedback(
            items=merged.items,
            bucket_starts=merged.bucket_starts,
            list_starts=np.append(0, np.cumsum(merged.lengths)),
            list_graders=merged.graders,
            list_tasks=merged.tasks,
            item_tasks=self._item_tasks(),
            item_labels=self.table("items")["item"] if labels else _nameless(known.items),
            grader_labels=self.table("graders")["grader"][first : first + graders]
            if labels
            else _nameless(graders),
            task_labels=self.table("tasks")["task"],
            scores=merged.scores,
            weights=merged.weights,
            ordered_by=known.ordered_by,
            list_labels=merged.labels,
            notes=() if part else known.notes,
            direction=known.direction,
        )

    def _item_tasks(self) -> NDArray[np.int32]:
        if self.tasks == 1:
            return np.zeros(self.items, dtype=np.int32)
        return self.table("items")["task"].to_numpy().astype(np.int32)

    def _frame(self, one: PackedFile) -> pl.DataFrame:
        path = self.folder / one.file
        if not path.is_file():
            raise DataError(Problem("a file of the packed folder is missing", fix=AGAIN), source=str(path))
        data = path.read_bytes()
        if len(data) != one.bytes or sha256(data).hexdigest() != one.sha256:
            raise self._damaged(one)
        with translate_errors(str(path), "the Parquet file is damaged or not one"):
            return pl.read_parquet(io.BytesIO(data))

    def _damaged(self, one: PackedFile) -> DataError:
        rule = "the file is not as it was packed: its bytes have another SHA-256 than the manifest says"
        return DataError(Problem(rule, fix=AGAIN), source=str(self.folder / one.file))


def _nameless(number: int) -> pl.Series:
    """As many labels as there are, which take no memory."""
    return pl.repeat(None, number, dtype=pl.Null, eager=True)


def open_packed(folder: str | os.PathLike[str]) -> Packed:
    """A packed folder, as :func:`peerage.pack` writes it; its parts are checked when they are read.

    Raises :class:`peerage.DataError` where the folder was not packed or not to the end, where its manifest is
    damaged or of another version, and where one of its files is missing or has another size.
    """
    home = Path(folder)
    if not home.is_dir():
        raise DataError("there is no such folder", source=str(home))
    packed = Packed(home, read_manifest(home))
    for one in (*packed.manifest.tables.values(), *packed.parts):
        path = home / one.file
        if not path.is_file():
            raise DataError(Problem("a file of the packed folder is missing", fix=AGAIN), source=str(path))
        if path.stat().st_size != one.bytes:
            raise packed._damaged(one)
    return packed


def packed_at(source: Any) -> Packed | None:
    """The packed folder that a path leads to; None where it is no folder."""
    if isinstance(source, Packed):
        return source
    if not isinstance(source, str | os.PathLike) or not Path(source).is_dir():
        return None
    return open_packed(source)
