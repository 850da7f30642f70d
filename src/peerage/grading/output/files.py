"""How tables and records are written, so that the same run writes the same bytes.

Figures in tables for people are rounded to what they mean; results.json and Parquet keep every digit.
"""

from __future__ import annotations

import io
import json
import math
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import polars.selectors as cs

from peerage._files import write_atomically
from peerage.grading.output.results_json import result_table
from peerage.writing.spreadsheet import neutralise

if TYPE_CHECKING:
    from peerage.grading.result import GradingResult

SLICE = 5_000_000  # rows of one Parquet file


def write_table(frame: pl.DataFrame, path: Path) -> None:
    """A table that people will open in a spreadsheet: a workbook where the name ends so, else CSV."""
    write_atomically(path, table_bytes(frame, path.suffix.removeprefix(".")))


def table_bytes(frame: pl.DataFrame, ending: str = "csv") -> bytes:
    """What :func:`write_table` writes."""
    shown = round_columns(frame)
    return _workbook(shown) if ending == "xlsx" else neutralise(shown).write_csv().encode()


def write_parquet(result: GradingResult, key: str, path: Path) -> None:
    """A table of the record (`items`, `graders`, `ranks`) with every digit.

    A very long one is a folder of slices under that name, which readers of Parquet take like a file.
    """
    frame = result_table(result, key)
    if len(frame) <= SLICE:
        _write_slice(frame, path)
        return
    path.mkdir()
    for number, rows in enumerate(frame.iter_slices(SLICE)):
        _write_slice(rows, path / f"part-{number:05d}.parquet")


def _write_slice(rows: pl.DataFrame, path: Path) -> None:
    buffer = io.BytesIO()
    rows.write_parquet(buffer, statistics=False)
    write_atomically(path, buffer.getvalue())


def write_json(value: Any, path: Path) -> None:
    """One JSON document, with every digit."""
    text = json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False)
    write_atomically(path, f"{text}\n".encode())


# -- rounding -----------------------------------------------------------------------------------------

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


def round_columns(frame: pl.DataFrame) -> pl.DataFrame:
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


# -- Excel --------------------------------------------------------------------------------------------

WIDEST = 40  # characters of a column
CREATED = datetime(2000, 1, 1, tzinfo=UTC)  # of every workbook, so that the same run gives the same bytes


def _workbook(frame: pl.DataFrame) -> bytes:
    """One sheet, its header bold and always in sight; text is text, and never a formula."""
    from xlsxwriter import Workbook

    stream = io.BytesIO()
    plain = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with Workbook(stream, {"in_memory": True, **plain}) as book:
        book.set_properties({"created": CREATED})
        page, bold = book.add_worksheet("Grades"), book.add_format({"bold": True})
        page.freeze_panes(1, 0)
        for number, column in enumerate(frame.iter_columns()):
            page.write_string(0, number, column.name, bold)
            width = column.cast(pl.String).str.len_chars().max() or 0
            page.set_column(number, number, min(WIDEST, max(len(column.name), int(str(width))) + 2))
            write = page.write_number if column.dtype.is_numeric() else page.write_string
            for row, value in enumerate(column, start=1):
                if value is not None:
                    write(row, number, value if column.dtype.is_numeric() else str(value))
    return stream.getvalue()
