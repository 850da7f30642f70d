"""Figures in tables for people, rounded to what they mean; results.json keeps every digit."""

from __future__ import annotations

import math

import polars as pl
import polars.selectors as cs

DECIMALS = {
    "percentile": 1,
    "quality_mark": 1,
    "mean_score": 2,
    "mean_rank": 2,
    "staff": 2,
    "grade": 2,
}
USUAL = 3
MOST = 9
WIDTH = 3.3  # standard errors in a 90 % interval
GROUPS = {  # columns that are rounded together, and what their error is
    ("score", "se", "score_low", "score_high"): pl.col("se"),
    ("points", "points_low", "points_high"): (pl.col("points_high") - pl.col("points_low")) / WIDTH,
}


def rounded(frame: pl.DataFrame) -> pl.DataFrame:
    """Scores and points to a hundredth of their standard error, the rest to its decimals."""
    decimals = {name: DECIMALS.get(name, USUAL) for name in frame.select(cs.float()).columns}
    for names, error in GROUPS.items():
        if set(names) <= set(decimals):
            decimals |= dict.fromkeys(names, _enough(frame.select(error.median()).item()))
    return frame.with_columns(pl.col(name).round(number) for name, number in decimals.items())


def _enough(error: float | None) -> int:
    """Decimals of which the last is at most a hundredth of an error."""
    if error is None or not math.isfinite(error) or error <= 0:
        return USUAL
    return min(MOST, max(0, 2 - math.floor(math.log10(error))))
