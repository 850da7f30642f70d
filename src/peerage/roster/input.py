"""What a class is made from: feedback, and who made what.

The latter comes from a roster of its own, from columns beside the reviews, or from a packed folder.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from peerage.errors import DataError
from peerage.feedback.container import Feedback
from peerage.reading.columns import find_columns
from peerage.reading.content import Content, FileSet, content_of, file_set_of
from peerage.reading.packed import packed_at
from peerage.reading.reader import open_table, read
from peerage.reading.reading import Reading
from peerage.reading.table import InputTable, as_labels, is_frame, load_columns
from peerage.roster.container import GROUPS, ITEM_GROUPS, MAKERS, ROWS, Roster
from peerage.roster.reader import RosterSource, read_roster

if TYPE_CHECKING:
    from peerage.reading.packed import Packed

KEY = ["task", "item"]
OWNERSHIP = ["task", "grader", "item", "owner", "group"]
ABOUT_OWNERS = {"owner": ("owner", "author"), "group": ("group", "team")}
HEAD = 65_536  # bytes that surely hold the header
TABLES = ("makers", "groups", "item_groups")  # of a packed folder


@dataclass(frozen=True, slots=True)
class Input:
    """The feedback, who made what, and what identifies the file it came from."""

    feedback: Feedback
    roster: Roster | None = None
    source: Mapping[str, Any] = field(default_factory=dict)


def read_input(source: Any, roster: RosterSource | None = None, reading: Reading | None = None) -> Input:
    """Feedback as it is; a file or a table is read, once, so that what is parsed is what it is known by.

    Who made what comes from a roster of its own, or from columns `owner` and `group` of the feedback.
    """
    options = reading or Reading()
    people = None if roster is None else read_roster(roster)
    if isinstance(source, Feedback):
        return Input(source, people)
    packed = packed_at(source)
    if packed is not None:
        return Input(read(packed, reading=options), people or packed_roster(packed), packed.manifest.source)
    parts = file_set_of(source)
    content = source if is_frame(source) else parts or content_of(source)
    feedback = read(content, reading=options)
    if people is None:
        people = roster_of_reviews(content, feedback.reading or options)
    if is_frame(source):
        return Input(feedback, people)
    name = "standard input" if source == "-" else Path(content.name or "").name
    return Input(feedback, people, {**({"file": name} if name else {}), "sha256": content.sha256})


# -- who made what, in columns beside the reviews ---------------------------------------------------------


def roster_of_reviews(source: Any, reading: Reading) -> Roster | None:
    """The roster in a file of feedback that the reader has accepted, or None.

    ``owner`` (or ``author``) names the student or group that made the item, ``group`` (or ``team``) the group
    of the grader. None where there are no such columns, or where it is no table of reviews; of a large text
    no more than the header is looked at to know. ``reading`` is how it was read.
    """
    sources = source.paths if isinstance(source, FileSet) else (source,)
    first = _read_ownership(sources[0], reading)
    if first is None:  # parts have the same columns
        return None
    rest = [_read_ownership(part, reading) for part in sources[1:]]
    tables = [first, *(part for part in rest if part is not None)]
    owners, groups, labelled = (
        pl.concat(parts).unique(maintain_order=True) for parts in zip(*tables, strict=True)
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


def _read_ownership(source: Any, reading: Reading) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame] | None:
    """Owners of items, groups of graders, and items under their own name; each once, of a file or a part."""
    whole = source if is_frame(source) else content_of(source)
    reviews = _owner_columns(whole, reading)
    if reviews is None:
        return None
    owners = reviews.select(*KEY, "owner").drop_nulls("owner").unique(maintain_order=True)
    groups = reviews.select("task", "group", student="grader").drop_nulls("group").select(*GROUPS)
    labelled = reviews.select(*KEY, owner="item").unique(maintain_order=True)
    return owners, groups.unique(maintain_order=True), labelled


def _owner_columns(whole: Any, reading: Reading) -> pl.DataFrame | None:
    """Task, grader, item, owner and group of the reviews; what the file does not say is null."""
    options = asdict(reading.opening)
    try:
        opening = Content(_opening(whole.data)) if isinstance(whole, Content) else whole
        if not _about_owners(open_table(opening, **options), ()):
            return None
        table = open_table(whole, **options)
        named = {
            role: reading.columns[role] for role in ("grader", "item", "task") if role in reading.columns
        }
        places = find_columns(table, named, required=("grader", "item"), optional=("task",))
        about = _about_owners(table, places.values())
    except DataError:
        return None
    cells = load_columns(table, {**places, **about}).frame
    cells = cells.select(as_labels(column) for column in cells)
    missing = [pl.lit(None, dtype=pl.String).alias(name) for name in OWNERSHIP if name not in cells.columns]
    return cells.with_columns(missing).select(OWNERSHIP)


def _opening(data: bytes) -> bytes:
    """The first whole lines of a long text; other files cannot be opened without their end."""
    is_text = b"\0" not in data[:HEAD]
    return data[: data.rfind(b"\n", 0, HEAD) + 1] or data if is_text and len(data) > HEAD else data


def _about_owners(table: InputTable, taken: Collection[int]) -> dict[str, int]:
    """The columns of owners and groups, unless they play another role."""
    header = ["" if which in taken else name.strip().lower() for which, name in enumerate(table.header)]
    return {
        role: next(header.index(name) for name in names if name in header)
        for role, names in ABOUT_OWNERS.items()
        if any(name in header for name in names)
    }


# -- who made what, in a packed folder --------------------------------------------------------------------


def tables_to_pack(roster: Roster) -> dict[str, pl.DataFrame]:
    """What a packed folder keeps of a roster that came from columns of the reviews."""
    return {name: getattr(roster, name) for name in TABLES}


def packed_roster(packed: Packed) -> Roster | None:
    """The roster that was packed; None where the files did not tell who made what."""
    if TABLES[0] not in packed.manifest.tables:
        return None
    return Roster(
        rows=pl.DataFrame(schema=ROWS),
        cells=pl.DataFrame(),
        makers=packed.table("makers"),
        groups=packed.table("groups"),
        item_groups=packed.table("item_groups"),
        complete=False,
        source=packed.manifest.source.get("file"),
    )
