"""How tables and records are written, so that the same run writes the same bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import polars.selectors as cs

from peerage.writing import neutralise

EXACT = ("score", "reliability", "percentile", "agreement")  # the engine's own figures, to the last digit
DECIMALS = 6


def write_table(frame: pl.DataFrame, path: Path) -> None:
    """A table that people will open in a spreadsheet."""
    rounded = cs.float() - cs.by_name(*EXACT, require_all=False)
    path.write_bytes(neutralise(frame.with_columns(rounded.round(DECIMALS))).write_csv().encode())


def write_json(value: Any, path: Path) -> None:
    """One JSON document."""
    text = json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")
