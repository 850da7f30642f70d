"""`peerage grade`: from feedback to grades."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from peerage.cli._common import print_json, progress
from peerage.cli._grading import Input, parameters, read_input
from peerage.cli._pages import Pages, write_pages
from peerage.cli._reading import FeedbackFile, Reading, reads_feedback

if TYPE_CHECKING:
    from peerage.grading import GradingResult

GRADES = "What the grades look like"
TRUST = "How sure they are"
REPORT = "The report"
BOOK = "For the grade book"

MethodOption = Annotated[
    str | None,
    typer.Option("--method", "-m", metavar="CODE", help="See peerage methods; chosen for you if not given."),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the method: --set score_variance=3."),
]
SeedOption = Annotated[int, typer.Option(min=0, help="The same seed gives the same files, byte for byte.")]


def _option(panel: str, *names: str, **more: Any) -> Any:
    return typer.Option(*names, rich_help_panel=panel, **more)


@reads_feedback
def grade(
    file: FeedbackFile,
    method: MethodOption = None,
    out: Annotated[
        str | None, typer.Option(metavar="DIR", help="Folder for the files; without it nothing is written.")
    ] = None,
    seed: SeedOption = 0,
    roster: Annotated[
        str | None,
        typer.Option(
            "--roster", "--owners", metavar="FILE", help="Who made what: columns student, and item or group."
        ),
    ] = None,
    scale: Annotated[
        str | None, _option(GRADES, metavar="LOW:HIGH", help="Give points on this scale, such as 0:100.")
    ] = None,
    peer_scale: Annotated[
        str | None,
        _option(GRADES, metavar="LOW:HIGH", help="The scale graders used, where it is another one."),
    ] = None,
    letters: Annotated[
        str | None,
        _option(GRADES, metavar="RULE", help='Quotas "A:20%,B:30%,C:50%" or cut-points "A>=85,B>=70,C".'),
    ] = None,
    anchors: Annotated[
        str | None,
        _option(
            GRADES, metavar="FILE", help="Staff grades of some items: columns item, score, perhaps source."
        ),
    ] = None,
    anchors_as_evidence: Annotated[
        bool,
        _option(
            GRADES,
            "--anchors-as-evidence",
            help="Items that staff graded get that grade; others learn from it.",
        ),
    ] = False,
    interval: Annotated[float, _option(TRUST, help="Level of the intervals.")] = 0.9,
    bootstrap: Annotated[
        int, _option(TRUST, min=0, help="Take uncertainty from this many resamples of graders.")
    ] = 0,
    compare: Annotated[
        str, _option(TRUST, metavar="CODES", help='Methods to hold beside it: "bt+g,mals" or "all".')
    ] = "",
    staff_budget: Annotated[
        int, _option(TRUST, min=0, help="How many items staff could grade: which ones help most?")
    ] = 0,
    export: Annotated[
        str,
        _option(
            BOOK,
            metavar="BOOKS",
            help="Write a file for canvas, moodle or csv; needs --out and --roster.",
        ),
    ] = "",
    title: Annotated[str, _option(BOOK, help="What the grade book calls the grade.")] = "Peer grade",
    assignment: Annotated[
        str | None, _option(BOOK, metavar="ID", help="Canvas: the number of the assignment, if it exists.")
    ] = None,
    report: Annotated[
        bool, _option(REPORT, "--report/--no-report", help="Write report.html, a page to read and print.")
    ] = True,
    anonymous: Annotated[
        bool, _option(REPORT, "--anonymous", help="Number the graders in the report; names stay out of it.")
    ] = False,
    student: Annotated[
        list[str] | None,
        _option(REPORT, metavar="ID", help="Also write this student's own page; may be repeated."),
    ] = None,
    figures: Annotated[
        bool, _option(REPORT, "--figures", help="Also write the figures as SVG and PNG.")
    ] = False,
    set_: SetOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print the whole result as JSON.")] = False,
    *,
    reading: Reading,
) -> None:
    """Grade the class in FILE, and say how sure the grades are.

    Writes to DIR: report.html (open it in a browser), grades.csv, graders.csv,
    results.json (everything) and run.json (what made them).

    [bold]Examples[/bold]

        peerage grade feedback.csv --out results

        peerage grade feedback.csv --scale 0:100 --letters "A:20%,B:30%,C:50%"

        peerage grade feedback.csv --anchors staff.csv --letters "A>=85,B>=70,C"

        peerage grade feedback.csv --method pl+g --staff-budget 10

        peerage grade feedback.csv --scale 0:100 --out results
            --export canvas --roster roster.csv
    """
    from peerage.grading import grade as make

    books = [book.strip().lower() for book in export.split(",") if book.strip()]
    if books and (out is None or roster is None):
        raise typer.BadParameter("needs --out DIR and --roster FILE", param_hint="--export")
    if out is None and (student or figures or anonymous):
        raise typer.BadParameter(
            "needs --out DIR to write to", param_hint="--student, --figures, --anonymous"
        )
    with progress(14) as step:
        step(f"reading {file}")
        given = read_input(file, roster, reading)
        result = make(
            given.feedback,
            method=method,
            params=parameters(set_),
            scale=scale,
            peer_scale=peer_scale,
            letters=letters,
            anchors=anchors,
            anchors_as_evidence=anchors_as_evidence,
            staff_budget=staff_budget,
            interval=interval,
            bootstrap=bootstrap,
            compare=compare.split(","),
            owners=given.roster,
            seed=seed,
            on_step=step,
            source=given.source,
        )
    paths = [] if out is None else _write(result, out, given)
    if out is not None:
        wanted = Pages(report=report, anonymous=anonymous, students=student or [], figures=figures)
        paths += write_pages(result, out, given.roster, wanted)
    for book in books:
        paths.append(_export(result, f"{out}/gradebook-{book}.csv", given.roster, book, title, assignment))
    if json:
        from peerage.grading import record

        print_json(record(result))
    else:
        from peerage.cli._grade_view import show

        show(file, result, paths)


def _write(result: GradingResult, out: str, given: Input) -> list[str]:
    from peerage.grading import write_results, write_run

    paths = write_results(result, out)
    paths.append(write_run(result, out, **given.times()))
    return [str(path) for path in paths]


def _export(
    result: GradingResult,
    path: str,
    roster: Any,
    book: str,
    title: str,
    assignment: str | None,
) -> str:
    from pathlib import Path

    from peerage.grading import gradebook, write_table

    write_table(gradebook(result, roster, book, title=title, assignment=assignment), Path(path))
    return path
