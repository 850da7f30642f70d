"""The pages of students and the pictures that `peerage grade` writes beside its files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from peerage.errors import DataError

if TYPE_CHECKING:
    from peerage.grading import GradingResult
    from peerage.roster import Roster


def write_pages(
    result: GradingResult, out: str, roster: Roster | None, *, students: list[str], figures: bool
) -> list[Path]:
    """student-ID.html and the figures; the paths of what was written."""
    from peerage.report import write_figures, write_report

    folder = Path(out)
    paths = [
        write_report(result, folder / name, student=student, roster=roster)
        for student, name in student_files(students).items()
    ]
    return paths + (write_figures(result, folder / "figures") if figures else [])


def student_files(students: list[str]) -> dict[str, str]:
    """A file name for every student, with nothing in it that could lead out of the folder."""
    files = {student: f"student-{re.sub(r'[^A-Za-z0-9_-]+', '_', student)}.html" for student in students}
    if len(set(files.values())) < len(files):
        raise DataError(
            f"students {', '.join(map(repr, files))} would share a file: ask for them one at a time"
        )
    return files
