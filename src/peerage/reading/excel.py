"""Excel workbooks, .xlsx and .xls, such as Microsoft CMT exports: one sheet as a table of strings.

Workbooks that would exhaust the machine are refused before a parser opens them. A small archive can unpack to
terabytes, and one stray cell in the far corner makes a sheet of billions of cells, which parsers lay out in
full. So the sizes are read here first, from the file's own structures.
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage.errors import DataError, Problem
from peerage.reading.reading import OpenOptions
from peerage.reading.table import (
    InputTable,
    numbered_header,
    title_notes,
    translate_errors,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

ALL = "all"  # sheets that have the same columns
MOST_TITLES = 4  # rows above the header
MOST_BYTES = 1 << 30  # unpacked; a spreadsheet of a million rows has about a tenth of it
MOST_CELLS = 50_000_000
_DAMAGED = "the workbook is damaged or not one"
_FIX = "open it in a spreadsheet and save it again as .xlsx, or export it as CSV"

_PLACE = re.compile(rb"""\br\s*=\s*["']([A-Za-z]{0,3})([0-9]{1,10})["']""")
_CELLS = {0x0001, 0x0002, 0x0003, 0x0004, 0x0005, 0x0006, 0x00BD, 0x00BE, 0x00D6, 0x00FD}
_CELLS |= {kind | 0x0200 for kind in (1, 2, 3, 4, 5, 6, 0x7E)} | {0x0406}
_DIMENSIONS, _SHEET, _STRINGS, _END = 0x0200, 0x0085, 0x00FC, 0x000A
OLD_COLUMNS = 256  # of an .xls sheet
_NO_SECTOR = 0xFFFFFFFA  # this and larger numbers are marks, not sectors
_ENTRY = 128  # bytes of a directory entry
_SMALL_SECTOR = 64
_ROOT, _STREAM = 5, 2  # kinds of directory entries


def suits(data: bytes) -> bool:
    """Whether these are the first bytes of .xlsx or .xls."""
    return data.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"))


def open_table(data: bytes, how: OpenOptions, source: str | None) -> InputTable:
    """One sheet of a workbook, or all that have its columns; the first row that is not empty names those."""
    with _open_workbook(data, source) as workbook:
        names = list(workbook.sheet_names)
        name, notes = _choose_sheet(names, None if how.sheet == ALL else how.sheet, source)
        table = _to_table(_load(workbook, name), name, notes, source, how)
        others = {
            other: sheet
            for other in names
            if other != name and (how.sheet in (None, ALL)) and (sheet := _open_other(workbook, other, how))
        }
    alike = {other: sheet for other, sheet in others.items() if sheet.header == table.header}
    left = tuple(other for other in names if other != name)
    if how.sheet != ALL:
        return replace(table, sheet=name, other_sheets=left, alike_sheets=tuple(alike))
    notes = tuple(note for note in table.notes if not note.startswith("sheet "))
    joined = replace(_join([table, *alike.values()]), notes=notes, sheet=ALL)
    return replace(joined, other_sheets=tuple(other for other in left if other not in alike))


def _load(workbook: Any, name: str) -> pl.DataFrame:
    cells: pl.DataFrame = workbook.load_sheet(name, header_row=None, skip_rows=0, dtypes="string").to_polars()
    return cells


def _open_other(workbook: Any, name: str, how: OpenOptions) -> InputTable | None:
    try:
        return _to_table(_load(workbook, name), name, (), None, how)
    except DataError:
        return None  # an empty one


def _join(tables: Sequence[InputTable]) -> InputTable:
    """Tables of the same columns, one below the other; lines are those of their own sheets."""
    frames = [table.load(range(len(table.header))) for table in tables]
    frames = [
        frame.rename(dict(zip(frame.columns, map(str, range(frame.width)), strict=True))) for frame in frames
    ]
    whole = pl.concat(frames)
    lines = np.concatenate(
        [table.lines(np.arange(len(frame))) for table, frame in zip(tables, frames, strict=True)]
    )

    def load(columns: Sequence[int]) -> pl.DataFrame:
        return whole.select(str(which) for which in columns)

    return replace(tables[0], load=load, load_first=None, lines=lambda rows: lines[rows])


def preview(data: bytes, how: OpenOptions, source: str | None, rows: int) -> dict[str, Any]:
    """The sheets, in their order, and which one is meant."""
    with _open_workbook(data, source) as workbook:
        sheets = tuple(workbook.sheet_names)
    try:
        sheet = _choose_sheet(list(sheets), how.sheet, source)[0]
    except DataError:
        sheet = None
    return {"sheet": sheet, "sheets": sheets}


@contextmanager
def _open_workbook(data: bytes, source: str | None) -> Iterator[Any]:
    import fastexcel

    if not suits(data):
        rule = "the file is not an Excel workbook"
        raise DataError(Problem(rule, fix="leave out the format, or use 'csv'"), source=source)
    check_size(data, source)
    with translate_errors(source, _DAMAGED, _FIX):
        yield fastexcel.read_excel(data)


def _choose_sheet(
    names: list[str], sheet: str | int | None, source: str | None
) -> tuple[str, tuple[str, ...]]:
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


def _to_table(
    cells: pl.DataFrame, sheet: str, notes: tuple[str, ...], source: str | None, how: OpenOptions
) -> InputTable:
    used = (
        cells.select(pl.sum_horizontal(pl.all().is_not_null())).to_series()
        if cells.width
        else pl.Series(dtype=pl.UInt32)
    )
    filled = (used > 0).arg_true()
    first = filled.filter(filled >= how.skip_rows).head(MOST_TITLES + 3).to_list()
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
    if how.header == "none":
        header, top = numbered_header(len(header)), top - 1
    body = cells.slice(top + 1)
    names = body.columns  # asked once: every time it is a new list

    def lines(rows: NDArray[np.int64]) -> NDArray[np.int64]:
        return rows + top + 2

    def load(columns: Sequence[int]) -> pl.DataFrame:
        return body.select(names[which] for which in columns)

    return InputTable(header, load, lines, source, notes, top + 1, tuple(titles))


# -- workbooks that are too large, or whose structure is broken -----------------------------------------


def check_size(data: bytes, source: str | None) -> None:
    """Raise DataError for a workbook that is too large to read, or whose structure is broken."""
    try:
        if data.startswith(b"PK"):
            _check_xlsx(data, source)
        else:
            _check_xls(data, source)
    except DataError:
        raise
    except Exception as error:  # struct, zlib, zipfile and index errors: whatever damage leads to
        raise DataError(Problem(_DAMAGED, fix=_FIX), source=source) from error


# .xlsx: an archive of XML files


def _check_xlsx(data: bytes, source: str | None) -> None:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
    size = sum(entry.file_size for entry in entries)
    if size > MOST_BYTES:
        rule = f"the workbook unpacks to {size / 2**20:,.0f} MiB; at most {MOST_BYTES >> 20:,} are read"
        raise DataError(Problem(rule, fix="export the sheet as CSV"), source=source)
    if not any(entry.filename == "xl/workbook.xml" for entry in entries):
        raise DataError(Problem("the archive is not an .xlsx workbook", fix=_FIX), source=source)
    for entry in entries:
        if entry.filename.endswith(".xml"):
            _check_span(*_span(_unpack(data, entry)), source)


def _unpack(data: bytes, entry: zipfile.ZipInfo) -> bytes:
    """An entry's content, which must be as long as the directory says: parsers do not stop there."""
    name, extra = struct.unpack_from("<HH", data, entry.header_offset + 26)
    start = entry.header_offset + 30 + name + extra
    raw = data[start : start + entry.compress_size]
    if entry.compress_type == zipfile.ZIP_DEFLATED:
        raw = zlib.decompressobj(-15).decompress(raw, entry.file_size + 1)
    if len(raw) > entry.file_size:
        raise ValueError(entry.filename)
    return raw


def _span(xml: bytes) -> tuple[int, int]:
    rows = columns = 0
    for letters, digits in _PLACE.findall(xml):
        rows, columns = max(rows, int(digits)), max(columns, _column_number(letters))
    return rows, columns


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - 64
    return number


def _check_span(rows: int, columns: int, source: str | None) -> None:
    if rows * columns > MOST_CELLS:
        rule = f"a sheet spans {rows} rows x {columns} columns; at most {MOST_CELLS:,} cells are read"
        raise DataError(Problem(rule, fix="delete the stray cells or export it as CSV"), source=source)


# .xls: a stream of records in a compound file


def _check_xls(data: bytes, source: str | None) -> None:
    book = read_stream(data, "Workbook", "Book")
    starts = [0]
    for kind, body in _records(book, 0):
        if kind == _SHEET:
            starts.append(struct.unpack_from("<I", body)[0])
    for start in starts:
        for kind, body in _records(book, start):
            _check_record(kind, body, source)
            if kind == _STRINGS and struct.unpack_from("<I", body, 4)[0] > len(book):
                raise ValueError("more shared strings than fit")


def _records(book: bytes, start: int) -> Iterator[tuple[int, bytes]]:
    while start + 4 <= len(book):
        kind, length = struct.unpack_from("<HH", book, start)
        yield kind, book[start + 4 : start + 4 + length]
        if kind == _END:
            return
        start += 4 + length


def _check_record(kind: int, body: bytes, source: str | None) -> None:
    if kind == _DIMENSIONS and len(body) >= 10:
        layout = "<IIHH" if len(body) >= 12 else "<HHHH"
        first_row, last_row, first_column, last_column = struct.unpack_from(layout, body)
        _check_span(max(0, last_row - first_row), max(0, last_column - first_column), source)
        if last_row < first_row or last_column < first_column:
            raise ValueError(body)
    elif kind in _CELLS and len(body) >= 4:
        (column,) = struct.unpack_from("<H", body, 2)
        if column >= OLD_COLUMNS:
            rule = f"a cell stands in column {column + 1}, and an .xls sheet has {OLD_COLUMNS}"
            raise DataError(Problem(rule, fix=_FIX), source=source)


# -- compound files, the container of .xls: sectors chained by a table, like a small disk ---------------


def read_stream(data: bytes, *names: str) -> bytes:
    """The content of the first stream that has one of the names; ValueError where the file is damaged."""
    shift, small_shift = struct.unpack_from("<HH", data, 30)
    directory, _, least, small_first = struct.unpack_from("<IIII", data, 48)
    if shift not in (9, 12) or small_shift != 6:
        raise ValueError("sizes of sectors")
    size = 1 << shift
    _check_counts(data, size)
    body = data[size:]  # the header fills the first sector
    table = _sector_table(data, body, size)
    entries = _read_chain(body, table, directory, size)
    _check_lengths(entries, len(data))
    start, length = _find_entry(entries, _STREAM, names)
    if length >= least:
        return _read_chain(body, table, start, size)[:length]
    small_table = _unpack_numbers(_read_chain(body, table, small_first, size))
    small_body = _read_chain(body, table, _find_entry(entries, _ROOT, ("Root Entry",))[0], size)
    return _read_chain(small_body, small_table, start, _SMALL_SECTOR)[:length]


def _check_counts(data: bytes, size: int) -> None:
    """Parsers reserve memory for as many sectors as the header counts, so it must not count more than fit."""
    counts = [struct.unpack_from("<I", data, place)[0] for place in (40, 44, 64, 72)]
    if max(counts) > len(data) // size:
        raise ValueError("more sectors than the file has")


def _check_lengths(entries: bytes, most: int) -> None:
    for place in range(0, len(entries) - _ENTRY + 1, _ENTRY):
        if (
            entries[place + 66] in (_ROOT, _STREAM)
            and struct.unpack_from("<I", entries, place + 120)[0] > most
        ):
            raise ValueError("a stream longer than the file")


def _sector_table(data: bytes, body: bytes, size: int) -> tuple[int, ...]:
    """Which sector follows which. Its own sectors are listed in the header and, for large files, after it."""
    more, count = struct.unpack_from("<II", data, 68)
    listed = list(struct.unpack_from("<109I", data, 76))
    for _ in range(min(count, len(body) // size)):
        if more >= _NO_SECTOR:
            break
        *numbers, more = _unpack_numbers(_sector(body, more, size))
        listed += numbers
    return _unpack_numbers(b"".join(_sector(body, number, size) for number in listed if number < _NO_SECTOR))


def _unpack_numbers(raw: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(raw) // 4}I", raw[: len(raw) // 4 * 4])


def _sector(body: bytes, number: int, size: int) -> bytes:
    if number * size >= len(body):
        raise ValueError("a sector beyond the end")
    return body[number * size : (number + 1) * size]


def _read_chain(body: bytes, table: Sequence[int], number: int, size: int) -> bytes:
    sectors = []
    while number < _NO_SECTOR:
        sectors.append(_sector(body, number, size))
        if len(sectors) > len(table) or number >= len(table):
            raise ValueError("a chain of sectors without end")
        number = table[number]
    return b"".join(sectors)


def _find_entry(entries: bytes, kind: int, names: Sequence[str]) -> tuple[int, int]:
    """First sector and length of a directory entry."""
    for place in range(0, len(entries) - _ENTRY + 1, _ENTRY):
        (length,) = struct.unpack_from("<H", entries, place + 64)
        name = entries[place : place + max(0, min(length, 64) - 2)].decode("utf-16-le", errors="replace")
        if entries[place + 66] == kind and name in names:
            start, size = struct.unpack_from("<II", entries, place + 116)
            return start, size
    raise ValueError("no such stream")
