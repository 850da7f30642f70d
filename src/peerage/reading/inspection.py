"""What is in a file, before anybody reads it: for people who must say which column is which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from peerage.errors import DataError, Problem
from peerage.reading import FORMATS, LAYOUTS, LISTS, _bytes_of, _kind, _layout, long, matrix, pairs
from peerage.reading.columns import guess_rest
from peerage.reading.encoding import decoded
from peerage.reading.excel import read_excel, sheet_names
from peerage.reading.frames import is_frame, read_frame, read_parquet
from peerage.reading.table import Table
from peerage.reading.text import preview_text, read_text


@dataclass(frozen=True, slots=True)
class Inspection:
    """What :func:`peerage.look_at` found.

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
        lists = ("header", "required", "optional", "sheets", "notes")
        return {
            **found,
            **{name: list(found[name]) for name in lists},
            "rows": [list(row) for row in self.rows],
            "columns": dict(self.columns),
            "candidates": {role: list(names) for role, names in self.candidates.items()},
        }


def look_at(
    source: Any,
    format: str = "auto",  # noqa: A002 - as in `read`
    *,
    sheet: str | int | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    rows: int = 8,
    **columns: str | None,
) -> Inspection:
    """Say what kind of file this is and which column seems to be which, without reading the reviews.

    Takes what :func:`peerage.read` takes. Columns that cannot be told are no error but stand in `problems`;
    DataError is raised where there is nothing to show: an empty file, a damaged workbook, a picture.

    >>> look_at(b"who,paper,mark\\nada,x,8\\n", grader="who").columns
    {'grader': 'who', 'item': 'paper', 'score': 'mark'}
    """
    if format not in FORMATS:
        raise DataError(f"format {format!r} is not known; use one of {', '.join(FORMATS)}")
    given = {role: name for role, name in columns.items() if name is not None}
    if is_frame(source):
        table = read_frame(source)
        return _described(Inspection("table", rows=_first(table, rows)), table, format, given)
    data, name = _bytes_of(source)
    kind = _kind(data, name, format)
    if kind in LISTS:
        return _lines(kind, data, name, encoding, rows)
    if kind == "excel":
        return _workbook(data, name, sheet, format, given, rows)
    if kind == "parquet":
        table = read_parquet(data, source=name)
        return _described(Inspection("parquet", rows=_first(table, rows)), table, format, given)
    return _text(data, name, {"encoding": encoding, "delimiter": delimiter}, format, given, rows)


def _lines(kind: str, data: bytes, name: str | None, encoding: str | None, rows: int) -> Inspection:
    text, known, notes = decoded(data, encoding, name)
    lines = text.decode("utf-8").split("\n", rows)[:rows]
    shown = tuple((line.rstrip("\r"),) for line in lines if line.strip())
    return Inspection(kind, "lists", rows=shown, encoding=known, notes=notes)


def _workbook(
    data: bytes, name: str | None, sheet: str | int | None, layout: str, given: dict[str, str], rows: int
) -> Inspection:
    sheets = sheet_names(data, name)
    known = Inspection("excel", sheet=_meant(sheets, sheet), sheets=sheets)
    try:
        table = read_excel(data, source=name, sheet=sheet)
    except DataError as error:  # the sheet is empty or there is none of this name: another may do
        return replace(known, problems=error.problems)
    return _described(replace(known, rows=_first(table, rows)), table, layout, given)


def _meant(sheets: tuple[str, ...], sheet: str | int | None) -> str | None:
    if sheet is None:
        return sheets[0] if sheets else None
    if sheet in sheets:
        return str(sheet)
    number = int(sheet) if str(sheet).isdecimal() else 0
    return sheets[number - 1] if 1 <= number <= len(sheets) else None


def _text(
    data: bytes, name: str | None, options: dict[str, Any], layout: str, given: dict[str, str], rows: int
) -> Inspection:
    preview = preview_text(data, source=name, rows=rows, **options)
    known = Inspection(
        "csv",
        header=preview.header,
        rows=preview.rows,
        delimiter=preview.delimiter,
        encoding=preview.encoding,
        notes=preview.notes,
    )
    try:
        table = read_text(data, source=name, **options)
    except DataError as error:  # rows that do not fit the header: perhaps another delimiter does
        return replace(known, problems=error.problems)
    return _described(known, table, layout, given)


def _first(table: Table, rows: int) -> tuple[tuple[str, ...], ...]:
    frame = table.load(range(len(table.header))).head(rows)
    return tuple(tuple("" if cell is None else str(cell) for cell in row) for row in frame.rows())


def _described(known: Inspection, table: Table, layout: str, given: dict[str, str]) -> Inspection:
    """With the layout and the roles of its columns."""
    problems: tuple[Problem, ...] = ()
    if layout not in LAYOUTS:
        try:
            layout = _layout(table, given)
        except DataError as error:
            layout, problems = "long", error.problems
    required, optional = _roles(layout, table, given)
    found: dict[str, int] = {}
    try:
        found = _columns(layout, table, given)
    except DataError as error:
        problems = problems or error.problems
    guessed, candidates = _forgiving(table, given, (*required, *optional))
    columns = found or guessed
    return replace(
        known,
        layout=layout,
        header=table.header,
        columns={role: table.header[which] for role, which in columns.items()},
        required=required,
        optional=optional,
        candidates=candidates,
        items=len(table.header) - len(columns) if layout == "matrix" else None,
        problems=problems,
        notes=table.notes,
    )


def _roles(layout: str, table: Table, given: dict[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if layout == "long":
        return long.REQUIRED, long.OPTIONAL
    if layout == "pairs":
        return pairs.sides_of(table, given), pairs.OPTIONAL
    return (), matrix.OPTIONAL


def _columns(layout: str, table: Table, given: dict[str, str]) -> dict[str, int]:
    """As the reader finds them."""
    if layout == "long":
        return long.long_columns(table, given)
    if layout == "pairs":
        return pairs.pair_columns(table, given)
    return matrix.matrix_columns(table, given)[0]


def _forgiving(
    table: Table, given: dict[str, str], roles: tuple[str, ...]
) -> tuple[dict[str, int], dict[str, tuple[str, ...]]]:
    """What can be told where the reader would give up, and what cannot."""
    places = {name: which for which, name in reversed(list(enumerate(table.header)))}
    found = {
        role: places[name]
        for role, name in given.items()
        if role in roles and name.strip() and name in places
    }
    unclear = guess_rest(table.header, roles, given, found)
    return found, {role: tuple(table.header[which] for which in likely) for role, likely in unclear.items()}
