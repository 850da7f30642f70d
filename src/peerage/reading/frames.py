"""Tables already in memory: Polars, pandas, Arrow, a dict of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from peerage.errors import DataError
from peerage.reading.guard import guarded
from peerage.reading.table import Table


def is_frame(value: object) -> bool:
    """Whether this is a table rather than the name of a file."""
    return isinstance(value, pl.DataFrame | pl.LazyFrame | Mapping) or hasattr(value, "__arrow_c_stream__")


def read_frame(value: Any) -> Table:
    """A table from anything that speaks Arrow's C stream interface, or a dict of columns."""
    with guarded(None, "the table cannot be used"):
        frame = value.collect() if isinstance(value, pl.LazyFrame) else _frame(value)
    return as_table(frame, None)


def _frame(value: Any) -> pl.DataFrame:
    # columns written by hand mix numbers and text: `"reviews": [2, None, "5"]`
    return pl.DataFrame(dict(value), strict=False) if isinstance(value, Mapping) else pl.DataFrame(value)


def as_table(frame: pl.DataFrame, source: str | None) -> Table:
    """A frame as a table; lines are rows from 1."""
    if frame.width == 0:
        raise DataError("the table has no columns", source=source)

    names = frame.columns  # asked once: every time it is a new list

    def load(columns: Sequence[int]) -> pl.DataFrame:
        return frame.select(names[which] for which in columns)

    return Table(tuple(names), load, lambda rows: rows + 1, source, (), None)
