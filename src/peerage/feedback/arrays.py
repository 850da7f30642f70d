"""From rows to the arrays of a Feedback: rows checked, broken ones named, one canonical numbering.

Ten million rows pass through here in a few seconds, so labels become numbers first (each distinct label is
cleaned once) and everything after that is whole-array arithmetic on those numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage._naming import named
from peerage._words import listed_lines, plural
from peerage.errors import KEPT_PROBLEMS, DataError, Problem
from peerage.feedback.choices import Duplicates, Missing
from peerage.feedback.numbering import codes_of, dense, packed, places, used_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

ONLY_TASK = "1"  # the label of the one task where the data names none
LABELS = ("task", "grader", "list", "item")
NUMBERS = ("rank", "score", "weight")
LONGEST = 500  # characters of a label: beyond that it is a text, and pages and files full of it are useless
HEAVIEST = 1e6  # how often one list may count: beyond that no estimate is exact, and nobody means it
EMPTY_NUMBERS = ("", "na", "n/a", "nan", "null", "none")  # how spreadsheets and R write "no value"


TOO_LONG = (f"is longer than {LONGEST} characters, and a label is not", "give it a short name or a number")


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
class _Complaints:
    """Problems found so far. Only the first of each kind are kept as objects; all are counted."""

    origin: Origin
    problems: list[Problem] = field(default_factory=list)
    total: int = 0

    def add(self, rows: NDArray[Any], describe: Callable[[int], Problem]) -> None:
        self.total += len(rows)
        self.problems += [describe(int(row)) for row in rows[:KEPT_PROBLEMS]]

    def refuse(self) -> None:
        if self.problems:
            self.problems.sort(key=lambda problem: (problem.line or 0, problem.column or ""))
            raise DataError(self.problems, source=self.origin.source, total=self.total)


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows in use: numbers for labels, NaN for empty numbers, and which row of the input each was."""

    rows: NDArray[np.int64]
    codes: dict[str, NDArray[np.int32]]
    labels: dict[str, pl.Series]
    numbers: dict[str, NDArray[np.float64]]

    @property
    def ordering(self) -> str:
        """The column that says what is better."""
        return "rank" if "rank" in self.numbers else "score"

    def only(self, keep: NDArray[Any]) -> _Rows:
        """These rows, without the labels that no longer occur."""
        codes, labels = {}, {}
        for name in self.codes:
            codes[name], labels[name] = used_only(self.codes[name][keep], self.labels[name])
        numbers = {name: values[keep] for name, values in self.numbers.items()}
        return _Rows(self.rows[keep], codes, labels, numbers)


def arrays_from(
    columns: Mapping[str, Any],
    *,
    origin: Origin | None = None,
    duplicates: Duplicates = "error",
    missing: Missing = "error",
    notes: tuple[str, ...] = (),
) -> dict[str, Any]:
    """The fields of a Feedback from columns named task, grader, list, item, rank, score, weight."""
    _check_choice("duplicates", duplicates, ("error", "first", "last", "mean"))
    _check_choice("missing", missing, ("error", "drop"))
    origin = origin or Origin()
    rows = _checked(_columns(columns, origin), origin)
    rows, left_out = _without_missing(rows, origin, missing)
    if len(rows.rows) == 0:
        raise DataError("there are no reviews in it", source=origin.source)
    lists, list_keys, list_labels = _list_numbers(rows)
    items, item_keys = dense(_pair(rows, "task", "item"))
    repeated = _repeats(lists, items, len(item_keys))
    if repeated is not None:
        merged, note = _without_duplicates(rows, *repeated, origin, duplicates)
        return _numbered(merged, origin, (*notes, *left_out, note))
    return _arranged(rows, lists, list_keys, list_labels, items, item_keys, origin, (*notes, *left_out))


def _check_choice(option: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise DataError(f"{option}={value!r} is not known; use one of {', '.join(allowed)}")


# -- columns ------------------------------------------------------------------------------------


def _columns(columns: Mapping[str, Any], origin: Origin) -> dict[str, pl.Series]:
    given = {name: values for name, values in columns.items() if values is not None}
    unknown = sorted(set(given) - {*LABELS, *NUMBERS})
    if unknown:
        raise DataError(f"unknown column {unknown[0]!r}; known are {', '.join((*LABELS, *NUMBERS))}")
    if "rank" not in given and "score" not in given:
        raise DataError(
            "neither ranks nor scores were given: one of them must say what is better", source=origin.source
        )
    series = {name: _series(name, values, origin) for name, values in given.items()}
    lengths = {name: len(values) for name, values in series.items()}
    if len(set(lengths.values())) > 1:
        raise DataError(f"columns differ in length: {lengths}", source=origin.source)
    return series


def _series(name: str, values: Any, origin: Origin) -> pl.Series:
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


def _checked(columns: dict[str, pl.Series], origin: Origin) -> _Rows:
    """All labels present, all numbers finite and in range; otherwise every broken row is named."""
    length = len(columns["grader"])
    complaints = _Complaints(origin)
    codes: dict[str, NDArray[np.int32]] = {}
    labels: dict[str, pl.Series] = {}
    for name in LABELS:
        if name in columns:
            codes[name], labels[name] = codes_of(columns[name])
            _complain_of_empty(complaints, name, codes[name])
            _complain_of_length(complaints, name, codes[name], labels[name])
    if "task" not in codes:
        codes["task"], labels["task"] = np.zeros(length, dtype=np.int32), pl.Series([ONLY_TASK])
    numbers = {name: _parsed(complaints, name, columns[name]) for name in NUMBERS if name in columns}
    complaints.refuse()
    return _Rows(np.arange(length), codes, labels, numbers)


def _complain_of_empty(complaints: _Complaints, name: str, codes: NDArray[np.int32]) -> None:
    rule, fix = f"the {name} is empty", "name it or delete the row"
    complaints.add(
        np.flatnonzero(codes < 0), lambda row: complaints.origin.problem(row, name, None, rule, fix)
    )


def _complain_of_length(
    complaints: _Complaints, name: str, codes: NDArray[np.int32], labels: pl.Series
) -> None:
    long = (labels.str.len_chars() > LONGEST).to_numpy()
    if long.any():
        rows = np.flatnonzero(np.append(long, False)[codes])  # an empty label is -1, the last
        complaints.add(
            rows, lambda row: complaints.origin.problem(row, name, labels[int(codes[row])], *TOO_LONG)
        )


def _parsed(complaints: _Complaints, name: str, raw: pl.Series) -> NDArray[np.float64]:
    """Ranks, scores or weights as finite numbers, NaN where the cell is empty."""
    values = np.asarray(raw.cast(pl.Float64, strict=False).to_numpy())
    if np.isinf(values).any() or np.count_nonzero(np.isnan(values)) > raw.null_count():
        values = _parsed_with_care(complaints, name, raw)
    _complain_of_range(complaints, name, values)
    return values


def _parsed_with_care(complaints: _Complaints, name: str, raw: pl.Series) -> NDArray[np.float64]:
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
    fix = "write a plain number such as 8.5"
    if text.count(",") == 1 and text.replace(",", "").lstrip("-").isdigit():
        fix = f"write the decimal point as '.': {text.replace(',', '.')}"
    return origin.problem(row, name, value, f"is not a number, and a {name} must be one", fix)


def _complain_of_range(complaints: _Complaints, name: str, values: NDArray[np.float64]) -> None:
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
    complaints.add(wrong, lambda row: complaints.origin.problem(row, name, f"{values[row]:g}", rule, fix))


# -- rows that are left out -----------------------------------------------------------------------


def _without_missing(rows: _Rows, origin: Origin, missing: Missing) -> tuple[_Rows, tuple[str, ...]]:
    """Rows without the number that orders them: refused, or left out and listed."""
    ordering = rows.ordering
    empty = np.isnan(rows.numbers[ordering])
    if not empty.any():
        return rows, ()
    where = np.flatnonzero(empty)
    if missing == "error":
        fix = f"fill it in, delete the row, or leave such rows out with {named('missing', 'drop')}"
        complaints = _Complaints(origin)
        complaints.add(
            where, lambda row: origin.problem(row, ordering, None, f"the {ordering} is empty", fix)
        )
        complaints.refuse()
    note = (
        f"{plural(len(where), 'review')} without a {ordering} left out: {listed_lines(origin.lines, where)}"
    )
    return rows.only(~empty), (note,)


def _repeats(
    lists: NDArray[np.int64], items: NDArray[np.int64], n_items: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Which reviews are of the same item in the same list: a group number per row, and the first of each."""
    keys = lists * n_items + items
    sorted_keys = np.sort(keys)
    if not (sorted_keys[1:] == sorted_keys[:-1]).any():
        return None
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    return group, first


def _without_duplicates(
    rows: _Rows,
    group: NDArray[np.int64],
    first: NDArray[np.int64],
    origin: Origin,
    duplicates: Duplicates,
) -> tuple[_Rows, str]:
    """One review of an item per list: repeats are refused, or resolved as asked and listed."""
    again = np.flatnonzero(first[group] != np.arange(len(group)))
    if duplicates == "error":
        complaints = _Complaints(origin)
        complaints.add(again, lambda row: _repeated(rows, row, int(first[group[row]]), origin))
        complaints.refuse()
    note = (
        f"{plural(len(again), 'repeated review')} merged ({duplicates} kept):"
        f" {listed_lines(origin.lines, rows.rows[again])}"
    )
    if duplicates == "last":
        last = np.zeros(len(first), dtype=np.int64)
        last[group] = np.arange(len(group))
        return rows.only(np.sort(last)), note
    if duplicates == "mean":
        numbers = {name: _group_means(values, group)[group] for name, values in rows.numbers.items()}
        rows = replace(rows, numbers=numbers)
    return rows.only(np.sort(first)), note


def _group_means(values: NDArray[np.float64], group: NDArray[np.int64]) -> NDArray[np.float64]:
    """The mean of each group's numbers; empty ones do not count, and NaN where all are."""
    present = ~np.isnan(values)
    counts = np.bincount(group[present], minlength=int(group.max()) + 1)
    sums = np.bincount(group[present], weights=values[present], minlength=len(counts))
    return np.asarray(np.divide(sums, counts, out=np.full(len(sums), np.nan), where=counts > 0))


def _repeated(rows: _Rows, row: int, first: int, origin: Origin) -> Problem:
    grader = rows.labels["grader"][int(rows.codes["grader"][row])]
    line = int(origin.lines(rows.rows[[first]])[0])
    fix = (
        "delete one of the two, give several lists a 'list' column,"
        f" or choose with {named('duplicates', 'first')} (or last, or mean)"
    )
    item = rows.labels["item"][int(rows.codes["item"][row])]
    rule = f"is reviewed by grader {grader!r} already (line {line})"
    return origin.problem(int(rows.rows[row]), "item", item, rule, fix)


# -- the arrays -----------------------------------------------------------------------------------


def _pair(rows: _Rows, outer: str, inner: str) -> NDArray[np.int64]:
    return rows.codes[outer].astype(np.int64) * len(rows.labels[inner]) + rows.codes[inner]


def _list_numbers(
    rows: _Rows,
) -> tuple[NDArray[np.int64], NDArray[np.int64], pl.Series | None]:
    """Which list each row belongs to; labels only where some grader has several lists in a task."""
    numbers, keys = dense(_pair(rows, "task", "grader"))
    if "list" not in rows.codes:
        return numbers, keys, None
    names = rows.labels["list"]
    split, split_keys = dense(numbers * len(names) + rows.codes["list"])
    if len(split_keys) == len(keys):
        return numbers, keys, None
    return split, keys[split_keys // len(names)], names.gather(split_keys % len(names))


def _numbered(rows: _Rows, origin: Origin, notes: tuple[str, ...]) -> dict[str, Any]:
    items, item_keys = dense(_pair(rows, "task", "item"))
    return _arranged(rows, *_list_numbers(rows), items, item_keys, origin, notes)


def _arranged(
    rows: _Rows,
    lists: NDArray[np.int64],
    list_keys: NDArray[np.int64],
    list_labels: pl.Series | None,
    items: NDArray[np.int64],
    item_keys: NDArray[np.int64],
    origin: Origin,
    notes: tuple[str, ...],
) -> dict[str, Any]:
    """Rows into lists, lists best first, ties by item."""
    weights = _list_weights(rows, lists, len(list_keys), origin)
    sign = 1.0 if rows.ordering == "rank" else -1.0
    values, place = places(sign * rows.numbers[rows.ordering])
    with_scores = rows.ordering == "rank" and "score" in rows.numbers
    (lists, place, items), order = packed(
        (lists, place, items), (len(list_keys), len(values), len(item_keys)), with_order=with_scores
    )
    starts = np.searchsorted(lists, np.arange(len(list_keys) + 1))
    opens = np.empty(len(items), dtype=bool)
    opens[:1] = True
    opens[1:] = (place[1:] != place[:-1]) | (lists[1:] != lists[:-1])
    names, n_graders = rows.labels["item"], len(rows.labels["grader"])
    return {
        "items": items.astype(np.int32),
        "opens": opens,
        "list_starts": starts,
        "list_graders": (list_keys % n_graders).astype(np.int32),
        "list_tasks": (list_keys // n_graders).astype(np.int32),
        "item_tasks": (item_keys // len(names)).astype(np.int32),
        "item_labels": names.gather(item_keys % len(names)),
        "grader_labels": rows.labels["grader"],
        "task_labels": rows.labels["task"],
        "scores": _scores(rows, values, place, order),
        "weights": weights,
        "ordered_by": "rank" if rows.ordering == "rank" else "score",
        "list_labels": list_labels,
        "notes": notes,
    }


def _scores(
    rows: _Rows, values: NDArray[np.float64], place: NDArray[np.int64], order: NDArray[np.int64] | None
) -> NDArray[np.float64] | None:
    if rows.ordering == "score":
        return np.asarray(-values[place])
    if order is None or bool(np.isnan(rows.numbers["score"]).all()):
        return None
    return rows.numbers["score"][order]


def _list_weights(
    rows: _Rows, lists: NDArray[np.int64], n_lists: int, origin: Origin
) -> NDArray[np.float64] | None:
    """One weight per list; rows of a list that disagree are refused."""
    if "weight" not in rows.numbers:
        return None
    weight = np.nan_to_num(rows.numbers["weight"], nan=1.0)
    per_list = np.empty(n_lists)
    per_list[lists[::-1]] = weight[::-1]  # the first row of a list has the last word
    wrong = np.flatnonzero(weight != per_list[lists])
    fix = "a weight belongs to the whole list: give all its rows the same"
    complaints = _Complaints(origin)
    complaints.add(
        wrong,
        lambda row: origin.problem(
            int(rows.rows[row]),
            "weight",
            f"{weight[row]:g}",
            f"differs from {per_list[lists[row]]:g} in the same list",
            fix,
        ),
    )
    complaints.refuse()
    return None if bool((per_list == 1).all()) else per_list
