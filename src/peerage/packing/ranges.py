"""Rows on disk by range of graders: one range at a time is in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.packing.names import Numbering
    from peerage.packing.spill import Pieces


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

    def __init__(
        self, pieces: Pieces, numberings: Mapping[str, Numbering], starts: NDArray[np.int64]
    ) -> None:
        self.starts = starts
        self.offsets = pieces.offsets
        self.paths: list[Path] = []
        self.slices: list[NDArray[np.int64]] = []
        for piece in pieces.pieces:
            records = np.load(piece.records)
            for role, numbering in numberings.items():
                if role in records.dtype.names:
                    records[role] = numbering.lookup[records[role]]
            ranges = np.searchsorted(starts, records["grader"], side="right") - 1
            order = np.argsort(ranges, kind="stable")
            path = piece.records.with_name(f"sorted-{piece.records.name}")
            np.save(path, records[order])
            self.paths.append(path)
            self.slices.append(np.searchsorted(ranges[order], np.arange(len(starts))))

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, which: int) -> Rows:
        if not 0 <= which < len(self):
            raise IndexError(which)
        records, rows = [], []
        for path, slices, offset in zip(self.paths, self.slices, self.offsets, strict=True):
            low, high = slices[which : which + 2]
            if high > low:
                mine = np.array(np.load(path, mmap_mode="r")[low:high])
                records.append(mine)
                rows.append(mine["row"] + offset)
        first, end = (int(edge) for edge in self.starts[which : which + 2])
        return Rows(first, end - first, np.concatenate(records), np.concatenate(rows))
