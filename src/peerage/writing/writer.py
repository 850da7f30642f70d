"""Writing feedback: what we write, we read back the same.

Every format stands in one table: a new one is a function in `formats.py` and one line here. `write`,
`peerage convert` and the tests of the documentation read it. Nothing heavy is loaded before something is
written.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from peerage._files import write_atomically
from peerage._options import named
from peerage.errors import DataError, Problem

if TYPE_CHECKING:
    from peerage.feedback.container import Feedback
    from peerage.writing.formats import RenderedFile


@dataclass(frozen=True, slots=True)
class OutputFormat:
    """A format: its name, the endings of files in it, and its function in `formats.py`."""

    name: str
    endings: tuple[str, ...]
    function: str

    def render(self, feedback: Feedback) -> RenderedFile:
        """The bytes of the file, and what did not fit into them."""
        from peerage.writing import formats

        rendered: RenderedFile = getattr(formats, self.function)(feedback)
        return rendered


OUTPUT_FORMATS = {
    output.name: output
    for output in (
        OutputFormat("csv", (".csv",), "csv_bytes"),
        OutputFormat("tsv", (".tsv", ".tab"), "tsv_bytes"),
        OutputFormat("parquet", (".parquet", ".pq"), "parquet_bytes"),
        OutputFormat("pgf", (".pgf",), "pgf_bytes"),
        OutputFormat("preflib", (".soc", ".soi", ".toc", ".toi"), "preflib_bytes"),
    )
}
FORMATS = ("auto", *OUTPUT_FORMATS)


def write(
    feedback: Feedback,
    target: str | PathLike[str] | IO[bytes],
    format: str = "auto",  # noqa: A002 - the word people look for
    *,
    lossy: bool = False,
) -> tuple[str, ...]:
    """Write feedback to a path, "-" for standard output, or an open binary file.

    The format follows from the ending of the path; give it for anything else. What the format cannot hold
    raises :class:`peerage.DataError`, which names it, and nothing is written; with ``lossy=True`` the rest
    is written and what was lost is returned, one sentence each.
    """
    kind = _kind(target, format)
    rendered = OUTPUT_FORMATS[kind].render(feedback)
    name = str(target) if isinstance(target, str | PathLike) else None
    if rendered.ending:
        _check_ending(name, rendered.ending, OUTPUT_FORMATS[kind].endings)
    losses = rendered.losses
    if losses and not lossy:
        fix = f"choose another format, or lose it with {named('lossy', True)}"
        problems = [Problem(f"{kind} cannot hold {loss}", fix=fix) for loss in losses]
        raise DataError(problems, source=name)
    _put(rendered.data, target)
    return tuple(f"lost: {loss}" for loss in losses)


def _kind(target: Any, name: str) -> str:
    if name not in FORMATS:
        raise DataError(f"format {name!r} cannot be written; use one of {', '.join(OUTPUT_FORMATS)}")
    if name != "auto":
        return name
    ending = Path(target).suffix.lower() if isinstance(target, str | PathLike) else ""
    if str(target) == "-" or not isinstance(target, str | PathLike):
        return "csv"
    endings = {ending: output.name for output in OUTPUT_FORMATS.values() for ending in output.endings}
    if ending not in endings:
        fix = f"end the name in {', '.join(endings)}, or give {named('to', in_python='format=')}"
        raise DataError(
            Problem(f"cannot tell the format from the ending {ending!r}", fix=fix), source=str(target)
        )
    return endings[ending]


def _check_ending(name: str | None, actual: str, endings: tuple[str, ...]) -> None:
    """A .soc promises complete strict orders; other tools believe it."""
    promised = Path(name).suffix.lower() if name else ""
    if promised in endings and promised != actual:
        raise DataError(
            Problem(f"these votes are not of the kind {promised}", fix=f"end the name in {actual}"),
            source=name,
        )


def _put(data: bytes, target: str | PathLike[str] | IO[bytes]) -> None:
    if isinstance(target, str | PathLike):
        if str(target) == "-":
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        else:
            write_atomically(target, data)
    else:
        target.write(data)
