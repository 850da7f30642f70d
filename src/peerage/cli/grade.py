"""`peerage grade`: from feedback to grades."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from peerage.cli._common import print_json, progress
from peerage.cli._grading import Input, parameters, read_input
from peerage.cli._reading import FeedbackFile, Reading, reads_feedback

if TYPE_CHECKING:
    from peerage.grading import GradingResult

GRADES = "What the grades look like"
TRUST = "How sure they are"

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
    set_: SetOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print the whole result as JSON.")] = False,
    *,
    reading: Reading,
) -> None:
    """Grade the class in FILE, and say how sure the grades are.

    Writes to DIR: grades.csv, graders.csv, results.json (everything) and
    run.json (what made them).

    [bold]Examples[/bold]

        peerage grade feedback.csv --out results

        peerage grade feedback.csv --scale 0:100 --letters "A:20%,B:30%,C:50%"

        peerage grade feedback.csv --anchors staff.csv --letters "A>=85,B>=70,C"

        peerage grade feedback.csv --method pl+g --staff-budget 10
    """
    from peerage.grading import grade as make

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
    if json:
        print_json(result.to_dict())
    else:
        from peerage.cli._grade_view import show

        show(file, result, paths)


def _write(result: GradingResult, out: str, given: Input) -> list[str]:
    from peerage.grading.files import write_results, write_run

    paths = write_results(result, out)
    paths.append(write_run(result, out, **given.times()))
    return [str(path) for path in paths]
