"""`peerage pack`: files larger than memory into parts that can be read on their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from peerage.cli._common import print_json, progress
from peerage.cli._reading import reads_feedback
from peerage.reading.content import file_set_of
from peerage.reading.options import ReadingOptions

if TYPE_CHECKING:
    from peerage.reading.packed import Packed

STEPS = 3  # beside reading each file


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
    reading: ReadingOptions,
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

    source: str | list[str] = files[0] if len(files) == 1 else files
    parts = file_set_of(source) if isinstance(source, str) else None
    with progress(STEPS + (len(files) if parts is None else len(parts.paths))) as step:
        packed = pack_with(source, out, reading, on_step=step)
    if json:
        print_json(_told(packed))
    else:
        _show(out, packed)


def _told(packed: Packed) -> dict[str, object]:
    known = packed.manifest
    counts = {name: getattr(known, name) for name in ("items", "graders", "tasks", "lists", "reviews")}
    direction = None if known.direction is None else known.direction.to_dict()
    return {
        "folder": str(packed.folder),
        **counts,
        "parts": len(packed.parts),
        "bytes": sum(one.bytes for one in (*packed.parts, *known.tables.values())),
        "direction": direction,
        "notes": list(known.notes),
    }


def _show(out: str, packed: Packed) -> None:
    from peerage._words import plural

    known = packed.manifest
    for note in ([] if known.direction is None else [known.direction.text]) + list(known.notes):
        typer.echo(f"Note: {note}", err=True)
    size = sum(one.bytes for one in (*packed.parts, *known.tables.values()))
    typer.echo(
        f"{plural(packed.reviews, 'review')} of {plural(packed.items, 'item')} in"
        f" {plural(packed.lists, 'list')} by {plural(packed.graders, 'grader')}, in"
        f" {plural(len(packed.parts), 'part')} of {size / 2**20:,.1f} MiB together."
    )
    typer.echo(f"Grade them with: peerage grade {out} --out results")
