"""Excel workbooks, .xlsx and .xls, such as Microsoft CMT exports: one sheet as a table of strings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage.errors import DataError, Problem
from peerage.reading.guard import guarded
from peerage.reading.table import Opening, Preview, Table, title_notes
from peerage.reading.workbook_limits import DAMAGED, FIX, refuse_giants

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_TITLES = 4  # rows above the header


def suits(data: bytes) -> bool:
    """Whether these are the first bytes of .xlsx or .xls."""
    return data.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"))


def open_table(data: bytes, how: Opening, source: str | None) -> Table:
    """One sheet of a workbook; the first row that is not empty holds the column names."""
    with _opened(data, source) as workbook:
        name, notes = _chosen(list(workbook.sheet_names), how.sheet, source)
        loaded: Any = workbook.load_sheet(name, header_row=None, skip_rows=0, dtypes="string")
        cells: pl.DataFrame = loaded.to_polars()
    return _table(cells, name, notes, source, how.skip_rows)


def preview(data: bytes, how: Opening, source: str | None, rows: int) -> Preview:
    """The sheets, in their order, and which one is meant."""
    with _opened(data, source) as workbook:
        sheets = tuple(workbook.sheet_names)
    return Preview(sheet=_meant(sheets, how.sheet), sheets=sheets)


def _meant(sheets: tuple[str, ...], sheet: str | int | None) -> str | None:
    if sheet is None:
        return sheets[0] if sheets else None
    if sheet in sheets:
        return str(sheet)
    number = int(sheet) if str(sheet).isdecimal() else 0
    return sheets[number - 1] if 1 <= number <= len(sheets) else None


@contextmanager
def _opened(data: bytes, source: str | None) -> Iterator[Any]:
    import fastexcel

    if not suits(data):
        rule = "the file is not an Excel workbook"
        raise DataError(Problem(rule, fix="leave out the format, or use 'csv'"), source=source)
    refuse_giants(data, source)
    with guarded(source, DAMAGED, FIX):
        yield fastexcel.read_excel(data)


def _chosen(names: list[str], sheet: str | int | None, source: str | None) -> tuple[str, tuple[str, ...]]:
    if not names:
        raise DataError("the workbook has no sheets", source=source)
    if sheet is None:
        others = ", ".join(repr(name) for name in names[1:])
        if not others:
            return names[0], ()
        note = f"sheet {names[0]!r} read; the workbook also has {others}"
        return names[0], (note,)
    if isinstance(sheet, str) and sheet in names:
        return sheet, ()
    if str(sheet).isdecimal() and 1 <= int(sheet) <= len(names):
        return names[int(sheet) - 1], ()
    close = get_close_matches(str(sheet), names, n=1)
    fix = f"did you mean {close[0]!r}?" if close else f"it has {', '.join(repr(name) for name in names)}"
    raise DataError(Problem(f"sheet {sheet!r} not found", fix=fix), source=source)


def _table(
    cells: pl.DataFrame, sheet: str, notes: tuple[str, ...], source: str | None, skipped: int
) -> Table:
    used = (
        cells.select(pl.sum_horizontal(pl.all().is_not_null())).to_series()
        if cells.width
        else pl.Series(dtype=pl.UInt32)
    )
    filled = (used > 0).arg_true()
    first = filled.filter(filled >= skipped).head(MOST_TITLES + 3).to_list()
    if not first:
        raise DataError(f"sheet {sheet!r} is empty", source=source)
    titles: list[str] = []
    while (
        len(first) > 2
        and len(titles) < MOST_TITLES
        and used[first[0]] == 1 < min(used[row] for row in first[1:3])
    ):
        titles.append(next(str(cell).strip() for cell in cells.row(first.pop(0)) if cell is not None))
    top = int(first[0])
    notes = (*notes, *title_notes(tuple(titles)))
    header = tuple((cell or "").strip() for cell in cells.row(top))
    body = cells.slice(top + 1)
    names = body.columns  # asked once: every time it is a new list

    def lines(rows: NDArray[np.int64]) -> NDArray[np.int64]:
        return rows + top + 2

    def load(columns: Sequence[int]) -> pl.DataFrame:
        return body.select(names[which] for which in columns)

    return Table(header, load, lines, source, notes, top + 1, tuple(titles))
