"""What a child leaves behind: the files of a result, and the shape of a preview."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from peerage.grading.output.books import BOOKS
from peerage.results import result_files

STEPS = 16  # about how many steps of grading a visitor sees
FILES = {
    file.name: file
    for file in result_files(
        "always", "report", books=[book for book in BOOKS.values() if book.imported or book.ending != "csv"]
    )  # the plain grade book as CSV says what grades.csv says
}
ARCHIVE = "everything.zip"
CONTENT_TYPES = {name: file.content_type for name, file in FILES.items()} | {ARCHIVE: "application/zip"}
TABLES = ("grades", "graders")  # of the result page; may be long
EXAMPLE_FILES = ("feedback.csv", "roster.csv")
EMPTY_PREVIEW: dict[str, Any] = {
    "inspection": None,
    "preflight": None,
    "direction": None,
    "method": None,
    "anchors": None,
    "problem": None,
}


def read_parts(folder: Path) -> dict[str, str]:
    """The pieces of the result page."""
    parts: dict[str, str] = json.loads((folder / "parts.json").read_text(encoding="utf-8"))
    return parts


def rows_file(folder: Path, table: str) -> Path:
    """Where the rows of a long table are: JSON, compressed."""
    return folder / f"rows-{table}.json.gz"
