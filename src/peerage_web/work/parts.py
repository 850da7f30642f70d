"""What the result page shows, made once with the grades: the page itself computes nothing."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from peerage.grading import GradingResult

TABLES = ("grades", "graders")  # may be long


def write_parts(result: GradingResult, folder: Path) -> None:
    """The pieces of the page in one file; rows that the page does not show at once in files of their own."""
    from peerage.report import report_parts
    from peerage.report.page import policy

    parts = report_parts(result, explain="explain", apart=True)
    for table in TABLES:
        if rows := parts.pop(f"{table}_rows", None):
            rows_file(folder, table).write_bytes(gzip.compress(rows.encode(), mtime=0))
    parts["policy"] = policy()
    (folder / "parts.json").write_text(json.dumps(parts, ensure_ascii=False), encoding="utf-8")


def read_parts(folder: Path) -> dict[str, str]:
    """What :func:`write_parts` wrote."""
    parts: dict[str, str] = json.loads((folder / "parts.json").read_text(encoding="utf-8"))
    return parts


def rows_file(folder: Path, table: str) -> Path:
    """Where the rows of a long table are: JSON, compressed."""
    return folder / f"rows-{table}.json.gz"
