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
        fields = asdict(self)
        fields["problems"] = [{**asdict(problem), "text": str(problem)} for problem in self.problems]
        lists = ("header", "required", "optional", "sheets", "notes", "questions")
        return {
            **fields,
            **{name: list(fields[name]) for name in lists},
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
    column_names = {role: name for role, name in columns.items() if name is not None}
    if is_frame(source):
        return _describe(Inspection("table"), read_frame(source), format, column_names, rows, question)
    content = content_of(source)
    kind = recognise_file(content, format)
    if kind in LIST_FILES:
        return _inspect_lists(kind, content, encoding, rows)
    how = OpenOptions(sheet, encoding, delimiter, skip_rows)
    return _inspect_table(kind, content, how, format, column_names, rows, question)


def _inspect_lists(kind: str, content: Content, encoding: str | None, rows: int) -> Inspection:
    text, encoding_name, notes = decode(content.data, encoding, content.name)
    lines = text.decode("utf-8").split("\n", rows)[:rows]
    shown = tuple((line.rstrip("\r"),) for line in lines if line.strip())
    return Inspection(kind, "lists", rows=shown, encoding=encoding_name, notes=notes)


def _inspect_table(
    kind: str,
    content: Content,
    how: OpenOptions,
    layout: str,
    column_names: dict[str, str],
    rows: int,
    question: str | None,
) -> Inspection:
    reader = TABLE_FILES[kind].reader
    preview = Inspection(kind, **asdict(reader.preview(content.data, how, content.name, rows)))
    try:
        table = reader.open_table(content.data, how, content.name)
    except DataError as error:  # perhaps another sheet or another delimiter does
        if preview == Inspection(kind):
            raise
        return replace(preview, problems=error.problems)
    return _describe(preview, table, layout, column_names, rows, question)


def _first_rows(table: InputTable, rows: int) -> tuple[tuple[str, ...], ...]:
    frame = table.load(range(len(table.header))).head(rows)
    return tuple(tuple("" if cell is None else str(cell) for cell in row) for row in frame.rows())


def _describe(
    preview: Inspection,
    table: InputTable,
    format_name: str,
    column_names: dict[str, str],
    rows: int,
    question: str | None,
) -> Inspection:
    """With the layout and the roles of its columns."""
    problems: tuple[Problem, ...] = ()
    try:
        raw = table
        table, column_names = clean_export(table, column_names)
        questions = tuple(grid.question for grid in find_grids(table.header))
        table = select_question(table, question)
    except DataError as error:
        return replace(
            preview,
            header=table.header,
            rows=preview.rows or _first_rows(table, rows),
            problems=error.problems,
        )
    layout = LAYOUTS.get(format_name)
    if layout is None:
        layout, problems = _recognise_layout(table, column_names)
    required, optional = layout.reader.roles(table, column_names)
    positions: dict[str, int] = {}
    try:
        positions = layout.reader.locate_columns(table, column_names)
    except DataError as error:
        problems = problems or error.problems
    guessed, candidates = _guess_leniently(table, column_names, (*required, *optional))
    columns = positions or guessed
    return replace(
        preview,
        layout=layout.name,
        header=table.header,
        rows=(preview.rows if table is raw else ()) or _first_rows(table, rows),
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


def _recognise_layout(table: InputTable, column_names: dict[str, str]) -> tuple[Layout, tuple[Problem, ...]]:
    try:
        return recognise_layout(table, column_names), ()
    except DataError as error:
        return next(iter(LAYOUTS.values())), error.problems


def _guess_leniently(
    table: InputTable, column_names: dict[str, str], roles: tuple[str, ...]
) -> tuple[dict[str, int], dict[str, tuple[str, ...]]]:
    """What can be told where the reader would give up, and what cannot."""
    places = {name: which for which, name in reversed(list(enumerate(table.header)))}
    guessed = {
        role: places[name]
        for role, name in column_names.items()
        if role in roles and name.strip() and name in places
    }
    unclear = guess_columns(table.header, roles, column_names, guessed)
    return guessed, {role: tuple(table.header[which] for which in likely) for role, likely in unclear.items()}
