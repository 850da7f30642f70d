"""Tables made from tables: some of the columns, some of the rows, other names; lines stay as in the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.reading.table import Table


def only_columns(table: Table, columns: Sequence[int], names: Sequence[str] | None = None) -> Table:
    """These columns in this order, perhaps under other names."""
    kept = list(columns)

    def load(wanted: Sequence[int]) -> pl.DataFrame:
        return table.load([kept[which] for which in wanted])

    header = tuple(names) if names is not None else tuple(table.header[which] for which in kept)
    return replace(table, header=header, load=load)


def only_rows(table: Table, rows: NDArray[np.int64]) -> Table:
    """These rows in this order."""

    def load(wanted: Sequence[int]) -> pl.DataFrame:
        return table.load(wanted)[rows]

    return replace(table, load=load, lines=lambda which: table.lines(rows[which]))


def noted(table: Table, *notes: str) -> Table:
    """With something to be known about it."""
    return replace(table, notes=(*table.notes, *notes))


def cells_of(table: Table, column: int) -> pl.Series:
    """One column as text without blanks around it, null where there is nothing."""
    text = table.load([column]).to_series().cast(pl.String).str.strip_chars()
    return text.set((text == "").fill_null(False), None)


def of_frame(table: Table, frame: pl.DataFrame, rows: NDArray[np.int64]) -> Table:
    """A table made from the cells of another one; ``rows`` says which row each came from."""

    def load(columns: Sequence[int]) -> pl.DataFrame:
        return frame.select(frame.columns[which] for which in columns)

    return replace(
        table,
        header=tuple(frame.columns),
        load=load,
        lines=lambda which: table.lines(rows[which]),
    )
