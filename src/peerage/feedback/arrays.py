"""From rows to the arrays of a Feedback: rows checked, broken ones named, one canonical numbering.

Ten million rows pass through here in a few seconds, so labels become numbers first (each distinct label is
cleaned once) and everything after that is whole-array arithmetic on those numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import polars as pl

from peerage._options import named
from peerage._words import listed_lines
from peerage.errors import DataError, Problem
from peerage.feedback.cells import (
    NUMBERS,
    Origin,
    ProblemCollector,
    as_series,
    check_range,
    joined_note,
    missing_note,
    parse_numbers,
    repeated_note,
)
from peerage.feedback.choices import DirectionFinder, Duplicates, Ids, Missing, Numbers
from peerage.feedback.labels import (
    LabelCodes,
    distinct_places,
    drop_unused_labels,
    encode_labels,
    merge_coded_spellings,
    number_densely,
    number_densely_within,
    sort_packed,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

ONLY_TASK = "1"  # the label of the one task where the data names none
LABELS = ("task", "grader", "list", "item")
LONGEST = 500  # characters of a label: beyond that it is a text, and pages and files full of it are useless
TOO_LONG = (f"is longer than {LONGEST} characters, and a label is not", "give it a short name or a number")
FOLDED = ("task", "grader", "item")  # labels of which spellings are joined, if asked for
PUBLIC = ("rank", "score", "weight", "shown")  # `value` is between us and the readers


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
        return next(name for name in ("rank", "value", "score") if name in self.numbers)

    def only(self, keep: NDArray[Any]) -> _Rows:
        """These rows, without the labels that no longer occur."""
        codes, labels = {}, {}
        for name in self.codes:
            codes[name], labels[name] = drop_unused_labels(self.codes[name][keep], self.labels[name])
        numbers = {name: values[keep] for name, values in self.numbers.items()}
        return _Rows(self.rows[keep], codes, labels, numbers)


def build_arrays(
    columns: Mapping[str, Any],
    *,
    origin: Origin | None = None,
    duplicates: Duplicates = "error",
    missing: Missing = "error",
    notes: tuple[str, ...] = (),
    find_direction: DirectionFinder | None = None,
    ids: Ids = "exact",
) -> dict[str, Any]:
    """The fields of a Feedback from columns named task, grader, list, item, rank, score, weight, shown.

    Or `value` in place of rank and score: numbers that ``find_direction`` says the direction of.
    """
    _check_choice("duplicates", duplicates, get_args(Duplicates))
    _check_choice("missing", missing, ("error", "drop"))
    origin = origin or Origin()
    _check_choice("ids", ids, ("exact", "fold"))
    checked = _check_columns(columns, origin, NUMBERS if find_direction else PUBLIC)
    rows = _check_rows(checked, origin, open_direction=find_direction is not None)
    if ids == "fold":
        rows, joined = _merge_spellings(rows)
        notes = (*notes, *joined)
    rows, left_out = _without_missing(rows, origin, missing)
    if len(rows.rows) == 0:
        raise DataError("there are no reviews in it", source=origin.source)
    notes = (*notes, *left_out)
    if find_direction is not None:
        return _with_direction(rows, find_direction, origin, duplicates, notes)
    return _number_rows(rows, origin, duplicates, notes)


def _number_rows(
    rows: _Rows, origin: Origin, duplicates: Duplicates, notes: tuple[str, ...]
) -> dict[str, Any]:
    lists, list_keys, list_labels = _list_numbers(rows)
    items, item_keys = number_densely(_pair(rows, "task", "item"))
    repeated = _repeats(lists, items, len(item_keys))
    if repeated is not None:
        rows, note = _without_duplicates(rows, *repeated, origin, duplicates)
        return _number_rows(rows, origin, duplicates, (*notes, note))
    return _arrange(rows, lists, list_keys, list_labels, items, item_keys, origin, notes)


# -- which way numbers run ------------------------------------------------------------------------


def _with_direction(
    rows: _Rows,
    find_direction: DirectionFinder,
    origin: Origin,
    duplicates: Duplicates,
    notes: tuple[str, ...],
) -> dict[str, Any]:
    """The fields, once it is known whether the numbers are ranks or scores."""
    direction = find_direction(_numbers(rows))
    values = rows.numbers[rows.ordering]
    others = {
        name: numbers
        for name, numbers in rows.numbers.items()
        if name in ("score", "weight", "shown") and name != rows.ordering
    }
    if (direction.measure, direction.best) in (("scores", "low"), ("ranks", "high")):  # an order, no more
        sign = 1.0 if direction.best == "low" else -1.0
        values = 1.0 + distinct_places(sign * values)[1].astype(np.float64)
    name = "score" if direction.measure == "scores" and direction.best == "high" else "rank"
    turned = replace(rows, numbers={name: values, **others})
    collector = ProblemCollector(origin)
    check_range(collector, name, turned.numbers[name], turned.rows)
    collector.raise_all()
    fields = _number_rows(turned, origin, duplicates, notes)
    return {**fields, "direction": direction}


def _numbers(rows: _Rows) -> Numbers:
    """The numbers in question, one per item of a list."""
    lists, _, _ = _list_numbers(rows)
    items, item_keys = number_densely(_pair(rows, "task", "item"))
    tasks = rows.codes["task"]
    sizes = np.bincount(item_keys // len(rows.labels["item"]), minlength=len(rows.labels["task"]))
    numbers = Numbers(rows.numbers[rows.ordering], lists, sizes[tasks])
    repeated = _repeats(lists, items, len(item_keys))
    if repeated is None:
        return numbers
    group, first = repeated
    return numbers.only(first[group] == np.arange(len(group)))


def _merge_spellings(rows: _Rows) -> tuple[_Rows, tuple[str, ...]]:
    """With spellings of one name as one, and who was joined."""
    codes, labels, notes = dict(rows.codes), dict(rows.labels), []
    for name in FOLDED:
        codes[name], labels[name], groups = merge_coded_spellings(codes[name], labels[name])
        if groups:
            notes.append(joined_note(name, groups))
    return replace(rows, codes=codes, labels=labels), tuple(notes)


def _check_choice(option: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise DataError(f"{option}={value!r} is not known; use one of {', '.join(allowed)}")


# -- columns ------------------------------------------------------------------------------------


def _check_columns(
    columns: Mapping[str, Any], origin: Origin, numbers: tuple[str, ...]
) -> dict[str, pl.Series | LabelCodes]:
    present = {name: values for name, values in columns.items() if values is not None}
    unknown = sorted(set(present) - {*LABELS, *numbers})
    if unknown:
        raise DataError(f"unknown column {unknown[0]!r}; known are {', '.join((*LABELS, *PUBLIC))}")
    if not {"rank", "score", "value"} & set(present):
        raise DataError(
            "neither ranks nor scores were given: one of them must say what is better", source=origin.source
        )
    series = {
        name: values if isinstance(values, LabelCodes) else as_series(name, values, origin)
        for name, values in present.items()
    }
    lengths = {name: _length(values) for name, values in series.items()}
    if len(set(lengths.values())) > 1:
        raise DataError(f"columns differ in length: {lengths}", source=origin.source)
    return series


def _length(column: pl.Series | LabelCodes) -> int:
    return len(column.codes if isinstance(column, LabelCodes) else column)


def _check_rows(columns: dict[str, pl.Series | LabelCodes], origin: Origin, *, open_direction: bool) -> _Rows:
    """All labels present, all numbers finite and in range; otherwise every broken row is named.

    What is called a rank may prove to be a score or a code: its range is checked when that is known.
    """
    length = _length(columns["grader"])
    collector = ProblemCollector(origin)
    codes: dict[str, NDArray[np.int32]] = {}
    labels: dict[str, pl.Series] = {}
    for name in LABELS:
        if name in columns:
            column = columns[name]
            codes[name], labels[name] = column if isinstance(column, LabelCodes) else encode_labels(column)
            _check_not_empty(collector, name, codes[name])
            _check_length(collector, name, codes[name], labels[name])
    if "task" not in codes:
        codes["task"], labels["task"] = np.zeros(length, dtype=np.int32), pl.Series([ONLY_TASK])
    written = {name: column for name, column in columns.items() if isinstance(column, pl.Series)}
    numbers = {
        name: parse_numbers(collector, name, written[name], in_range=not (open_direction and name == "rank"))
        for name in NUMBERS
        if name in written
    }
    collector.raise_all()
    return _Rows(np.arange(length), codes, labels, numbers)


def _check_not_empty(collector: ProblemCollector, name: str, codes: NDArray[np.int32]) -> None:
    rule, fix = f"the {name} is empty", "name it or delete the row"
    collector.add(np.flatnonzero(codes < 0), lambda row: collector.origin.problem(row, name, None, rule, fix))


def _check_length(
    collector: ProblemCollector, name: str, codes: NDArray[np.int32], labels: pl.Series
) -> None:
    long = (labels.str.len_chars() > LONGEST).to_numpy()
    if long.any():
        rows = np.flatnonzero(np.append(long, False)[codes])  # an empty label is -1, the last
        collector.add(
            rows, lambda row: collector.origin.problem(row, name, labels[int(codes[row])], *TOO_LONG)
        )


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
        collector = ProblemCollector(origin)
        collector.add(where, lambda row: origin.problem(row, ordering, None, f"the {ordering} is empty", fix))
        collector.raise_all(choices=({"missing": "drop"},))
    note = missing_note(len(where), ordering, listed_lines(origin.lines, where))
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
    if duplicates in ("error", "keep"):  # an item cannot stand in one list twice
        collector = ProblemCollector(origin)
        collector.add(again, lambda row: _repeated(rows, row, int(first[group[row]]), origin))
        collector.raise_all(choices=[{"duplicates": choice} for choice in ("last", "first", "mean")])
    note = repeated_note(len(again), duplicates, listed_lines(origin.lines, rows.rows[again]))
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
    numbers, keys = number_densely(_pair(rows, "task", "grader"))
    if "list" not in rows.codes:
        return numbers, keys, None
    names = rows.labels["list"]
    split, split_keys = number_densely_within(numbers, rows.codes["list"], len(names))
    if len(split_keys) == len(keys):
        return numbers, keys, None
    return split, keys[split_keys // len(names)], names.gather(split_keys % len(names))


def _arrange(
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
    values, place = distinct_places(sign * rows.numbers[rows.ordering])
    with_scores = rows.ordering == "rank" and "score" in rows.numbers
    (lists, place, items), order = sort_packed(
        (lists, place, items),
        (len(list_keys), len(values), len(item_keys)),
        with_order=with_scores or "shown" in rows.numbers,
    )
    starts = np.append(0, np.cumsum(np.bincount(lists, minlength=len(list_keys))))
    bucket_starts = np.empty(len(items), dtype=bool)
    bucket_starts[:1] = True
    bucket_starts[1:] = (place[1:] != place[:-1]) | (lists[1:] != lists[:-1])
    names, n_graders = rows.labels["item"], len(rows.labels["grader"])
    return {
        "items": items.astype(np.int32),
        "bucket_starts": bucket_starts,
        "list_starts": starts,
        "list_graders": (list_keys % n_graders).astype(np.int32),
        "list_tasks": (list_keys // n_graders).astype(np.int32),
        "item_tasks": (item_keys // len(names)).astype(np.int32),
        "item_labels": names.gather(item_keys % len(names)),
        "grader_labels": rows.labels["grader"],
        "task_labels": rows.labels["task"],
        "scores": _scores(rows, values, place, order if with_scores else None),
        "weights": weights,
        "positions": _positions(rows, order),
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


def _positions(rows: _Rows, order: NDArray[np.int64] | None) -> NDArray[np.int32] | None:
    if "shown" not in rows.numbers or order is None:
        return None
    return np.nan_to_num(rows.numbers["shown"], nan=0.0)[order].astype(np.int32)


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
    collector = ProblemCollector(origin)
    collector.add(
        wrong,
        lambda row: origin.problem(
            int(rows.rows[row]),
            "weight",
            f"{weight[row]:g}",
            f"differs from {per_list[lists[row]]:g} in the same list",
            fix,
        ),
    )
    collector.raise_all()
    return None if bool((per_list == 1).all()) else per_list
