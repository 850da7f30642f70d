"""Tables with a list per row, shared by the layouts that have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.reading.table import Cells


def per_row(
    cells: Cells, rows: NDArray[np.int64], roles: Sequence[str]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What belongs to a whole row, repeated for each of its reviews, and a note where it names no grader."""
    count = len(cells.frame)
    number = pl.Series(np.arange(1, count + 1)).cast(pl.String).str.zfill(len(str(count)))
    columns: dict[str, Any] = {
        name: cells.frame[name].gather(rows) for name in roles if name in cells.frame.columns
    }
    columns["list"] = number.gather(rows)
    if "grader" in columns:
        return columns, ()
    columns["grader"] = columns["list"]
    return columns, (f"no grader column: each of the {count} rows counts as a grader of its own",)
