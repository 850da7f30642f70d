"""Reading a roster: from any table, in anybody's words, with every broken line named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import IO, Any

import numpy as np
import polars as pl

from peerage.errors import DataError
from peerage.reading.columns import find_columns
from peerage.reading.content import Content
from peerage.reading.exports import canvas_roster
from peerage.reading.reader import open_table
from peerage.reading.table import InputTable, as_labels, note_blank_rows
from peerage.roster.columns import COLUMNS, WORDS, parsed
from peerage.roster.container import Roster

RosterSource = (
    Roster
    | str
    | PathLike[str]
    | bytes
    | IO[bytes]
    | Content
    | pl.DataFrame
    | pl.LazyFrame
    | Mapping[str, Sequence[Any]]
)


def read_roster(
    source: RosterSource,
    *,
    sheet: str | int | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    **columns: str | None,
) -> Roster:
    """Read the roster of a class from a file or a table.

    Parameters
    ----------
    source : path, "-" for standard input, bytes, an open binary file, or a Polars, pandas or Arrow table
        or a dict of columns; a Roster is returned as it is.
        Column ``student`` is required. Optional: ``item`` (what they hand in), ``group``, ``task`` (the
        assignment the row is about; without it, all of them), ``section``, ``email``, ``conflicts`` (names
        of students or groups, separated by ``;``), ``role`` (student, staff or external), ``submits`` (yes
        or no; by default students do, staff and externals do not), ``reviews`` (the person's own number).
        Other columns are kept for grade books.
    sheet, encoding, delimiter : as in :func:`peerage.read`.
    **columns : what the file calls its columns, as in ``student="Matriculation number"``; ``item=""`` says
        that there is no such column, whatever its columns are called.

    Raises :class:`peerage.DataError` listing every broken line.

    >>> read_roster({"student": ["ada", "bob"], "team": ["x", "x"]}).makers.rows()
    [(None, 'x', 'ada'), (None, 'x', 'bob')]
    """
    if isinstance(source, Roster):
        return source
    try:
        table = open_table(source, sheet=sheet, encoding=encoding, delimiter=delimiter)
    except FileNotFoundError as error:
        raise DataError("there is no such file", source=str(source)) from error
    table = canvas_roster(table)
    given = {role: name for role, name in columns.items() if name is not None}
    found = find_columns(table, given, required=COLUMNS[:1], optional=COLUMNS[1:], words=WORDS)
    frame = table.load(range(len(table.header)))
    roles = pl.DataFrame({role: _labels(frame, which, table) for role, which in found.items()})
    blank = roles.select(pl.all_horizontal(pl.all().is_null())).to_series()
    kept = (~blank).arg_true().to_numpy().astype(np.int64)
    if len(kept) == 0:
        raise DataError("there is nobody on the roster", source=table.source)
    rows = roles.filter(~blank).with_columns(line=pl.Series(table.lines(kept), dtype=pl.Int64))
    names = {role: table.header[which] or role for role, which in found.items()}
    whole, problems = parsed(rows, names)
    if problems:
        raise DataError(sorted(problems, key=lambda problem: problem.line or 0), source=table.source)
    cells, left_out = _cells(frame.filter(~blank), table)
    notes = (*table.notes, *note_blank_rows(table, blank), *left_out)
    return Roster.from_rows(whole, cells, columns=names, source=table.source, notes=notes)


def _labels(frame: pl.DataFrame, which: int, table: InputTable) -> pl.Series:
    cells = frame.to_series(which)
    try:
        return as_labels(cells)
    except pl.exceptions.PolarsError as error:
        rule = f"column {table.header[which]!r} holds {cells.dtype}, which cannot be a label"
        raise DataError(rule, source=table.source) from error


def _cells(frame: pl.DataFrame, table: InputTable) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """All columns as text; of those with one name, the first."""
    found: dict[str, pl.Series] = {}
    odd = []
    for which, header in enumerate(table.header):
        name = header.strip()
        if not name or name in found:
            continue
        try:
            found[name] = as_labels(frame.to_series(which))
        except pl.exceptions.PolarsError:  # lists and the like; only the columns in use must be text
            odd.append(repr(name))
    return pl.DataFrame(found), (f"columns that are no text left out: {', '.join(odd)}",) if odd else ()
