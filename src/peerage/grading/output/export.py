"""Grades in the column formats of grade books, one row per student.

Canvas matches students by ID, SIS User ID or SIS Login ID, and wants a row of points possible; Moodle matches
by ID number or e-mail address. The roster's own columns of those names are passed on; where it has none, the
student's label is taken for the SIS Login ID or the ID number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from peerage.errors import DataError, Problem
from peerage.roster import Roster, join_items, read_roster

if TYPE_CHECKING:
    from peerage.grading.result import GradingResult
    from peerage.roster import RosterSource

BOOKS = ("canvas", "moodle", "csv")

CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
MOODLE = ("First name", "Last name", "ID number", "Institution", "Department", "Email address")
POSSIBLE = "    Points Possible"  # four blanks: how Canvas writes it and knows it again
DECIMALS = 2


def gradebook(
    result: GradingResult,
    roster: RosterSource,
    book: str,
    *,
    title: str = "Peer grade",
    assignment: str | None = None,
) -> pl.DataFrame:
    """One row per student of the roster, in the roster's order, ready to be imported.

    A student has one grade per task, that of the work which the roster names for the task; a row without a
    task is about every task. Where that leaves two works of a student in one task, the book is refused.

    Parameters
    ----------
    roster : a Roster or what :func:`peerage.read_roster` reads, with any of the grade book's own columns.
    title : what the grade book calls the grade. assignment : Canvas's number of an assignment that exists.
    """
    if book not in BOOKS:
        raise DataError(f"there is no grade book format {book!r}; known: {', '.join(BOOKS)}")
    people = read_roster(roster).for_class(result.feedback.task_labels)
    graded = _per_student(result, people)
    tasks = result.items["task"].unique(maintain_order=True).to_list()
    if book == "csv":
        if len(tasks) > 1:
            _refuse_two_works(graded, people)
        return graded
    _refuse_two_works(graded, people)
    columns = {task: f"{title} {task}" if len(tasks) > 1 else title for task in tasks}
    wide = _identities(people)
    for task, name in columns.items():
        part = graded.filter(pl.col("task") == task).select("student", pl.col("grade").alias(name))
        wide = wide.join(part.unique("student"), on="student", how="left", maintain_order="left")
    if book == "moodle":
        return _moodle(wide, list(columns.values()))
    return _canvas(wide, list(columns.values()), assignment, _most(result))


def _identities(people: Roster) -> pl.DataFrame:
    """One row per student: the roster's cells in columns of grade books, `_` before their names."""
    known = [name for name in people.cells.columns if name in (*CANVAS, *MOODLE)]
    cells = people.cells.select(pl.col(name).alias(f"_{name}") for name in known)
    rows = pl.concat([people.rows.select("student"), cells], how="horizontal")
    return rows.unique("student", keep="first", maintain_order=True)


def _per_student(result: GradingResult, people: Roster) -> pl.DataFrame:
    """Each student's works with their grades: points where there are any, else the percentile."""
    grade = "points" if "points" in result.items.columns else "percentile"
    wanted = ["task", "item", "rank", "percentile", "reviews"]
    wanted += [name for name in ("points", "letter", "letter_probability") if name in result.items.columns]
    grades = result.items.select(*wanted, pl.col(grade).round(DECIMALS).alias("grade"))
    rows = people.works.with_row_index("row")
    found = join_items(rows, grades)
    without = rows.join(found, on="row", how="anti")  # people without work, and work that nobody reviewed
    return (
        pl.concat([found, without], how="diagonal")
        .sort("row", maintain_order=True)
        .select("student", "task", "item", "grade", *(n for n in wanted if n not in ("task", "item")))
    )


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
    """The points possible: the top of the scale; 100 for percentiles; else the most staff gave."""
    if "points" not in result.items.columns:
        return 100.0
    if result.scale is not None:
        return result.scale.high
    most = result.items.select(pl.max_horizontal(pl.col("points").max(), pl.col("staff").max())).item()
    return float(most)


def _canvas(wide: pl.DataFrame, grades: list[str], assignment: str | None, most: float) -> pl.DataFrame:
    columns = _own(wide, CANVAS)
    if not any(f"_{name}" in wide.columns for name in ("ID", "SIS User ID", "SIS Login ID")):
        columns["SIS Login ID"] = pl.col("student")
    if "_Student" not in wide.columns:
        columns["Student"] = pl.col("student")
    heads = {name: f"{name} ({assignment})" if assignment and len(grades) == 1 else name for name in grades}
    body = wide.select(
        *(expression.alias(name) for name, expression in columns.items()),
        *(pl.col(name).cast(pl.String).alias(head) for name, head in heads.items()),
    )
    top = {name: POSSIBLE if name == "Student" else None for name in columns}
    top |= dict.fromkeys(heads.values(), f"{most:g}")
    return pl.concat([pl.DataFrame([top], schema=body.schema), body])


def _moodle(wide: pl.DataFrame, grades: list[str]) -> pl.DataFrame:
    columns = _own(wide, MOODLE)
    if not any(f"_{name}" in wide.columns for name in ("ID number", "Email address")):
        columns["ID number"] = pl.col("student")
    return wide.select(*(expression.alias(name) for name, expression in columns.items()), *grades)


def _own(wide: pl.DataFrame, names: tuple[str, ...]) -> dict[str, pl.Expr]:
    """The grade book's columns from the roster, empty where it has none."""
    empty = pl.lit(None, dtype=pl.String)
    return {name: pl.col(f"_{name}") if f"_{name}" in wide.columns else empty for name in names}
