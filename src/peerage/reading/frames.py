"""Tables that have columns already: Polars, pandas, Arrow, a dict of columns, and Parquet files."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from peerage.errors import DataError
from peerage.reading.rules import OpenOptions
from peerage.reading.table import InputTable, TablePreview, translate_errors


def is_frame(value: object) -> bool:
    """Whether this is a table rather than the name of a file."""
    return isinstance(value, pl.DataFrame | pl.LazyFrame | Mapping) or hasattr(value, "__arrow_c_stream__")


def read_frame(value: Any) -> InputTable:
    """A table from anything that speaks Arrow's C stream interface, or a dict of columns."""
    with translate_errors(None, "the table cannot be used"):
        frame = value.collect() if isinstance(value, pl.LazyFrame) else _to_frame(value)
    return frame_to_table(frame, None)


def _to_frame(value: Any) -> pl.DataFrame:
    # columns written by hand mix numbers and text: `"reviews": [2, None, "5"]`
    return pl.DataFrame(dict(value), strict=False) if isinstance(value, Mapping) else pl.DataFrame(value)


def frame_to_table(frame: pl.DataFrame, source: str | None) -> InputTable:
    """A frame as a table; lines are rows from 1."""
    if frame.width == 0:
        raise DataError("the table has no columns", source=source)

    names = frame.columns  # asked once: every time it is a new list

    def load(columns: Sequence[int]) -> pl.DataFrame:
        return frame.select(names[which] for which in columns)

    return InputTable(tuple(names), load, lambda rows: rows + 1, source, (), None)


# -- Parquet files --------------------------------------------------------------------------------------


def suits(data: bytes) -> bool:
    """Whether these are the first bytes of a Parquet file."""
    return data.startswith(b"PAR1")


def open_table(data: bytes, how: OpenOptions, source: str | None) -> InputTable:
    """The table in it."""
    with translate_errors(source, "the Parquet file is damaged or not one"):
        frame = pl.read_parquet(io.BytesIO(data))
    return frame_to_table(frame, source)


def preview(data: bytes, how: OpenOptions, source: str | None, rows: int) -> TablePreview:
    """Nothing can be shown before it is opened."""
    return TablePreview()
