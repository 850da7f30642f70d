"""A ranking in one cell: `P3 > P1 = P7 > P2`, or `P3;P1;P2;`, as Microsoft Forms writes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from peerage._options import named_column
from peerage.errors import KEPT_PROBLEMS, DataError, Problem
from peerage.feedback.builder import build
from peerage.feedback.cells import Origin
from peerage.feedback.container import Feedback
from peerage.feedback.direction import Direction
from peerage.reading.chains import chain_of, listed
from peerage.reading.claims import claim_of
from peerage.reading.columns import ignored
from peerage.reading.graders import first_is_grader
from peerage.reading.rows import per_row
from peerage.reading.rules import Rules
from peerage.reading.table import Cells, Table, load_cells

if TYPE_CHECKING:
    from numpy.typing import NDArray

REQUIRED = ("order",)
OPTIONAL = ("grader", "task", "weight")
SAMPLE = 100
MOST_COLUMNS = 60  # looked at for rankings


def suits(table: Table, given: Mapping[str, str]) -> bool:
    """Whether a column was named, or one alone holds rankings."""
    return bool(given.get("order")) or bool(_candidates(table, given))


def _candidates(table: Table, given: Mapping[str, str]) -> list[int]:
    taken = {name.strip() for name in given.values()}
    looked_at = range(min(len(table.header), MOST_COLUMNS))
    sample = table.load(looked_at).head(SAMPLE)
    return [
        which
        for which, column in zip(looked_at, sample, strict=True)
        if table.header[which] not in taken
        and column.dtype == pl.String
        and _holds_rankings(table.header[which], [cell for cell in column if cell and cell.strip()])
    ]


def _holds_rankings(name: str, cells: Sequence[str]) -> bool:
    """Whether nine cells in ten are rankings; ticked boxes are lists too, in the order of the form."""
    if not cells:
        return False
    if 10 * sum(chain_of(cell) is not None for cell in cells) >= 9 * len(cells):
        return True
    lists = [items for cell in cells if (items := listed(cell)) is not None]
    if 10 * len(lists) < 9 * len(cells):
        return False
    whole = len({frozenset(items) for items in lists}) == 1
    differ = len({tuple(items) for items in lists}) > 1
    return claim_of(name).measure == "ranks" or (whole and differ)


def roles(table: Table, given: Mapping[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The roles that must have a column, and those that may."""
    return REQUIRED, OPTIONAL


def columns(table: Table, given: Mapping[str, str]) -> dict[str, int]:
    """The position of each role's column."""
    likely = _candidates(table, given)
    if not given.get("order") and len(likely) != 1:
        names = ", ".join(repr(table.header[which]) for which in likely) or "no column"
        fix = f"say which one holds the order with {named_column('order')}"
        rule = (
            f"{names} could each be the order" if likely else "no column holds rankings such as 'A > B > C'"
        )
        raise DataError(Problem(rule, line=table.header_line, fix=fix), source=table.source)
    named = {**given, "order": given.get("order") or table.header[likely[0]]}
    return first_is_grader(table, named, ("order", *OPTIONAL))


def feedback_from(table: Table, given: Mapping[str, str], rules: Rules) -> Feedback:
    """Feedback from rankings that are written out; every row is one list."""
    found = columns(table, given)
    cells = load_cells(table, found)
    if cells.frame.is_empty():
        raise DataError("the table has a header but no rows", source=table.source)
    name = table.header[found["order"]]
    if rules.lower_is_better or rules.direction == "scores":
        rule = f"column {name!r} holds rankings, best first, and no numbers"
        raise DataError(Problem(rule, fix="leave that option out"), source=table.source)
    rows: list[int] = []
    entries: list[tuple[str, int]] = []
    problems: list[Problem] = []
    for row, cell in enumerate(cells.frame["order"].cast(pl.String)):
        text = (cell or "").strip()
        if not text:
            continue
        buckets = chain_of(text) or [[item] for item in listed(text) or []]
        if not buckets and len(problems) < KEPT_PROBLEMS:
            line = int(cells.lines(np.array([row]))[0])
            fix = "write the items best first, as in A > B = C"
            problems.append(Problem("is not a ranking", line=line, column=name, value=text, fix=fix))
        for place, bucket in enumerate(buckets, start=1):
            entries += [(item, place) for item in bucket]
            rows += [row] * len(bucket)
    if problems:
        raise DataError(problems, source=table.source)
    if not entries:
        raise DataError("there are no rankings in it", source=table.source)
    return _built(table, found, cells, np.array(rows, dtype=np.int64), entries, rules)


def _built(
    table: Table,
    found: dict[str, int],
    cells: Cells,
    rows: NDArray[np.int64],
    entries: list[tuple[str, int]],
    rules: Rules,
) -> Feedback:
    filled, notes = per_row(cells, rows, OPTIONAL)
    filled |= {"item": pl.Series([item for item, _ in entries]), "rank": [place for _, place in entries]}
    why = f"{table.header[found['order']]!r} holds rankings, best first"
    return build(
        filled,
        origin=Origin(table.source, lambda which: cells.lines(rows[which])),
        duplicates=rules.duplicates,
        missing=rules.missing,
        ids=rules.ids,
        notes=(*table.notes, *ignored(table, list(found.values())), *cells.notes, *notes),
        direction=Direction("orders", "first", why, "values"),
    )
