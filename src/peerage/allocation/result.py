"""An allocation: who reviews what, in which order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage._display import as_html
from peerage.allocation.measures import Quality, quality
from peerage.errors import DataError, Problem
from peerage.reading.columns import SYNONYMS, Vocabulary, find_columns
from peerage.reading.reader import open_table
from peerage.reading.table import as_labels, load_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.allocation.pool import Pool

WORDS = Vocabulary({"grader": SYNONYMS["grader"], "item": SYNONYMS["item"], "position": ()}, ranked=True)


@dataclass(frozen=True, eq=False, repr=False)
class Allocation:
    """Reviews to be given, as numbers of a pool, sorted by grader and position.

    Attributes
    ----------
    pool : the people and the work it was made for.
    graders, items, positions : int64[n_reviews]
    design, seed : how it was made; the same roster, design and seed give the same allocation.
    anchors : items that staff grade, in the design "calibrated".
    options : the other arguments of :func:`allocate`, for making it again another way.
    notes : what the instructor should know, one sentence each.
    """

    pool: Pool
    graders: NDArray[np.int64]
    items: NDArray[np.int64]
    positions: NDArray[np.int64]
    design: str = "given"
    seed: int | None = None
    anchors: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Allocation: {len(self.items)} reviews of {self.pool.n_items} items, design {self.design}>"

    def _repr_html_(self) -> str:
        return as_html(repr(self).strip("<>"), self.table(), self.notes)

    @cached_property
    def quality(self) -> Quality:
        """Loads, connectivity, co-occurrence and spectral gap."""
        return quality(self.graders, self.items, self.pool.n_items)

    def table(self) -> pl.DataFrame:
        """One row per review: grader, item, position, and the e-mail address where the roster has it."""
        columns = {
            "grader": self.pool.graders.gather(self.graders),
            "item": self.pool.items.gather(self.items),
            "position": pl.Series(self.positions, dtype=pl.Int64),
        }
        if self.pool.emails is not None:
            columns["email"] = self.pool.emails.gather(self.graders)
        return pl.DataFrame(columns)

    def merge_table(self) -> pl.DataFrame:
        """One row per grader, with columns item_1, item_2, …: what an e-mail merge takes."""
        longest = int(self.positions.max(initial=0))
        counts = np.bincount(self.graders, minlength=self.pool.n_graders)
        people = np.flatnonzero(counts)
        columns = {"grader": self.pool.graders.gather(people)}
        if self.pool.emails is not None:
            columns["email"] = self.pool.emails.gather(people)
        row = np.searchsorted(people, self.graders)
        for position in range(1, longest + 1):
            here = self.positions == position
            labels = np.full(len(people), self.pool.n_items)
            labels[row[here]] = self.items[here]
            names = pl.concat([self.pool.items, pl.Series([None], dtype=pl.String)])
            columns[f"item_{position}"] = names.gather(labels)
        return pl.DataFrame(columns)

    def write(self, path: str | PathLike[str]) -> None:
        """Write `table` as CSV."""
        self.table().write_csv(Path(path))


def read_allocation(source: Any) -> pl.DataFrame:
    """Read an allocation, or reviews handed in, as a table of grader and item (and position).

    Raises :class:`DataError` where a column is missing, a cell is empty, or a grader has an item twice.
    """
    try:
        table = open_table(source)
    except FileNotFoundError as error:
        raise DataError("there is no such file", source=str(source)) from error
    columns = find_columns(table, {}, required=("grader", "item"), optional=("position",), words=WORDS)
    cells = load_columns(table, columns)
    rows = cells.frame.select(as_labels(column) for column in cells.frame)
    rows = rows.with_columns(line=pl.Series(cells.lines(np.arange(len(rows))), dtype=pl.Int64))
    problems = [
        Problem(f"the {role} is empty", line=line, column=table.header[columns[role]])
        for role in ("grader", "item")
        for line in rows.filter(pl.col(role).is_null())["line"]
    ]
    again = rows.drop_nulls(["grader", "item"]).filter(~pl.struct("grader", "item").is_first_distinct())
    problems += [
        Problem(f"is given to {grader!r} twice", line=line, column="item", value=item, fix="delete one line")
        for line, grader, item in again.select("line", "grader", "item").iter_rows()
    ]
    if problems:
        raise DataError(problems, source=table.source)
    position = (
        pl.col("position").cast(pl.Int64, strict=False) if "position" in columns else pl.lit(None, pl.Int64)
    )
    return rows.select("grader", "item", position.alias("position"))
