"""The pages of students and the pictures that `peerage grade` writes beside its files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from peerage.results import ResultFile, Run

if TYPE_CHECKING:
    from collections.abc import Iterable

    from peerage.grading.result import GradingResult
    from peerage.roster.container import Roster

ALL = "all"
INDEX = "students.csv"
LONGEST = 180  # bytes of a name; file systems take 255


def page_files(
    result: GradingResult, roster: Roster | None, *, students: Iterable[str], figures: bool
) -> list[ResultFile]:
    """A page per student, where all are wanted a list of them, and the figures."""
    wanted = list(students)
    everybody = ALL in wanted
    names = student_files(_everybody(result, roster) if everybody else wanted)
    found = [_page(student, name, roster) for student, name in names.items()]
    if everybody:
        found.append(_index(names))
    return [*found, _figures()] if figures else found


def _everybody(result: GradingResult, roster: Roster | None) -> list[str]:
    """The students of the roster; without one, whoever graded, and the items, whose makers nobody knows."""
    if roster is not None and len(roster.students):
        return sorted(roster.students.unique().to_list())
    feedback = result.feedback
    return sorted({*feedback.grader_labels.to_list(), *feedback.item_labels.to_list()})


def _page(student: str, name: str, roster: Roster | None) -> ResultFile:
    def write(run: Run, path: Path) -> None:
        from peerage.report import write_report

        write_report(run.result, path, student=student, roster=roster, title=run.title)

    return ResultFile(name, student, "a student's own page", "text/html", write)


def _index(names: dict[str, str]) -> ResultFile:
    def write(run: Run, path: Path) -> None:
        import polars as pl

        from peerage.grading.output.files import write_table

        write_table(pl.DataFrame({"student": list(names), "file": list(names.values())}), path)

    return ResultFile(INDEX, "Pages of students", "whose page is which", "text/csv", write)


def _figures() -> ResultFile:
    def write(run: Run, path: Path) -> None:
        from peerage.report import write_figures

        write_figures(run.result, path)

    return ResultFile("figures", "Figures", "the report's figures", "image/png", write)


def student_files(students: Iterable[str]) -> dict[str, str]:
    """A file name for every student, with nothing in it that could lead out of the folder; all different."""
    files: dict[str, str] = {}
    taken: set[str] = set()
    for student in dict.fromkeys(students):
        plain = re.sub(r"[^\w-]+", "_", student).encode()[:LONGEST].decode(errors="ignore")
        name, copy = f"student-{plain}", 1
        while name.casefold() in taken:  # some file systems know no capitals
            copy += 1
            name = f"student-{plain}-{copy}"
        taken.add(name.casefold())
        files[student] = f"{name}.html"
    return files
