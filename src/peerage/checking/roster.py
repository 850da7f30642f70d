"""Who made what: the roster of a class."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from peerage.checking.tables import clean, open_table
from peerage.errors import DataError, Problem
from peerage.reading.frames import read_frame
from peerage.reading.table import Table, load_cells

NAMES = {
    "student": ("student", "grader", "reviewer", "user", "name", "author", "owner"),
    "item": ("item", "submission", "paper", "essay"),
    "group": ("group", "team"),
    "task": ("task", "assignment"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Roster:
    """Who made what and who belongs together.

    Attributes
    ----------
    makers : item, student (and task, where items of different tasks share labels).
    groups : student, group.
    item_groups : item, group: the groups whose work the item is (and task).
    complete : whether everybody of the class is on it, so that who is missing is worth a word.
    """

    makers: pl.DataFrame
    groups: pl.DataFrame
    item_groups: pl.DataFrame
    complete: bool = True

    @property
    def students(self) -> pl.Series:
        """Everybody named, sorted."""
        return pl.concat([self.makers["student"], self.groups["student"]]).unique().sort()

    @classmethod
    def from_rows(cls, rows: pl.DataFrame) -> Roster:
        """From one row per student (and item), with columns `student`, `item` and `group`.

        Without `item`, the item is the group's, under the group's label; without a group, the student's.
        """
        label = [pl.col(name) for name in ("item", "group") if name in rows.columns]
        rows = rows.with_columns(item=pl.coalesce(*label, "student"))
        key = ["task", "item"] if "task" in rows.columns else ["item"]
        if "group" not in rows.columns:
            rows = rows.with_columns(group=pl.lit(None, dtype=pl.String))
        grouped = rows.filter(pl.col("group").is_not_null())
        return cls(
            makers=rows.select(*key, "student").unique(maintain_order=True),
            groups=grouped.select("student", "group").unique(maintain_order=True),
            item_groups=grouped.select(*key, "group").unique(maintain_order=True),
        )

    @classmethod
    def from_reviews(cls, reviews: pl.DataFrame) -> Roster | None:
        """From reviews with a column `owner` (who made the item) or `group` (the grader's), or None.

        An owner is a student or a group; an item labelled like a group is that group's.
        """
        if not {"owner", "group"} & set(reviews.columns):
            return None
        empty = pl.DataFrame(
            schema={"item": pl.String, "owner": pl.String, "student": pl.String, "group": pl.String}
        )
        owners, groups = empty.select("item", "owner"), empty.select("student", "group")
        if "owner" in reviews.columns:
            owners = reviews.select("item", "owner").drop_nulls().unique(maintain_order=True)
        if "group" in reviews.columns:
            groups = reviews.select("group", student="grader").drop_nulls().unique(maintain_order=True)
            groups = groups.select("student", "group")
        named = groups["group"].unique()
        labelled = reviews.select("item", owner="item").unique(maintain_order=True)
        theirs = pl.concat([owners, labelled]).filter(pl.col("owner").is_in(named.implode()))
        makers = owners.select("item", student="owner")
        mates = makers.join(groups, on="student").select("item", "group")
        of_groups = pl.concat([theirs.select("item", group="owner"), mates]).unique(maintain_order=True)
        return cls(makers=makers, groups=groups, item_groups=of_groups, complete=False)


def read_roster(source: str | Path | pl.DataFrame) -> Roster:
    """The roster in a file (CSV, Excel, Parquet) or a table: `student`, and `item` or `group` or both."""
    table = _table(source)
    columns = _columns(table)
    cells = load_cells(table, columns)
    rows = cells.frame.select(clean(role) for role in columns)
    unnamed = rows["student"].is_null().arg_true().to_numpy().astype(np.int64)
    if len(unnamed):
        header, fix = table.header[columns["student"]], "name the student or delete the row"
        raise DataError(
            [
                Problem("the student is empty", line=int(n), column=header, fix=fix)
                for n in cells.lines(unnamed)
            ],
            source=table.source,
        )
    if rows.is_empty():
        raise DataError("the roster has a header but no rows", source=table.source)
    return Roster.from_rows(rows)


def _table(source: str | Path | pl.DataFrame) -> Table:
    if isinstance(source, pl.DataFrame):
        return read_frame(source)
    data = Path(source).read_bytes()
    if not data:
        raise DataError("the roster is empty", source=str(source))
    return open_table(data, str(source))


def _columns(table: Table) -> dict[str, int]:
    """Which column plays which role; the first name on the list wins."""
    header = [name.strip().lower() for name in table.header]
    found = {
        role: next(header.index(name) for name in names if name in header)
        for role, names in NAMES.items()
        if any(name in header for name in names)
    }
    if "student" not in found:
        have = ", ".join(repr(name) for name in table.header)
        rule = f"a roster needs a column 'student', and 'item' or 'group' or both; it has {have}"
        raise DataError(rule, source=table.source)
    return found
