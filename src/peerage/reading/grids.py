"""Questions about several items at once: forms write them as columns `Question [Item]`."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from peerage._options import named
from peerage.errors import DataError, Problem
from peerage.reading.reshaping import only_columns
from peerage.reading.table import Table

_CELL = re.compile(r"(.*\S)\s*\[([^\[\]]+)\]\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Grid:
    """One question, and the columns that hold its answers by what they are about."""

    question: str
    columns: dict[int, str]


def grids_of(header: Sequence[str], taken: Collection[int] = ()) -> list[Grid]:
    """The questions of a header that are about two things or more."""
    found: dict[str, dict[int, str]] = {}
    for which, name in enumerate(header):
        cell = _CELL.fullmatch(name)
        if cell is not None and which not in taken:
            found.setdefault(" ".join(cell[1].split()), {})[which] = cell[2].strip()
    return [Grid(question, columns) for question, columns in found.items() if len(columns) > 1]


def only_question(table: Table, question: str | None) -> Table:
    """The table without the other questions, where one was chosen."""
    if not question:
        return table
    grids = grids_of(table.header)
    wanted = " ".join(question.lower().split())
    alike = [grid for grid in grids if wanted in grid.question.lower()]
    exact = [grid for grid in alike if grid.question.lower() == wanted]
    if len(exact or alike) != 1:
        rule = (
            f"no question {question!r} found" if not alike else f"several questions are called {question!r}"
        )
        known = ", ".join(repr(grid.question) for grid in grids[:6]) or "none with several items"
        raise DataError(
            Problem(rule, line=table.header_line, fix=f"the file has {known}"), source=table.source
        )
    chosen = (exact or alike)[0]
    others = {which for grid in grids if grid is not chosen for which in grid.columns}
    return only_columns(table, [which for which in range(len(table.header)) if which not in others])


def refuse_several(table: Table, grids: Sequence[Grid]) -> None:
    """Nobody but the instructor knows which of several questions is the grade."""
    if len(grids) > 1:
        listed = ", ".join(repr(grid.question) for grid in grids[:6])
        rule = f"there are {len(grids)} questions about several items: {listed}"
        fix = f"choose one with {named('question', grids[0].question)}"
        raise DataError(Problem(rule, line=table.header_line, fix=fix), source=table.source)
