"""From rows to Feedback: every row checked, every broken one named, then one canonical numbering."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from peerage.errors import DataError, Problem
from peerage.feedback import Feedback

if TYPE_CHECKING:
    from numpy.typing import NDArray

ONLY_TASK = "1"  # the label of the one task where the data names none
LABELS = ("task", "grader", "list", "item")
NUMBERS = ("rank", "score", "weight")

Duplicates = Literal["error", "first", "last", "mean"]
Missing = Literal["error", "drop"]


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


def build(
    columns: Mapping[str, Any],
    *,
    origin: Origin | None = None,
    duplicates: Duplicates = "error",
    missing: Missing = "error",
    notes: tuple[str, ...] = (),
) -> Feedback:
    """Build a Feedback from columns named task, grader, list, item, rank, score, weight."""
    origin = origin or Origin()
    table = _table(columns, origin)
    problems: list[Problem] = []
    table = _clean_labels(table, origin, problems)
    table = _parse_numbers(table, origin, problems)
    _refuse(problems, origin)
    table, left_out = _without_missing(table, origin, missing)
    table, merged = _without_duplicates(table, origin, duplicates)
    if table.is_empty():
        raise DataError("there are no reviews in it", source=origin.source)
    return _number(table, origin, (*notes, *left_out, *merged))


def _table(columns: Mapping[str, Any], origin: Origin) -> pl.DataFrame:
    given = {name: values for name, values in columns.items() if values is not None}
    unknown = sorted(set(given) - {*LABELS, *NUMBERS})
    if unknown:
        raise DataError(f"unknown column {unknown[0]!r}; known are {', '.join((*LABELS, *NUMBERS))}")
    if "rank" not in given and "score" not in given:
        raise DataError(
            "neither ranks nor scores were given: one of them must say what is better", source=origin.source
        )
    series = {name: _series(name, values) for name, values in given.items()}
    lengths = {name: len(values) for name, values in series.items()}
    if len(set(lengths.values())) > 1:
        raise DataError(f"columns differ in length: {lengths}", source=origin.source)
    table = pl.DataFrame(series)
    if "task" not in given:
        table = table.with_columns(task=pl.lit(ONLY_TASK))
    return table.with_row_index("row")


def _series(name: str, values: Any) -> pl.Series:
    series = values if isinstance(values, pl.Series) else pl.Series(values, strict=False)
    return series.cast(pl.String) if name in LABELS else series


def _clean_labels(table: pl.DataFrame, origin: Origin, problems: list[Problem]) -> pl.DataFrame:
    """Strip the blanks around labels; report the empty ones."""
    present = [name for name in LABELS if name in table.columns]
    table = table.with_columns(pl.col(name).str.strip_chars() for name in present)
    for name in present:
        empty = table.filter(pl.col(name).is_null() | (pl.col(name) == ""))["row"]
        problems += [
            origin.problem(row, name, None, f"the {name} is empty", "name it or delete the row")
            for row in empty
        ]
    return table


def _parse_numbers(table: pl.DataFrame, origin: Origin, problems: list[Problem]) -> pl.DataFrame:
    """Ranks, scores and weights as finite numbers, null where the cell is empty."""
    for name in NUMBERS:
        if name not in table.columns:
            continue
        raw = table[name]
        if raw.dtype == pl.String:
            raw = raw.str.strip_chars()
            raw = raw.set(raw == "", None)
        number = raw.cast(pl.Float64, strict=False)
        broken = (number.is_null() & raw.is_not_null()) | ~number.is_finite().fill_null(True)
        problems += [_not_a_number(origin, row, name, raw[row]) for row in broken.arg_true()]
        problems += _out_of_range(origin, name, number.set(broken, None))
        table = table.with_columns(number.alias(name))
    return table


def _not_a_number(origin: Origin, row: int, name: str, value: object) -> Problem:
    text = str(value)
    fix = "write a plain number such as 8.5"
    if text.count(",") == 1 and text.replace(",", "").lstrip("-").isdigit():
        fix = f"write the decimal point as '.': {text.replace(',', '.')}"
    return origin.problem(row, name, value, f"is not a number, and a {name} must be one", fix)


def _out_of_range(origin: Origin, name: str, number: pl.Series) -> list[Problem]:
    if name == "rank":
        rule, fix = (
            "is not a rank: ranks start at 1, the best",
            "leave out the row of an item that was not ranked",
        )
        return [origin.problem(row, name, number[row], rule, fix) for row in (number < 1).arg_true()]
    if name == "weight":
        rule, fix = "is not a weight: weights are greater than 0", "leave out lists that should not count"
        return [origin.problem(row, name, number[row], rule, fix) for row in (number <= 0).arg_true()]
    return []


def _refuse(problems: list[Problem], origin: Origin) -> None:
    if problems:
        problems.sort(key=lambda problem: (problem.line or 0, problem.column or ""))
        raise DataError(problems, source=origin.source)


def _without_missing(
    table: pl.DataFrame, origin: Origin, missing: Missing
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Rows without the number that orders them: refused, or left out and listed."""
    ordering = "rank" if "rank" in table.columns else "score"
    empty = table.filter(pl.col(ordering).is_null())
    if empty.is_empty():
        return table, ()
    if missing == "error":
        fix = "fill it in, delete the row, or leave such rows out with missing='drop' (--missing drop)"
        _refuse(
            [origin.problem(row, ordering, None, f"the {ordering} is empty", fix) for row in empty["row"]],
            origin,
        )
    lines = origin.lines(empty["row"].to_numpy().astype(np.int64))
    note = f"{_count(len(empty), 'review')} without a {ordering} left out: {_lines(lines)}"
    return table.filter(pl.col(ordering).is_not_null()), (note,)


def _without_duplicates(
    table: pl.DataFrame, origin: Origin, duplicates: Duplicates
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """One review of an item per list: repeats are refused, or resolved as asked and listed."""
    key = [name for name in LABELS if name in table.columns]
    repeats = table.filter(pl.struct(key).is_duplicated()) if _may_repeat(table, key) else table.clear()
    if repeats.is_empty():
        return table, ()
    again = repeats.filter(~pl.struct(key).is_first_distinct())
    if duplicates == "error":
        _refuse([_repeated(origin, repeats, key, row) for row in again.iter_rows(named=True)], origin)
    lines = origin.lines(again["row"].to_numpy().astype(np.int64))
    note = f"{_count(len(again), 'repeated review')} merged ({duplicates} kept): {_lines(lines)}"
    if duplicates == "mean":
        numbers = [name for name in NUMBERS if name in table.columns]
        merged = table.group_by(key, maintain_order=True).agg(
            pl.col("row").first(), *(pl.col(n).mean() for n in numbers)
        )
        return merged.select(table.columns), (note,)
    keep: Literal["first", "last"] = "last" if duplicates == "last" else "first"
    return table.unique(key, keep=keep, maintain_order=True), (note,)


def _may_repeat(table: pl.DataFrame, key: list[str]) -> bool:
    """A cheap look with hashes, so that clean files of millions of rows pass quickly."""
    return bool(table.select(pl.struct(key).hash().n_unique()).item() < len(table))


def _repeated(origin: Origin, repeats: pl.DataFrame, key: list[str], row: dict[str, Any]) -> Problem:
    same = repeats.filter(*(pl.col(name) == row[name] for name in key))
    first = int(origin.lines(same["row"].head(1).to_numpy().astype(np.int64))[0])
    rule = f"is reviewed by grader {row['grader']!r} already (line {first})"
    fix = (
        "delete one of the two, give several lists a 'list' column,"
        " or choose with duplicates='first', 'last' or 'mean' (--duplicates)"
    )
    return origin.problem(row["row"], "item", row["item"], rule, fix)


def _number(table: pl.DataFrame, origin: Origin, notes: tuple[str, ...]) -> Feedback:
    """The canonical arrays: labels to numbers, rows into lists, lists best first."""
    tasks, task_labels = _codes(table["task"])
    graders, grader_labels = _codes(table["grader"])
    names, item_names = _codes(table["item"])
    items, item_keys = _dense(tasks * len(item_names) + names)
    lists, list_keys, list_labels = _list_numbers(table, tasks, graders, len(grader_labels))

    better = table["rank"] if "rank" in table.columns else -table["score"]
    place = better.to_numpy()
    order = np.lexsort((items, place, lists))
    lists, place = lists[order], place[order]
    starts = np.searchsorted(lists, np.arange(len(list_keys) + 1))
    opens = np.empty(len(order), dtype=bool)
    opens[:1] = True
    opens[1:] = (place[1:] != place[:-1]) | (lists[1:] != lists[:-1])
    return Feedback(
        items=items[order].astype(np.int32),
        opens=opens,
        list_starts=starts,
        list_graders=graders[order][starts[:-1]].astype(np.int32),
        list_tasks=tasks[order][starts[:-1]].astype(np.int32),
        item_tasks=(item_keys // len(item_names)).astype(np.int32),
        item_labels=item_names.gather(item_keys % len(item_names)),
        grader_labels=grader_labels,
        task_labels=task_labels,
        scores=_scores(table, order),
        weights=_weights(table, order, starts, origin),
        ordered_by="rank" if "rank" in table.columns else "score",
        list_labels=list_labels,
        notes=notes,
    )


def _codes(labels: pl.Series) -> tuple[NDArray[np.int64], pl.Series]:
    distinct = labels.unique().sort()
    return labels.cast(pl.Enum(distinct)).to_physical().to_numpy().astype(np.int64), distinct


def _dense(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Keys to numbers 0, 1, …, in the order of the keys, and the key of each number."""
    highest = int(keys.max()) + 1
    if highest <= 4 * len(keys):  # counting is linear; sorting ten million keys is not free
        seen = np.zeros(highest, dtype=bool)
        seen[keys] = True
        return (np.cumsum(seen) - 1)[keys], np.flatnonzero(seen)
    distinct, numbers = np.unique(keys, return_inverse=True)
    return numbers, distinct


def _list_numbers(
    table: pl.DataFrame, tasks: NDArray[np.int64], graders: NDArray[np.int64], n_graders: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], pl.Series | None]:
    """Which list each row belongs to; labels only where some grader has several lists in a task."""
    numbers, keys = _dense(tasks * n_graders + graders)
    if "list" not in table.columns:
        return numbers, keys, None
    labels, distinct = _codes(table["list"])
    split, split_keys = _dense(numbers * len(distinct) + labels)
    if len(split_keys) == len(keys):
        return numbers, keys, None
    return split, split_keys, distinct.gather(split_keys % len(distinct))


def _scores(table: pl.DataFrame, order: NDArray[np.int64]) -> NDArray[np.float64] | None:
    if "score" not in table.columns or table["score"].null_count() == len(table):
        return None
    return np.asarray(table["score"].fill_null(np.nan).to_numpy()[order])


def _weights(
    table: pl.DataFrame, order: NDArray[np.int64], starts: NDArray[np.int64], origin: Origin
) -> NDArray[np.float64] | None:
    """One weight per list; rows of a list that disagree are refused."""
    if "weight" not in table.columns or table["weight"].null_count() == len(table):
        return None
    weight = table["weight"].fill_null(1.0).to_numpy()[order]
    first = np.repeat(weight[starts[:-1]], np.diff(starts))
    rows = table["row"].to_numpy()[order]
    fix = "a weight belongs to the whole list: give all its rows the same"
    wrong = np.flatnonzero(weight != first)
    _refuse(
        [
            origin.problem(
                int(rows[e]), "weight", weight[e], f"differs from {first[e]:g} in the same list", fix
            )
            for e in wrong
        ],
        origin,
    )
    per_list = np.asarray(weight[starts[:-1]])
    return None if bool((per_list == 1).all()) else per_list


def with_items(feedback: Feedback, labels: Any, task: int = 0) -> Feedback:
    """The same feedback with items nobody reviewed added to a task (those it knows already stay)."""
    from dataclasses import replace

    low, high = (int(edge) for edge in feedback.task_starts[task : task + 2])
    known = feedback.item_labels[low:high]
    merged = pl.concat([known, pl.Series(labels).cast(pl.String)]).unique().sort()
    moved = merged.search_sorted(known).to_numpy() if len(known) else np.empty(0, dtype=np.int64)
    growth = len(merged) - len(known)
    new_number = np.concatenate([np.arange(low), low + moved, np.arange(high, feedback.n_items) + growth])
    return replace(
        feedback,
        items=new_number[feedback.items].astype(np.int32),
        item_tasks=np.insert(feedback.item_tasks, high, np.full(growth, task, dtype=np.int32)),
        item_labels=pl.concat([feedback.item_labels[:low], merged, feedback.item_labels[high:]]),
    )


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _lines(lines: NDArray[np.int64]) -> str:
    shown = ", ".join(str(line) for line in lines[:20])
    return f"line{'s' if len(lines) > 1 else ''} {shown}" + (
        f" and {len(lines) - 20} more" if len(lines) > 20 else ""
    )
