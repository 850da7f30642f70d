"""What a file shows of itself, also where it cannot be read: for people who must say how to read it."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, replace
from typing import Any

from peerage.errors import DataError, Problem
from peerage.reading.columns import find_grids, select_question
from peerage.reading.content import Content, content_of, decode
from peerage.reading.exports import clean_export
from peerage.reading.formats import (
    LAYOUTS,
    LIST_FILES,
    TABLE_FILES,
    check_format,
    recognise_file,
    recognise_layout,
)
from peerage.reading.reading import Reading, chosen_reading
from peerage.reading.table import InputTable, is_frame, read_frame


@dataclass(frozen=True, slots=True)
class Inspection:
    """What :func:`peerage.inspect` found.

    Attributes
    ----------
    kind : csv (any delimited text), excel, parquet, table (in memory), pgf, preflib or lines.
    layout : long, pairs, matrix …; lists for pgf, preflib and lines; None where no table can be opened.
    header : the column names as the file has them.
    rows : the first rows as text; of files of lists, the first lines.
    required, optional : the roles that a column can have in this layout.
    questions : of a form, those that are about several items.
    sheet, sheets : of a workbook: the one looked at, and all.
    delimiter, encoding : of a text.
    problems : why the table cannot be opened; cells are not looked at.
    notes : what was assumed.
    """

    kind: str
    layout: str | None = None
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    sheet: str | None = None
    sheets: tuple[str, ...] = ()
    delimiter: str | None = None
    encoding: str | None = None
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON; a problem also has its `text`."""
        fields = {name: list(value) if isinstance(value, tuple) else value for name, value in _items(self)}
        problems = [{**asdict(problem), "text": str(problem)} for problem in self.problems]
        return {**fields, "rows": [list(row) for row in self.rows], "problems": problems}


def _items(inspection: Inspection) -> list[tuple[str, Any]]:
    return [(name, getattr(inspection, name)) for name in inspection.__dataclass_fields__]


def inspect(
    source: Any,
    format: str = "auto",  # noqa: A002 - as in `read`
    *,
    reading: Reading | str | os.PathLike[str] | None = None,
    rows: int = 8,
    **options: Any,
) -> Inspection:
    """Show what kind of file this is, and its first rows, without reading the reviews.

    Takes what :func:`peerage.read` takes. DataError is raised where there is nothing to show: an empty file,
    a damaged workbook, a picture.

    >>> inspect(b"who;paper;mark\\nada;x;8\\n").header
    ('who', 'paper', 'mark')
    """
    chosen = chosen_reading(reading, format, options)
    check_format(chosen.format)
    if is_frame(source):
        return _describe(Inspection("table"), read_frame(source), chosen, rows)
    content = content_of(source)
    kind = recognise_file(content, chosen.format)
    if kind in LIST_FILES:
        return _inspect_lists(kind, content, chosen, rows)
    reader = TABLE_FILES[kind].reader
    preview = Inspection(kind, **reader.preview(content.data, chosen.opening, content.name, rows))
    try:
        table = reader.open_table(content.data, chosen.opening, content.name)
    except DataError as error:  # perhaps another sheet or another delimiter does
        if preview == Inspection(kind):
            raise
        return replace(preview, problems=error.problems)
    return _describe(preview, table, chosen, rows)


def _inspect_lists(kind: str, content: Content, reading: Reading, rows: int) -> Inspection:
    text, encoding, notes = decode(content.data, reading.encoding, content.name)
    lines = text.decode("utf-8").split("\n", rows)[:rows]
    shown = tuple((line.rstrip("\r"),) for line in lines if line.strip())
    return Inspection(kind, "lists", rows=shown, encoding=encoding, notes=notes)


def _describe(preview: Inspection, table: InputTable, reading: Reading, rows: int) -> Inspection:
    """With the layout and the roles that a column can have there."""
    questions: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    columns = reading.columns
    try:
        table, columns = clean_export(table, columns)
        questions = tuple(grid.question for grid in find_grids(table.header))
        table = select_question(table, reading.question)
    except DataError as error:
        problems = error.problems
    cells = table.first_rows(range(len(table.header)), rows).rows()
    shown = replace(
        preview,
        header=table.header,
        rows=tuple(tuple("" if cell is None else str(cell) for cell in row) for row in cells),
        questions=questions,
        problems=problems,
        notes=table.notes,
    )
    if problems:
        return shown
    layout = LAYOUTS.get(reading.format) or recognise_layout(table, columns)
    return replace(shown, layout=layout.name, required=layout.required, optional=layout.optional)
