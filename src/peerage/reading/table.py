"""What every tabular reader hands on: a header, the cells on demand, and the line of each row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from peerage._words import listed_lines, plural
from peerage.feedback.cells import Origin, series_of, whole_numbers
from peerage.feedback.numbering import Coded, codes_of, used_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

Lines = Callable[["NDArray[np.int64]"], "NDArray[np.int64]"]


@dataclass(frozen=True, slots=True)
class Table:
    """A table as its file has it. Columns are found by position, since names may repeat."""

    header: tuple[str, ...]
    load: Callable[[Sequence[int]], pl.DataFrame]
    lines: Lines
    source: str | None = None
    notes: tuple[str, ...] = ()
    header_line: int | None = 1
    titles: tuple[str, ...] = ()  # what stands above the header


@dataclass(frozen=True, slots=True)
class Opening:
    """How to open a file; what is not said is found out."""

    sheet: str | int | None = None
    encoding: str | None = None
    delimiter: str | None = None
    skip_rows: int = 0


@dataclass(frozen=True, slots=True)
class Preview:
    """What a file shows of itself even where its table cannot be opened; nothing is checked."""

    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    sheet: str | None = None
    sheets: tuple[str, ...] = ()
    delimiter: str | None = None
    encoding: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cells:
    """The wanted columns under their role's name, without empty rows, and the line of each row."""

    frame: pl.DataFrame
    lines: Lines
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Numbered:
    """The wanted columns under their role's name, labels numbered, all else as it is; without empty rows."""

    labels: dict[str, Coded]
    others: pl.DataFrame
    rows: int
    lines: Lines
    notes: tuple[str, ...] = ()

    def only(self, kept: NDArray[np.int64]) -> Numbered:
        """These rows, without the labels that none of them has."""
        labels = {role: _of_rows(column, kept) for role, column in self.labels.items()}
        others = self.others[kept] if self.others.width else self.others
        return Numbered(labels, others, len(kept), lambda rows: self.lines(kept[rows]), self.notes)


def _of_rows(column: Coded, rows: NDArray[np.int64]) -> Coded:
    codes = column.codes[rows]
    present = codes >= 0
    if present.all():
        return Coded(*used_only(codes, column.labels))
    codes[present], labels = used_only(codes[present], column.labels)
    return Coded(codes, labels)


def title_notes(titles: tuple[str, ...]) -> tuple[str, ...]:
    """A note on what stands above the header."""
    if not titles:
        return ()
    shown = ", ".join(repr(title if len(title) <= 40 else title[:37] + "…") for title in titles)
    return (f"{plural(len(titles), 'line')} above the header left out: {shown}",)


def load_cells(table: Table, columns: dict[str, int]) -> Cells:
    """The columns of a table by role; rows that are empty in all of them are left out and noted."""
    frame = table.load(list(columns.values()))
    frame.columns = list(columns)
    mask = _is_blank(frame[frame.columns[0]])
    if mask.any():
        mask = frame.select(pl.all_horizontal(_is_blank(column) for column in frame)).to_series()
    if not mask.any():
        return Cells(frame, table.lines, ())
    kept = (~mask).arg_true().to_numpy().astype(np.int64)
    left_out = blank_rows(table, mask)
    return Cells(frame.filter(~mask), lambda rows: table.lines(kept[rows]), left_out)


def load_numbered(table: Table, columns: dict[str, int], others: Sequence[str] = ()) -> Numbered:
    """The same with labels numbered, except for what is in `others`."""
    frame = table.load(list(columns.values()))
    frame.columns = list(columns)
    origin, length = Origin(table.source), len(frame)
    numbered: dict[str, Coded] = {}
    for role in columns:
        if role not in others:  # a column of text is let go as soon as it has been numbered
            numbered[role] = Coded(*codes_of(series_of(role, frame.drop_in_place(role), origin)))
    rows = Numbered(numbered, frame, length, table.lines)
    empty = np.logical_and.reduce([column.codes < 0 for column in numbered.values()])
    if not empty.any():
        return rows
    mask = pl.select(pl.all_horizontal(pl.Series(empty), *map(_is_blank, frame))).to_series()
    if not mask.any():
        return rows
    kept = (~mask).arg_true().to_numpy().astype(np.int64)
    return replace(rows.only(kept), notes=blank_rows(table, mask))


def _is_blank(cells: pl.Series) -> pl.Series:
    if cells.dtype != pl.String:
        return cells.is_null()
    return (cells.str.strip_chars() == "").fill_null(True)


def blank_rows(table: Table, mask: pl.Series) -> tuple[str, ...]:
    """A note on the rows left out; nothing is said of those at the very end: every other export has them."""
    last = len(mask) - 1 - int(mask.reverse().arg_min() or 0)
    inner = mask.head(last + 1).arg_true().to_numpy().astype(np.int64)
    if len(inner) == 0 or bool(mask.all()):
        return ()
    return (f"{plural(len(inner), 'empty row')} left out: {listed_lines(table.lines, inner)}",)


def labels(cells: pl.Series) -> pl.Series:
    """The cells as labels: text without blanks around it, null where there is none."""
    text = whole_numbers(cells).cast(pl.String).str.strip_chars()
    return text.set(text == "", None)
