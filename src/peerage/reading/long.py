"""The long layout: one row per review."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from peerage._options import named, named_column
from peerage._words import listed_lines, plural
from peerage.errors import DataError, DirectionError, Problem
from peerage.feedback.builder import build
from peerage.feedback.cells import Origin
from peerage.feedback.container import Feedback
from peerage.reading.claims import Claim, claim_of
from peerage.reading.columns import find_columns, has, ignored, missing_column
from peerage.reading.direction import orient
from peerage.reading.rules import Rules
from peerage.reading.table import Numbered, Table, load_numbered
from peerage.reading.values import NOT_REVIEWED, Meaning, is_plain, meaning_of, refuse_cells

REQUIRED = ("grader", "item")
MEASURES = ("rank", "value", "score")
OPTIONAL = ("rank", "score", "task", "list", "weight")
NUMBERS = (*MEASURES, "weight")


def suits(table: Table, given: Mapping[str, str]) -> bool:
    """Whether there is a column of items and one that orders them."""
    return has(table, given, "item") and any(has(table, given, role) for role in ("rank", "score"))


def roles(table: Table, given: Mapping[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The roles that must have a column, and those that may."""
    return REQUIRED, OPTIONAL


def columns(table: Table, given: Mapping[str, str]) -> dict[str, int]:
    """The position of each role's column."""
    found = find_columns(table, given, required=REQUIRED, optional=OPTIONAL)
    if "rank" not in found and "score" not in found:
        _refuse_without_order(table)
    return found


class Prepared(NamedTuple):
    """The columns of a table by role, labels numbered, numbers understood; where the rows were, and notes."""

    columns: dict[str, Any]  # Coded or pl.Series
    origin: Origin
    claim: Claim
    notes: tuple[str, ...]


def feedback_from(table: Table, given: Mapping[str, str], rules: Rules) -> Feedback:
    """Feedback from a table with a grader, an item, and a rank or a score in every row."""
    ready = prepared(table, given, rules)
    return build(
        ready.columns,
        origin=ready.origin,
        duplicates=rules.duplicates,
        missing=rules.missing,
        ids=rules.ids,
        notes=ready.notes,
        orient=orient(ready.claim, rules, source=table.source, line=table.header_line),
    )


def prepared(table: Table, given: Mapping[str, str], rules: Rules) -> Prepared:
    """What the feedback is built from."""
    found, aside = _in_use(columns(table, given), table, rules)
    cells = load_numbered(table, found, others=NUMBERS)
    names = {role: table.header[which] for role, which in found.items()}
    notes = (*table.notes, *ignored(table, list(found.values())), *aside, *cells.notes)
    if cells.rows == 0:
        raise DataError("the table has a header but no rows", source=table.source)
    cells, skipped = _reviewed(cells, next(role for role in MEASURES if role in found))
    origin = Origin(table.source, cells.lines, names)
    measured, claim, understood = _understood(cells.others, names, table, origin, rules)
    weight = {role: cells.others[role] for role in found if role == "weight"}
    return Prepared({**cells.labels, **measured, **weight}, origin, claim, (*notes, *skipped, *understood))


def _reviewed(cells: Numbered, role: str) -> tuple[Numbered, tuple[str, ...]]:
    """Without the rows that say in words that there was no review."""
    column = cells.others[role]
    if is_plain(column):
        return cells, ()
    told = column.str.strip_chars().str.to_lowercase().is_in(NOT_REVIEWED).fill_null(False)
    rows = told.arg_true().to_numpy().astype(np.int64)
    if len(rows) == 0:
        return cells, ()
    kept = (~told).arg_true().to_numpy().astype(np.int64)
    note = (
        f"{plural(len(rows), 'row')} left out that {'says' if len(rows) == 1 else 'say'}"
        f" {column[int(rows[0])].strip()!r} or the like: {listed_lines(cells.lines, rows)}"
    )
    return cells.only(kept), (note,)


def _understood(
    frame: pl.DataFrame, names: Mapping[str, str], table: Table, origin: Origin, rules: Rules
) -> tuple[dict[str, pl.Series], Claim, tuple[str, ...]]:
    """Ranks and scores as people write them, what that and the names say of their direction, and notes."""
    found: dict[str, pl.Series] = {}
    claim = _claim(names, table)
    notes: tuple[str, ...] = ()
    for role in MEASURES:
        if role not in names:
            continue
        meaning = Meaning() if is_plain(frame[role]) else meaning_of([frame[role]], rules.words)
        refuse_cells(meaning, frame[role], origin, role)
        if role == "score" and "rank" in names and meaning.claim.measure == "letters":
            notes += (f"{names[role]!r} left aside: beside ranks, letters say nothing more",)
            continue
        found[role] = meaning.of(frame[role])
        notes += meaning.notes
        if role == next(iter(found)):
            claim = claim.written_as(meaning.claim)
    return found, claim, notes


def _in_use(found: dict[str, int], table: Table, rules: Rules) -> tuple[dict[str, int], tuple[str, ...]]:
    """The columns, numbers under what they were said to be; and what is left aside for that."""
    aside: tuple[str, ...] = ()
    gone = ""
    if "rank" in found and "score" in found:
        gone = "score" if rules.lower_is_better else "rank" if rules.direction == "scores" else ""
    if gone:
        aside = (f"{table.header[found[gone]]!r} left aside, as the direction says",)
    kept = {role: which for role, which in found.items() if role != gone}
    told = "value" if rules.lower_is_better else {"ranks": "rank", "scores": "score"}.get(rules.direction)
    if told is None or ("rank" in kept and "score" in kept):
        return kept, aside
    return {told if role in ("rank", "score") else role: which for role, which in kept.items()}, aside


def _claim(names: Mapping[str, str], table: Table) -> Claim:
    """What the name of the column that orders the items says about its numbers."""
    if "rank" not in names:
        role = "score" if "score" in names else "value"
        return claim_of(names[role] or role, "scores")
    claim = claim_of(names["rank"] or "rank", "ranks")
    if claim.best == "high" and "score" in names:
        rule = f"column {names['rank']!r} says that larger is better, and there are scores as well"
        fix = f"say which one counts, with {named_column('rank', '')} or {named_column('score', '')}"
        raise DirectionError(Problem(rule, line=table.header_line, fix=fix), source=table.source)
    return claim


def _refuse_without_order(table: Table) -> None:
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
