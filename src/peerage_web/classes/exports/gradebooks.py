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
from peerage_web.accounts.models import Person
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Role
from peerage_web.classes.grading.final_grades import final_grades, worth_of
from peerage_web.classes.grading.models import GradingRun
from peerage_web.classes.grading.queries import approved_run, labels_of
from peerage_web.classes.names import by_name
from peerage_web.classes.release.models import Release, ReleasedGrade
from peerage_web.classes.submissions.models import Submission
from peerage_web.shared.errors import Refused

What = Literal["parts", "total", "letter"]
WHAT: tuple[What, ...] = ("parts", "total", "letter")
REVIEWING_MOST = 100.0
DECIMALS = 2


@dataclass(frozen=True, slots=True)
class BookFile:
    name: str
    content: bytes


def book_file(*, assignment: Assignment, book: str, what: str, by: Person) -> BookFile:
    """A grade book: submission and reviewing in a column each (`parts`), both as one (`total`), or letters.

    Refused as long as no run was approved, or where there are no such grades: letters by quota and a standing
    are no points.
    """
    if book not in BOOKS or what not in WHAT:
        raise Refused(_("There is no such gradebook."))
    export = exported_grades(assignment)
    if export is None:
        raise Refused(_("No grading run has been approved for release yet."))
    if not export.grades:
        raise Refused(_("There are no grades to export."))
    if what == "letter" and not any(grade.letter for grade in export.grades):
        raise Refused(_("These grades do not include letter grades."))
    if BOOKS[book].imported and not _columns(assignment.title, export, what):
        raise Refused(_("These grades have no points to export, and a standing is not a grade."))
    try:
        content = _content(assignment, export, book, what)
    except DataError as error:
        raise Refused(str(error)) from None
    record("grades-exported", by=by, assignment=assignment, title=BOOKS[book].title, count=len(export.grades))
    return BookFile(BOOKS[book].file, content)


def _content(assignment: Assignment, export: GradeExport, book: str, what: str) -> bytes:
    format_ = BOOKS[book]
    title = assignment.title
    if format_.imported:
        columns = _columns(title, export, what)
        rows = [
            _identity(export, grade)
            | {name: value for name, value in _imported(grade, what, title).items() if name in columns}
            for grade in export.grades
        ]
        return table_bytes(gradebook_of(_frame(rows, columns), columns, book))
    rows = [_plain(export, grade) for grade in export.grades]
    return table_bytes(gradebook_of(_frame(rows, {}), {}, book), format_.ending)


def _columns(title: str, export: GradeExport, what: str) -> dict[str, float]:
    """Columns to import, and their points possible; names must not meet those of the students.

    Where nothing makes points, submissions have no column of them.
    """
    has_column = what == "letter" or any(grade.points is not None for grade in export.grades)
    columns = {title: export.run.scale[1]} if has_column else {}
    if what == "parts" and (has_column or any(grade.reviewing is not None for grade in export.grades)):
        columns[_("%(title)s: reviewing") % {"title": title}] = REVIEWING_MOST
    return columns


def _identity(export: GradeExport, grade: ExportedGrade) -> dict[str, Any]:
    """By what platforms know a student: what the roster has, in each one's own column."""
    member = grade.membership
    return {
        "student": export.students[member.pk],
        "Student": member.shown_name,
        "SIS User ID": member.student_id or None,
        "SIS Login ID": member.person.email,
        "Section": member.section or None,
        "ID number": member.student_id or None,
        "Email address": member.person.email,
    }


def _imported(grade: ExportedGrade, what: str, title: str) -> dict[str, Any]:
    if what == "letter":
        return {title: grade.letter or None}
    if what == "total":
        return {title: _rounded(grade.total)}
    return {
        title: _rounded(grade.points),
        _("%(title)s: reviewing") % {"title": title}: _rounded(grade.reviewing),
    }


def _plain(export: GradeExport, grade: ExportedGrade) -> dict[str, Any]:
    member = grade.membership
    submission = grade.submission.pk if grade.submission is not None else None
    rank_low, rank_high = export.standings.get(submission, (None, None))
    return {
        "student": export.students[member.pk],
        "name": member.shown_name,
        "email": member.person.email,
        "section": member.section,
        "submission": export.submissions[grade.submission.pk] if grade.submission is not None else None,
        "points": grade.points,
        "points_low": grade.low,
        "points_high": grade.high,
        "letter": grade.letter or None,
        "rank_low": rank_low,
        "rank_high": rank_high,
        "late_penalty": grade.late_penalty,
        "by_hand": "yes" if grade.by_hand else "no",
        "reviewing": grade.reviewing,
        "total": grade.total,
    }


def _frame(rows: list[dict[str, Any]], grades: dict[str, float]) -> pl.DataFrame:
    """Numbers as numbers, also where the first students have none."""
    ranks = {"rank_low": pl.Int64, "rank_high": pl.Int64} if not grades else {}
    numbers = set(grades) or {"points", "points_low", "points_high", "late_penalty", "reviewing", "total"}
    schema = {
        name: pl.Float64
        if name in numbers and not any(isinstance(row[name], str) for row in rows)
        else ranks.get(name, pl.String)
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
    submission: Submission | None
    points: float | None
    low: float | None
    high: float | None
    letter: str
    by_hand: bool
    late_penalty: float
    reviewing: float | None
    total: float | None


@dataclass(frozen=True, slots=True)
class GradeExport:
    """The grades, the run that they rest on, and the release that showed them, if there was one."""

    run: GradingRun
    release: Release | None
    grades: list[ExportedGrade]
    students: dict[int, str]  # label of each member
    submissions: dict[int, str]
    standings: dict[int | None, tuple[int, int]]  # of each submission, the ranks that are likely


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
    ranks = run.grades.values_list("submission", "rank_low", "rank_high")
    standings: dict[int | None, tuple[int, int]] = {
        submission: (low, high) for submission, low, high in ranks
    }
    return GradeExport(run, release, grades, labels.people, labels.submissions, standings)


def _released(release: Release) -> list[ExportedGrade]:
    """What students see, and those to whom nothing was released: no submission, or they came later."""
    rows = release.grades.select_related("membership__person", "submission__team")
    released = {row.membership_id: row for row in rows}
    students = Membership.objects.filter(course=release.assignment.course_id, role=Role.STUDENT)
    others = students.exclude(pk__in=released).select_related("person")
    people = by_name([*(row.membership for row in released.values()), *others])
    shown = [released.get(person.pk) or ReleasedGrade(membership=person) for person in people]
    return [
        ExportedGrade(
            membership=row.membership,
            submission=row.submission,
            points=worth_of(release.run, row.points, row.letter),
            low=row.points_low,
            high=row.points_high,
            letter=row.letter,
            by_hand=row.by_hand,
            late_penalty=row.late_penalty,
            reviewing=row.reviewing,
            total=row.total,
        )
        for row in shown
    ]


def _final(run: GradingRun) -> list[ExportedGrade]:
    return [
        ExportedGrade(
            membership=grade.membership,
            submission=grade.submission,
            points=worth_of(run, grade.points, grade.letter),
            low=grade.low,
            high=grade.high,
            letter=grade.letter,
            by_hand=grade.by_hand,
            late_penalty=grade.late_penalty,
            reviewing=grade.reviewing,
            total=grade.total,
        )
        for grade in final_grades(run)
    ]
