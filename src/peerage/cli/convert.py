"""`peerage convert`: the same feedback in another format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from peerage.cli._reading import FeedbackFile, reads_feedback
from peerage.reading.options import ReadingOptions
from peerage.writing.formats import FORMATS

if TYPE_CHECKING:
    from peerage.feedback.container import Feedback

    Target = str
else:
    Target = Literal[FORMATS]


@reads_feedback
def convert(
    file: FeedbackFile,
    out: Annotated[str, typer.Argument(metavar="OUT", help="Where to write it; - for standard output.")],
    *,
    reading: ReadingOptions,
    to: Annotated[
        Target,
        typer.Option(help="Format to write; by default what the ending of OUT says, CSV for -."),
    ] = "auto",
    task: Annotated[str | None, typer.Option(help="Only this task.")] = None,
    lossy: Annotated[
        bool,
        typer.Option(
            "--lossy", help="Go ahead where the format cannot hold everything, and say what was lost."
        ),
    ] = False,
) -> None:
    """Write the feedback in FILE to OUT in another format.

    [bold]Examples[/bold]

        peerage convert reviews.xlsx feedback.csv --sheet Reviews --column item="Paper ID"

        peerage convert votes.toi feedback.parquet

        cat pairs.csv | peerage convert - - --to pgf --lossy
    """
    from peerage.writing.writer import write

    _refuse_itself(file, out)
    feedback = reading.read(file)
    if feedback.direction is not None:
        typer.echo(f"Note: {feedback.direction.text}", err=True)
    for note in feedback.notes:
        typer.echo(f"Note: {note}", err=True)
    part = feedback if task is None else _only(feedback, task)
    for loss in write(part, out, to, lossy=lossy):
        typer.echo(f"Note: {loss}", err=True)


def _refuse_itself(file: str, out: str) -> None:
    """A file converted onto itself would be gone where the format cannot hold everything."""
    from pathlib import Path

    if "-" not in (file, out) and Path(out).exists() and Path(file).exists() and Path(out).samefile(file):
        raise typer.BadParameter(f"is {file} itself: give another name", param_hint="OUT")


def _only(feedback: Feedback, task: str) -> Feedback:
    """One task without the graders who did nothing in it: asked for, so not a loss."""
    from peerage.reading.reader import read
    from peerage.writing.long import long_frame

    part = feedback.for_task(task)
    return read(long_frame(part)) if feedback.n_tasks > 1 else part
