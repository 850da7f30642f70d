"""What goes with the grades: the pieces of the result page, which computes nothing, and all files in one."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from peerage_web.sandbox.contract.results import ARCHIVE, FILES, TABLES, rows_file

if TYPE_CHECKING:
    from peerage.grading.result import GradingResult

# Sections of the report that the page has a place for; others follow as they are in the report.
ARRANGED = {
    "summary", "data", "class", "grade-table", "grader-list", "agreement", "coverage", "method-comparison",
    "staff", "how",
}  # fmt: skip


def write_parts(result: GradingResult, folder: Path) -> None:
    """The pieces of the page in one file; rows that the page does not show at once in files of their own."""
    from peerage.report import report_parts
    from peerage.report.page import policy
    from peerage.report.sections import SECTIONS, navigation, sections_html

    parts = report_parts(result, explain="explain", apart=True)
    more = [section for section in SECTIONS if section.anchor not in ARRANGED]
    parts |= {"more": sections_html(parts, more), "more_links": navigation(more)}
    for table in TABLES:
        if rows := parts.pop(f"{table}_rows", None):
            rows_file(folder, table).write_bytes(gzip.compress(rows.encode(), mtime=0))
    parts["policy"] = policy()
    (folder / "parts.json").write_text(json.dumps(parts, ensure_ascii=False), encoding="utf-8")


def write_archive(folder: Path) -> None:
    """Pack the files of a folder; the same files give the same bytes, whenever and wherever it is done."""
    with ZipFile(folder / ARCHIVE, "w", ZIP_DEFLATED) as archive:
        for name in FILES:
            entry = ZipInfo(f"peerage-results/{name}")  # dated 1980, as ZIP files begin
            entry.compress_type = ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, (folder / name).read_bytes())
