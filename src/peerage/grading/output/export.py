"""Grades for grade books, one row per student; the formats themselves are in `books`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from peerage.checking.tables import clean, open_table
from peerage.errors import DataError
from peerage.grading.output.books import BookOptions, grade_book
from peerage.grading.output.sheet import Sheet
from peerage.reading.frames import read_frame
from peerage.reading.table import load_cells

if TYPE_CHECKING:
    from peerage.grading.result import GradingResult

STUDENT = ("student", "grader", "reviewer", "user", "name", "author", "owner")
WORK = ("item", "submission", "paper", "essay", "group", "team")
DECIMALS = 2


def gradebook(
    result: GradingResult,
    roster: str | Path | pl.DataFrame,
    book: str,
    *,
    title: str = BookOptions().title,
    assignment: str | None = None,
) -> pl.DataFrame:
    """One row per student of the roster, in the roster's order, ready to be imported.

    Parameters
    ----------
    roster : columns student, and item or group, and any of the grade book's own columns.
    title : what the grade book calls the grade. assignment : Canvas's number of an assignment that exists.
    """
    format_ = grade_book(book)
    people = _people(roster, format_.columns)
    graded = _per_student(result, people)
    tasks = result.items["task"].unique(maintain_order=True).to_list()
    columns = {task: f"{title} {task}" if len(tasks) > 1 else title for task in tasks}
    wide = people.drop(WORK[0]).unique("student", keep="first", maintain_order=True)
    for task, name in columns.items():
        part = graded.filter(pl.col("task") == task).select("student", pl.col("grade").alias(name))
        wide = wide.join(
            part.unique("student", keep="first"), on="student", how="left", maintain_order="left"
        )
    return format_.table(Sheet(graded, wide, tuple(columns.values()), _most(result), assignment))


def _people(source: str | Path | pl.DataFrame, own: tuple[str, ...]) -> pl.DataFrame:
    """The roster with all its columns as text, those that matter under `student` and `item`."""
    if isinstance(source, pl.DataFrame):
        table = read_frame(source)
    else:
        table = open_table(Path(source).read_bytes(), str(source))
    names = {name.strip(): number for number, name in reversed(list(enumerate(table.header)))}
    rows = load_cells(table, names).frame
    rows = rows.select(clean(name) for name in rows.columns)
    lower = {name.lower(): name for name in rows.columns}
    student = next((lower[name] for name in STUDENT if name in lower), None)
    work = next((lower[name] for name in WORK if name in lower), None)
    if student is None:
        have = ", ".join(repr(name) for name in table.header)
        raise DataError(
            f"a grade book needs a roster with a column 'student'; it has {have}", source=table.source
        )
    item = pl.col(student) if work is None else pl.coalesce(work, student)
    keys = rows.select(pl.col(student).alias("student"), item.alias("item"))
    if keys["student"].null_count():
        raise DataError("the roster has a row without a student", source=table.source)
    passed = [name for name in rows.columns if name in own]
    return pl.concat([keys, rows.select(pl.col(name).alias(f"_{name}") for name in passed)], how="horizontal")


def _per_student(result: GradingResult, people: pl.DataFrame) -> pl.DataFrame:
    """Each student's item with its grade: points where there are any, else the percentile."""
    grade = "points" if "points" in result.items.columns else "percentile"
    wanted = ["task", "item", "rank", "percentile", "reviews"]
    wanted += [name for name in ("points", "letter", "letter_probability") if name in result.items.columns]
    grades = result.items.select(*wanted, pl.col(grade).round(DECIMALS).alias("grade"))
    return (
        people.select("student", "item")
        .join(grades, on="item", how="left", maintain_order="left")
        .select("student", "task", "item", "grade", *(n for n in wanted if n not in ("task", "item")))
    )


def _most(result: GradingResult) -> float:
    """The points possible: the top of the scale; 100 for percentiles; else the most staff gave."""
    if "points" not in result.items.columns:
        return 100.0
    if result.scale is not None:
        return result.scale.high
    most = result.items.select(pl.max_horizontal(pl.col("points").max(), pl.col("staff").max())).item()
    return float(most)
