"""Reading a roster: from any table, in anybody's words, with every broken line named."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from os import PathLike
from typing import IO, Any

import numpy as np
import polars as pl

from peerage._options import settable
from peerage.errors import DataError, Problem
from peerage.feedback.arrays import LONGEST, TOO_LONG
from peerage.reading.columns import find_columns
from peerage.reading.content import Content
from peerage.reading.exports import canvas_roster
from peerage.reading.reader import open_table
from peerage.reading.table import InputTable, as_labels, note_blank_rows
from peerage.reading.vocabulary import SYNONYMS, Vocabulary
from peerage.roster.container import ROWS, Roster

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

WORDS = Vocabulary(
    {
        "student": ("grader", "reviewer", "user", "name", "author", "owner", "learner", *SYNONYMS["grader"]),
        "item": SYNONYMS["item"],
        "group": ("team",),
        "task": SYNONYMS["task"],
        "section": (),
        "email": ("emailaddress", "mail"),
        "conflicts": (),
        "role": (),
        "submits": (),
        "reviews": (),
    },
    ranked=True,
)
COLUMNS = tuple(WORDS.words)

ROLES = ("student", "staff", "external")
_ROLE_WORDS = {
    **{role: role for role in ROLES},
    **dict.fromkeys(("learner", "studentenrollment"), "student"),
    **dict.fromkeys(
        ("teacher", "instructor", "ta", "tutor", "teachingassistant", "teacherenrollment", "taenrollment"),
        "staff",
    ),
}
_YES_NO = {
    **dict.fromkeys(("yes", "y", "true", "1"), True),
    **dict.fromkeys(("no", "n", "false", "0"), False),
}
_MOST_REVIEWS = 10**9


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
        Column ``student`` is required. Optional: ``item`` (what they submit), ``group``, ``task`` (the
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
    named = {role: name for role, name in columns.items() if name is not None}
    words = replace(WORDS, nameable=settable("roster_column"))
    places = find_columns(table, named, required=COLUMNS[:1], optional=COLUMNS[1:], words=words)
    frame = table.load(range(len(table.header)))
    roles = pl.DataFrame({role: _labels(frame, which, table) for role, which in places.items()})
    blank = roles.select(pl.all_horizontal(pl.all().is_null())).to_series()
    kept = (~blank).arg_true().to_numpy().astype(np.int64)
    if len(kept) == 0:
        raise DataError("there is nobody on the roster", source=table.source)
    rows = roles.filter(~blank).with_columns(line=pl.Series(table.lines(kept), dtype=pl.Int64))
    names = {role: table.header[which] or role for role, which in places.items()}
    whole, problems = _parse(rows, names)
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
    cells: dict[str, pl.Series] = {}
    odd = []
    for which, header in enumerate(table.header):
        name = header.strip()
        if not name or name in cells:
            continue
        try:
            cells[name] = as_labels(frame.to_series(which))
        except pl.exceptions.PolarsError:  # lists and the like; only the columns in use must be text
            odd.append(repr(name))
    return pl.DataFrame(cells), (f"columns that are no text left out: {', '.join(odd)}",) if odd else ()


# -- what the cells say -----------------------------------------------------------------------------------


def _parse(rows: pl.DataFrame, names: dict[str, str]) -> tuple[pl.DataFrame, list[Problem]]:
    """The rows with their cells understood, and what is wrong with any of them.

    ``rows`` has `line` and the columns that the file has, as labels; ``names`` is what the file calls them.
    """
    problems = [*_nameless(rows, names), *_too_long(rows, names)]

    def cells(role: str, understand: Callable[[str], Any], rule: str, fix: str) -> list[Any]:
        values: list[Any] = []
        texts = rows[role].to_list() if role in rows.columns else [None] * len(rows)
        for line, cell in zip(rows["line"].to_list(), texts, strict=True):
            value = None if cell is None else understand(cell)
            if cell is not None and value is None:
                problems.append(Problem(rule, line=line, column=names[role], value=cell, fix=fix))
            values.append(value)
        return values

    role = cells("role", _role, "is not a role", f"write one of {', '.join(ROLES)}")
    submits = cells(
        "submits",
        lambda cell: _YES_NO.get(cell.lower()),
        "does not say whether the person submits work",
        "write yes or no, or leave it empty",
    )
    reviews = cells(
        "reviews",
        _review_count,
        "is not a number of reviews",
        "write a whole number, 0 for none, or leave it empty for the common number",
    )
    missing = [
        pl.lit(None, dtype=kind).alias(name) for name, kind in ROWS.items() if name not in rows.columns
    ]
    whole = rows.with_columns(missing).with_columns(
        pl.Series("role", [word or "student" for word in role], dtype=pl.String),
        pl.Series("submits", submits, dtype=pl.Boolean),
        pl.Series("reviews", reviews, dtype=pl.Int64),
        pl.Series("conflicts", _conflicts(rows, names, problems), dtype=pl.List(pl.String)),
    )
    whole = whole.with_columns(pl.col("submits").fill_null(pl.col("role") == "student"))
    return whole.select(pl.col(name).cast(kind) for name, kind in ROWS.items()), problems


def _nameless(rows: pl.DataFrame, names: dict[str, str]) -> list[Problem]:
    rule, fix = "the student is empty", "name the student or delete the line"
    lines = rows.filter(pl.col("student").is_null())["line"]
    return [Problem(rule, line=line, column=names["student"], fix=fix) for line in lines]


def _too_long(rows: pl.DataFrame, names: dict[str, str]) -> list[Problem]:
    """Labels that are texts; conflicts are lists of labels, each of which is another row's."""
    rule, fix = TOO_LONG
    return [
        Problem(rule, line=line, column=names[role], value=cell, fix=fix)
        for role in rows.columns
        if role not in ("line", "conflicts")
        for line, cell in rows.filter(pl.col(role).str.len_chars() > LONGEST).select("line", role).iter_rows()
    ]


def _role(cell: str) -> str | None:
    return _ROLE_WORDS.get(re.sub(r"[\W_]+", "", cell).lower())


def _review_count(cell: str) -> int | None:
    is_number = cell.isascii() and cell.isdigit() and int(cell) < _MOST_REVIEWS
    return int(cell) if is_number else None


def _conflicts(rows: pl.DataFrame, names: dict[str, str], problems: list[Problem]) -> list[list[str] | None]:
    """The names in every cell, divided by semicolons."""
    if "conflicts" not in rows.columns:
        return [None] * len(rows)
    on_roster = set(rows["student"].drop_nulls())
    on_roster |= set(rows["group"].drop_nulls()) if "group" in rows.columns else set()
    conflicts: list[list[str] | None] = []
    for line, cell in rows.select("line", "conflicts").iter_rows():
        others = [part.strip() for part in (cell or "").split(";") if part.strip()]
        problems += [_unknown_name(name, on_roster, line, names) for name in others if name not in on_roster]
        conflicts.append(others or None)
    return conflicts


def _unknown_name(name: str, on_roster: set[str], line: int, names: dict[str, str]) -> Problem:
    close = get_close_matches(name, sorted(on_roster), n=1)
    fix = f"did you mean {close[0]!r}?" if close else "separate several names with ';'"
    rule = "is neither a student nor a group on the roster"
    return Problem(rule, line=line, column=names["conflicts"], value=name, fix=fix)
