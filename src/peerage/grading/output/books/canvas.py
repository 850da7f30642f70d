"""Canvas: matches students by ID, SIS User ID or SIS Login ID, and wants a row of points possible.

Where the roster has none of the three, the student's label is taken for the SIS Login ID.
"""

from __future__ import annotations

import polars as pl

from peerage.grading.output.sheet import Sheet

COLUMNS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
POSSIBLE = "    Points Possible"  # four blanks: how Canvas writes it and knows it again


def table(sheet: Sheet) -> pl.DataFrame:
    """A row of points possible, and one per student."""
    columns = sheet.own(COLUMNS)
    if not sheet.has("ID", "SIS User ID", "SIS Login ID"):
        columns["SIS Login ID"] = pl.col("student")
    if not sheet.has("Student"):
        columns["Student"] = pl.col("student")
    number = f" ({sheet.assignment})" if sheet.assignment and len(sheet.grades) == 1 else ""
    body = sheet.wide.select(
        *(expression.alias(name) for name, expression in columns.items()),
        *(pl.col(name).cast(pl.String).alias(name + number) for name in sheet.grades),
    )
    top = {name: POSSIBLE if name == "Student" else None for name in columns}
    top |= {name + number: f"{sheet.most[name]:g}" for name in sheet.grades}
    return pl.concat([pl.DataFrame([top], schema=body.schema), body])
