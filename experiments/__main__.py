"""`python -m experiments`: how good are the methods, on your data or on ours?"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from peerage.cli._terminal import console, running_command

if TYPE_CHECKING:
    from experiments.paper.runner import ExperimentResult

LINE_EVERY = 20.0  # seconds between lines of progress where there is no terminal

app = typer.Typer(add_completion=False, rich_markup_mode="rich", pretty_exceptions_enable=False)


@app.command(no_args_is_help=True, context_settings={"help_option_names": ["-h", "--help"]})
def experiment(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="accuracy, ta-agreement, ta-baseline, self-consistency, scale, lazy, robustness,"
            " runtime, or all.",
        ),
    ],
    data: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="Data sets, parted by spaces: posters, reports (simulated), new-posters, new-reports"
            " (another class every time), a folder with feedback.csv and truth.csv, or the name of one in"
            " $PEERAGE_DATASETS; SET:graders=1x,items=4 cuts it to the size of a class. Groups: simulated,"
            " printed, alike, real, real-class.",
        ),
    ] = "",
    methods: Annotated[
        str,
        typer.Option(
            metavar="CODES",
            help="Methods, parted by commas: any code such as pl+g, one with settings such as"
            " 'pl+g\\[ties=model;score_variance=3]', default, default-orders. Groups: paper, all, and peers"
            " for the contenders.",
        ),
    ] = "",
    contenders: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A Python file with methods of other libraries, such as benchmarks/peers.py.",
        ),
    ] = None,
    repeats: Annotated[
        int | None, typer.Option(min=1, help="Replicates; an existing table is continued.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Processes; the results do not depend on it.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same table.")] = 0,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where tables and figures go.")] = Path("results"),
    small: Annotated[bool, typer.Option("--small", help="Few replicates and methods: a quick look.")] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Start again instead of continuing what is in DIR.")
    ] = False,
) -> None:
    """Measure methods against a known truth; every figure of ours can be made again with this.

    Writes NAME.csv (one row per replicate and method) and NAME.png, drawn from it.
    Stopped runs continue where they were.

    [bold]Examples[/bold]

        python -m experiments accuracy --jobs 2

        python -m experiments lazy --data "posters new-posters" --methods mal+g,pl+g

        python -m experiments accuracy --data ./my-course --methods all

        python -m experiments all --small
    """
    with running_command():
        from experiments.paper.figures import draw
        from experiments.paper.runner import EXPERIMENTS, run

        for each in EXPERIMENTS if name == "all" else [name]:
            with _bar(each) as report:
                result = run(
                    each,
                    data=data.split(),
                    methods=[code for code in methods.split(",") if code],
                    repeats=repeats,
                    jobs=1 if each == "runtime" else jobs,
                    seed=seed,
                    out=out,
                    small=small,
                    fresh=fresh,
                    contenders=contenders,
                    on_progress=report,
                )
            _show(result, draw(result.path))


def _show(result: ExperimentResult, figure: Path) -> None:
    from rich.table import Table

    from experiments.paper.summary import wide

    screen, experiment = console(), result.experiment
    metric = experiment.metrics[-1 if experiment.name == "robustness" else 0]
    table = wide(result.frame, metric, experiment)
    screen.print(f"\n[bold]{experiment.question}[/bold] ({metric.replace('_', ' ')})")
    if table.width <= 6:
        shown = Table(*table.columns, box=None)
        for row in table.iter_rows():
            shown.add_row(*(str(cell) if cell is not None else "–" for cell in row))
        screen.print(shown)
    for note in result.notes:
        screen.print(f"Note: {note}.")
    typer.echo(f"{result.path}\n{figure}\n{result.cpu_seconds:.0f} CPU seconds in all")


@contextmanager
def _bar(name: str) -> Iterator[Callable[[int, int], None]]:
    """A bar with the time left on terminals; elsewhere a line now and then."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(name), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("left"))
    screen = console(stderr=True)
    started = last = time.monotonic()
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as bar:
        work = bar.add_task(name, total=None)

        def report(done: int, total: int) -> None:
            nonlocal last
            bar.update(work, completed=done, total=total)
            now = time.monotonic()
            if not screen.is_terminal and 0 < done < total and now - last >= LINE_EVERY:
                last = now
                left = (now - started) * (total - done) / done
                typer.echo(f"{name}: {done} of {total}, about {left:.0f} s left", err=True)

        yield report


if __name__ == "__main__":
    app(prog_name="python -m experiments")
