"""Moodle Workshop: the grades report, a row per participant and grade received: `60 (16) < Ada Lovelace`.

60 is the grade that Ada gave, 16 the grade for her assessment, which is no opinion on the work. The name of
the participant stands in the first of its rows; what a participant handed in is known by that name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import polars as pl

from peerage._words import plural
from peerage.reading.reshaping import cells_of, noted, of_frame
from peerage.reading.sources.cleaning import Cleaned, folded
from peerage.reading.table import Table

RECEIVED = "grades received"
_GRADE = re.compile(
    r"(?P<grade>-|[\d.,]+)\s*(?:\((?P<for_it>[^()]*)\))?\s*(?:@\s*[\d.,]+)?\s*<\s*(?P<who>\S.*)", re.DOTALL
)


def suits(table: Table) -> bool:
    """Whether there is a column of grades received, with who gave them."""
    return _column(table) is not None


def _column(table: Table) -> int | None:
    which = next((at for at, name in enumerate(table.header) if folded(name).startswith(RECEIVED)), None)
    if which is None or which == 0:
        return None
    cells = cells_of(table, which).drop_nulls()
    return (
        which
        if any(_GRADE.fullmatch(line.strip()) for cell in cells.head(50) for line in cell.split("\n"))
        else None
    )


def cleaned(table: Table, given: Mapping[str, str]) -> Cleaned:
    """One row per grade: who gave it, whose work, how many points."""
    which = _column(table) or 0
    authors = cells_of(table, 0).forward_fill()
    rows: list[tuple[int, str, str | None, str]] = []
    silent = 0
    for row, (author, cell) in enumerate(zip(authors, cells_of(table, which), strict=True)):
        for line in (cell or "").split("\n"):
            found = _GRADE.fullmatch(line.strip())
            if found is None:
                continue
            if found["grade"] == "-":
                silent += 1
            else:
                rows.append((row, found["who"].strip(), author, found["grade"]))
    columns = list(zip(*rows, strict=True)) or [(), (), (), ()]
    frame = pl.DataFrame(
        {"grader": columns[1], "item": columns[2], "score": columns[3]},
        schema=dict.fromkeys(("grader", "item", "score"), pl.String),
    )
    made = of_frame(table, frame, np.array(columns[0], dtype=np.int64))
    if silent:
        made = noted(made, f"{plural(silent, 'assessment')} without a grade left out")
    return Cleaned(made, {"grader": "grader", "item": "item", "score": "score"})
