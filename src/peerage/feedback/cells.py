"""The cells of rows: labels, numbers, and the problems of what is neither."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage._options import named
from peerage._words import plural
from peerage.errors import KEPT_PROBLEMS, DataError, OpenQuestion, Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

NUMBERS = ("rank", "score", "value", "weight", "shown")
HEAVIEST = 1e6  # how often one list may count: beyond that no estimate is exact, and nobody means it
FURTHEST = 1e6  # position in a list: nobody sees more items
EMPTY_NUMBERS = ("", "na", "n/a", "nan", "null", "none")  # how spreadsheets and R write "no value"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where rows came from, for messages: the file, the line of each row, what its columns are called."""

    source: str | None = None
    lines: Callable[[NDArray[np.int64]], NDArray[np.int64]] = lambda rows: rows + 1
    names: Mapping[str, str] = field(default_factory=dict)

    def problem(self, row: int, column: str, value: object, rule: str, fix: str | None = None) -> Problem:
        line = int(self.lines(np.array([row]))[0])
        text = None if value is None else str(value)
        return Problem(rule, line=line, column=self.names.get(column, column), value=text, fix=fix)


@dataclass(slots=True)
class ProblemCollector:
    """Problems found so far. Only the first of each kind are kept as objects; all are counted."""

    origin: Origin
    problems: list[Problem] = field(default_factory=list)
    total: int = 0

    def add(self, rows: NDArray[Any], describe: Callable[[int], Problem]) -> None:
        self.total += len(rows)
        self.problems += [describe(int(row)) for row in rows[:KEPT_PROBLEMS]]

    def raise_all(self, choices: Sequence[Mapping[str, Any]] = ()) -> None:
        """Raise them all, if there are any; ``choices`` are options that would make them good."""
        if self.problems:
            self.problems.sort(key=lambda problem: (problem.line or 0, problem.column or ""))
            source, total = self.origin.source, self.total
            if choices:
                raise OpenQuestion(self.problems, choices=choices, source=source, total=total)
            raise DataError(self.problems, source=source, total=total)


def as_series(name: str, values: Any, origin: Origin) -> pl.Series:
    """A column as text where it holds labels, as it is where it holds numbers or text that may be numbers."""
    series = values if isinstance(values, pl.Series) else pl.Series(values, strict=False)
    if name in NUMBERS:
        if series.dtype.is_numeric() or series.dtype in (pl.String, pl.Null):
            return series
        kind = f"column {name!r} holds {series.dtype}, and a {name} must be a number"
        raise DataError(kind, source=origin.source)
    try:
        return as_whole_numbers(series).cast(pl.String)
    except pl.exceptions.PolarsError as error:
        text = f"column {name!r} holds {series.dtype}, which cannot be a label"
        raise DataError(text, source=origin.source) from error


def as_whole_numbers(series: pl.Series) -> pl.Series:
    """Labels that are whole numbers as such.

    Spreadsheets and pandas turn the id 1523 into 1523.0 as soon as one cell of the column is empty.
    """
    if series.dtype.is_float() and bool((series.is_null() | (series == series.round())).all()):
        return series.cast(pl.Int64, strict=False)
    return series


def parse_numbers(
    collector: ProblemCollector, name: str, raw: pl.Series, *, in_range: bool = True
) -> NDArray[np.float64]:
    """Ranks, scores or weights as finite numbers, NaN where the cell is empty."""
    values = np.asarray(raw.cast(pl.Float64, strict=False).to_numpy())
    if np.isinf(values).any() or np.count_nonzero(np.isnan(values)) > raw.null_count():
        values = _parsed_with_care(collector, name, raw)
    if in_range:
        check_range(collector, name, values)
    return values


def _parsed_with_care(collector: ProblemCollector, name: str, raw: pl.Series) -> NDArray[np.float64]:
    """The same where some cells are not plain numbers: blanks around them, "NA", infinity or nonsense."""
    if raw.dtype == pl.String:
        raw = raw.str.strip_chars()
        raw = raw.set(raw.str.to_lowercase().is_in(EMPTY_NUMBERS), None)
    elif raw.dtype.is_float():
        raw = raw.fill_nan(None)
    values = raw.cast(pl.Float64, strict=False).to_numpy().copy()
    broken = raw.is_not_null().to_numpy() & ~np.isfinite(values)
    collector.add(np.flatnonzero(broken), lambda row: _not_a_number(collector.origin, row, name, raw[row]))
    values[broken] = np.nan
    return values


def _not_a_number(origin: Origin, row: int, name: str, value: object) -> Problem:
    text = str(value)
    fix = "write 1 for the best, 2 for the next, …" if name == "rank" else "write a plain number such as 8.5"
    if re.fullmatch(r"[^\W\d_][^\d]*", text) and name != "weight":
        fix += f", say {named('empty', text)} if it means that there was no review"
        fix += f", or the order of such words, best first, with {named('words')}"
    if text.count(",") == 1 and text.replace(",", "").lstrip("-").isdigit():
        fix = f"write the decimal point as '.': {text.replace(',', '.')}"
    return origin.problem(row, name, value, f"is not a number, and a {name} must be one", fix)


def check_range(
    collector: ProblemCollector, name: str, values: NDArray[np.float64], rows: NDArray[np.int64] | None = None
) -> None:
    """Find ranks below 1 and weights beyond reason; ``rows`` says which row each value was in."""
    if name == "rank":
        wrong = np.flatnonzero(values < 1)
        rule = "is not a rank: ranks start at 1, the best"
        fix = "leave out the row of an item that was not ranked"
    elif name == "weight":
        wrong = np.flatnonzero((values <= 0) | (values > HEAVIEST))
        rule = f"is not a weight: weights are greater than 0 and at most {HEAVIEST:,.0f}"
        fix = "write how often the list counts, and leave out lists that should not count"
    elif name == "shown":
        wrong = np.flatnonzero((values < 1) | (values % 1 > 0) | (values > FURTHEST))
        rule = "does not say when the item was shown: 1 is first, 2 is next, …"
        fix = "leave the cell empty where it is not known when the item was seen"
    else:
        return
    collector.add(
        wrong,
        lambda row: collector.origin.problem(
            int(row if rows is None else rows[row]), name, f"{values[row]:g}", rule, fix
        ),
    )


# -- notes on reviews that were joined, left out or merged ------------------------------------------------

SHOWN_JOINED = 10  # names in a note


def joined_note(name: str, groups: list[list[str]]) -> str:
    """Of labels that are one name written in several ways."""
    shown = "; ".join(" and ".join(map(repr, group)) for group in groups[:SHOWN_JOINED])
    more = f"; and {len(groups) - SHOWN_JOINED:,} more" if len(groups) > SHOWN_JOINED else ""
    were = "was" if len(groups) == 1 else "were"
    return f"{plural(len(groups), name)} joined that {were} written in several ways: {shown}{more}"


def missing_note(number: int, ordering: str, lines: str) -> str:
    """Of reviews without the number that orders them; `lines` says where they are."""
    return f"{plural(number, 'review')} without a {ordering} left out: {lines}"


def repeated_note(number: int, duplicates: str, lines: str) -> str:
    """Of reviews of an item that the list had already."""
    return f"{plural(number, 'repeated review')} merged ({duplicates} kept): {lines}"
