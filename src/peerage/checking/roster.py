"""Who made what: the roster of a class."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from peerage.errors import DataError, Problem

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
    """The roster in a CSV file or a table: `student`, and `item` or `group` or both."""
    name = None if isinstance(source, pl.DataFrame) else str(source)
    table = source if isinstance(source, pl.DataFrame) else _read_csv(Path(source))
    columns = _columns(table, name)
    rows = table.select(
        pl.col(given).cast(pl.String).str.strip_chars().replace("", None).alias(role)
        for role, given in columns.items()
    ).with_row_index("row")
    unnamed = rows.filter(pl.col("student").is_null())["row"].to_list()
    if unnamed:
        fix = "name the student or delete the row"
        raise DataError(
            [
                Problem("the student is empty", line=row + 2, column=columns["student"], fix=fix)
                for row in unnamed
            ],
            source=name,
        )
    return Roster.from_rows(rows.drop("row"))


def _read_csv(path: Path) -> pl.DataFrame:
    if path.stat().st_size == 0:
        raise DataError("the roster is empty", source=str(path))
    try:
        return pl.read_csv(path, infer_schema=False, encoding="utf8-lossy")
    except pl.exceptions.PolarsError as error:
        reason = str(error).splitlines()[0]
        raise DataError(f"the roster is not a CSV table: {reason}", source=str(path)) from error


def _columns(table: pl.DataFrame, source: str | None) -> dict[str, str]:
    """Which column plays which role; the first synonym wins."""
    given = {column.strip().strip("\ufeff").lower(): column for column in reversed(table.columns)}
    found = {
        role: next(given[name] for name in names if name in given)
        for role, names in NAMES.items()
        if any(name in given for name in names)
    }
    if "student" not in found:
        have = ", ".join(repr(column) for column in table.columns) or "none"
        raise DataError(
            f"a roster needs a column 'student', and 'item' or 'group' or both; it has {have}", source=source
        )
    return found
