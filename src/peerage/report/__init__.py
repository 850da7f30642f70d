"""The report: one self-contained page an instructor can read, print and defend."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from peerage._files import write_atomically
from peerage.report.figures import write_figures
from peerage.report.sections import class_page, report_parts
from peerage.report.student import student_page

if TYPE_CHECKING:
    from peerage.grading.result import GradingResult
    from peerage.roster.container import Roster

__all__ = ["report_html", "report_parts", "write_figures", "write_report"]


def report_html(
    result: GradingResult,
    *,
    anonymous: bool = False,
    student: str | None = None,
    roster: Roster | None = None,
    title: str | None = None,
) -> str:
    """The report as HTML text: of the class, or with `student` of one student.

    Parameters
    ----------
    anonymous : leave the graders' names out; they are numbered in an order that the names do not give away.
    student : a grader, a student of the roster, or the label of an item.
    title : the heading; by default it names the file.
    roster : who made what, so that a student's page finds their work; without it, an item of their own name.
    """
    if student is not None:
        return student_page(result, student, roster, title)
    return class_page(result, anonymous=anonymous, title=title)


def write_report(
    result: GradingResult,
    path: str | Path,
    *,
    anonymous: bool = False,
    student: str | None = None,
    roster: Roster | None = None,
    title: str | None = None,
) -> Path:
    """Write :func:`report_html` to a file; the same result gives the same bytes."""
    path = Path(path)
    page = report_html(result, anonymous=anonymous, student=student, roster=roster, title=title)
    write_atomically(path, page.encode("utf-8"))
    return path
