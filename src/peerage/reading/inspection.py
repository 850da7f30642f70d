"""What is in a file, before anybody reads it: for people who must say which column is which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from peerage.errors import DataError, Problem
from peerage.reading.columns import find_grids, guess_columns, select_question
from peerage.reading.content import Content, content_of
from peerage.reading.encoding import decode
from peerage.reading.exports import clean_export
from peerage.reading.formats import (
    LAYOUTS,
    LIST_FILES,
    TABLE_FILES,
    Layout,
    check_format,
    recognise_file,
    recognise_layout,
)
from peerage.reading.frames import is_frame, read_frame
from peerage.reading.rules import OpenOptions
from peerage.reading.table import InputTable


@dataclass(frozen=True, slots=True)
class Inspection:
    """What :func:`peerage.inspect` found.

    Attributes
    ----------
    kind : csv (any delimited text), excel, parquet, table (in memory), pgf or preflib.
    layout : long, pairs or matrix; lists for pgf and preflib; None where the table cannot be opened.
    header : the column names as the file has them.
    rows : the first rows as text; of pgf and preflib, the first lines.
    columns : role to column name, as given or guessed; nothing where no column could be told.
    required, optional : the roles of this layout.
    candidates : role to the columns among which a guess could not choose.
    items : in a matrix, how many columns are items.
    questions : of a form, those that are about several items.
    sheet, sheets : of a workbook: the one looked at, and all.
    delimiter, encoding : of a text.
    problems : why the columns cannot be told, or why the table cannot be opened; cells are not looked at.
    notes : what was assumed.
    """

    kind: str
    layout: str | None = None
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    candidates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    items: int | None = None
    questions: tuple[str, ...] = ()
    sheet: str | None = None
    sheets: tuple[str, ...] = ()
    delimiter: str | None = None
    encoding: str | None = None
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON; a problem also has its `text`."""
        found = asdict(self)
        found["problems"] = [{**asdict(problem), "text": str(problem)} for problem in self.problems]
        lists = ("header", "required", "optional", "sheets", "notes", "questions")
        return {
            **found,
            **{name: list(found[name]) for name in lists},
            "rows": [list(row) for row in self.rows],
            "columns": dict(self.columns),
            "candidates": {role: list(names) for role, names in self.candidates.items()},
        }


def inspect(
    source: Any,
    format: str = "auto",  # noqa: A002 - as in `read`
    *,
    sheet: str | int | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    question: str | None = None,
    skip_rows: int = 0,
    rows: int = 8,
    **columns: str | None,
) -> Inspection:
    """Say what kind of file this is and which column seems to be which, without reading the reviews.

    Takes what :func:`peerage.read` takes. Columns that cannot be told are no error but stand in `problems`;
    DataError is raised where there is nothing to show: an empty file, a damaged workbook, a picture.

    >>> inspect(b"who,paper,mark\\nada,x,8\\n", grader="who").columns
    {'grader': 'who', 'item': 'paper', 'score': 'mark'}
    """
    check_format(format)
    given = {role: name for role, name in columns.items() if name is not None}
    if is_frame(source):
        return _described(Inspection("table"), read_frame(source), format, given, rows, question)
    content = content_of(source)
    kind = recognise_file(content, format)
    if kind in LIST_FILES:
        return _lines(kind, content, encoding, rows)
    how = OpenOptions(sheet, encoding, delimiter, skip_rows)
    return _table(kind, content, how, format, given, rows, question)


def _lines(kind: str, content: Content, encoding: str | None, rows: int) -> Inspection:
    text, known, notes = decode(content.data, encoding, content.name)
    lines = text.decode("utf-8").split("\n", rows)[:rows]
    shown = tuple((line.rstrip("\r"),) for line in lines if line.strip())
    return Inspection(kind, "lists", rows=shown, encoding=known, notes=notes)


def _table(
    kind: str,
    content: Content,
    how: OpenOptions,
    layout: str,
    given: dict[str, str],
    rows: int,
    question: str | None,
) -> Inspection:
    reader = TABLE_FILES[kind].reader
    known = Inspection(kind, **asdict(reader.preview(content.data, how, content.name, rows)))
    try:
        table = reader.open_table(content.data, how, content.name)
    except DataError as error:  # perhaps another sheet or another delimiter does
        if known == Inspection(kind):
            raise
        return replace(known, problems=error.problems)
    return _described(known, table, layout, given, rows, question)


def _first(table: InputTable, rows: int) -> tuple[tuple[str, ...], ...]:
    frame = table.load(range(len(table.header))).head(rows)
    return tuple(tuple("" if cell is None else str(cell) for cell in row) for row in frame.rows())


def _described(
    known: Inspection, table: InputTable, told: str, given: dict[str, str], rows: int, question: str | None
) -> Inspection:
    """With the layout and the roles of its columns."""
    problems: tuple[Problem, ...] = ()
    try:
        raw = table
        table, given = clean_export(table, given)
        questions = tuple(grid.question for grid in find_grids(table.header))
        table = select_question(table, question)
    except DataError as error:
        return replace(
            known, header=table.header, rows=known.rows or _first(table, rows), problems=error.problems
        )
    layout = LAYOUTS.get(told)
    if layout is None:
        layout, problems = _layout(table, given)
    required, optional = layout.reader.roles(table, given)
    found: dict[str, int] = {}
    try:
        found = layout.reader.locate_columns(table, given)
    except DataError as error:
        problems = problems or error.problems
    guessed, candidates = _forgiving(table, given, (*required, *optional))
    columns = found or guessed
    return replace(
        known,
        layout=layout.name,
        header=table.header,
        rows=(known.rows if table is raw else ()) or _first(table, rows),
        columns={role: table.header[which] for role, which in columns.items()},
        questions=questions,
        required=required,
        optional=optional,
        candidates=candidates,
        items=_item_columns(table, columns) if layout.name == "matrix" else None,
        problems=problems,
        notes=table.notes,
    )


def _item_columns(table: InputTable, columns: Mapping[str, int]) -> int:
    grids = find_grids(table.header, columns.values())
    return len(grids[0].columns) if grids else len(table.header) - len(columns)


def _layout(table: InputTable, given: dict[str, str]) -> tuple[Layout, tuple[Problem, ...]]:
    try:
        return recognise_layout(table, given), ()
    except DataError as error:
        return next(iter(LAYOUTS.values())), error.problems


def _forgiving(
    table: InputTable, given: dict[str, str], roles: tuple[str, ...]
) -> tuple[dict[str, int], dict[str, tuple[str, ...]]]:
    """What can be told where the reader would give up, and what cannot."""
    places = {name: which for which, name in reversed(list(enumerate(table.header)))}
    found = {
        role: places[name]
        for role, name in given.items()
        if role in roles and name.strip() and name in places
    }
    unclear = guess_columns(table.header, roles, given, found)
    return found, {role: tuple(table.header[which] for which in likely) for role, likely in unclear.items()}
