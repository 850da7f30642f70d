"""Grades for grade books, one row per student; the formats themselves are in `books`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import polars as pl

from peerage._options import named
from peerage.errors import DataError, Problem
from peerage.grading.letters import INCOMPLETE
from peerage.grading.output.books import BookOptions, GradeAs, Sheet, grade_book
from peerage.grading.points import QUOTAS, no_points
from peerage.roster.container import Roster, join_items, listed_names
from peerage.roster.reader import read_roster

if TYPE_CHECKING:
    from peerage.grading.result import GradingResult
    from peerage.roster.reader import RosterSource

DECIMALS = 2


def gradebook(
    result: GradingResult,
    roster: RosterSource,
    book: str,
    *,
    title: str = BookOptions().title,
    assignment: str | None = None,
    grade_as: GradeAs = "points",
) -> pl.DataFrame:
    """One row per student of the roster, in the roster's order, ready to be imported.

    A student has one grade per task, that of the work which the roster names for the task; a row without a
    task is about every task. Where that leaves two works of a student in one task, the book is refused.

    Parameters
    ----------
    roster : a Roster or what :func:`peerage.read_roster` reads, with any of the grade book's own columns.
    title : what the grade book calls the grade. assignment : Canvas's number of an assignment that exists.
    grade_as : whether the columns to import hold points or letters; the plain table has both. Where there is
        only one of them, or complete and incomplete, that is the grade.
    """
    format_ = grade_book(book)
    if grade_as == "letter" and result.letters is None:
        rule = f"{named('grade_as', 'letter')} needs letters"
        raise DataError(Problem(rule, fix=f"say them with {named('letters', QUOTAS)}"))
    held = grade_column(result, grade_as)
    if held is None and format_.imported:
        raise _nothing_to_import(result)
    people = read_roster(roster).for_feedback(result.feedback, rename=False)
    graded = _per_student(result, people, grade_column(result, "points"))
    _refuse_nobody(graded, result, people)
    tasks = result.items["task"].unique(maintain_order=True).to_list()
    if format_.imported or len(tasks) > 1:  # a plain table of one task may have a row per work
        _refuse_two_works(graded, people)
    if held is None:
        return format_.layout(Sheet(graded, graded, (), {}, assignment))
    shown = "letter" if grade_as == "letter" else "grade"
    columns = {task: f"{title} {task}" if len(tasks) > 1 else title for task in tasks}
    wide = _identities(people, format_.columns)
    for task, name in columns.items():
        part = graded.filter(pl.col("task") == task).select("student", pl.col(shown).alias(name))
        wide = wide.join(part.unique("student"), on="student", how="left", maintain_order="left")
        if held == "completion":
            wide = wide.with_columns(pl.col(name).fill_null(INCOMPLETE))
    most = dict.fromkeys(columns.values(), _most(result))
    return format_.layout(Sheet(graded, wide, tuple(most), most, assignment))


def grade_column(result: GradingResult, grade_as: GradeAs = "points") -> str | None:
    """The column of the items that is the grade; None where they only have a standing."""
    wanted = ("completion", *(("letter", "points") if grade_as == "letter" else ("points", "letter")))
    return next((name for name in wanted if name in result.items.columns), None)


def gradebook_of(
    students: pl.DataFrame, grades: Mapping[str, float], book: str, *, assignment: str | None = None
) -> pl.DataFrame:
    """A grade book from grades that were decided elsewhere, such as with some of them set by hand.

    Parameters
    ----------
    students : one row per student: ``student``, any of the book's own columns, and the columns of grades. The
        plain table is these rows as they are.
    grades : the columns to import, each with its points possible.

    Examples
    --------
    >>> import polars as pl
    >>> students = pl.DataFrame({"student": ["ada", "ben"], "Poster": [9.5, None]})
    >>> gradebook_of(students, {"Poster": 10}, "moodle")["ID number", "Poster"].rows()
    [('ada', 9.5), ('ben', None)]
    """
    format_ = grade_book(book)
    missing = [name for name in ("student", *grades) if name not in students.columns]
    if missing:
        rule = f"the students have no column {missing[0]!r}"
        raise DataError(Problem(rule, fix=f"they have: {', '.join(students.columns)}"))
    twice = students["student"].is_duplicated()
    if twice.any():
        rule = "is there twice, and a grade book has one row per student"
        raise DataError(Problem(rule, value=str(students["student"].filter(twice)[0])))
    wide = students.rename({name: f"_{name}" for name in format_.columns if name in students.columns})
    return format_.layout(Sheet(students, wide, tuple(grades), dict(grades), assignment))


def _nothing_to_import(result: GradingResult) -> DataError:
    why = "there is no grade to import, and a rank is not one"
    if result.fitted.score_scale == "grading":
        return DataError(f"{why}: say the scale of the points with {named('scale', 'LOW:HIGH')}")
    return no_points(why)


def _identities(people: Roster, own: tuple[str, ...]) -> pl.DataFrame:
    """One row per student: the roster's cells in the book's own columns, `_` before their names."""
    names = [name for name in people.cells.columns if name in own]
    cells = people.cells.select(pl.col(name).alias(f"_{name}") for name in names)
    rows = pl.concat([people.rows.select("student"), cells], how="horizontal")
    return rows.unique("student", keep="first", maintain_order=True)


def _per_student(result: GradingResult, people: Roster, held: str | None) -> pl.DataFrame:
    """Each student's works with their standing, and their grade where there is one."""
    wanted = ["task", "item", "rank", "percentile", "reviews"]
    more = (
        *("percentile_low", "percentile_high", "points", "letter", "letter_probability"),
        *("mean_score", "mean_rank"),
    )
    wanted += [name for name in more if name in result.items.columns]
    grade = [] if held is None else [pl.col(held).round(DECIMALS) if held == "points" else pl.col(held)]
    grades = result.items.select(*wanted, *(column.alias("grade") for column in grade))
    rows = people.works.with_row_index("row")
    with_grades = join_items(rows, grades)
    without = rows.join(
        with_grades, on="row", how="anti"
    )  # people without work, and work that nobody reviewed
    table = pl.concat([with_grades, without], how="diagonal").sort("row", maintain_order=True)
    if held == "completion":
        table = table.with_columns(pl.col("grade").fill_null(INCOMPLETE))
    grade_first = ["grade"] if held is not None else []
    return table.select(
        "student", "task", "item", *grade_first, *(n for n in wanted if n not in ("task", "item"))
    )


def _refuse_nobody(graded: pl.DataFrame, result: GradingResult, people: Roster) -> None:
    """A book without a single grade would be imported in silence."""
    if graded["rank"].null_count() < len(graded):
        return
    theirs, ours = people.works["item"].drop_nulls(), result.items["item"]
    rule = (
        f"0 of {len(people.students):,} matched: none of the roster's work was graded"
        f"\n      on the roster:  {listed_names(theirs)}"
        f"\n      in the grades:  {listed_names(ours)}"
    )
    fix = "say in a column 'item' of the roster who made what, as the feedback calls it"
    raise DataError(Problem(rule, fix=fix), source=people.source)


def _refuse_two_works(graded: pl.DataFrame, people: Roster) -> None:
    """A book has one grade of a student in a task, and nobody but the instructor can say which."""
    works = graded.drop_nulls("task").group_by("student", "task", maintain_order=True)
    several = works.agg(pl.col("item").unique(maintain_order=True)).filter(pl.col("item").list.len() > 1)
    if several.is_empty():
        return
    fix = "keep one row per student and task"
    if "task" not in people.columns:
        fix = "say in a column 'task' which work is for which task, or keep one row per student"
    raise DataError(
        [
            Problem(f"has several works in task {task!r} ({', '.join(items)})", value=student, fix=fix)
            for student, task, items in several.iter_rows()
        ],
        source=people.source,
    )


def _most(result: GradingResult) -> float:
    """The points possible: the top of the scale, else the most staff gave; 100 where grades are words."""
    if "points" not in result.items.columns:
        return 100.0
    if result.scale is not None:
        return result.scale.high
    most = result.items.select(pl.max_horizontal(pl.col("points").max(), pl.col("staff").max())).item()
    return float(most)
