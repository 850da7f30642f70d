"""The files of a grading run: one list, from which they are written, packed, linked to and served.

A new file is one more entry of ``RESULT_FILES``; a new grade book brings its own. All but run.json are the
same on every run.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Literal

from peerage._files import draft_folder, move_drafts, naming_file
from peerage.errors import DataError
from peerage.grading.output.books import BOOKS, BookOptions, GradeBook

if TYPE_CHECKING:
    from peerage.grading.result import GradingResult
    from peerage.roster.reader import RosterSource

When = Literal["always", "report", "book", "tables"]
MEDIA = {
    "csv": "text/csv",
    "parquet": "application/vnd.apache.parquet",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
ROWS_IN_JSON = 10_000  # of items and graders together; beyond, tables are files beside it
RUN = "run.json"  # written last: it lists the others


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A result, and what else its files are made from."""

    result: GradingResult
    roster: RosterSource | None = None  # of grade books: a row per student; without one, per item
    book: BookOptions = field(default_factory=BookOptions)
    beside: bool = False  # whether the tables are files of their own, and results.json names them
    anonymous: bool = False  # whether the report numbers its graders
    times: Callable[[], Mapping[str, Any]] = dict  # asked when run.json is written, the only file with times
    inputs: tuple[str | Path, ...] = ()  # files that nothing may be written over
    written: tuple[str, ...] = ()  # the files, as run.json lists them

    @property
    def title(self) -> str | None:
        """What the report is headed by, where the grade was given a name."""
        return self.book.title if self.book.title != BookOptions().title else None


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
        return self.name.rpartition(".")[2]

    @property
    def content_type(self) -> str:
        """As HTTP says it; JSON is UTF-8 by itself."""
        return f"{self.media_type}; charset=utf-8" if self.media_type.startswith("text/") else self.media_type


def _write_report(run: Run, path: Path) -> None:
    from peerage.report import write_report

    write_report(run.result, path, anonymous=run.anonymous, title=run.title)


def _write_grades(run: Run, path: Path) -> None:
    from peerage.grading.output.files import write_table

    write_table(run.result.items, path)


def _write_graders(run: Run, path: Path) -> None:
    from peerage.grading.output.files import write_table

    write_table(run.result.graders, path)


def _write_reading(run: Run, path: Path) -> None:
    reading = run.result.preflight.reading
    text = "# these grades come from no file\n" if reading is None else reading.to_toml()
    path.write_text(text, encoding="utf-8", newline="\n")


def _write_record(run: Run, path: Path) -> None:
    from peerage.grading.output.files import write_json
    from peerage.grading.output.results_json import record

    tables = {name: TABLES[name].name for name in TABLES} if run.beside else {}
    write_json(record(run.result, tables=tables), path)


def _write_run(run: Run, path: Path) -> None:
    from peerage.grading.output.files import write_json

    write_json({**run.result.provenance, **run.times(), "files": list(run.written)}, path)


def _book_file(book: GradeBook) -> ResultFile:
    def write(run: Run, path: Path) -> None:
        from peerage.grading.output.export import gradebook
        from peerage.grading.output.files import write_table

        roster = _items_as_students(run.result) if run.roster is None else run.roster
        asked = run.book
        table = gradebook(
            run.result,
            roster,
            book.name,
            title=asked.title,
            assignment=asked.assignment,
            grade_as=asked.grade_as,
        )
        write_table(table, path)

    title = f"{book.title} grade book" if book.imported else book.title
    return ResultFile(book.file, title, "grades, one row per student", MEDIA[book.ending], write, "book")


def _items_as_students(result: GradingResult) -> Any:
    import polars as pl

    return pl.DataFrame({"student": result.items["item"].unique(maintain_order=True)})


def _table_file(key: str, name: str, title: str, holds: str) -> ResultFile:
    def write(run: Run, path: Path) -> None:
        from peerage.grading.output.files import write_parquet

        write_parquet(run.result, key, path)

    return ResultFile(name, title, holds, MEDIA["parquet"], write, "tables", for_programs=True)


# By the key that they stand for in results.json.
TABLES: dict[str, ResultFile] = {
    "items": _table_file("items", "grades.parquet", "Grades, every digit", "one row per item"),
    "graders": _table_file("graders", "graders.parquet", "Graders, every digit", "one row per grader"),
    "ranks": _table_file("ranks", "ranks.parquet", "Ranks by other methods", "one row per item"),
}

RESULT_FILES: tuple[ResultFile, ...] = (
    ResultFile(
        "report.html", "Report to keep", "a page to read and print", "text/html", _write_report, "report"
    ),
    ResultFile("grades.csv", "Grades", "one row per item", "text/csv", _write_grades),
    ResultFile("graders.csv", "Graders", "one row per grader", "text/csv", _write_graders),
    ResultFile(
        "reading.toml",
        "How the file was read",
        "what its columns and numbers mean, for the next file",
        "application/toml",
        _write_reading,
        for_programs=True,
    ),
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
    *TABLES.values(),
    *map(_book_file, BOOKS.values()),
)


def files_with_grades(result: GradingResult, files: Iterable[ResultFile]) -> list[ResultFile]:
    """The files without grade books for import where there is no grade to import, but a standing."""
    from peerage.grading.output.export import grade_column

    imported = {book.file for book in BOOKS.values() if book.imported}
    has_grade = grade_column(result) is not None
    return [file for file in files if has_grade or file.name not in imported]


def are_large(result: GradingResult) -> bool:
    """Whether the tables are too long for a JSON document."""
    return len(result.items) + len(result.graders) > ROWS_IN_JSON


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


def write_files(
    run: Run,
    folder: str | Path,
    files: Iterable[ResultFile],
    on_step: Callable[[str], None] = lambda step: None,
) -> list[Path]:
    """Write these files to a folder, which is made if need be: all of them, or none.

    Files that an earlier run has left in the folder, by its run.json, and that this one does not write, go.
    """
    out = Path(folder)
    asked = list(files)
    listed = sorted(asked, key=lambda file: file.name == RUN)
    for file in listed:
        _refuse_input(out / file.name, run.inputs)
    with draft_folder(out) as inside:
        for file in listed:
            on_step(f"writing {file.name}")
            if file.name == RUN:
                run = replace(run, written=(*_names(inside), RUN))
            with naming_file(out / file.name, "nothing was written"):
                file.write(run, inside / file.name)
        before = _left_behind(out)
        _make_way(out, before, _names(inside))
        names = move_drafts(inside, out)
        for name in before - set(names):
            _remove(out, name)
    order = [file.name for file in asked]
    return [out / name for name in sorted(names, key=lambda name: order.index(name.partition("/")[0]))]


def _names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def _refuse_input(path: Path, inputs: Iterable[str | Path]) -> None:
    for file in map(Path, inputs):
        if path.exists() and file.exists() and path.samefile(file):
            raise DataError(f"{path} was given to be read, and would be written over: choose another folder")


def _left_behind(folder: Path) -> set[str]:
    """What the last run has written there; only names that stay within the folder."""
    try:
        names = json.loads((folder / RUN).read_text(encoding="utf-8"))["files"]
    except (OSError, ValueError, KeyError, TypeError):
        return set()
    if not isinstance(names, list):
        return set()
    parts = {name: PurePosixPath(name).parts for name in names if isinstance(name, str)}
    return {name for name, path in parts.items() if path and ".." not in path and not name.startswith("/")}


def _make_way(folder: Path, before: set[str], names: list[str]) -> None:
    """Remove a file of the last run where a folder is to be, and files of a folder where a file is to be."""
    folders = {str(parent) for name in names for parent in PurePosixPath(name).parents}
    for name in before:
        if name in folders or any(str(parent) in names for parent in PurePosixPath(name).parents):
            _remove(folder, name)


def _remove(folder: Path, name: str) -> None:
    path = folder / name
    if path.is_file() and not path.is_symlink():
        path.unlink()
    if path.parent != folder:
        with suppress(OSError):  # others have put something there
            path.parent.rmdir()
