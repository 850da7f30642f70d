"""An allocation: who reviews what, in which order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage.allocation.measures import Quality, quality
from peerage.errors import DataError, Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.allocation.roster import Roster

COLUMNS = ("grader", "item", "position")


@dataclass(frozen=True, eq=False, repr=False)
class Allocation:
    """Reviews to be given, as numbers of a roster, sorted by grader and position.

    Attributes
    ----------
    roster : the roster it was made for.
    graders, items, positions : int64[n_reviews]
    design, seed : how it was made; the same roster, design and seed give the same allocation.
    anchors : items that staff grade, in the design "calibrated".
    options : the other arguments of :func:`allocate`, for making it again another way.
    notes : what the instructor should know, one sentence each.
    """

    roster: Roster
    graders: NDArray[np.int64]
    items: NDArray[np.int64]
    positions: NDArray[np.int64]
    design: str = "given"
    seed: int | None = None
    anchors: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Allocation: {len(self.items)} reviews of {self.roster.n_items} items, design {self.design}>"

    @cached_property
    def quality(self) -> Quality:
        """Loads, connectivity, co-occurrence and spectral gap."""
        return quality(self.graders, self.items, self.roster.n_items)

    def table(self) -> pl.DataFrame:
        """One row per review: grader, item, position, and the e-mail address where the roster has it."""
        columns = {
            "grader": self.roster.graders.gather(self.graders),
            "item": self.roster.items.gather(self.items),
            "position": pl.Series(self.positions, dtype=pl.Int64),
        }
        if self.roster.emails is not None:
            columns["email"] = self.roster.emails.gather(self.graders)
        return pl.DataFrame(columns)

    def merge_table(self) -> pl.DataFrame:
        """One row per grader, with columns item_1, item_2, …: what an e-mail merge takes."""
        longest = int(self.positions.max(initial=0))
        counts = np.bincount(self.graders, minlength=self.roster.n_graders)
        people = np.flatnonzero(counts)
        columns = {"grader": self.roster.graders.gather(people)}
        if self.roster.emails is not None:
            columns["email"] = self.roster.emails.gather(people)
        row = np.searchsorted(people, self.graders)
        for position in range(1, longest + 1):
            here = self.positions == position
            labels = np.full(len(people), self.roster.n_items)
            labels[row[here]] = self.items[here]
            names = pl.concat([self.roster.items, pl.Series([None], dtype=pl.String)])
            columns[f"item_{position}"] = names.gather(labels)
        return pl.DataFrame(columns)

    def write(self, path: str | PathLike[str]) -> None:
        """Write `table` as CSV."""
        self.table().write_csv(Path(path))


def read_allocation(
    source: str | PathLike[str] | pl.DataFrame | Mapping[str, Sequence[Any]],
) -> pl.DataFrame:
    """Read an allocation, or reviews handed in, as a table of grader and item (and position).

    Raises :class:`DataError` where a column is missing, a cell is empty, or a grader has an item twice.
    """
    table, name = _table(source)
    missing = [column for column in COLUMNS[:2] if column not in table.columns]
    if missing:
        fix = f"columns found: {', '.join(table.columns)}"
        raise DataError(Problem(f"an allocation needs a column {missing[0]!r}", fix=fix), source=name)
    present = [column for column in COLUMNS if column in table.columns]
    table = table.select(pl.col(present).cast(pl.String).str.strip_chars())
    lines = table.with_row_index("line", offset=2 if name else 1)
    problems = [
        Problem(f"the {column} is empty", line=line, column=column)
        for column in COLUMNS[:2]
        for line in lines.filter(pl.col(column).fill_null("") == "")["line"]
    ]
    again = lines.filter(~pl.struct("grader", "item").is_first_distinct())
    problems += [
        Problem(f"is given to {grader!r} twice", line=line, column="item", value=item, fix="delete one line")
        for line, grader, item in again.select("line", "grader", "item").iter_rows()
    ]
    if problems:
        raise DataError(problems, source=name)
    position = (
        pl.col("position").cast(pl.Int64, strict=False) if "position" in present else pl.lit(None, pl.Int64)
    )
    return table.with_columns(position=position)


def _table(source: Any) -> tuple[pl.DataFrame, str | None]:
    if isinstance(source, pl.DataFrame):
        return source, None
    if isinstance(source, Mapping):
        return pl.DataFrame(dict(source), strict=False), None
    path = Path(source)
    try:
        return pl.read_csv(path, infer_schema=False), str(path)
    except FileNotFoundError as error:
        raise DataError("there is no such file", source=str(path)) from error
    except (pl.exceptions.NoDataError, pl.exceptions.ComputeError) as error:
        raise DataError("it cannot be read as a CSV of grader, item, position", source=str(path)) from error
