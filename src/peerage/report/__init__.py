"""The report: one self-contained page an instructor can read, print and defend."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from peerage._faces import lazy
from peerage._whole import write_whole

if TYPE_CHECKING:
    from peerage.grading import GradingResult
    from peerage.report.page import policy as policy
    from peerage.report.sections import SECTIONS as SECTIONS
    from peerage.report.sections import navigation as navigation
    from peerage.report.sections import sections_html as sections_html
    from peerage.roster import Roster

__getattr__, __dir__ = lazy(
    __name__,
    {"SECTIONS": "sections", "navigation": "sections", "policy": "page", "sections_html": "sections"},
)


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
        from peerage.report.student import student_page

        return student_page(result, student, roster, title)
    from peerage.report.page import class_page

    return class_page(result, anonymous=anonymous, title=title)


def report_parts(
    result: GradingResult, *, anonymous: bool = False, explain: str | None = None, apart: bool = False
) -> dict[str, str]:
    """The pieces of HTML that the report of the class is made of, for a page of one's own.

    See :func:`peerage.report.parts.report_parts`.
    """
    from peerage.report.parts import report_parts as make

    return make(result, anonymous=anonymous, explain=explain, apart=apart)


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
    write_whole(path, page.encode("utf-8"))
    return path


def write_figures(result: GradingResult, folder: str | Path) -> list[Path]:
    """The report's figures as SVG and PNG files, without names of graders; the same bytes every time."""
    from peerage.report.figures import write_figures as write

    return write(result, Path(folder))
