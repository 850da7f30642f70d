"""Rosters and owner columns come in the same kinds of files as feedback: opened the same way."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from peerage.errors import DataError
from peerage.reading.columns import find_columns
from peerage.reading.excel import is_workbook, read_excel
from peerage.reading.frames import read_parquet
from peerage.reading.table import Table, load_cells
from peerage.reading.text import read_text

HEAD = 65_536  # bytes that surely hold the header
ABOUT_OWNERS = {"owner": ("owner", "author"), "group": ("group", "team")}


def open_table(data: bytes, source: str | None, **options: Any) -> Table:
    """The table in a workbook, a Parquet file or delimited text."""
    if is_workbook(data):
        return read_excel(data, source=source, sheet=options.get("sheet"))
    if data.startswith(b"PAR1"):
        return read_parquet(data, source=source)
    given = {name: options.get(name) for name in ("encoding", "delimiter")}
    return read_text(data, source=source, **given)


def owner_columns(
    source: str | Path | bytes, columns: Mapping[str, str], **options: Any
) -> pl.DataFrame | None:
    """Grader, item, and owner and group of the reviews in a file that the reader has accepted.

    None where it has no column `owner` (or `author`) or `group` (or `team`), or is no table of reviews; of
    a large text file no more than the header is looked at to know.
    """
    try:
        if not _about_owners(open_table(_opening(source), None, **options)):
            return None
        table = open_table(_all(source), None, **options)
        roles = {role: columns[role] for role in ("grader", "item") if role in columns}
        found = find_columns(table, roles, required=("grader", "item"))
    except DataError:
        return None
    cells = load_cells(table, {**found, **_about_owners(table)}).frame
    return cells.select(clean(name) for name in cells.columns)


def _all(source: str | Path | bytes) -> bytes:
    return source if isinstance(source, bytes) else Path(source).read_bytes()


def _opening(source: str | Path | bytes) -> bytes:
    """The first whole lines of a long text; everything of other files."""
    if isinstance(source, bytes):
        data = source[:HEAD]
    else:
        with Path(source).open("rb") as file:
            data = file.read(HEAD)
    if len(data) < HEAD or is_workbook(data) or data.startswith(b"PAR1"):
        return _all(source)
    return data[: data.rfind(b"\n") + 1] or _all(source)


def _about_owners(table: Table) -> dict[str, int]:
    header = [name.strip().lower() for name in table.header]
    return {
        role: next(header.index(name) for name in names if name in header)
        for role, names in ABOUT_OWNERS.items()
        if any(name in header for name in names)
    }


def clean(name: str) -> pl.Expr:
    """Labels without blanks around them; null where empty."""
    label = pl.col(name).cast(pl.String).str.strip_chars()
    return pl.when(label != "").then(label).alias(name)
