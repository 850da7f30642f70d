"""`peerage plan`: how many reviews per student?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from peerage.cli._terminal import ClusterAddress, console, print_json, progress

if TYPE_CHECKING:
    from peerage.planning import Plan


def plan(
    students: Annotated[int, typer.Option(help="Students in the class; each of them reviews.")],
    per_student: Annotated[int, typer.Option(help="Reviews that each student would write.")] = 5,
    items: Annotated[
        int | None,
        typer.Option(help="Submissions, where students work in groups. [default: one per student]"),
    ] = None,
    reliability: Annotated[
        float,
        typer.Option(
            help="What a review is worth: 1 typical, 2 as much as two typical ones, 0.5 half of one."
        ),
    ] = 1.0,
    lazy: Annotated[float, typer.Option(help="Share of students who would grade at random.")] = 0.0,
    feedback: Annotated[Literal["orders", "scores"], typer.Option(help="What students submit.")] = "orders",
    bands: Annotated[int, typer.Option(help="Grade bands of equal size, for the boundary error.")] = 4,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same figures.")] = 0,
    cluster: ClusterAddress = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also draw it: a PNG, SVG or PDF.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the table as JSON.")] = False,
) -> None:
    """Before the term: what accuracy to expect from how many reviews per student.

    Simulates classes like yours and grades them. Answers are kept, so asking again is quick.

    [bold]Examples[/bold]

        peerage plan --students 200 --per-student 5

        peerage plan --students 120 --items 40 --lazy 0.1 --plot plan.png

        peerage plan --students 80 --reliability 0.5 --feedback scores --json
    """
    from peerage.planning import plan as make
    from peerage.planning import workloads
    from peerage.plots import require_matplotlib

    steps = len(workloads(per_student, (items or students) - 1))
    if plot is not None:
        require_matplotlib()
    with progress(max(steps, 1)) as step:
        planned = make(
            students,
            per_student,
            items=items,
            reliability=reliability,
            lazy=lazy,
            feedback=feedback,
            bands=bands,
            seed=seed,
            cluster=cluster,
            on_step=step,
        )
    if plot is not None:
        planned.plot(plot)
    if json:
        print_json(planned.table.to_dicts())
        return
    _show(planned)
    if plot is not None:
        typer.echo(f"Drawn: {plot}")


def _show(plan: Plan) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    heads = ("reviews per\nstudent", "reviews\nper item", "pairs in\nwrong order", "the same,\nagainst staff")
    for head in (*heads, "in the\nwrong band", "place right\nwithin"):
        table.add_column(head, justify="right")
    for row in plan.table.iter_rows(named=True):
        chosen = row["reviews_per_student"] == plan.setting.per_student
        table.add_row(
            f"{'> ' if chosen else ''}{row['reviews_per_student']}",
            f"{row['reviews_per_item']:.1f}",
            f"{row['tau_error']:.1f} ± {row['tau_error_se']:.1f} %",
            f"{row['staff_tau_error']:.1f} %",
            f"{row['boundary_error']:.0f} %",
            f"± {row['interval']:.0f}",
            style="bold" if chosen else "",
        )
    screen = console()
    screen.print(table)
    screen.print(f"\n{_sentence(plan)}", soft_wrap=False)


def _sentence(plan: Plan) -> str:
    setting, row = plan.setting, plan.expected
    return (
        f"With {setting.per_student} reviews per student, about {row['tau_error']:.0f} of 100 pairs of"
        f" submissions end up in another order than endlessly many such reviewers would give, and"
        f" {row['boundary_error']:.0f} % of submissions in another of {setting.bands} equal bands. Nine of"
        f" ten are within {row['interval']:.0f} percentile points of their place. Staff judge differently"
        " from peers: that part of the error no number of reviews removes. Figures are from simulated classes"
        " with typical graders; yours may be better or worse (--reliability). After ± is the error of the"
        " simulation itself; workloads with the same figure cannot be told apart by it."
    )
