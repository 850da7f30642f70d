"""The files of a grading run: one list, from which they are written, packed, linked to and served.

A new file is one more entry of ``RESULT_FILES``; a new grade book brings its own. All but run.json are the
same on every run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from peerage.grading import BOOKS, BookOptions, GradeBook

if TYPE_CHECKING:
    from peerage.grading import GradingResult
    from peerage.roster import RosterSource

When = Literal["always", "report", "book"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A result, and what else its files are made from."""

    result: GradingResult
    roster: RosterSource | None = None  # of grade books: a row per student; without one, per item
    book: BookOptions = field(default_factory=BookOptions)
    anonymous: bool = False  # whether the report numbers its graders
    times: Callable[[], Mapping[str, Any]] = dict  # asked when run.json is written, the only file with times


@dataclass(frozen=True, slots=True)
class ResultFile:
    """One file: its name, what a page calls it, what it holds, its media type, and when there is one."""

    name: str
    title: str
    holds: str
    media_type: str
    write: Callable[[Run, Path], None]
    when: When = "always"
    for_programs: bool = False  # rather than for people

    @property
    def ending(self) -> str:
        """The ending of its name: `csv`."""
        return self.name.rpartition(".")[2]

    @property
    def content_type(self) -> str:
        """As HTTP says it; JSON is UTF-8 by itself."""
        return f"{self.media_type}; charset=utf-8" if self.media_type.startswith("text/") else self.media_type


def _write_report(run: Run, path: Path) -> None:
    from peerage.report import write_report

    write_report(run.result, path, anonymous=run.anonymous)


def _write_grades(run: Run, path: Path) -> None:
    from peerage.grading import write_table

    write_table(run.result.items, path)


def _write_graders(run: Run, path: Path) -> None:
    from peerage.grading import write_table

    write_table(run.result.graders, path)


def _write_record(run: Run, path: Path) -> None:
    from peerage.grading import record, write_json

    write_json(record(run.result), path)


def _write_run(run: Run, path: Path) -> None:
    from peerage.grading import write_json

    write_json({**run.result.provenance, **run.times()}, path)


def _book_file(book: GradeBook) -> ResultFile:
    def write(run: Run, path: Path) -> None:
        from peerage.grading import gradebook, write_table

        roster = _items_as_students(run.result) if run.roster is None else run.roster
        asked = run.book
        write_table(
            gradebook(run.result, roster, book.name, title=asked.title, assignment=asked.assignment), path
        )

    title = f"{book.title} grade book" if book.imported else book.title
    return ResultFile(book.file, title, "grades, one row per student", "text/csv", write, "book")


def _items_as_students(result: GradingResult) -> Any:
    import polars as pl

    return pl.DataFrame({"student": result.items["item"].unique(maintain_order=True)})


RESULT_FILES: tuple[ResultFile, ...] = (
    ResultFile(
        "report.html", "Report to keep", "a page to read and print", "text/html", _write_report, "report"
    ),
    ResultFile("grades.csv", "Grades", "one row per item", "text/csv", _write_grades),
    ResultFile("graders.csv", "Graders", "one row per grader", "text/csv", _write_graders),
    ResultFile(
        "results.json",
        "All figures, for programs",
        "everything",
        "application/json",
        _write_record,
        for_programs=True,
    ),
    ResultFile(
        "run.json",
        "Version, options and times",
        "what made them",
        "application/json",
        _write_run,
        for_programs=True,
    ),
    *map(_book_file, BOOKS.values()),
)


def result_files(*when: When, books: Iterable[GradeBook] = ()) -> list[ResultFile]:
    """The files of these occasions, and those of these grade books."""
    wanted = {book.file for book in books}
    return [file for file in RESULT_FILES if file.when in when or file.name in wanted]


def times_since(started: float) -> dict[str, Any]:
    """When it was, and how many seconds after this reading of `time.perf_counter`."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "elapsed": round(time.perf_counter() - started, 3),
    }


def write_files(run: Run, folder: str | Path, files: Iterable[ResultFile]) -> list[Path]:
    """Write these files to a folder, which is made if need be."""
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    paths = []
    for file in files:
        file.write(run, out / file.name)
        paths.append(out / file.name)
    return paths
