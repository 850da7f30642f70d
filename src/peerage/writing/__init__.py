"""Writing feedback: long CSV and TSV, Parquet, PGF and PrefLib; and tables for spreadsheets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerage._faces import lazy

if TYPE_CHECKING:
    from peerage.writing.formats import FORMATS as FORMATS
    from peerage.writing.formats import WRITERS as WRITERS
    from peerage.writing.long import long_frame as long_frame
    from peerage.writing.spreadsheet import neutralise as neutralise
    from peerage.writing.writer import write as write

__getattr__, __dir__ = lazy(
    __name__,
    {
        "FORMATS": "formats",
        "WRITERS": "formats",
        "long_frame": "long",
        "neutralise": "spreadsheet",
        "write": "writer",
    },
)
