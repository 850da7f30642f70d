"""Workbooks that would exhaust the machine, found before a parser opens them.

A small archive can unpack to terabytes, and one stray cell in the far corner makes a sheet of billions of
cells, which parsers lay out in full. So the sizes are read here first, from the file's own structures.
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator

from peerage.errors import DataError, Problem
from peerage.reading.compound import stream

MOST_BYTES = 1 << 30  # unpacked; a spreadsheet of a million rows has about a tenth of it
MOST_CELLS = 50_000_000
DAMAGED = "the workbook is damaged or not one"
FIX = "open it in a spreadsheet and save it again as .xlsx, or export it as CSV"

_PLACE = re.compile(rb"""\br\s*=\s*["']([A-Za-z]{0,3})([0-9]{1,10})["']""")
_CELLS = {0x0001, 0x0002, 0x0003, 0x0004, 0x0005, 0x0006, 0x00BD, 0x00BE, 0x00D6, 0x00FD}
_CELLS |= {kind | 0x0200 for kind in (1, 2, 3, 4, 5, 6, 0x7E)} | {0x0406}
_DIMENSIONS, _SHEET, _STRINGS, _END = 0x0200, 0x0085, 0x00FC, 0x000A
OLD_COLUMNS = 256


def refuse_giants(data: bytes, source: str | None) -> None:
    """Raise DataError for a workbook that is too large to read, or whose structure is broken."""
    try:
        if data.startswith(b"PK"):
            _check_archive(data, source)
        else:
            _check_old(data, source)
    except DataError:
        raise
    except Exception as error:  # struct, zlib, zipfile and index errors: whatever damage leads to
        raise DataError(Problem(DAMAGED, fix=FIX), source=source) from error


# -- .xlsx ----------------------------------------------------------------------------------------


def _check_archive(data: bytes, source: str | None) -> None:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
    size = sum(entry.file_size for entry in entries)
    if size > MOST_BYTES:
        rule = f"the workbook unpacks to {size / 2**20:,.0f} MiB; at most {MOST_BYTES >> 20:,} are read"
        raise DataError(Problem(rule, fix="export the sheet as CSV"), source=source)
    if not any(entry.filename == "xl/workbook.xml" for entry in entries):
        raise DataError(Problem("the archive is not an .xlsx workbook", fix=FIX), source=source)
    for entry in entries:
        if entry.filename.endswith(".xml"):
            _refuse_span(*_span(_unpacked(data, entry)), source)


def _unpacked(data: bytes, entry: zipfile.ZipInfo) -> bytes:
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


def _refuse_span(rows: int, columns: int, source: str | None) -> None:
    if rows * columns > MOST_CELLS:
        rule = f"a sheet spans {rows} rows x {columns} columns; at most {MOST_CELLS:,} cells are read"
        raise DataError(Problem(rule, fix="delete the stray cells or export it as CSV"), source=source)


# -- .xls: a stream of records in a compound file ---------------------------------------------------


def _check_old(data: bytes, source: str | None) -> None:
    book = stream(data, "Workbook", "Book")
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
        _refuse_span(max(0, last_row - first_row), max(0, last_column - first_column), source)
        if last_row < first_row or last_column < first_column:
            raise ValueError(body)
    elif kind in _CELLS and len(body) >= 4:
        (column,) = struct.unpack_from("<H", body, 2)
        if column >= OLD_COLUMNS:
            rule = f"a cell stands in column {column + 1}, and an .xls sheet has {OLD_COLUMNS}"
            raise DataError(Problem(rule, fix=FIX), source=source)
