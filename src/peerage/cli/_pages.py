"""The pages and pictures that `peerage grade` writes beside its tables."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from peerage.errors import DataError

if TYPE_CHECKING:
    from peerage.grading import GradingResult
    from peerage.roster import Roster


@dataclass(frozen=True, slots=True)
class Pages:
    """Which of them are wanted."""

    report: bool
    anonymous: bool
    students: list[str]
    figures: bool


def write_pages(result: GradingResult, out: str, roster: Roster | None, wanted: Pages) -> list[str]:
    """report.html, student-ID.html and the figures; the paths of what was written."""
    from peerage.report import write_figures, write_report

    folder, files = Path(out), student_files(wanted.students)
    paths = []
    if wanted.report:
        paths.append(write_report(result, folder / "report.html", anonymous=wanted.anonymous))
    for student, name in files.items():
        paths.append(write_report(result, folder / name, student=student, roster=roster))
    if wanted.figures:
        paths += write_figures(result, folder / "figures")
    return [str(path) for path in paths]


def student_files(students: list[str]) -> dict[str, str]:
    """A file name for every student, with nothing in it that could lead out of the folder."""
    files = {student: f"student-{re.sub(r'[^A-Za-z0-9_-]+', '_', student)}.html" for student in students}
    if len(set(files.values())) < len(files):
        raise DataError(
            f"students {', '.join(map(repr, files))} would share a file: ask for them one at a time"
        )
    return files
