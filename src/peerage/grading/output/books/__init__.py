"""Grade books: the tables that learning platforms import, each in a module of its own.

To add one, write a module with ``COLUMNS``, the platform's own columns that a roster may have and that are
passed on, and ``table``, which lays a :class:`peerage.grading.output.sheet.Sheet` out; and enter it below.
The command line, the service and its API read this list.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, get_args

from peerage._options import OptionSet, option
from peerage.errors import DataError

if TYPE_CHECKING:
    import polars as pl

    from peerage.grading.output.sheet import Sheet


GradeAs = Literal["points", "letter"]


@dataclass(frozen=True, slots=True)
class GradeBook:
    """A format: its name, what people call it, and its module, which is loaded on demand."""

    name: str
    title: str
    module: str
    imported: bool = True  # by a learning platform; the plain table is for other programs
    ending: str = "csv"

    @property
    def file(self) -> str:
        """The file it is written to."""
        return f"gradebook-{self.name}.{self.ending}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The platform's own columns."""
        return tuple(self._loaded().COLUMNS)

    def table(self, sheet: Sheet) -> pl.DataFrame:
        """The rows to import."""
        laid_out: pl.DataFrame = self._loaded().table(sheet)
        return laid_out

    def _loaded(self) -> Any:
        return import_module(f"{__name__}.{self.module}")


_BOOKS = (
    GradeBook("canvas", "Canvas", "canvas"),
    GradeBook("moodle", "Moodle", "moodle"),
    GradeBook("csv", "Plain table", "plain", imported=False),
    GradeBook("xlsx", "Excel workbook", "plain", imported=False, ending="xlsx"),
)

BOOKS: dict[str, GradeBook] = {book.name: book for book in _BOOKS}


def grade_book(name: str) -> GradeBook:
    """A format by its name."""
    if name not in BOOKS:
        raise DataError(f"there is no grade book format {name!r}; known: {', '.join(BOOKS)}")
    return BOOKS[name]


@dataclass(frozen=True, kw_only=True)
class BookOptions(OptionSet):
    """How the grade is called in grade books."""

    title: str = option("Peer grade", str, "What grade books call the grade, and the heading of the report.")
    grade_as: GradeAs = option(
        "points", str, "Whether grade books for import hold points or letters.", choices=get_args(GradeAs)
    )
    assignment: str | None = option(
        None, str, "Canvas: the number of the assignment, if it exists.", metavar="ID"
    )
