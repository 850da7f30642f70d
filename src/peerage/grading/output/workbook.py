"""Tables as Excel workbooks."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import polars as pl

WIDEST = 40  # characters of a column
MADE = datetime(
    2000, 1, 1, tzinfo=UTC
)  # no file says when it was made, so that the same run gives the same bytes


def workbook_bytes(frame: pl.DataFrame, sheet: str = "Grades") -> bytes:
    """One sheet, its header bold and always in sight; text is text, and never a formula."""
    from xlsxwriter import Workbook

    stream = io.BytesIO()
    plain = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with Workbook(stream, {"in_memory": True, **plain}) as book:
        book.set_properties({"created": MADE})
        page, bold = book.add_worksheet(sheet), book.add_format({"bold": True})
        page.freeze_panes(1, 0)
        for place, column in enumerate(frame.iter_columns()):
            page.write_string(0, place, column.name, bold)
            width = column.cast(pl.String).str.len_chars().max() or 0
            page.set_column(place, place, min(WIDEST, max(len(column.name), int(str(width))) + 2))
            write = page.write_number if column.dtype.is_numeric() else page.write_string
            for row, value in enumerate(column, start=1):
                if value is not None:
                    write(row, place, value if column.dtype.is_numeric() else str(value))
    return stream.getvalue()
