"""`peerage repair`: mend an allocation that is under way."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from peerage.cli.allocate import (
    Columns,
    Conflicts,
    PerGrader,
    PerStaff,
    RosterFile,
    Seed,
    Submissions,
    Task,
    people,
    write_csv,
)

if TYPE_CHECKING:
    from peerage.allocation.repair import Repair


def repair(
    allocation: Annotated[
        str, typer.Argument(metavar="ALLOCATION", help="What was given out: CSV with grader, item, position.")
    ],
    roster: RosterFile,
    per_grader: PerGrader,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Where to write the new allocation; only the changes are shown if not given."
        ),
    ] = None,
    done: Annotated[
        str | None, typer.Option(metavar="FILE", help="Reviews handed in so far: CSV with grader and item.")
    ] = None,
    no_show: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Somebody who will not review; repeat, or give a file of names."),
    ] = None,
    coverage: Annotated[
        int | None, typer.Option(min=0, help="Reviews every item must have; as planned if not given.")
    ] = None,
    submissions: Submissions = "student",
    conflicts: Conflicts = "mutual",
    per_staff: PerStaff = None,
    task: Task = None,
    column: Columns = None,
    seed: Seed = 0,
) -> None:
    """Let late submitters in and no-shows out, and change as little as possible.

    ROSTER is the class as it is now: add late submitters, delete people
    who left, mark those without a submission (submits no) or who will not
    review (reviews 0). Reviews that are done are never touched; items
    short of reviews get replacement reviewers, with as little extra work
    as possible.

    Prints the list of changes (CSV: change, grader, item, reason).

    [bold]Examples[/bold]

        peerage repair lists.csv roster.csv -k 5 --no-show ada

        peerage repair lists.csv roster.csv -k 5 --done done.csv --out new.csv
    """
    from peerage.allocation.repair import repair as mend

    mended = mend(
        allocation,
        people(roster, column, task),
        per_grader,
        done=done,
        no_shows=_names(no_show or []),
        coverage=coverage,
        submissions=submissions,
        conflicts=conflicts,
        per_staff=per_staff,
        seed=seed,
    )
    write_csv(mended.changes, None)
    if out is not None:
        write_csv(mended.table, out)
    _show_summary(mended)


def _names(given: list[str]) -> list[str]:
    """Names as they are; a name that is a file stands for the names in it, one per line."""
    names: list[str] = []
    for name in given:
        path = Path(name)
        lines = path.read_text(encoding="utf-8-sig").splitlines() if path.is_file() else [name]
        names += [line.strip() for line in lines if line.strip()]
    return names


def _show_summary(mended: Repair) -> None:
    kinds = mended.changes["change"].value_counts()
    counts = dict(zip(kinds["change"], kinds["count"], strict=True))
    typer.echo(
        f"{counts.get('remove', 0):,} reviews removed, {counts.get('add', 0):,} added;"
        f" every item has at least {mended.coverage}; {len(mended.extra):,} people do one more or several.",
        err=True,
    )
    for note in mended.notes:
        typer.echo(f"Note: {note}.", err=True)
