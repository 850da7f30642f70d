"""The long layout: one row per review."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from peerage._options import named, named_column
from peerage._words import listed_lines, plural
from peerage.errors import DataError, DirectionError, Problem
from peerage.feedback.cells import Origin
from peerage.feedback.container import Feedback, build_feedback
from peerage.reading.columns import find_columns, has_column, missing_column, note_ignored
from peerage.reading.direction import HeaderHint, direction_finder, hint_in_name
from peerage.reading.rules import Rules
from peerage.reading.table import CodedColumns, InputTable, load_coded_columns
from peerage.reading.values import NOT_REVIEWED, CellValues, interpret_cells, is_plain, refuse_cells

REQUIRED = ("grader", "item")
MEASURES = ("rank", "value", "score")
OPTIONAL = ("rank", "score", "task", "list", "weight")
NUMBERS = (*MEASURES, "weight")


def suits(table: InputTable, column_names: Mapping[str, str]) -> bool:
    """Whether there is a column of items and one that orders them."""
    return has_column(table, column_names, "item") and any(
        has_column(table, column_names, role) for role in ("rank", "score")
    )


def roles(table: InputTable, column_names: Mapping[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The roles that must have a column, and those that may."""
    return REQUIRED, OPTIONAL


def locate_columns(table: InputTable, column_names: Mapping[str, str]) -> dict[str, int]:
    """The position of each role's column."""
    positions = find_columns(table, column_names, required=REQUIRED, optional=OPTIONAL)
    if "rank" not in positions and "score" not in positions:
        _refuse_without_order(table)
    return positions


class LongColumns(NamedTuple):
    """The columns of a table by role, labels numbered, numbers understood; where the rows were, and notes."""

    columns: dict[str, Any]  # LabelCodes or pl.Series
    origin: Origin
    hint: HeaderHint
    notes: tuple[str, ...]


def read_feedback(table: InputTable, column_names: Mapping[str, str], rules: Rules) -> Feedback:
    """Feedback from a table with a grader, an item, and a rank or a score in every row."""
    ready = prepare_columns(table, column_names, rules)
    return build_feedback(
        ready.columns,
        origin=ready.origin,
        duplicates=rules.duplicates,
        missing=rules.missing,
        ids=rules.ids,
        notes=ready.notes,
        find_direction=direction_finder(ready.hint, rules, source=table.source, line=table.header_line),
    )


def prepare_columns(table: InputTable, column_names: Mapping[str, str], rules: Rules) -> LongColumns:
    """What the feedback is built from."""
    positions, left_aside = _columns_in_use(locate_columns(table, column_names), table, rules)
    cells = load_coded_columns(table, positions, others=NUMBERS)
    names = {role: table.header[which] for role, which in positions.items()}
    notes = (*table.notes, *note_ignored(table, list(positions.values())), *left_aside, *cells.notes)
    if cells.rows == 0:
        raise DataError("the table has a header but no rows", source=table.source)
    cells, skipped = _drop_not_reviewed(cells, next(role for role in MEASURES if role in positions))
    origin = Origin(table.source, cells.lines, names)
    measures, hint, value_notes = _read_measures(cells.others, names, table, origin, rules)
    weight = {role: cells.others[role] for role in positions if role == "weight"}
    return LongColumns({**cells.labels, **measures, **weight}, origin, hint, (*notes, *skipped, *value_notes))


def _drop_not_reviewed(cells: CodedColumns, role: str) -> tuple[CodedColumns, tuple[str, ...]]:
    """Without the rows that say in words that there was no review."""
    column = cells.others[role]
    if is_plain(column):
        return cells, ()
    not_reviewed = column.str.strip_chars().str.to_lowercase().is_in(NOT_REVIEWED).fill_null(False)
    rows = not_reviewed.arg_true().to_numpy().astype(np.int64)
    if len(rows) == 0:
        return cells, ()
    kept = (~not_reviewed).arg_true().to_numpy().astype(np.int64)
    note = (
        f"{plural(len(rows), 'row')} left out that {'says' if len(rows) == 1 else 'say'}"
        f" {column[int(rows[0])].strip()!r} or the like: {listed_lines(cells.lines, rows)}"
    )
    return cells.only(kept), (note,)


def _read_measures(
    frame: pl.DataFrame, names: Mapping[str, str], table: InputTable, origin: Origin, rules: Rules
) -> tuple[dict[str, pl.Series], HeaderHint, tuple[str, ...]]:
    """Ranks and scores as people write them, what that and the names say of their direction, and notes."""
    measures: dict[str, pl.Series] = {}
    hint = _hint_of_header(names, table)
    notes: tuple[str, ...] = ()
    for role in MEASURES:
        if role not in names:
            continue
        values = CellValues() if is_plain(frame[role]) else interpret_cells([frame[role]], rules.words)
        refuse_cells(values, frame[role], origin, role)
        if role == "score" and "rank" in names and values.hint.measure == "letters":
            notes += (f"{names[role]!r} left aside: beside ranks, letters say nothing more",)
            continue
        measures[role] = values.apply(frame[role])
        notes += values.notes
        if role == next(iter(measures)):
            hint = hint.combine_cells(values.hint)
    return measures, hint, notes


def _columns_in_use(
    positions: dict[str, int], table: InputTable, rules: Rules
) -> tuple[dict[str, int], tuple[str, ...]]:
    """The columns, numbers under what they were said to be; and what is left aside for that."""
    aside: tuple[str, ...] = ()
    dropped = ""
    if "rank" in positions and "score" in positions:
        dropped = "score" if rules.lower_is_better else "rank" if rules.direction == "scores" else ""
    if dropped:
        aside = (f"{table.header[positions[dropped]]!r} left aside, as the direction says",)
    kept = {role: which for role, which in positions.items() if role != dropped}
    role_of_numbers = (
        "value" if rules.lower_is_better else {"ranks": "rank", "scores": "score"}.get(rules.direction)
    )
    if role_of_numbers is None or ("rank" in kept and "score" in kept):
        return kept, aside
    return {
        role_of_numbers if role in ("rank", "score") else role: which for role, which in kept.items()
    }, aside


def _hint_of_header(names: Mapping[str, str], table: InputTable) -> HeaderHint:
    """What the name of the column that orders the items says about its numbers."""
    if "rank" not in names:
        role = "score" if "score" in names else "value"
        return hint_in_name(names[role] or role, "scores")
    hint = hint_in_name(names["rank"] or "rank", "ranks")
    if hint.best == "high" and "score" in names:
        rule = f"column {names['rank']!r} says that larger is better, and there are scores as well"
        fix = f"say which one counts, with {named_column('rank', '')} or {named_column('score', '')}"
        raise DirectionError(Problem(rule, line=table.header_line, fix=fix), source=table.source)
    return hint


def _refuse_without_order(table: InputTable) -> None:
    rank, score = missing_column(table, "rank"), missing_column(table, "score")
    better = score if "misspelt" in score.rule else rank
    if "misspelt" in better.rule:
        raise DataError(better, source=table.source)
    rule = "neither a rank nor a score column found: one of them must say what is better"
    fix = score.fix
    if fix is not None and fix.startswith("name it"):
        fix = (
            f"name it with {named_column('rank')} where 1 is best, with {named_column('score')} where larger"
            f" is better, or several criteria with {named('criteria', 'clarity=2,method=1')}"
            f"{fix[fix.index('; the file has') :]}"
        )
    raise DataError(Problem(rule, line=table.header_line, fix=fix), source=table.source)
