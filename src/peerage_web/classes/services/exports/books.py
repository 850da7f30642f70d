"""Grade books for other systems: the library's formats, filled with the grades that students see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import polars as pl
from django.utils.translation import gettext as _

from peerage.errors import DataError
from peerage.grading.output.books import BOOKS
from peerage.grading.output.export import gradebook_of
from peerage.grading.output.files import table_bytes
from peerage.grading.points import parse_scale
from peerage_web.accounts.models import Person
from peerage_web.classes.models import Assignment
from peerage_web.classes.queries.exports.grades import Exported, ExportedGrade, exported_grades
from peerage_web.classes.services.record import record
from peerage_web.shared.errors import Refused

What = Literal["parts", "total", "letter"]
WHAT: tuple[What, ...] = ("parts", "total", "letter")
REVIEWING_MOST = 100.0
DECIMALS = 2


@dataclass(frozen=True, slots=True)
class BookFile:
    """A file to download."""

    name: str
    content: bytes


def book_file(*, assignment: Assignment, book: str, what: str, by: Person) -> BookFile:
    """A grade book: work and reviewing in a column each (`parts`), both as one (`total`), or letters.

    Refused as long as no run was approved, or where there are no letters.
    """
    if book not in BOOKS or what not in WHAT:
        raise Refused(_("There is no such grade book."))
    found = exported_grades(assignment)
    if found is None:
        raise Refused(_("No grading run was approved for release yet."))
    if not found.grades:
        raise Refused(_("There is nobody to export a grade of."))
    if what == "letter" and not any(one.letter for one in found.grades):
        raise Refused(_("These grades have no letters."))
    try:
        content = _content(assignment, found, book, what)
    except DataError as error:
        raise Refused(str(error)) from None
    record("grades-exported", by=by, assignment=assignment, title=BOOKS[book].title, count=len(found.grades))
    return BookFile(BOOKS[book].file, content)


def _content(assignment: Assignment, found: Exported, book: str, what: str) -> bytes:
    format_ = BOOKS[book]
    title = assignment.title
    most = parse_scale(found.run.options["scale"]).high
    if format_.imported:
        rows = [_identity(found, one) | _imported(one, what, title) for one in found.grades]
        return table_bytes(
            gradebook_of(_frame(rows, _columns(what, title, most)), _columns(what, title, most), book)
        )
    rows = [_plain(found, one) for one in found.grades]
    return table_bytes(gradebook_of(_frame(rows, {}), {}, book), format_.ending)


def _columns(what: str, title: str, most: float) -> dict[str, float]:
    """Columns to import, and their points possible; names must not meet those of the students."""
    if what == "parts":
        return {title: most, _("%(title)s: reviewing") % {"title": title}: REVIEWING_MOST}
    return {title: most}


def _identity(found: Exported, one: ExportedGrade) -> dict[str, Any]:
    """By what platforms know a student: what the roster has, in each one's own column."""
    member = one.membership
    return {
        "student": found.students[member.pk],
        "Student": member.shown_name,
        "SIS User ID": member.student_id or None,
        "SIS Login ID": member.person.email,
        "Section": member.section or None,
        "ID number": member.student_id or None,
        "Email address": member.person.email,
    }


def _imported(one: ExportedGrade, what: str, title: str) -> dict[str, Any]:
    if what == "letter":
        return {title: one.letter or None}
    if what == "total":
        return {title: _rounded(one.total)}
    return {
        title: _rounded(one.points),
        _("%(title)s: reviewing") % {"title": title}: _rounded(one.reviewing),
    }


def _plain(found: Exported, one: ExportedGrade) -> dict[str, Any]:
    member = one.membership
    return {
        "student": found.students[member.pk],
        "name": member.shown_name,
        "email": member.person.email,
        "section": member.section,
        "work": found.works[one.work.pk] if one.work is not None else None,
        "points": one.points,
        "points_low": one.low,
        "points_high": one.high,
        "letter": one.letter or None,
        "by_hand": "yes" if one.by_hand else "no",
        "reviewing": one.reviewing,
        "total": one.total,
    }


def _frame(rows: list[dict[str, Any]], grades: dict[str, float]) -> pl.DataFrame:
    """Numbers as numbers, also where the first students have none."""
    numbers = {"points", "points_low", "points_high", "reviewing", "total"} if not grades else set(grades)
    schema = {
        name: pl.Float64
        if name in numbers and not any(isinstance(row[name], str) for row in rows)
        else pl.String
        for name in rows[0]
    }
    return pl.DataFrame(rows, schema=schema)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DECIMALS)
