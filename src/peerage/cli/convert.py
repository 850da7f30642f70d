"""`peerage convert`: the same feedback in another format; `peerage pack`: in parts, larger than memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from peerage.cli._reading import FeedbackFile, reads_feedback, source_of
from peerage.cli._terminal import print_json, progress
from peerage.reading.content import file_set_of
from peerage.reading.reading import Reading
from peerage.writing.writer import FORMATS

if TYPE_CHECKING:
    from peerage.feedback.container import Feedback
    from peerage.reading.packed import Packed

    Target = str
else:
    Target = Literal[FORMATS]


@reads_feedback
def convert(
    file: FeedbackFile,
    out: Annotated[str, typer.Argument(metavar="OUT", help="Where to write it; - for standard output.")],
    *,
    reading: Reading,
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
    from peerage.reading.reader import read
    from peerage.writing.writer import write

    _refuse_itself(file, out)
    feedback = read(source_of(file), reading=reading)
    if feedback.direction is not None:
        typer.echo(f"Note: {feedback.direction.text}", err=True)
    for note in feedback.notes:
        typer.echo(f"Note: {note}", err=True)
    part = feedback if task is None else _only_task(feedback, task)
    for loss in write(part, out, to, lossy=lossy):
        typer.echo(f"Note: {loss}", err=True)


def _refuse_itself(file: str, out: str) -> None:
    """A file converted onto itself would be gone where the format cannot hold everything."""
    from pathlib import Path

    if "-" not in (file, out) and Path(out).exists() and Path(file).exists() and Path(out).samefile(file):
        raise typer.BadParameter(f"is {file} itself: give another name", param_hint="OUT")


def _only_task(feedback: Feedback, task: str) -> Feedback:
    """One task without the graders who did nothing in it: asked for, so not a loss."""
    from peerage.reading.reader import read
    from peerage.writing.formats import long_frame

    part = feedback.for_task(task)
    return read(long_frame(part)) if feedback.n_tasks > 1 else part


# -- peerage pack ---------------------------------------------------------------------------------------

PACKING_STEPS = 3  # beside reading each file


@reads_feedback
def pack(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help="The feedback: a file, several files of one layout, or a pattern such as 'big/*.parquet'.",
        ),
    ],
    *,
    out: Annotated[
        str, typer.Option(metavar="DIR", help="Folder to pack into; it is made, or must be empty.")
    ],
    json: Annotated[bool, typer.Option("--json", help="Print what was packed as JSON.")] = False,
    reading: Reading,
) -> None:
    """Read feedback that is larger than memory once, and keep it in parts.

    Reads the files one after the other, checks and numbers them as peerage
    grade would, and writes DIR: parts in Parquet, each with the lists of some
    graders, the labels, and manifest.json with a hash of every file. All or
    nothing. DIR can be given to every command in the place of a file, with
    the same results, and to the workers of a cluster.

    Memory holds one of the files or some hundred thousand reviews at a time, and
    the labels. DIR needs room for 20 to 40 bytes a review while it is made.

    [bold]Examples[/bold]

        peerage pack 'big/*.parquet' --out packed

        peerage pack week1.csv week2.csv --out packed -c item=Paper

        peerage grade packed --out results
    """
    from peerage.packing import pack_with

    source = source_of(files[0]) if len(files) == 1 else files
    parts = file_set_of(source) if isinstance(source, str) else None
    with progress(PACKING_STEPS + (len(files) if parts is None else len(parts.paths))) as step:
        packed = pack_with(source, out, reading, on_step=step)
    if json:
        print_json(_counts(packed))
    else:
        _show_packed(out, packed)


def _counts(packed: Packed) -> dict[str, object]:
    manifest = packed.manifest
    counts = {name: getattr(manifest, name) for name in ("items", "graders", "tasks", "lists", "reviews")}
    direction = None if manifest.direction is None else manifest.direction.to_dict()
    return {
        "folder": str(packed.folder),
        **counts,
        "parts": len(packed.parts),
        "bytes": sum(part.bytes for part in (*packed.parts, *manifest.tables.values())),
        "direction": direction,
        "notes": list(manifest.notes),
    }


def _show_packed(out: str, packed: Packed) -> None:
    from peerage._words import plural

    manifest = packed.manifest
    for note in ([] if manifest.direction is None else [manifest.direction.text]) + list(manifest.notes):
        typer.echo(f"Note: {note}", err=True)
    size = sum(part.bytes for part in (*packed.parts, *manifest.tables.values()))
    typer.echo(
        f"{plural(packed.reviews, 'review')} of {plural(packed.items, 'item')} in"
        f" {plural(packed.lists, 'list')} by {plural(packed.graders, 'grader')}, in"
        f" {plural(len(packed.parts), 'part')} of {size / 2**20:,.1f} MiB together."
    )
    typer.echo(f"Grade them with: peerage grade {out} --out results")
