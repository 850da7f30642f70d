"""What grade books are laid out from: the students of a roster with their grades."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """Students with their grades, in the roster's order.

    Attributes
    ----------
    graded : one row per student and task: student, task, item, grade, and what the result says of the item.
    wide : one row per student: student, the roster's own columns under ``_`` and their names, and one column
        per task.
    grades : the names of those columns.
    most : the points possible of each of these.
    assignment : the platform's number of an assignment that exists, or None.
    """

    graded: pl.DataFrame
    wide: pl.DataFrame
    grades: tuple[str, ...]
    most: Mapping[str, float]
    assignment: str | None

    def has(self, *columns: str) -> bool:
        """Whether the roster has one of these columns."""
        return any(f"_{name}" in self.wide.columns for name in columns)

    def own(self, columns: tuple[str, ...]) -> dict[str, pl.Expr]:
        """These columns from the roster, empty where it has none."""
        empty = pl.lit(None, dtype=pl.String)
        return {name: pl.col(f"_{name}") if self.has(name) else empty for name in columns}
