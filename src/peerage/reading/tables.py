"""Any table, whatever it is in: text in any encoding, a workbook, Parquet, a table in memory."""

from __future__ import annotations

from typing import Any

from peerage.reading.content import content_of
from peerage.reading.frames import is_frame, read_frame
from peerage.reading.recognition import table_file
from peerage.reading.table import Opening, Table


def open_table(
    source: Any,
    *,
    sheet: str | int | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    skip_rows: int = 0,
) -> Table:
    """The table in a file or in memory, its cells still as they are; takes what :func:`peerage.read` takes.

    Rosters and staff grades come this way. The format is found out; lists (PGF, PrefLib) are no tables.
    """
    if is_frame(source):
        return read_frame(source)
    content = content_of(source)
    reader = table_file(content).reader
    return reader.open_table(content.data, Opening(sheet, encoding, delimiter, skip_rows), content.name)
