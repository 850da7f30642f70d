"""`peerage check`: the pre-flight."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from peerage.cli._reading import FeedbackFile, RosterColumns, read_class, reads_feedback
from peerage.cli._terminal import print_json, progress
from peerage.reading.reading import Reading

if TYPE_CHECKING:
    from peerage.checking.preflight import Preflight

WARNED = 1


@reads_feedback
def check(
    file: FeedbackFile,
    owners: Annotated[
        str | None,
        typer.Option(
            "--roster",
            "--owners",
            metavar="FILE",
            help="Roster: columns student, and item or group or both. Finds reviews of own work.",
        ),
    ] = None,
    roster_column: RosterColumns = None,
    min_reviews: Annotated[int, typer.Option(min=1, help="Report items with fewer reviews than this.")] = 3,
    examples: Annotated[int, typer.Option(min=0, help="How many cases to name per finding.")] = 5,
    json: Annotated[
        bool, typer.Option("--json", help="Print everything, all cases included, as JSON.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with code 1 if there is any warning.")
    ] = False,
    *,
    reading: Reading,
) -> None:
    """Look at the feedback before you trust any grade from it.

    Says how it reads the file, counts what there is, follows who was
    compared with whom, and names the items and graders that need a look,
    with what it means and what to do.

    A file that does not say what it means is asked about; without a
    terminal, the commands that say it are printed.

    [bold]Examples[/bold]

        peerage check feedback.csv

        peerage check feedback.csv --roster roster.csv

        peerage check cmt.xlsx --sheet Reviews -c grader=Reviewer -c item=Paper

        peerage check week2.csv --reading results/reading.toml

        cat feedback.csv | peerage check - --json --strict

    Exit code: 0 when the file could be checked, 1 with --strict and a warning,
    2 when it cannot be read, or not without a question.
    """
    preflight = _run(file, owners, roster_column, min_reviews, reading)
    if json:
        print_json({"file": file, **preflight.to_dict()})
    else:
        from peerage.cli._check_view import show

        show(file, preflight, examples)
    if strict and preflight.warnings:
        raise typer.Exit(WARNED)


def _run(
    file: str, owners: str | None, columns: list[str] | None, min_reviews: int, reading: Reading
) -> Preflight:
    from peerage.checking.preflight import STEPS
    from peerage.checking.preflight import check as preflight

    with progress(STEPS + 1) as step:
        step(f"reading {file}")
        data = read_class(file, owners, columns, reading)
        return preflight(data.feedback, data.roster, min_reviews=min_reviews, on_step=step)
