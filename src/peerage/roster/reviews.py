"""Who made what, where the feedback says so itself: in columns beside the reviews."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from peerage.errors import DataError
from peerage.reading.columns import find_columns
from peerage.reading.content import Content, FileSet, content_of
from peerage.reading.frames import is_frame
from peerage.reading.table import Table, labels, load_cells
from peerage.reading.tables import open_table
from peerage.roster.columns import ROWS
from peerage.roster.container import GROUPS, ITEM_GROUPS, MAKERS, Roster

KEY = ["task", "item"]
HEAD = 65_536  # bytes that surely hold the header
ABOUT_OWNERS = {"owner": ("owner", "author"), "group": ("group", "team")}


def roster_of_reviews(source: Any, columns: Mapping[str, str], **options: Any) -> Roster | None:
    """The roster in a file of feedback that the reader has accepted, or None.

    ``owner`` (or ``author``) names the student or group that made the item, ``group`` (or ``team``) the group
    of the grader. None where there are no such columns, or where it is no table of reviews; of a large text
    no more than the header is looked at to know. ``columns`` and ``options`` are those it was read with.
    """
    sources = source.paths if isinstance(source, FileSet) else (source,)
    first = _said(sources[0], columns, options)
    if first is None:  # parts have the same columns
        return None
    rest = [_said(one, columns, options) for one in sources[1:]]
    known = [first, *(one for one in rest if one is not None)]
    owners, groups, labelled = (
        pl.concat([one[which] for one in known]).unique(maintain_order=True) for which in range(3)
    )
    makers = owners.select(*KEY, student="owner")
    # an owner may be a group, and an item labelled like a group is that group's
    theirs = pl.concat([owners, labelled]).filter(pl.col("owner").is_in(groups["group"].unique().implode()))
    mates = makers.join(groups, on=["task", "student"], nulls_equal=True).select(*ITEM_GROUPS)
    of_groups = pl.concat([theirs.select(*KEY, group="owner"), mates]).unique(maintain_order=True)
    return Roster(
        rows=pl.DataFrame(schema=ROWS),
        cells=pl.DataFrame(),
        makers=makers.select(*MAKERS),
        groups=groups,
        item_groups=of_groups,
        complete=False,
        source=source.name if isinstance(source, Content | FileSet) else None,
    )


def _said(
    source: Any, columns: Mapping[str, str], options: Mapping[str, Any]
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame] | None:
    """Owners of items, groups of graders, and items under their own name; each once, of a file or a part."""
    whole = source if is_frame(source) else content_of(source)
    reviews = _owner_columns(whole, columns, options)
    if reviews is None:
        return None
    owners = reviews.select(*KEY, "owner").drop_nulls("owner").unique(maintain_order=True)
    groups = reviews.select("task", "group", student="grader").drop_nulls("group").select(*GROUPS)
    labelled = reviews.select(*KEY, owner="item").unique(maintain_order=True)
    return owners, groups.unique(maintain_order=True), labelled


def _owner_columns(whole: Any, columns: Mapping[str, str], options: Mapping[str, Any]) -> pl.DataFrame | None:
    """Task, grader, item, owner and group of the reviews; what the file does not say is null."""
    try:
        opening = Content(_opening(whole.data)) if isinstance(whole, Content) else whole
        if not _about_owners(open_table(opening, **options)):
            return None
        table = open_table(whole, **options)
        given = {role: columns[role] for role in ("grader", "item", "task") if role in columns}
        found = find_columns(table, given, required=("grader", "item"), optional=("task",))
        about = _about_owners(table)
    except DataError:
        return None
    cells = load_cells(table, {**found, **about}).frame
    cells = cells.select(labels(column) for column in cells)
    known = {
        "task": pl.String,
        "grader": pl.String,
        "item": pl.String,
        "owner": pl.String,
        "group": pl.String,
    }
    missing = [
        pl.lit(None, dtype=kind).alias(name) for name, kind in known.items() if name not in cells.columns
    ]
    return cells.with_columns(missing).select(list(known))


def _opening(data: bytes) -> bytes:
    """The first whole lines of a long text; other files cannot be opened without their end."""
    is_text = b"\0" not in data[:HEAD]
    return data[: data.rfind(b"\n", 0, HEAD) + 1] or data if is_text and len(data) > HEAD else data


def _about_owners(table: Table) -> dict[str, int]:
    header = [name.strip().lower() for name in table.header]
    return {
        role: next(header.index(name) for name in names if name in header)
        for role, names in ABOUT_OWNERS.items()
        if any(name in header for name in names)
    }
