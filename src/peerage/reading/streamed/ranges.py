"""Rows by range of graders: one range at a time is worked on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage.reading.streamed.spill import save

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from peerage.reading.streamed.names import Numbering
    from peerage.reading.streamed.spill import Pieces


@dataclass(frozen=True, slots=True)
class Rows:
    """All rows of a range of graders, in the order of the files: canonical numbers, and numbers of rows."""

    first_grader: int
    graders: int
    records: NDArray[Any]
    rows: NDArray[np.int64]

    def codes(self, role: str) -> NDArray[np.int32]:
        """The numbers of labels; of the task, where the files name none, the only one."""
        if role not in (self.records.dtype.names or ()):
            return np.zeros(len(self.rows), dtype=np.int32)
        return np.ascontiguousarray(self.records[role])

    def numbers(self, role: str) -> NDArray[np.float64]:
        """Ranks, scores or weights."""
        return np.ascontiguousarray(self.records[role])


class Ranges:
    """Pieces with their rows sorted by range, so that a range is a slice of each."""

    def __init__(self, pieces: Pieces, starts: NDArray[np.int64]) -> None:
        self.starts = starts
        self.offsets = pieces.offsets
        self.sorted: list[Path] = []
        self.slices: list[NDArray[np.int64]] = []
        for piece in pieces.pieces:
            records = np.load(piece.records)
            ranges = np.searchsorted(starts, records["grader"], side="right") - 1
            order = np.argsort(ranges, kind="stable")
            self.slices.append(np.searchsorted(ranges[order], np.arange(len(starts))))
            self.sorted.append(piece.records.with_name(f"sorted-{piece.records.name}"))
            save(self.sorted[-1], records[order])

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, which: int) -> Rows:
        if not 0 <= which < len(self):
            raise IndexError(which)
        records, rows = [], []
        for kept, slices, offset in zip(self.sorted, self.slices, self.offsets, strict=True):
            low, high = slices[which : which + 2]
            if high > low:
                mine = np.array(np.load(kept, mmap_mode="r")[low:high])
                records.append(mine)
                rows.append(mine["row"] + offset)
        first, end = (int(edge) for edge in self.starts[which : which + 2])
        return Rows(first, end - first, np.concatenate(records), np.concatenate(rows))


def renumber(pieces: Pieces, numberings: Mapping[str, Numbering]) -> None:
    """Give all labels their canonical numbers in the place of those they were met under."""
    for piece in pieces.pieces:
        records = np.load(piece.records)
        for role, numbering in numberings.items():
            if role in records.dtype.names:
                records[role] = numbering.lookup[records[role]]
        save(piece.records, records)
