"""How tables and records are written, so that the same run writes the same bytes."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from peerage._files import write_atomically
from peerage.grading.output.results_json import table
from peerage.grading.output.rounding import rounded
from peerage.writing.spreadsheet import neutralise

if TYPE_CHECKING:
    from peerage.grading.result import GradingResult

SLICE = 5_000_000  # rows of one Parquet file


def write_table(frame: pl.DataFrame, path: Path) -> None:
    """A table that people will open in a spreadsheet: a workbook where the name ends so, else CSV."""
    write_atomically(path, table_bytes(frame, path.suffix.removeprefix(".")))


def table_bytes(frame: pl.DataFrame, ending: str = "csv") -> bytes:
    """What :func:`write_table` writes."""
    shown = rounded(frame)
    if ending == "xlsx":
        from peerage.grading.output.workbook import workbook_bytes

        return workbook_bytes(shown)
    return neutralise(shown).write_csv().encode()


def write_parquet(result: GradingResult, key: str, path: Path) -> None:
    """A table of the record (`items`, `graders`, `ranks`) with every digit.

    A very long one is a folder of slices under that name, which readers of Parquet take like a file.
    """
    frame = table(result, key)
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
