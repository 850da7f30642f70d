"""What every tabular reader hands on: a header, the cells on demand, and the line of each row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage._words import listed_lines, plural
from peerage.errors import DataError, PeerageError, Problem
from peerage.feedback.cells import Origin, as_series, as_whole_numbers
from peerage.feedback.labels import LabelCodes, drop_unused_labels, encode_labels

if TYPE_CHECKING:
    from numpy.typing import NDArray

Lines = Callable[["NDArray[np.int64]"], "NDArray[np.int64]"]


@dataclass(frozen=True, slots=True)
class InputTable:
    """A table as its file has it. Columns are found by position, since names may repeat."""

    header: tuple[str, ...]
    load: Callable[[Sequence[int]], pl.DataFrame]
    lines: Lines
    source: str | None = None
    notes: tuple[str, ...] = ()
    header_line: int | None = 1
    titles: tuple[str, ...] = ()  # what stands above the header


@dataclass(frozen=True, slots=True)
class CleanedTable:
    """A table without what is the exporting system's own, and which column plays which role in it."""

    table: InputTable
    roles: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TablePreview:
    """What a file shows of itself even where its table cannot be opened; nothing is checked."""

    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    sheet: str | None = None
    sheets: tuple[str, ...] = ()
    delimiter: str | None = None
    encoding: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RoleColumns:
    """The wanted columns under their role's name, without empty rows, and the line of each row."""

    frame: pl.DataFrame
    lines: Lines
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CodedColumns:
    """The wanted columns under their role's name, labels numbered, all else as it is; without empty rows."""

    labels: dict[str, LabelCodes]
    others: pl.DataFrame
    rows: int
    lines: Lines
    notes: tuple[str, ...] = ()

    def only(self, kept: NDArray[np.int64]) -> CodedColumns:
        """These rows, without the labels that none of them has."""
        labels = {role: _select_codes(column, kept) for role, column in self.labels.items()}
        others = self.others[kept] if self.others.width else self.others
        return CodedColumns(labels, others, len(kept), lambda rows: self.lines(kept[rows]), self.notes)


def _select_codes(column: LabelCodes, rows: NDArray[np.int64]) -> LabelCodes:
    codes = column.codes[rows]
    present = codes >= 0
    if present.all():
        return LabelCodes(*drop_unused_labels(codes, column.labels))
    codes[present], labels = drop_unused_labels(codes[present], column.labels)
    return LabelCodes(codes, labels)


def title_notes(titles: tuple[str, ...]) -> tuple[str, ...]:
    """A note on what stands above the header."""
    if not titles:
        return ()
    shown = ", ".join(repr(title if len(title) <= 40 else title[:37] + "…") for title in titles)
    return (f"{plural(len(titles), 'line')} above the header left out: {shown}",)


def load_columns(table: InputTable, columns: dict[str, int]) -> RoleColumns:
    """The columns of a table by role; rows that are empty in all of them are left out and noted."""
    frame = table.load(list(columns.values()))
    frame.columns = list(columns)
    mask = _is_blank(frame[frame.columns[0]])
    if mask.any():
        mask = frame.select(pl.all_horizontal(_is_blank(column) for column in frame)).to_series()
    if not mask.any():
        return RoleColumns(frame, table.lines, ())
    kept = (~mask).arg_true().to_numpy().astype(np.int64)
    left_out = note_blank_rows(table, mask)
    return RoleColumns(frame.filter(~mask), lambda rows: table.lines(kept[rows]), left_out)


def load_coded_columns(
    table: InputTable, columns: dict[str, int], others: Sequence[str] = ()
) -> CodedColumns:
    """The same with labels numbered, except for what is in `others`."""
    frame = table.load(list(columns.values()))
    frame.columns = list(columns)
    origin, length = Origin(table.source), len(frame)
    coded: dict[str, LabelCodes] = {}
    for role in columns:
        if role not in others:  # a column of text is let go as soon as it has been numbered
            coded[role] = LabelCodes(*encode_labels(as_series(role, frame.drop_in_place(role), origin)))
    rows = CodedColumns(coded, frame, length, table.lines)
    empty = np.logical_and.reduce([column.codes < 0 for column in coded.values()])
    if not empty.any():
        return rows
    mask = pl.select(pl.all_horizontal(pl.Series(empty), *map(_is_blank, frame))).to_series()
    if not mask.any():
        return rows
    kept = (~mask).arg_true().to_numpy().astype(np.int64)
    return replace(rows.only(kept), notes=note_blank_rows(table, mask))


def _is_blank(cells: pl.Series) -> pl.Series:
    if cells.dtype != pl.String:
        return cells.is_null()
    return (cells.str.strip_chars() == "").fill_null(True)


def note_blank_rows(table: InputTable, mask: pl.Series) -> tuple[str, ...]:
    """A note on the rows left out; nothing is said of those at the very end: every other export has them."""
    last = len(mask) - 1 - int(mask.reverse().arg_min() or 0)
    inner = mask.head(last + 1).arg_true().to_numpy().astype(np.int64)
    if len(inner) == 0 or bool(mask.all()):
        return ()
    return (f"{plural(len(inner), 'empty row')} left out: {listed_lines(table.lines, inner)}",)


def as_labels(cells: pl.Series) -> pl.Series:
    """The cells as labels: text without blanks around it, null where there is none."""
    text = as_whole_numbers(cells).cast(pl.String).str.strip_chars()
    return text.set(text == "", None)


# -- tables made from tables; lines stay as in the file -------------------------------------------------


def select_columns(
    table: InputTable, columns: Sequence[int], names: Sequence[str] | None = None
) -> InputTable:
    """These columns in this order, perhaps under other names."""
    kept = list(columns)

    def load(wanted: Sequence[int]) -> pl.DataFrame:
        return table.load([kept[which] for which in wanted])

    header = tuple(names) if names is not None else tuple(table.header[which] for which in kept)
    return replace(table, header=header, load=load)


def select_rows(table: InputTable, rows: NDArray[np.int64]) -> InputTable:
    """These rows in this order."""

    def load(wanted: Sequence[int]) -> pl.DataFrame:
        return table.load(wanted)[rows]

    return replace(table, load=load, lines=lambda which: table.lines(rows[which]))


def add_notes(table: InputTable, *notes: str) -> InputTable:
    """The same table with more notes."""
    return replace(table, notes=(*table.notes, *notes))


def text_column(table: InputTable, column: int) -> pl.Series:
    """One column as text without blanks around it, null where there is nothing."""
    text = table.load([column]).to_series().cast(pl.String).str.strip_chars()
    return text.set((text == "").fill_null(False), None)


def with_frame(table: InputTable, frame: pl.DataFrame, rows: NDArray[np.int64]) -> InputTable:
    """A table made from the cells of another one; ``rows`` says which row each came from."""

    def load(columns: Sequence[int]) -> pl.DataFrame:
        return frame.select(frame.columns[which] for which in columns)

    return replace(
        table,
        header=tuple(frame.columns),
        load=load,
        lines=lambda which: table.lines(rows[which]),
    )


def repeat_per_row(
    cells: RoleColumns, rows: NDArray[np.int64], roles: Sequence[str]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What belongs to a whole row, repeated for each of its reviews, and a note where it names no grader."""
    count = len(cells.frame)
    number = pl.Series(np.arange(1, count + 1)).cast(pl.String).str.zfill(len(str(count)))
    columns: dict[str, Any] = {
        name: cells.frame[name].gather(rows) for name in roles if name in cells.frame.columns
    }
    columns["list"] = number.gather(rows)
    if "grader" in columns:
        return columns, ()
    columns["grader"] = columns["list"]
    return columns, (f"no grader column: each of the {count} rows counts as a grader of its own",)


@contextmanager
def translate_errors(
    source: str | None, what: str = "the file cannot be parsed", fix: str | None = None
) -> Iterator[None]:
    """Turn whatever a parser raises on damaged input into one DataError."""
    try:
        yield
    except (PeerageError, KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError):
        raise
    except Exception as error:
        raise DataError(Problem(f"{what} ({_first_line(error)})", fix=fix), source=source) from error
    except BaseException as error:  # a Rust panic is a BaseException that cannot be imported by name
        if type(error).__name__ != "PanicException":
            raise
        raise DataError(Problem(f"{what}: the parser gave up", fix=fix), source=source) from error


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:200] if lines else type(error).__name__
