"""What the sources share: who answered, and which columns are the system's own."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from peerage._words import plural
from peerage.reading.reshaping import cells_of, noted, only_columns, only_rows
from peerage.reading.table import Table

NAMES = re.compile(
    r"(?:what is |please enter |enter )?(?:your |student'?s? |full |first and last |last )*"
    r"(?:name|e-?mail(?: address)?|(?:student |matriculation |user |login |net ?)?(?:id|number|no\.?)|"
    r"user ?name|login|group|team|registration number)\s*[?:*]?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A table without what is the system's own, and which column plays which role in it."""

    table: Table
    roles: Mapping[str, str] = field(default_factory=dict)


def folded(name: str) -> str:
    """A name as it is compared."""
    return " ".join(name.lower().split())


def without(table: Table, system: Collection[str], keep: Iterable[str] = ()) -> Table:
    """Without the columns of these names, but for those that somebody asks for."""
    asked = {folded(name) for name in keep}
    own = {folded(name) for name in system} - asked
    kept = [which for which, name in enumerate(table.header) if folded(name) not in own]
    return only_columns(table, kept) if len(kept) < len(table.header) else table


def who_answered(
    table: Table, preferred: Sequence[str], anonymous: Collection[str] = ("anonymous",)
) -> str | None:
    """The column that tells people apart: the first of these that names somebody in every row, or a question
    for the name; None where there is none."""
    for name in preferred:
        for which, known in enumerate(table.header):
            if folded(known) == folded(name) and _names_people(table, which, anonymous):
                return known
    asked = [
        which
        for which, name in enumerate(table.header)
        if NAMES.fullmatch(name.strip()) and _names_people(table, which, anonymous)
    ]
    return table.header[asked[0]] if asked else None


def _names_people(table: Table, which: int, anonymous: Collection[str]) -> bool:
    cells = cells_of(table, which)
    return (
        len(cells) > 0
        and cells.null_count() == 0
        and not cells.str.to_lowercase().is_in(list(anonymous)).any()
    )


def drop_rows(table: Table, told: pl.Series, what: str) -> Table:
    """Without the marked rows, with a note on what they were."""
    told = told.fill_null(False)
    if not told.any():
        return table
    kept = (~told).arg_true().to_numpy().astype(np.int64)
    return noted(only_rows(table, kept), f"{plural(int(told.sum()), 'row')} left out: {what}")


def form(
    table: Table,
    given: Mapping[str, str],
    *,
    system: Collection[str],
    people: Sequence[str],
    fallback: str | None = None,
) -> Cleaned:
    """The answers to a form: who answered, and the questions."""
    grader = given.get("grader") or who_answered(table, people) or fallback
    keep = [name for name in (*given.values(), grader or "") if name.strip()]
    plain = without(table, (*system, *people), keep)
    return Cleaned(plain, {"grader": grader} if grader else {})
