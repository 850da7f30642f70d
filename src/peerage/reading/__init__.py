"""Reading feedback: every file format a class comes in, through one function."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from peerage._faces import lazy
from peerage.errors import DataError, Problem
from peerage.feedback import Duplicates, Feedback, Missing
from peerage.reading.excel import is_workbook, read_excel
from peerage.reading.frames import is_frame, read_frame, read_parquet
from peerage.reading.long import looks_long, read_long
from peerage.reading.matrix import looks_wide, read_matrix
from peerage.reading.pairs import looks_paired, read_pairs
from peerage.reading.pgf import looks_pgf, read_pgf
from peerage.reading.preflib import TYPES, looks_preflib, read_preflib
from peerage.reading.table import Table
from peerage.reading.text import read_text

if TYPE_CHECKING:
    from peerage.reading.inspection import Inspection as Inspection
    from peerage.reading.inspection import look_at as look_at
    from peerage.reading.options import ReadingOptions as ReadingOptions

__getattr__, __dir__ = lazy(
    __name__, {"Inspection": "inspection", "ReadingOptions": "options", "look_at": "inspection"}
)

LAYOUTS: dict[str, Callable[..., Feedback]] = {"long": read_long, "pairs": read_pairs, "matrix": read_matrix}
LISTS: dict[str, Callable[..., Feedback]] = {"pgf": read_pgf, "preflib": read_preflib}
CONTAINERS = ("csv", "excel", "parquet")
FORMATS = ("auto", *LAYOUTS, *CONTAINERS, *LISTS)
_ENDINGS = {**{f".{kind}": "preflib" for kind in TYPES}, ".pgf": "pgf"}
MOST_BYTES = 8 << 30


def read(
    source: Any,
    format: str = "auto",  # noqa: A002 - the word people look for
    *,
    duplicates: Duplicates = "error",
    missing: Missing = "error",
    sheet: str | int | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    **columns: str | None,
) -> Feedback:
    """Read feedback from a file or a table.

    Parameters
    ----------
    source : path, "-" for standard input, bytes, an open binary file, or a Polars, pandas or Arrow table
    format : "auto", a layout ("long", "pairs", "matrix") or a kind of file ("csv", "excel", "parquet",
        "pgf", "preflib"). What is not said is found out.
    duplicates : what to do where a list holds an item twice: "error", keep the "first" or the "last", or
        take the "mean".
    missing : what to do with reviews without rank and score: "error" or "drop".
    sheet : name or number (from 1) of the sheet of a workbook; the first if not given.
    encoding, delimiter : of a text file; found out if not given.
    **columns : what the file calls its columns, as in ``grader="reviewer", item="paper"``. The roles are
        grader, item, rank, score, task, list, weight; for comparisons left, right, winner or top, bottom.
        ``score=""`` says that the file has no scores, whatever its columns are called.

    Raises :class:`peerage.DataError` listing what is wrong, line by line; nothing partial is used.

    >>> read({"grader": ["ada", "ada"], "item": ["x", "y"], "rank": [1, 2]}).n_entries
    2
    """
    if format not in FORMATS:
        raise DataError(f"format {format!r} is not known; use one of {', '.join(FORMATS)}")
    given = {role: name for role, name in columns.items() if name is not None}
    if is_frame(source):
        return _from_table(read_frame(source), format, given, duplicates, missing)
    data, name = _bytes_of(source)
    kind = _kind(data, name, format)
    if kind in LISTS:
        if given:
            raise DataError(f"{kind} files have no columns to name, but {next(iter(given))}= was given")
        return LISTS[kind](data, source=name, encoding=encoding, duplicates=duplicates, missing=missing)
    if kind == "excel":
        table = read_excel(data, source=name, sheet=sheet)
    elif kind == "parquet":
        table = read_parquet(data, source=name)
    else:
        table = read_text(data, source=name, encoding=encoding, delimiter=delimiter)
    del data  # a large file's bytes would otherwise wait beside its columns
    return _from_table(table, format, given, duplicates, missing)


def _from_table(
    table: Table, layout: str, given: dict[str, str], duplicates: Duplicates, missing: Missing
) -> Feedback:
    if layout not in LAYOUTS:
        layout = _layout(table, given)
    return LAYOUTS[layout](table, given, duplicates=duplicates, missing=missing)


def _layout(table: Table, given: dict[str, str]) -> str:
    if looks_long(table, given):
        return "long"
    if looks_paired(table, given):
        return "pairs"
    return "matrix" if looks_wide(table, given) else "long"


def _bytes_of(source: Any) -> tuple[bytes, str | None]:
    """The content, and what messages call it."""
    if isinstance(source, bytes | bytearray | memoryview):
        return bytes(source), None
    if isinstance(source, str | os.PathLike):
        if str(source) == "-":
            return sys.stdin.buffer.read(), "standard input"
        path = Path(source)
        if path.is_file() and path.stat().st_size > MOST_BYTES:
            raise DataError(f"the file is larger than {MOST_BYTES >> 30} GiB", source=str(source))
        return path.read_bytes(), str(source)
    if hasattr(source, "read"):
        content = source.read()
        name = getattr(source, "name", None)
        data = content.encode("utf-8") if isinstance(content, str) else bytes(content)
        return data, name if isinstance(name, str) else None
    msg = f"cannot read feedback from {type(source).__name__}: give a path, bytes, a file or a table"
    raise TypeError(msg)


def _kind(data: bytes, name: str | None, told: str) -> str:
    """What kind of file it is: as told, or by its content, which endings often get wrong."""
    if not data:
        raise DataError("the file is empty", source=name)
    if told in LISTS or told in CONTAINERS:
        _refuse_other_kind(data, name, told)
        return told
    if is_workbook(data):
        return "excel"
    if data.startswith(b"PAR1"):
        return "parquet"
    if told in LAYOUTS:
        return "csv"
    ending = _ENDINGS.get(Path(name).suffix.lower()) if name else None
    if ending:
        return ending
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    head = data[:4096].decode("utf-16" if wide else "utf-8-sig", errors="replace")
    if looks_preflib(head):
        return "preflib"
    return "pgf" if looks_pgf(head) else "csv"


def _refuse_other_kind(data: bytes, name: str | None, told: str) -> None:
    if told in ("csv", "pgf", "preflib") and (is_workbook(data) or data.startswith(b"PAR1")):
        actual = "an Excel workbook" if is_workbook(data) else "a Parquet file"
        problem = Problem(f"the file is {actual}, not {told}", fix="leave out the format")
        raise DataError(problem, source=name)
