"""Parquet files."""

from __future__ import annotations

import io

import polars as pl

from peerage.reading.frames import as_table
from peerage.reading.guard import guarded
from peerage.reading.table import Opening, Preview, Table


def suits(data: bytes) -> bool:
    """Whether these are the first bytes of a Parquet file."""
    return data.startswith(b"PAR1")


def open_table(data: bytes, how: Opening, source: str | None) -> Table:
    """The table in it."""
    with guarded(source, "the Parquet file is damaged or not one"):
        frame = pl.read_parquet(io.BytesIO(data))
    return as_table(frame, source)


def preview(data: bytes, how: Opening, source: str | None, rows: int) -> Preview:
    """Nothing before it is opened."""
    return Preview()
