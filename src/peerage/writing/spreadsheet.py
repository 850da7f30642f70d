"""Tables that people will open in a spreadsheet."""

from __future__ import annotations

import polars as pl

_RUN_AS_FORMULA = r"^[=+\-@\t\r]"


def neutralise(frame: pl.DataFrame) -> pl.DataFrame:
    """The same table with an apostrophe before text that a spreadsheet would run as a formula.

    Labels come from students. A submission called ``=HYPERLINK(…)`` must not become a link in the
    instructor's grade table.
    """
    text = pl.col(pl.String)
    return frame.with_columns(
        pl.when(text.str.contains(_RUN_AS_FORMULA)).then(pl.lit("'") + text).otherwise(text).name.keep()
    )
