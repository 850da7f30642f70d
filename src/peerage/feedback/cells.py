"""The cells of rows: labels and numbers, and the complaints about those that are neither."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage._options import named
from peerage.errors import KEPT_PROBLEMS, DataError, Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

NUMBERS = ("rank", "score", "value", "weight")
HEAVIEST = 1e6  # how often one list may count: beyond that no estimate is exact, and nobody means it
EMPTY_NUMBERS = ("", "na", "n/a", "nan", "null", "none")  # how spreadsheets and R write "no value"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where rows came from, for messages: the file, the line of each row, what its columns are called."""

    source: str | None = None
    lines: Callable[[NDArray[np.int64]], NDArray[np.int64]] = lambda rows: rows + 1
    names: Mapping[str, str] = field(default_factory=dict)

    def problem(self, row: int, column: str, value: object, rule: str, fix: str | None = None) -> Problem:
        """A problem of one cell."""
        line = int(self.lines(np.array([row]))[0])
        text = None if value is None else str(value)
        return Problem(rule, line=line, column=self.names.get(column, column), value=text, fix=fix)


@dataclass(slots=True)
class Complaints:
    """Problems found so far. Only the first of each kind are kept as objects; all are counted."""

    origin: Origin
    problems: list[Problem] = field(default_factory=list)
    total: int = 0

    def add(self, rows: NDArray[Any], describe: Callable[[int], Problem]) -> None:
        """Complain of these rows."""
        self.total += len(rows)
        self.problems += [describe(int(row)) for row in rows[:KEPT_PROBLEMS]]

    def refuse(self) -> None:
        """Raise them all, if there are any."""
        if self.problems:
            self.problems.sort(key=lambda problem: (problem.line or 0, problem.column or ""))
            raise DataError(self.problems, source=self.origin.source, total=self.total)


def series_of(name: str, values: Any, origin: Origin) -> pl.Series:
    """A column as text where it holds labels, as it is where it holds numbers or text that may be numbers."""
    series = values if isinstance(values, pl.Series) else pl.Series(values, strict=False)
    if name in NUMBERS:
        if series.dtype.is_numeric() or series.dtype in (pl.String, pl.Null):
            return series
        kind = f"column {name!r} holds {series.dtype}, and a {name} must be a number"
        raise DataError(kind, source=origin.source)
    try:
        return whole_numbers(series).cast(pl.String)
    except pl.exceptions.PolarsError as error:
        text = f"column {name!r} holds {series.dtype}, which cannot be a label"
        raise DataError(text, source=origin.source) from error


def whole_numbers(series: pl.Series) -> pl.Series:
    """Labels that are whole numbers as such.

    Spreadsheets and pandas turn the id 1523 into 1523.0 as soon as one cell of the column is empty.
    """
    if series.dtype.is_float() and bool((series.is_null() | (series == series.round())).all()):
        return series.cast(pl.Int64, strict=False)
    return series


def parsed_numbers(complaints: Complaints, name: str, raw: pl.Series) -> NDArray[np.float64]:
    """Ranks, scores or weights as finite numbers, NaN where the cell is empty."""
    values = np.asarray(raw.cast(pl.Float64, strict=False).to_numpy())
    if np.isinf(values).any() or np.count_nonzero(np.isnan(values)) > raw.null_count():
        values = _parsed_with_care(complaints, name, raw)
    complain_of_range(complaints, name, values)
    return values


def _parsed_with_care(complaints: Complaints, name: str, raw: pl.Series) -> NDArray[np.float64]:
    """The same where some cells are not plain numbers: blanks around them, "NA", infinity or nonsense."""
    if raw.dtype == pl.String:
        raw = raw.str.strip_chars()
        raw = raw.set(raw.str.to_lowercase().is_in(EMPTY_NUMBERS), None)
    elif raw.dtype.is_float():
        raw = raw.fill_nan(None)
    values = raw.cast(pl.Float64, strict=False).to_numpy().copy()
    broken = raw.is_not_null().to_numpy() & ~np.isfinite(values)
    complaints.add(np.flatnonzero(broken), lambda row: _not_a_number(complaints.origin, row, name, raw[row]))
    values[broken] = np.nan
    return values


def _not_a_number(origin: Origin, row: int, name: str, value: object) -> Problem:
    text = str(value)
    fix = "write 1 for the best, 2 for the next, …" if name == "rank" else "write a plain number such as 8.5"
    if re.fullmatch(r"[^\W\d_][^\d]*", text) and name != "weight":
        fix += f", or say the order of such words, best first, with {named('words')}"
    if text.count(",") == 1 and text.replace(",", "").lstrip("-").isdigit():
        fix = f"write the decimal point as '.': {text.replace(',', '.')}"
    return origin.problem(row, name, value, f"is not a number, and a {name} must be one", fix)


def complain_of_range(
    complaints: Complaints, name: str, values: NDArray[np.float64], rows: NDArray[np.int64] | None = None
) -> None:
    """Complain of ranks below 1 and weights beyond reason; ``rows`` says which row each value was in."""
    if name == "rank":
        wrong = np.flatnonzero(values < 1)
        rule = "is not a rank: ranks start at 1, the best"
        fix = "leave out the row of an item that was not ranked"
    elif name == "weight":
        wrong = np.flatnonzero((values <= 0) | (values > HEAVIEST))
        rule = f"is not a weight: weights are greater than 0 and at most {HEAVIEST:,.0f}"
        fix = "write how often the list counts, and leave out lists that should not count"
    else:
        return
    complaints.add(
        wrong,
        lambda row: complaints.origin.problem(
            int(row if rows is None else rows[row]), name, f"{values[row]:g}", rule, fix
        ),
    )
