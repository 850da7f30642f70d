"""What every tabular reader hands on: a header, the cells on demand, and the line of each row."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from peerage._words import listed_lines, plural
from peerage.errors import DataError, OpenQuestion, PeerageError, Problem
from peerage.feedback.cells import Origin, as_series, as_whole_numbers
from peerage.feedback.labels import LabelCodes, drop_unused_labels, encode_labels
from peerage.reading.reading import OpenOptions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.choices import Direction, DirectionFinder
    from peerage.feedback.container import Feedback

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
    load_first: Callable[[Sequence[int], int], pl.DataFrame] | None = None  # where that is cheaper
    sheet: str | None = None  # of a workbook
    other_sheets: tuple[str, ...] = ()  # which are not read
    alike_sheets: tuple[str, ...] = ()  # those of them that have the same columns

    def first_rows(self, columns: Sequence[int], rows: int = 200) -> pl.DataFrame:
        """Some columns of the first rows."""
        return self.load_first(columns, rows) if self.load_first else self.load(columns).head(rows)

    def text(self, column: int) -> pl.Series:
        """One column as text without blanks around it, null where there is nothing."""
        text = self.load([column]).to_series().cast(pl.String).str.strip_chars()
        return text.set((text == "").fill_null(False), None)

    def question(
        self, rule: str, fix: str, choices: Sequence[Mapping[str, Any]], **where: Any
    ) -> OpenQuestion:
        """What is open, and which options would answer it; about the header where no line is given."""
        problem = Problem(rule, **{"line": self.header_line, "fix": fix, **where})
        return OpenQuestion(problem, choices=choices, source=self.source)

    def error(self, rule: str, fix: str | None = None, line: int | None = None) -> DataError:
        return DataError(Problem(rule, line=line, fix=fix), source=self.source)


class ParsedReviews(NamedTuple):
    """What a layout made of a table: columns to build feedback from, and what was said or found out for it.

    Attributes
    ----------
    said : the options that would say all of it.
    feedback : where the layout has built it already.
    """

    columns: Mapping[str, Any]
    origin: Origin
    notes: tuple[str, ...]
    find_direction: DirectionFinder | None = None
    direction: Direction | None = None
    said: Mapping[str, Any] = {}
    unreviewed: tuple[str, ...] = ()  # items that have a column, and no review
    feedback: Feedback | None = None


@dataclass(frozen=True, slots=True)
class CleanedTable:
    """A table without what is the exporting system's own, and which column plays which role in it."""

    table: InputTable
    roles: Mapping[str, str] = field(default_factory=dict)


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


def numbered_header(width: int) -> tuple[str, ...]:
    """Names for the columns of a table that has none."""
    return tuple(f"column {which + 1}" for which in range(width))


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
    return replace(table, header=header, load=load, load_first=None)


def keep_cells(table: InputTable) -> InputTable:
    """The same table; all cells are parsed when the first are wanted, and kept."""

    @cache
    def cells() -> pl.DataFrame:
        return table.load(range(len(table.header)))

    def load(columns: Sequence[int]) -> pl.DataFrame:
        frame = cells()
        return frame.select(frame.columns[which] for which in columns)

    return replace(table, load=load, load_first=None)


def select_rows(table: InputTable, rows: NDArray[np.int64]) -> InputTable:
    """These rows in this order."""

    def load(wanted: Sequence[int]) -> pl.DataFrame:
        return table.load(wanted)[rows]

    return replace(table, load=load, load_first=None, lines=lambda which: table.lines(rows[which]))


def add_notes(table: InputTable, *notes: str) -> InputTable:
    """The same table with more notes."""
    return replace(table, notes=(*table.notes, *notes))


def with_frame(table: InputTable, frame: pl.DataFrame, rows: NDArray[np.int64]) -> InputTable:
    """A table made from the cells of another one; ``rows`` says which row each came from."""

    def load(columns: Sequence[int]) -> pl.DataFrame:
        return frame.select(frame.columns[which] for which in columns)

    return replace(
        table,
        header=tuple(frame.columns),
        load=load,
        load_first=None,
        lines=lambda which: table.lines(rows[which]),
    )


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


# -- tables that have columns already: Polars, pandas, Arrow, a dict of columns, and Parquet files -----------


def is_frame(value: object) -> bool:
    """Whether this is a table rather than the name of a file."""
    known = isinstance(value, pl.DataFrame | pl.LazyFrame | Mapping)
    return known or hasattr(value, "__arrow_c_stream__") or type(value).__name__ == "DataFrame"


def read_frame(value: Any) -> InputTable:
    """A table from anything that speaks Arrow's C stream interface, or a dict of columns."""
    with translate_errors(None, "the table cannot be used"):
        frame = value.collect() if isinstance(value, pl.LazyFrame) else _to_frame(value)
    return frame_to_table(frame, None)


def _to_frame(value: Any) -> pl.DataFrame:
    # columns written by hand mix numbers and text: `"reviews": [2, None, "5"]`
    if isinstance(value, Mapping):
        return pl.DataFrame(dict(value), strict=False)
    return _from_pandas(value) if type(value).__module__.split(".")[0] == "pandas" else pl.DataFrame(value)


def _from_pandas(value: Any) -> pl.DataFrame:
    """By NumPy, for pandas needs pyarrow to speak Arrow; an index that is named is the first column."""
    if any(name is not None for name in value.index.names):
        unnamed = [which for which, name in enumerate(value.index.names) if name is None]
        value = value.reset_index(level=unnamed, drop=True).reset_index()
    columns = [_pandas_column(value.iloc[:, which]) for which in range(value.shape[1])]
    names = [str(name) for name in value.columns]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise DataError(f"the table has the column {repeated[0]!r} more than once")
    return pl.DataFrame([column.alias(name) for name, column in zip(names, columns, strict=True)])


def _pandas_column(column: Any) -> pl.Series:
    kind = getattr(column.dtype, "kind", "O")
    if kind in "iufbM" and hasattr(column.dtype, "byteorder"):  # of NumPy
        found = pl.Series(column.to_numpy())
        return found.fill_nan(None) if kind == "f" else found
    missing = column.isna().to_numpy()
    cells = [None if gone else cell for cell, gone in zip(column.tolist(), missing, strict=True)]
    return pl.Series(cells, strict=False)


def frame_to_table(frame: pl.DataFrame, source: str | None) -> InputTable:
    """A frame as a table; lines are rows from 1."""
    if frame.width == 0:
        raise DataError("the table has no columns", source=source)

    names = frame.columns  # asked once: every time it is a new list

    def load(columns: Sequence[int]) -> pl.DataFrame:
        return frame.select(names[which] for which in columns)

    return InputTable(tuple(names), load, lambda rows: rows + 1, source, (), None)


class Parquet:
    """Parquet files."""

    def suits(self, data: bytes) -> bool:
        """Whether these are the first bytes of one."""
        return data.startswith(b"PAR1")

    def open_table(self, data: bytes, how: OpenOptions, source: str | None) -> InputTable:
        with translate_errors(source, "the Parquet file is damaged or not one"):
            return frame_to_table(pl.read_parquet(io.BytesIO(data)), source)

    def preview(self, data: bytes, how: OpenOptions, source: str | None, rows: int) -> dict[str, Any]:
        """Nothing is known of it before it is opened."""
        return {}
