"""`peerage grade`: from feedback to grades."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from peerage.cli._options import flags_of, takes_grading_options, with_flags
from peerage.cli._reading import FeedbackFile, RosterColumns, read_class, reads_feedback
from peerage.cli._terminal import ClusterAddress, print_json, progress
from peerage.grading.options import GradingOptions
from peerage.grading.output.books import BOOKS, BookOptions, grade_book
from peerage.reading.content import file_set_of
from peerage.reading.reading import Reading
from peerage.results import ResultFile, Run, When, are_large, result_files, times_since, write_files

if TYPE_CHECKING:
    from peerage.grading.result import GradingResult
    from peerage.roster.container import Roster

REPORT = "The report"
BOOK = "For the grade book"
ALL_STUDENTS = "all"
INDEX = "students.csv"
LONGEST = 180  # bytes of a name; file systems take 255


def _option(panel: str, *names: str, **more: Any) -> Any:
    return typer.Option(*names, rich_help_panel=panel, **more)


@reads_feedback
@takes_grading_options()
@with_flags("book", flags_of(BookOptions, BookOptions.table(), BOOK), lambda values: BookOptions(**values))
def grade(
    file: FeedbackFile,
    *,
    out: Annotated[
        str | None, typer.Option(metavar="DIR", help="Folder for the files; without it nothing is written.")
    ] = None,
    roster: Annotated[
        str | None,
        typer.Option(
            "--roster", "--owners", metavar="FILE", help="Who made what: columns student, and item or group."
        ),
    ] = None,
    roster_column: RosterColumns = None,
    options: GradingOptions,
    anchors: Annotated[
        str | None,
        _option(
            GradingOptions.table()["anchors_as_evidence"].group,
            metavar="FILE",
            help="Staff grades of some items: columns item, score, perhaps source.",
        ),
    ] = None,
    export: Annotated[
        str,
        _option(
            BOOK,
            metavar="BOOKS",
            help=f"Write a file for these, by commas: {', '.join(BOOKS)}; needs --out and --roster.",
        ),
    ] = "",
    book: BookOptions,
    report: Annotated[
        bool, _option(REPORT, "--report/--no-report", help="Write report.html, a page to read and print.")
    ] = True,
    anonymous: Annotated[
        bool, _option(REPORT, "--anonymous", help="Number the graders in the report; names stay out of it.")
    ] = False,
    student: Annotated[
        list[str] | None,
        _option(
            REPORT,
            metavar="ID",
            help="Also write this student's own page; may be repeated; all for everybody's.",
        ),
    ] = None,
    figures: Annotated[
        bool, _option(REPORT, "--figures", help="Also write the figures as SVG and PNG.")
    ] = False,
    tables: Annotated[
        Literal["csv", "parquet"],
        typer.Option(
            metavar="csv|parquet",
            help="parquet: also grades.parquet, graders.parquet and ranks.parquet, with every digit; then"
            " results.json names them instead of repeating them. Large classes always have them.",
        ),
    ] = "csv",
    cluster: ClusterAddress = None,
    json: Annotated[bool, typer.Option("--json", help="Print the whole result as JSON.")] = False,
    reading: Reading,
) -> None:
    """Grade the class in FILE, and say how sure the grades are.

    Orders alone give a standing: ranks and percentiles. For points or
    letters say what makes them: staff grades (--anchors), a --curve,
    quotas of --letters, or --complete. Graders' scores become points on
    --scale.

    Writes to DIR: report.html (open it in a browser), grades.csv, graders.csv,
    reading.toml (how the file was read, for the next one), results.json
    (everything) and run.json (what made them); all or nothing.

    [bold]Examples[/bold]

        peerage grade feedback.csv --out results

        peerage grade feedback.csv --anchors staff.csv --letters "A>=85,B>=70,C"

        peerage grade feedback.csv --scale 0:100 --curve 75:10

        peerage grade feedback.csv --letters "A:20%,B:30%,C:50%"

        peerage grade feedback.csv --complete --roster roster.csv
            --export canvas --out results

        peerage grade feedback.csv --method pl+g --staff-budget 10
    """
    from peerage.grading.run import grade_with
    from peerage.plots import require_matplotlib

    options.check()
    books = [grade_book(name.strip().lower()) for name in export.split(",") if name.strip()]
    if books and (out is None or roster is None):
        raise typer.BadParameter("needs --out DIR and --roster FILE", param_hint="--export")
    wants = {"--student": student, "--figures": figures, "--anonymous": anonymous}
    wants["--tables"] = tables == "parquet"
    if out is None and any(wants.values()):
        asked = ", ".join(name for name, wanted in wants.items() if wanted)
        raise typer.BadParameter("needs --out DIR to write to", param_hint=asked)
    if figures:
        require_matplotlib()
    started = time.perf_counter()
    with progress(14) as step:
        step(f"reading {file}")
        data = read_class(file, roster, roster_column, reading)
        result = grade_with(
            data.feedback,
            options,
            anchors=anchors,
            owners=data.roster,
            on_step=step,
            source=data.source,
            cluster=cluster,
        )
    paths: list[Path] = []
    if out is not None:
        beside = tables == "parquet" or are_large(result)
        run = Run(
            result=result,
            beside=beside,
            roster=data.roster,
            book=book,
            anonymous=anonymous,
            times=lambda: times_since(started),
            inputs=tuple(name for name in (*_input_files(file), roster, anchors) if name is not None),
        )
        pages = _page_files(result, data.roster, students=student or [], figures=figures)
        occasions: dict[When, bool] = {"always": True, "report": report, "tables": beside}
        wanted = [when for when, asked in occasions.items() if asked]
        files = [*result_files(*wanted, books=books), *pages]
        with progress(len(files)) as step:
            paths = write_files(run, out, files, on_step=step)
    if json:
        from peerage.grading.output.results_json import record

        print_json(record(result))
    else:
        from peerage.cli._grade_view import show

        show(file, result, [str(path) for path in paths])


def _input_files(file: str) -> tuple[str, ...]:
    from peerage.reading.packed import packed_at

    packed = packed_at(file)
    if packed is not None:
        return packed.paths
    parts = file_set_of(file)
    return (file,) if parts is None else parts.paths


# -- pages of students, and pictures, beside the files --------------------------------------------------


def _page_files(
    result: GradingResult, roster: Roster | None, *, students: Iterable[str], figures: bool
) -> list[ResultFile]:
    """A page per student, where all are wanted a list of them, and the figures."""
    wanted = list(students)
    everybody = ALL_STUDENTS in wanted
    names = student_files(_all_students(result, roster) if everybody else wanted)
    pages = [_page(student, name, roster) for student, name in names.items()]
    if everybody:
        pages.append(_index(names))
    return [*pages, _figures()] if figures else pages


def _all_students(result: GradingResult, roster: Roster | None) -> list[str]:
    """The students of the roster; without one, whoever graded, and the items, whose makers nobody knows."""
    if roster is not None and len(roster.students):
        return sorted(roster.students.unique().to_list())
    feedback = result.feedback
    return sorted({*feedback.grader_labels.to_list(), *feedback.item_labels.to_list()})


def _page(student: str, name: str, roster: Roster | None) -> ResultFile:
    def write(run: Run, path: Path) -> None:
        from peerage.report import write_report

        write_report(run.result, path, student=student, roster=roster, title=run.title)

    return ResultFile(name, student, "a student's own page", "text/html", write)


def _index(names: dict[str, str]) -> ResultFile:
    def write(run: Run, path: Path) -> None:
        import polars as pl

        from peerage.grading.output.files import write_table

        write_table(pl.DataFrame({"student": list(names), "file": list(names.values())}), path)

    return ResultFile(INDEX, "Pages of students", "whose page is which", "text/csv", write)


def _figures() -> ResultFile:
    def write(run: Run, path: Path) -> None:
        from peerage.report import write_figures

        write_figures(run.result, path)

    return ResultFile("figures", "Figures", "the report's figures", "image/png", write)


def student_files(students: Iterable[str]) -> dict[str, str]:
    """A file name for every student, with nothing in it that could lead out of the folder; all different."""
    files: dict[str, str] = {}
    taken: set[str] = set()
    for student in dict.fromkeys(students):
        plain = re.sub(r"[^\w-]+", "_", student).encode()[:LONGEST].decode(errors="ignore")
        name, copy = f"student-{plain}", 1
        while name.casefold() in taken:  # some file systems know no capitals
            copy += 1
            name = f"student-{plain}-{copy}"
        taken.add(name.casefold())
        files[student] = f"{name}.html"
    return files
