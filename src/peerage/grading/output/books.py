"""Grade books: the tables that learning platforms import.

To add one, write a function that lays a :class:`Sheet` out, and an entry of ``_BOOKS`` with the platform's
own columns, which a roster may have and which are passed on. The command line, the service and its API read
this list; it is read at every start, so Polars is loaded only where a table is laid out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from peerage._options import OptionSet, option
from peerage.errors import DataError

if TYPE_CHECKING:
    import polars as pl


GradeAs = Literal["points", "letter"]


@dataclass(frozen=True, kw_only=True)
class BookOptions(OptionSet):
    """How the grade is called in grade books."""

    title: str = option("Peer grade", str, "What grade books call the grade, and the heading of the report.")
    grade_as: GradeAs = option(
        "points",
        str,
        "Whether grade books for import hold points or letters, where there are both.",
        choices=get_args(GradeAs),
    )
    assignment: str | None = option(
        None, str, "Canvas: the number of the assignment, if it exists.", metavar="ID"
    )


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """Students with their grades, in the roster's order: what grade books are laid out from.

    Attributes
    ----------
    graded : one row per student and task: student, task, item, the grade, if any, and what the result says of
        the item.
    wide : one row per student: student, the roster's own columns under ``_`` and their names, and one column
        per task.
    grades : the names of those columns.
    most : the points possible of each of these.
    assignment : the platform's number of an assignment that exists, or None.
    """

    graded: pl.DataFrame
    wide: pl.DataFrame
    grades: tuple[str, ...]
    most: Mapping[str, float]
    assignment: str | None

    def has(self, *columns: str) -> bool:
        """Whether the roster has one of these columns."""
        return any(f"_{name}" in self.wide.columns for name in columns)

    def own(self, columns: tuple[str, ...]) -> dict[str, pl.Expr]:
        """These columns from the roster, empty where it has none."""
        import polars as pl

        empty = pl.lit(None, dtype=pl.String)
        return {name: pl.col(f"_{name}") if self.has(name) else empty for name in columns}


@dataclass(frozen=True, slots=True)
class GradeBook:
    """A format: its name, what people call it, how a sheet is laid out, and the platform's own columns."""

    name: str
    title: str
    layout: Callable[[Sheet], pl.DataFrame]
    columns: tuple[str, ...] = ()
    imported: bool = True  # by a learning platform; the plain table is for other programs
    ending: str = "csv"

    @property
    def file(self) -> str:
        return f"gradebook-{self.name}.{self.ending}"


def grade_book(name: str) -> GradeBook:
    """A format by its name."""
    if name not in BOOKS:
        raise DataError(f"there is no grade book format {name!r}; known: {', '.join(BOOKS)}")
    return BOOKS[name]


CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
POSSIBLE = "    Points Possible"  # four blanks: how Canvas writes it and knows it again


def _canvas(sheet: Sheet) -> pl.DataFrame:
    """A row of points possible, and one per student, matched by ID, SIS User ID or SIS Login ID.

    Where the roster has none of the three, the student's label is taken for the SIS Login ID.
    """
    import polars as pl

    columns = sheet.own(CANVAS)
    if not sheet.has("ID", "SIS User ID", "SIS Login ID"):
        columns["SIS Login ID"] = pl.col("student")
    if not sheet.has("Student"):
        columns["Student"] = pl.col("student")
    number = f" ({sheet.assignment})" if sheet.assignment and len(sheet.grades) == 1 else ""
    body = sheet.wide.select(
        *(expression.alias(name) for name, expression in columns.items()),
        *(pl.col(name).cast(pl.String).alias(name + number) for name in sheet.grades),
    )
    top = {name: POSSIBLE if name == "Student" else None for name in columns}
    top |= {name + number: f"{sheet.most[name]:g}" for name in sheet.grades}
    return pl.concat([pl.DataFrame([top], schema=body.schema), body])


MOODLE = ("First name", "Last name", "ID number", "Institution", "Department", "Email address")


def _moodle(sheet: Sheet) -> pl.DataFrame:
    """One row per student, matched by ID number or e-mail address.

    Where the roster has neither, the student's label is taken for the ID number.
    """
    import polars as pl

    columns = sheet.own(MOODLE)
    if not sheet.has("ID number", "Email address"):
        columns["ID number"] = pl.col("student")
    named = (expression.alias(name) for name, expression in columns.items())
    return sheet.wide.select(*named, *sheet.grades)


def _plain(sheet: Sheet) -> pl.DataFrame:
    """One row per student and task, with rank, percentile, points and letter."""
    return sheet.graded


_BOOKS = (
    GradeBook("canvas", "Canvas", _canvas, CANVAS),
    GradeBook("moodle", "Moodle", _moodle, MOODLE),
    GradeBook("csv", "Plain table", _plain, imported=False),
    GradeBook("xlsx", "Excel workbook", _plain, imported=False, ending="xlsx"),
)

BOOKS: dict[str, GradeBook] = {book.name: book for book in _BOOKS}
