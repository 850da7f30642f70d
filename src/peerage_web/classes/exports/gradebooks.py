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
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.grading.final_grades import final_grades
from peerage_web.classes.grading.models import GradingRun
from peerage_web.classes.grading.queries import approved_run, labels_of
from peerage_web.classes.record.services import record
from peerage_web.classes.release.models import Release
from peerage_web.classes.submissions.models import Work
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
        raise Refused(_("There is no such gradebook."))
    found = exported_grades(assignment)
    if found is None:
        raise Refused(_("No grading run has been approved for release yet."))
    if not found.grades:
        raise Refused(_("There are no grades to export."))
    if what == "letter" and not any(one.letter for one in found.grades):
        raise Refused(_("These grades do not include letter grades."))
    try:
        content = _content(assignment, found, book, what)
    except DataError as error:
        raise Refused(str(error)) from None
    record("grades-exported", by=by, assignment=assignment, title=BOOKS[book].title, count=len(found.grades))
    return BookFile(BOOKS[book].file, content)


def _content(assignment: Assignment, found: GradeExport, book: str, what: str) -> bytes:
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


def _identity(found: GradeExport, one: ExportedGrade) -> dict[str, Any]:
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


def _plain(found: GradeExport, one: ExportedGrade) -> dict[str, Any]:
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


# -- The grades that other systems get: those that were released; before that, those of the approved run


@dataclass(frozen=True, slots=True)
class ExportedGrade:
    """One student; empty where there is nothing to say it from."""

    membership: Membership
    work: Work | None
    points: float | None
    low: float | None
    high: float | None
    letter: str
    by_hand: bool
    reviewing: float | None
    total: float | None


@dataclass(frozen=True, slots=True)
class GradeExport:
    """The grades, the run that they rest on, and the release that showed them, if there was one."""

    run: GradingRun
    release: Release | None
    grades: list[ExportedGrade]
    students: dict[int, str]  # label of each member
    works: dict[int, str]


def source_of(assignment: Assignment) -> tuple[GradingRun | None, Release | None]:
    """Where exported grades come from now."""
    releases = Release.objects.filter(assignment=assignment, ended_at=None)
    release = releases.select_related("run__job", "run__assignment").first()
    return (release.run if release is not None else approved_run(assignment)), release


def exported_grades(assignment: Assignment) -> GradeExport | None:
    """What students see, or would see now; None as long as no run was approved."""
    run, release = source_of(assignment)
    if run is None:
        return None
    labels = labels_of(assignment)
    grades = _released(release) if release is not None else _final(run)
    return GradeExport(run, release, grades, labels.people, labels.works)


def _released(release: Release) -> list[ExportedGrade]:
    rows = release.grades.select_related("membership__person", "work__team").order_by(
        "membership__name", "pk"
    )
    return [
        ExportedGrade(
            membership=one.membership,
            work=one.work,
            points=one.points,
            low=one.points_low,
            high=one.points_high,
            letter=one.letter,
            by_hand=one.by_hand,
            reviewing=one.reviewing,
            total=one.total,
        )
        for one in rows
    ]


def _final(run: GradingRun) -> list[ExportedGrade]:
    return [
        ExportedGrade(
            membership=one.membership,
            work=one.work,
            points=one.points,
            low=one.low,
            high=one.high,
            letter=one.letter,
            by_hand=one.by_hand,
            reviewing=one.reviewing,
            total=one.total,
        )
        for one in final_grades(run)
    ]
