"""The files of a grading run; all but run.json are the same on every run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import polars.selectors as cs

from peerage.grading.output.results_json import record
from peerage.writing import neutralise

if TYPE_CHECKING:
    from peerage.grading.result import GradingResult

EXACT = ("score", "reliability", "percentile", "agreement")  # the engine's own figures, to the last digit
DECIMALS = 6


def write_results(result: GradingResult, folder: str | Path) -> list[Path]:
    """grades.csv, graders.csv and results.json in a folder, which is made if need be."""
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    paths = [out / "grades.csv", out / "graders.csv", out / "results.json"]
    write_table(result.items, paths[0])
    write_table(result.graders, paths[1])
    write_json(record(result), paths[2])
    return paths


def write_table(frame: pl.DataFrame, path: Path) -> None:
    """A table that people will open in a spreadsheet."""
    rounded = cs.float() - cs.by_name(*EXACT, require_all=False)
    path.write_bytes(neutralise(frame.with_columns(rounded.round(DECIMALS))).write_csv().encode())


def write_run(result: GradingResult, folder: str | Path, **times: Any) -> Path:
    """run.json: what made the results, and the only file with times in it."""
    path = Path(folder) / "run.json"
    write_json({**result.provenance, **times}, path)
    return path


def write_json(value: Any, path: Path) -> None:
    """One JSON document."""
    text = json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")
