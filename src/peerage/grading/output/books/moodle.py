"""Moodle: matches students by ID number or e-mail address.

Where the roster has neither, the student's label is taken for the ID number.
"""

from __future__ import annotations

import polars as pl

from peerage.grading.output.sheet import Sheet

COLUMNS = ("First name", "Last name", "ID number", "Institution", "Department", "Email address")


def table(sheet: Sheet) -> pl.DataFrame:
    """One row per student."""
    columns = sheet.own(COLUMNS)
    if not sheet.has("ID number", "Email address"):
        columns["ID number"] = pl.col("student")
    named = (expression.alias(name) for name, expression in columns.items())
    return sheet.wide.select(*named, *sheet.grades)
