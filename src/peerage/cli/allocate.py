"""`peerage allocate`: who reviews what; `peerage repair`: mend an allocation that is under way."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from peerage._files import write_atomically
from peerage.allocation.designs import DEFAULT, DESIGNS, DesignName

if TYPE_CHECKING:
    from peerage.allocation.allocate import Allocation
    from peerage.allocation.preview import AllocationPreview
    from peerage.allocation.repair import Repair
    from peerage.roster.container import Roster

RULES = "Rules"
LOOK = "Before you send it out"

RosterFile = Annotated[
    str,
    typer.Argument(
        metavar="ROSTER",
        help="Table with a column student; optional: item, group, task, section, email, conflicts, role,"
        " submits, reviews. - for stdin.",
    ),
]
PerGrader = Annotated[
    int, typer.Option("--per-grader", "-k", min=1, help="Reviews per grader; a column reviews goes first.")
]
Submissions = Annotated[
    Literal["student", "group"],
    typer.Option(
        rich_help_panel=RULES, help="Whether students or groups submit work; a column item goes first."
    ),
]
Conflicts = Annotated[
    Literal["mutual", "declared"],
    typer.Option(rich_help_panel=RULES, help="Whether a conflict works both ways or for its declarer only."),
]
PerStaff = Annotated[
    int | None,
    typer.Option(
        min=0, rich_help_panel=RULES, help="Reviews per staff member or external; --per-grader if not given."
    ),
]
Task = Annotated[str | None, typer.Option(help="Which task, where the roster has several.")]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--roster-column",
        "--column",
        "-c",
        metavar="NAME=HEADER",
        help="What the roster calls a column: -c student=Login; -c item= for none.",
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same lists.")]


def allocate(
    roster: RosterFile,
    per_grader: PerGrader,
    out: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Where to write grader,item,slot; stdout if not given."),
    ] = None,
    design: Annotated[
        DesignName,
        typer.Option(help=" ".join(f"{design.name}: {design.summary}." for design in DESIGNS.values())),
    ] = DEFAULT,
    seed: Seed = 0,
    merge: Annotated[
        str | None, typer.Option(metavar="FILE", help="Also write one row per grader, for an e-mail merge.")
    ] = None,
    submissions: Submissions = "student",
    sections: Annotated[
        Literal["pooled", "apart"],
        typer.Option(rich_help_panel=RULES, help="Whether students may review work of other sections."),
    ] = "pooled",
    conflicts: Conflicts = "mutual",
    per_staff: PerStaff = None,
    anchors: Annotated[
        str,
        typer.Option(
            rich_help_panel=RULES, help="With --design calibrated: how many anchors, or their names: 'a;b;c'."
        ),
    ] = "5",
    preview: Annotated[
        bool,
        typer.Option(
            "--preview",
            rich_help_panel=LOOK,
            help="Show loads, connections and expected error; write nothing else.",
        ),
    ] = False,
    task: Task = None,
    column: Columns = None,
    runs: Annotated[
        int, typer.Option(min=2, rich_help_panel=LOOK, help="Simulated classes behind the expected error.")
    ] = 20,
) -> None:
    """Decide who reviews what, so that the grades will be as good as the reviews allow.

    Nobody gets their own work, their group's, work they have a conflict
    with, or an item twice. Everybody gets exactly their number, and items
    differ by at most one review. If that cannot be, it says who is in the
    way, why, and what would help.

    [bold]Examples[/bold]

        peerage allocate roster.csv --per-grader 5 --preview

        peerage allocate roster.csv -k 5 --out lists.csv --merge mail.csv

        peerage allocate teams.csv -k 4 --submissions group --sections apart

        peerage allocate roster.csv -k 6 --design calibrated --anchors 3

    When people drop out or come late, see [bold]peerage repair[/bold].
    """
    from peerage.allocation.allocate import allocate as make
    from peerage.allocation.preview import preview as forecast

    allocation = make(
        _read_people(roster, column, task),
        per_grader,
        design=design,
        seed=seed,
        submissions=submissions,
        conflicts=conflicts,
        sections=sections,
        per_staff=per_staff,
        anchors=_anchors(anchors),
    )
    if preview:
        _show_preview(forecast(allocation, repeats=runs, seed=seed))
    else:
        _write_csv(allocation.table(), out)
        _show_summary(allocation)
    if merge is not None:
        _write_csv(allocation.merge_table(), merge)


def _read_people(file: str, column: Sequence[str] | None, task: str | None) -> Roster:
    """The roster in a file or on standard input, of one task where that is said."""
    from peerage.cli._reading import read_people

    roster = read_people(file, column)
    return roster if task is None else roster.for_task(task)


def _write_csv(table: Any, out: str | None) -> None:
    """To a file, or to stdout."""
    if out is None or out == "-":
        typer.echo(table.write_csv(), nl=False)
    else:
        write_atomically(out, table.write_csv().encode())


def _anchors(text: str) -> int | Sequence[str]:
    if text.strip().isdigit():
        return int(text)
    return [name.strip() for name in text.split(";") if name.strip()]


def _show_summary(allocation: Allocation) -> None:
    """One paragraph on stderr, so that stdout stays a clean CSV."""
    q = allocation.quality
    loads = ", ".join(f"{number:,} with {value}" for value, number in sorted(q.loads.items())[:6])
    parts = "all connected" if q.connected else f"in {q.components} parts that no list connects"
    typer.echo(
        f"{q.n_reviews:,} reviews by {q.n_graders:,} graders; items by reviews: {loads}; {parts}.", err=True
    )
    if allocation.anchors:
        typer.echo(f"Anchors for staff to grade: {', '.join(allocation.anchors)}.", err=True)
    for note in allocation.notes:
        typer.echo(f"Note: {note}.", err=True)


def _show_preview(preview: AllocationPreview) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from peerage.cli._terminal import console

    frame = preview.table()
    table = Table(box=SIMPLE_HEAD)
    for column in frame.columns:
        table.add_column(column.capitalize() if column == "figure" else column, overflow="fold")
    for row in frame.iter_rows():
        table.add_row(*row)
    console().print(table)
    console().print(f"Expected figures: means over {preview.repeats} simulated classes. Nothing was written.")


# -- peerage repair -------------------------------------------------------------------------------------


def repair(
    allocation: Annotated[
        str, typer.Argument(metavar="ALLOCATION", help="What was given out: CSV with grader, item, slot.")
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
        str | None, typer.Option(metavar="FILE", help="Reviews submitted so far: CSV with grader and item.")
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
    from peerage.allocation.repair import repair as repair_allocation

    repaired = repair_allocation(
        allocation,
        _read_people(roster, column, task),
        per_grader,
        done=done,
        no_shows=_names(no_show or []),
        coverage=coverage,
        submissions=submissions,
        conflicts=conflicts,
        per_staff=per_staff,
        seed=seed,
    )
    _write_csv(repaired.changes, None)
    if out is not None:
        _write_csv(repaired.table, out)
    _show_repair(repaired)


def _names(names_or_files: list[str]) -> list[str]:
    """Names as they are; a name that is a file stands for the names in it, one per line."""
    names: list[str] = []
    for name in names_or_files:
        path = Path(name)
        lines = path.read_text(encoding="utf-8-sig").splitlines() if path.is_file() else [name]
        names += [line.strip() for line in lines if line.strip()]
    return names


def _show_repair(repaired: Repair) -> None:
    kinds = repaired.changes["change"].value_counts()
    counts = dict(zip(kinds["change"], kinds["count"], strict=True))
    typer.echo(
        f"{counts.get('remove', 0):,} reviews removed, {counts.get('add', 0):,} added;"
        f" every item has at least {repaired.coverage};"
        f" {len(repaired.extra):,} people do one more or several.",
        err=True,
    )
    for note in repaired.notes:
        typer.echo(f"Note: {note}.", err=True)
