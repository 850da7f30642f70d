"""The rows of many files as numbers: kept until all labels are known, then sorted into batches of graders.

They are in memory, or on disk where a folder is given. Then memory holds the labels, and the rows of one
file or one batch.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from peerage._files import naming_file
from peerage.feedback.labels import merge_spellings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.labels import LabelCodes
    from peerage.reading.file_sets import FileRows

NUMBER = pl.Int32  # of a label


class Numbering(NamedTuple):
    """Labels in order; the number among them of each label by the one it was met under, -1 without review."""

    lookup: NDArray[np.int32]
    labels: pl.Series
    joined: list[list[str]]  # spellings of one label


class LabelIndex:
    """The labels of one column, numbered as they are met, with the rows and the reviews of each."""

    def __init__(self) -> None:
        # categories last as long as a series has them: this one, label k of which is category k
        self._labels = pl.Series([], dtype=pl.Categorical(pl.Categories.random()))
        self._rows = np.zeros(0, dtype=np.int64)
        self._reviews = np.zeros(0, dtype=np.int64)

    def add(self, column: LabelCodes, is_review: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Count the labels of one more file; the number of each row's label, -1 where it is empty."""
        labels = column.labels.cast(self._labels.dtype)
        numbers = labels.to_physical().to_numpy().astype(np.int32)
        new = np.flatnonzero(numbers >= len(self._labels))
        self._labels.append(labels.gather(new[np.argsort(numbers[new])]))
        self._rows = np.append(self._rows, np.zeros(len(new), dtype=np.int64))
        self._reviews = np.append(self._reviews, np.zeros(len(new), dtype=np.int64))
        present = column.codes >= 0
        self._rows[numbers] += np.bincount(column.codes[present], minlength=len(numbers))
        self._reviews[numbers] += np.bincount(column.codes[present & is_review], minlength=len(numbers))
        return np.append(numbers, np.int32(-1))[column.codes]

    def numbering(self, *, fold: bool) -> Numbering:
        """Number the labels that have reviews in order; with `fold`, spellings of one label as one."""
        labels = self._labels.cast(pl.String)
        order = labels.arg_sort().to_numpy()
        lookup = np.empty(len(labels), dtype=np.int32)
        lookup[order] = np.arange(len(labels), dtype=np.int32)
        labels, joined = labels.gather(order), list[list[str]]()
        if fold:
            place, labels, joined = merge_spellings(labels, self._rows[order])
            lookup = place[lookup]
        used = np.zeros(len(labels), dtype=bool)
        used[lookup[self._reviews > 0]] = True
        place = np.where(used, np.cumsum(used) - 1, -1).astype(np.int32)
        return Numbering(place[lookup], labels.filter(pl.Series(used)).alias(""), joined)

    def reviews(self, numbering: Numbering) -> NDArray[np.int64]:
        """How many reviews each label has, by its number among those in order."""
        used = numbering.lookup >= 0
        counts = np.zeros(len(numbering.labels), dtype=np.int64)
        np.add.at(counts, numbering.lookup[used], self._reviews[used])
        return counts


class RowStore:
    """Rows with numbers for labels and the line of each over all files: by file first, then by batch.

    A batch is all rows of some graders, the graders from an edge up to the next, in the order of the files.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.labels: dict[str, LabelIndex] = {}
        self.paths: list[str] = []
        self.ends: list[int] = []  # the last line of each file, over all files
        self.edges = np.zeros(1, dtype=np.int64)
        self._tables = _Tables(folder)

    @property
    def n_lines(self) -> int:
        """Lines of all files so far."""
        return self.ends[-1] if self.ends else 0

    def add(self, rows: FileRows, is_review: NDArray[np.bool_]) -> None:
        """Keep the reviews among the rows of the next file."""
        lines = rows.lines + self.n_lines
        columns: dict[str, pl.Series] = {}
        for role, column in rows.labels.items():
            numbers = self.labels.setdefault(role, LabelIndex()).add(column, is_review)
            columns[role] = pl.Series(numbers[is_review], dtype=NUMBER)
        for role, values in rows.numbers.items():
            columns[role] = pl.Series(values[is_review], nan_to_null=True)
        self._tables.append(f"file-{len(self.paths)}", pl.DataFrame({**columns, "line": lines[is_review]}))
        self.paths.append(rows.path)
        self.ends.append(int(lines[-1]) if len(lines) else self.n_lines)

    def sort_into_batches(self, edges: NDArray[np.int64], numberings: Mapping[str, Numbering]) -> None:
        """Give all labels their final numbers and sort rows by batch."""
        self.edges = edges
        for which in range(len(self.paths)):
            table = self._tables.pop(f"file-{which}")
            numbers = {
                role: pl.Series(numbering.lookup[table[role].to_numpy()], dtype=NUMBER)
                for role, numbering in numberings.items()
                if role in table.columns
            }
            table = table.with_columns(**numbers)
            batches = np.searchsorted(edges, table["grader"].to_numpy(), side="right") - 1
            pieces = table.with_columns(batch=batches).partition_by(
                "batch", include_key=False, maintain_order=True, as_dict=True
            )
            for (batch,), piece in pieces.items():
                self._tables.append(f"batch-{batch}", piece)

    def rows(self, graders: range) -> pl.DataFrame:
        """All rows of some graders of one batch; where files name no task, it is number 0."""
        which = int(np.searchsorted(self.edges, graders.start, side="right")) - 1
        rows = self._tables.load(f"batch-{which}")
        if len(graders) < self.edges[which + 1] - self.edges[which]:
            rows = rows.filter(pl.col("grader").is_between(graders.start, graders.stop, closed="left"))
        return rows if "task" in rows.columns else rows.with_columns(task=pl.lit(0, dtype=NUMBER))

    @property
    def batches(self) -> list[range]:
        """The graders of every batch."""
        return [range(*edges) for edges in pairwise(self.edges.tolist())]


class _Tables:
    """Tables by name, to which rows are appended: in memory, or as records in the files of a folder."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self._pieces: dict[str, list[pl.DataFrame]] = {}
        self._record = np.dtype([])

    def append(self, name: str, rows: pl.DataFrame) -> None:
        if self.folder is None:
            self._pieces.setdefault(name, []).append(rows)
            return
        records = rows.to_numpy(structured=True)
        self._record = records.dtype
        path = self.folder / name
        with naming_file(path, "there is no room to work in"), path.open("ab") as file:
            file.write(records.view(np.uint8).data)

    def load(self, name: str) -> pl.DataFrame:
        if self.folder is None:
            return pl.concat(self._pieces[name])
        records = np.fromfile(self.folder / name, dtype=self._record)
        return pl.DataFrame({role: records[role] for role in self._record.names or ()}, nan_to_null=True)

    def pop(self, name: str) -> pl.DataFrame:
        rows = self.load(name)
        if self.folder is None:
            del self._pieces[name]
        else:
            (self.folder / name).unlink()
        return rows
