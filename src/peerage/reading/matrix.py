"""Wide tables of ranks or scores: a row per grader, a column per item, nothing where there was no review."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from peerage._options import named
from peerage.errors import KEPT_PROBLEMS, DataError, DirectionError, Problem
from peerage.feedback.cells import EMPTY_NUMBERS, Origin
from peerage.feedback.choices import Numbers
from peerage.feedback.container import Feedback, build_feedback
from peerage.reading.columns import (
    find_grids,
    find_row_columns,
    first_names_people,
    has_column,
    nearly_has_column,
    note_ignored,
    refuse_several_grids,
)
from peerage.reading.direction import direction_finder, hint_in_name, hint_in_names
from peerage.reading.rank_evidence import find_rank_evidence, summarise_numbers
from peerage.reading.rules import Rules
from peerage.reading.table import InputTable, RoleColumns, load_columns, repeat_per_row
from peerage.reading.values import CellValues, interpret_cells

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_CELLS = 200_000_000
OPTIONAL = ("grader", "task", "weight")
ALIKE = 10  # columns whose highest numbers differ more than so often are no items on one scale
_LONG = ("item", "rank", "score")


def suits(table: InputTable, column_names: Mapping[str, str]) -> bool:
    """Whether one column names graders and at least two others hold nothing but numbers of one scale.

    A question about several items, as forms write it, is enough.

    A long table with a misspelt column must not pass for one: near misses count against it, and so do numbers
    beyond the number of items where only two columns hold some, or where a grader comes twice.
    """
    named = has_column(table, column_names, "grader") or first_names_people(table, column_names)
    if len(table.header) < 3 or not named or any(role in column_names for role in _LONG):
        return False
    positions = find_row_columns(table, column_names, OPTIONAL)
    items = _item_columns(table, positions)
    if len(items) < 2 or not all(items.values()):
        return False
    if find_grids(table.header, positions.values()):
        return True
    if not common_question(table, items) and any(nearly_has_column(table.header, role) for role in _LONG):
        return False
    frame = table.load(list(items)[:50]).head(200)
    if frame.is_empty():
        return False
    cell_values = interpret_cells(frame.get_columns())
    if cell_values.hint.measure == "letters" and not any(
        set("+-") & set(mark) for mark in cell_values.numbers
    ):
        return False  # answers to a quiz look so, too
    numbers = [_numbers(cell_values.apply(column)) for column in frame]
    if any(wrong.any() for _, wrong in numbers):
        return False
    most = [float(str(values.max())) for values, _ in numbers if values.null_count() < len(values)]
    if not most or max(most) <= len(items):
        return True
    graders = table.load([positions["grader"]]).head(200).to_series().drop_nulls()
    return len(items) > 2 and max(most) <= ALIKE * max(min(most), 1.0) and graders.n_unique() == len(graders)


def roles(table: InputTable, column_names: Mapping[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The roles that must have a column, and those that may."""
    return (), OPTIONAL


def locate_columns(table: InputTable, column_names: Mapping[str, str]) -> dict[str, int]:
    """The position of each role's column; the others are items."""
    positions = find_row_columns(table, column_names, OPTIONAL)
    refuse_several_grids(table, find_grids(table.header, positions.values()))
    _check_items(table, _item_columns(table, positions))
    return positions


def _item_columns(table: InputTable, positions: Mapping[str, int]) -> dict[int, str]:
    """What the other columns are about; of a question about several items, its columns alone."""
    taken = set(positions.values())
    grids = find_grids(table.header, taken)
    if grids:
        return grids[0].columns
    return {which: name for which, name in enumerate(table.header) if which not in taken}


def read_feedback(table: InputTable, column_names: Mapping[str, str], rules: Rules) -> Feedback:
    """Feedback from a matrix; every row is one list."""
    positions = locate_columns(table, column_names)
    items = _item_columns(table, positions)
    cells = load_columns(table, {**positions, **{f"item {which}": which for which in items}})
    if cells.frame.is_empty():
        raise DataError("the table has a header but no rows", source=table.source)
    if len(cells.frame) * len(items) > MOST_CELLS:
        rule = f"{len(cells.frame)} x {len(items)} cells are more than {MOST_CELLS}"
        raise DataError(Problem(rule, fix="use the long layout: one row per review"), source=table.source)
    return _build(table, cells, positions, items, rules)


def _check_items(table: InputTable, items: Mapping[int, str]) -> None:
    names = list(items.values())
    if len(names) < 2:
        raise DataError("a matrix needs a column for each of at least two items", source=table.source)
    for which, name in items.items():
        if not name:
            fix = "name the item it is about"
            raise DataError(
                Problem(f"column {which + 1} has no name", line=table.header_line, fix=fix),
                source=table.source,
            )
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        rule = f"column {twice!r} appears more than once"
        raise DataError(Problem(rule, line=table.header_line, fix="rename one of them"), source=table.source)


def _numbers(column: pl.Series) -> tuple[pl.Series, pl.Series]:
    """The numbers, null where there is none, and a mark on every cell that is neither."""
    text = column.cast(pl.String).str.strip_chars()
    text = text.set(text.str.to_lowercase().is_in(EMPTY_NUMBERS), None)
    number = text.cast(pl.Float64, strict=False)
    return number, text.is_not_null() & ~number.is_finite().fill_null(False)


def common_question(table: InputTable, items: Mapping[int, str]) -> str:
    """What the names of all item columns begin with, whole words: `Score of P1`, `Score of P2` are scores."""
    grids = [grid for grid in find_grids(table.header) if set(items) <= set(grid.columns)]
    if grids:
        return grids[0].question
    names = [table.header[which] for which in items]
    common = os.path.commonprefix(names)  # noqa: RUF071 - these are no paths
    return re.sub(r"[^\W_]*$", "", common).strip(" _-:[(")


def _build(
    table: InputTable,
    cells: RoleColumns,
    positions: Mapping[str, int],
    items: Mapping[int, str],
    rules: Rules,
) -> Feedback:
    problems: list[Problem] = []
    parts: list[tuple[str, np.ndarray, np.ndarray]] = []
    cell_values = interpret_cells([cells.frame[f"item {which}"] for which in items], rules.words)
    for which, name in items.items():
        numbers, wrong = _numbers(cell_values.apply(cells.frame[f"item {which}"]))
        problems += [
            _not_a_number(cells, name, which, row, cell_values)
            for row in wrong.arg_true().head(KEPT_PROBLEMS)
        ]
        rows = numbers.is_not_null().arg_true().to_numpy().astype(np.int64)
        parts.append((name, rows, numbers.drop_nulls().to_numpy()))
    if problems:
        problems.sort(key=lambda problem: problem.line or 0)
        raise DataError(problems, source=table.source)
    rows = np.concatenate([part[1] for part in parts])
    columns, nameless = repeat_per_row(cells, rows, OPTIONAL)
    notes = (
        *table.notes,
        *note_ignored(table, [*positions.values(), *items]),
        *cells.notes,
        *cell_values.notes,
        *nameless,
    )
    counts = np.array([len(part[1]) for part in parts])
    columns["item"] = pl.Series([part[0] for part in parts]).gather(np.repeat(np.arange(len(parts)), counts))
    values = np.concatenate([part[2] for part in parts])
    _refuse_transposed(table, values, rows, np.repeat(np.arange(len(parts)), counts), rules)
    columns["value"] = pl.Series(values)
    return build_feedback(
        columns,
        origin=Origin(table.source, lambda entries: cells.lines(rows[entries])),
        duplicates=rules.duplicates,
        missing=rules.missing,
        ids=rules.ids,
        notes=notes,
        find_direction=direction_finder(
            hint_in_name(common_question(table, items))
            .combine(hint_in_names(table.titles))
            .combine_cells(cell_values.hint),
            rules,
            source=table.source,
            line=table.header_line,
            zeros_possible=True,
            items=len(items),
            blanks=len(rows) < len(cells.frame) * len(items),
        ),
    )


def _refuse_transposed(
    table: InputTable,
    values: NDArray[np.float64],
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    rules: Rules,
) -> None:
    """A table with a column per grader: its columns are rankings, and its rows are none."""
    reviewed = values != 0
    if rules.direction != "auto" or rules.lower_is_better or not reviewed.any():
        return
    values, rows, columns = values[reviewed], rows[reviewed], columns[reviewed]
    across = find_rank_evidence(
        summarise_numbers(Numbers(values, rows, np.full(len(values), columns.max() + 1)))
    )
    down = find_rank_evidence(
        summarise_numbers(Numbers(values, columns, np.full(len(values), rows.max() + 1)))
    )
    if down.surely_rankings and not across.like_rankings and down.longest > 2:
        rule = "every column counts from 1 up, as if graders stood in columns and items in rows"
        fix = f"turn the table round, or say {named('direction', 'scores')} if rows are graders all the same"
        raise DirectionError(Problem(rule, line=table.header_line, fix=fix), source=table.source)


def _not_a_number(cells: RoleColumns, name: str, which: int, row: int, cell_values: CellValues) -> Problem:
    value = str(cells.frame[f"item {which}"][row]).strip()
    usual = "is neither a rank nor a score", "write a number, and nothing where the item was not reviewed"
    rule, fix = cell_values.refused.get(value, usual)
    return Problem(rule, line=int(cells.lines(np.array([row]))[0]), column=name, value=value, fix=fix)
