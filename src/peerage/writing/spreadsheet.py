"""Tables that people will open in a spreadsheet."""

from __future__ import annotations

import re

import polars as pl

# some programs take the full-width signs of East Asian keyboards (the last four) for the plain ones
_RUN_AS_FORMULA = r"^[=+\-@\t\r\n\x{FF1D}\x{FF0B}\x{FF0D}\x{FF20}]"
_SIGNS = re.compile("[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")


def neutralise(frame: pl.DataFrame) -> pl.DataFrame:
    """The same table with an apostrophe before text that a spreadsheet would run as a formula.

    Labels come from students. A submission called ``=HYPERLINK(…)`` must not become a link in the
    instructor's grade table. Headers too: one may be a title that somebody chose.
    """
    text = pl.col(pl.String)
    headers = {name: neutralise_text(name) for name in frame.columns}
    return frame.rename(headers).with_columns(
        pl.when(text.str.contains(_RUN_AS_FORMULA)).then(pl.lit("'") + text).otherwise(text).name.keep()
    )


def neutralise_text(text: str) -> str:
    """The same for a single cell."""
    return f"'{text}" if _SIGNS.match(text) else text
