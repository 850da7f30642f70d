"""Wide rank matrices: a row per grader, a column per item, 0 or nothing where an item was not ranked."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from peerage.errors import KEPT_PROBLEMS, DataError, Problem
from peerage.feedback import EMPTY_NUMBERS, Duplicates, Feedback, Missing, Origin, build
from peerage.reading.columns import find_columns, guesses, has, may_be
from peerage.reading.table import Cells, Table, load_cells

MOST_CELLS = 200_000_000
OPTIONAL = ("grader", "task", "weight")
_LONG = ("item", "rank", "score")


def suits(table: Table, given: Mapping[str, str]) -> bool:
    """Whether one column names graders and at least two others hold nothing but ranks.

    A long table with a misspelt column must not pass for one, so near misses and ranks beyond the number
    of items count against it.
    """
    named = has(table, given, "grader") or ("grader" not in given and table.header[0] == "")
    if len(table.header) < 3 or not named or any(may_be(table.header, role) for role in _LONG):
        return False
    items = _items(table, _columns(table, given))
    if len(items) < 2 or not all(items.values()):
        return False
    frame = table.load(list(items)[:50]).head(200)
    return not frame.is_empty() and all(_plausible(column, len(items)) for column in frame)


def _plausible(column: pl.Series, n_items: int) -> bool:
    ranks, wrong = _ranks(column)
    highest = ranks.max()
    return not wrong.any() and (highest is None or float(str(highest)) <= n_items)


def _columns(table: Table, given: Mapping[str, str]) -> dict[str, int]:
    if "grader" not in given and table.header[0] == "" and not guesses(table.header, "grader"):
        found = find_columns(table, given, required=(), optional=("task", "weight"))
        return {"grader": 0, **found}
    return find_columns(table, given, required=(), optional=OPTIONAL)


def roles(table: Table, given: Mapping[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The roles that must have a column, and those that may."""
    return (), OPTIONAL


def columns(table: Table, given: Mapping[str, str]) -> dict[str, int]:
    """The position of each role's column; the others are items."""
    found = _columns(table, given)
    _check_items(table, _items(table, found))
    return found


def _items(table: Table, found: Mapping[str, int]) -> dict[int, str]:
    return {which: name for which, name in enumerate(table.header) if which not in found.values()}


def feedback_from(
    table: Table, given: Mapping[str, str], *, duplicates: Duplicates, missing: Missing
) -> Feedback:
    """Feedback from a rank matrix; every row is one list."""
    found = columns(table, given)
    items = _items(table, found)
    cells = load_cells(table, {**found, **{f"item {which}": which for which in items}})
    if cells.frame.is_empty():
        raise DataError("the table has a header but no rows", source=table.source)
    if len(cells.frame) * len(items) > MOST_CELLS:
        rule = f"{len(cells.frame)} x {len(items)} cells are more than {MOST_CELLS}"
        raise DataError(Problem(rule, fix="use the long layout: one row per review"), source=table.source)
    return _built(table, cells, items, duplicates, missing)


def _check_items(table: Table, items: Mapping[int, str]) -> None:
    names = list(items.values())
    if len(names) < 2:
        raise DataError("a rank matrix needs a column for each of at least two items", source=table.source)
    for which, name in items.items():
        if not name:
            fix = "name the item it ranks"
            raise DataError(
                Problem(f"column {which + 1} has no name", line=table.header_line, fix=fix),
                source=table.source,
            )
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        rule = f"column {twice!r} appears more than once"
        raise DataError(Problem(rule, line=table.header_line, fix="rename one of them"), source=table.source)


def _ranks(column: pl.Series) -> tuple[pl.Series, pl.Series]:
    """The ranks, null where there is none, and a mark on every cell that is neither."""
    text = column.cast(pl.String).str.strip_chars()
    text = text.set(text.str.to_lowercase().is_in(EMPTY_NUMBERS), None)
    number = text.cast(pl.Float64, strict=False)
    wrong = text.is_not_null() & ~(number.is_finite() & ((number >= 1) | (number == 0))).fill_null(False)
    return number.set(number == 0, None), wrong


def _built(
    table: Table, cells: Cells, items: Mapping[int, str], duplicates: Duplicates, missing: Missing
) -> Feedback:
    problems: list[Problem] = []
    parts: list[tuple[str, np.ndarray, np.ndarray]] = []
    for which, name in items.items():
        ranks, wrong = _ranks(cells.frame[f"item {which}"])
        problems += [_not_a_rank(cells, name, which, row) for row in wrong.arg_true().head(KEPT_PROBLEMS)]
        rows = ranks.is_not_null().arg_true().to_numpy().astype(np.int64)
        parts.append((name, rows, ranks.drop_nulls().to_numpy()))
    if problems:
        problems.sort(key=lambda problem: problem.line or 0)
        raise DataError(problems, source=table.source)
    rows = np.concatenate([part[1] for part in parts])
    columns = _list_columns(cells, rows)
    notes = (*table.notes, *cells.notes)
    if "grader" not in cells.frame.columns:
        notes += (f"no grader column: each of the {len(cells.frame)} rows counts as a grader of its own",)
    counts = np.array([len(part[1]) for part in parts])
    columns["item"] = pl.Series([part[0] for part in parts]).gather(np.repeat(np.arange(len(parts)), counts))
    columns["rank"] = pl.Series(np.concatenate([part[2] for part in parts]))
    origin = Origin(table.source, lambda entries: cells.lines(rows[entries]))
    return build(columns, origin=origin, duplicates=duplicates, missing=missing, notes=notes)


def _list_columns(cells: Cells, rows: np.ndarray) -> dict[str, pl.Series]:
    """What belongs to the whole row, repeated for each of its ranks."""
    count = len(cells.frame)
    number = pl.Series(np.arange(1, count + 1)).cast(pl.String).str.zfill(len(str(count)))
    columns = {name: cells.frame[name].gather(rows) for name in OPTIONAL if name in cells.frame.columns}
    columns["list"] = number.gather(rows)
    if "grader" not in columns:
        columns["grader"] = columns["list"]
    return columns


def _not_a_rank(cells: Cells, name: str, which: int, row: int) -> Problem:
    return Problem(
        "is not a rank",
        line=int(cells.lines(np.array([row]))[0]),
        column=name,
        value=str(cells.frame[f"item {which}"][row]),
        fix="write 1 for the best, 2 for the next …, and 0 or nothing where it was not ranked",
    )
