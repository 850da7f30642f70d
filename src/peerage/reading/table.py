"""What every tabular reader hands on: a header, the cells on demand, and the line of each row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from peerage._words import listed_lines, plural
from peerage.feedback import whole_numbers

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
