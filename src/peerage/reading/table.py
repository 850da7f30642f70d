"""What every tabular reader hands on: a header, the cells on demand, and the line of each row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

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


@dataclass(frozen=True, slots=True)
class Cells:
    """The wanted columns under their role's name, without empty rows, and the line of each row."""

    frame: pl.DataFrame
    lines: Lines
    notes: tuple[str, ...]


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
    left_out = _note(table, mask)
    return Cells(frame.filter(~mask), lambda rows: table.lines(kept[rows]), left_out)


def _is_blank(cells: pl.Series) -> pl.Series:
    if cells.dtype != pl.String:
        return cells.is_null()
    return (cells.str.strip_chars() == "").fill_null(True)


def _note(table: Table, mask: pl.Series) -> tuple[str, ...]:
    """Nothing is said of empty lines at the very end: every other export has them."""
    last = len(mask) - 1 - int(mask.reverse().arg_min() or 0)
    inner = mask.head(last + 1).arg_true().to_numpy().astype(np.int64)
    if len(inner) == 0 or bool(mask.all()):
        return ()
    return (f"{counted(len(inner), 'empty row')} left out: {listed_lines(table.lines, inner)}",)


def counted(number: int, what: str) -> str:
    """A number and its noun."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def listed_lines(lines: Lines, rows: NDArray[np.int64]) -> str:
    """The lines of these rows, the first twenty of them."""
    shown = ", ".join(str(line) for line in lines(rows[:20]))
    more = f" and {len(rows) - 20} more" if len(rows) > 20 else ""
    return f"line{'s' if len(rows) > 1 else ''} {shown}{more}"
