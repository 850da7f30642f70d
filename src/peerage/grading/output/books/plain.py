"""A plain table: one row per student and task, with rank, percentile, points and letter."""

from __future__ import annotations

import polars as pl

from peerage.grading.output.sheet import Sheet

COLUMNS: tuple[str, ...] = ()


def table(sheet: Sheet) -> pl.DataFrame:
    """As the grades are, student by student."""
    return sheet.graded
