"""The long layout: one row per review."""

from __future__ import annotations

from collections.abc import Mapping

from peerage.errors import DataError, Problem
from peerage.feedback import Duplicates, Feedback, Missing, Origin, build
from peerage.reading.columns import find_columns, has, ignored, missing_column
from peerage.reading.table import Table, load_cells

REQUIRED = ("grader", "item")
OPTIONAL = ("rank", "score", "task", "list", "weight")


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


def feedback_from(
    table: Table, given: Mapping[str, str], *, duplicates: Duplicates, missing: Missing
) -> Feedback:
    """Feedback from a table with a grader, an item, and a rank or a score in every row."""
    found = columns(table, given)
    cells = load_cells(table, found)
    names = {role: table.header[which] for role, which in found.items()}
    notes = (*table.notes, *ignored(table, list(found.values())), *cells.notes)
    if cells.frame.is_empty():
        raise DataError("the table has a header but no rows", source=table.source)
    return build(
        {role: cells.frame[role] for role in found},
        origin=Origin(table.source, cells.lines, names),
        duplicates=duplicates,
        missing=missing,
        notes=notes,
    )


def _refuse_without_order(table: Table) -> None:
    rank, score = missing_column(table, "rank"), missing_column(table, "score")
    better = score if "misspelt" in score.rule else rank
    if "misspelt" in better.rule:
        raise DataError(better, source=table.source)
    rule = "neither a rank nor a score column found: one of them must say what is better"
    raise DataError(Problem(rule, line=table.header_line, fix=score.fix), source=table.source)
