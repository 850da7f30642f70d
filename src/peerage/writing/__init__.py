"""Writing feedback: long CSV and TSV, Parquet, PGF and PrefLib. What we write, we read back the same."""

from __future__ import annotations

import sys
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import IO, Any

from peerage.errors import DataError, Problem
from peerage.feedback import Feedback
from peerage.writing.long import csv_bytes, parquet_bytes, tsv_bytes
from peerage.writing.long import long_frame as long_frame
from peerage.writing.losses import Rendered
from peerage.writing.pgf import pgf_bytes
from peerage.writing.preflib import preflib_bytes
from peerage.writing.spreadsheet import neutralise as neutralise

WRITERS: dict[str, Callable[[Feedback], Rendered]] = {
    "csv": csv_bytes,
    "tsv": tsv_bytes,
    "parquet": parquet_bytes,
    "pgf": pgf_bytes,
    "preflib": preflib_bytes,
}
FORMATS = ("auto", *WRITERS)
_ENDINGS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".pgf": "pgf",
    ".soc": "preflib",
    ".soi": "preflib",
    ".toc": "preflib",
    ".toi": "preflib",
}


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
    rendered = WRITERS[kind](feedback)
    name = str(target) if isinstance(target, str | PathLike) else None
    if rendered.ending and kind == "preflib":
        _check_ending(name, rendered.ending)
    if rendered.losses and not lossy:
        fix = "choose another format, or lose it with lossy=True (--lossy)"
        problems = [Problem(f"{kind} cannot hold {loss}", fix=fix) for loss in rendered.losses]
        raise DataError(problems, source=name)
    _put(rendered.data, target)
    return tuple(f"lost: {loss}" for loss in rendered.losses)


def _kind(target: Any, told: str) -> str:
    if told not in FORMATS:
        raise DataError(f"format {told!r} cannot be written; use one of {', '.join(WRITERS)}")
    if told != "auto":
        return told
    ending = Path(target).suffix.lower() if isinstance(target, str | PathLike) else ""
    if str(target) == "-" or not isinstance(target, str | PathLike):
        return "csv"
    if ending not in _ENDINGS:
        fix = f"end the name in {', '.join(_ENDINGS)}, or give the format (--to)"
        raise DataError(
            Problem(f"cannot tell the format from the ending {ending!r}", fix=fix), source=str(target)
        )
    return _ENDINGS[ending]


def _check_ending(name: str | None, actual: str) -> None:
    """A .soc promises complete strict orders; other tools believe it."""
    promised = Path(name).suffix.lower() if name else ""
    if promised in (".soc", ".soi", ".toc", ".toi") and promised != actual:
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
            Path(target).write_bytes(data)
    else:
        target.write(data)
