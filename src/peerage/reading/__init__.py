"""Reading: feedback in every format a class comes in, and any table for those who need another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerage._faces import lazy

if TYPE_CHECKING:
    from peerage.reading.columns import SYNONYMS as SYNONYMS
    from peerage.reading.columns import Vocabulary as Vocabulary
    from peerage.reading.columns import find_columns as find_columns
    from peerage.reading.content import Content as Content
    from peerage.reading.content import Parts as Parts
    from peerage.reading.content import content_of as content_of
    from peerage.reading.content import parts_of as parts_of
    from peerage.reading.formats import FORMATS as FORMATS
    from peerage.reading.formats import LAYOUTS as LAYOUTS
    from peerage.reading.formats import LIST_FILES as LIST_FILES
    from peerage.reading.formats import SOURCES as SOURCES
    from peerage.reading.formats import TABLE_FILES as TABLE_FILES
    from peerage.reading.frames import is_frame as is_frame
    from peerage.reading.given import feedback_of as feedback_of
    from peerage.reading.inspection import Inspection as Inspection
    from peerage.reading.inspection import look_at as look_at
    from peerage.reading.manifest import MANIFEST as MANIFEST
    from peerage.reading.manifest import Manifest as Manifest
    from peerage.reading.manifest import PackedFile as PackedFile
    from peerage.reading.manifest import PackedPart as PackedPart
    from peerage.reading.manifest import why_not_packed as why_not_packed
    from peerage.reading.options import ReadingOptions as ReadingOptions
    from peerage.reading.packed import Packed as Packed
    from peerage.reading.packed import open_packed as open_packed
    from peerage.reading.packed import packed_at as packed_at
    from peerage.reading.parts import PartStream as PartStream
    from peerage.reading.reader import read as read
    from peerage.reading.rules import DirectionWish as DirectionWish
    from peerage.reading.rules import Zeros as Zeros
    from peerage.reading.sources import as_roster as as_roster
    from peerage.reading.streamed import AT_A_TIME as AT_A_TIME
    from peerage.reading.streamed import Cut as Cut
    from peerage.reading.streamed import stream_parts as stream_parts
    from peerage.reading.table import Cells as Cells
    from peerage.reading.table import Table as Table
    from peerage.reading.table import blank_rows as blank_rows
    from peerage.reading.table import labels as labels
    from peerage.reading.table import load_cells as load_cells
    from peerage.reading.tables import open_table as open_table
    from peerage.reading.weights import Weights as Weights
    from peerage.reading.weights import parse_criteria as parse_criteria

__getattr__, __dir__ = lazy(
    __name__,
    {
        "AT_A_TIME": "streamed",
        "Cells": "table",
        "Content": "content",
        "Cut": "streamed",
        "DirectionWish": "rules",
        "FORMATS": "formats",
        "Inspection": "inspection",
        "LAYOUTS": "formats",
        "LIST_FILES": "formats",
        "MANIFEST": "manifest",
        "Manifest": "manifest",
        "Packed": "packed",
        "PackedFile": "manifest",
        "PackedPart": "manifest",
        "PartStream": "parts",
        "Parts": "content",
        "ReadingOptions": "options",
        "SOURCES": "formats",
        "SYNONYMS": "columns",
        "TABLE_FILES": "formats",
        "Table": "table",
        "Vocabulary": "columns",
        "Weights": "weights",
        "Zeros": "rules",
        "as_roster": "sources",
        "blank_rows": "table",
        "content_of": "content",
        "parts_of": "content",
        "feedback_of": "given",
        "find_columns": "columns",
        "is_frame": "frames",
        "labels": "table",
        "load_cells": "table",
        "look_at": "inspection",
        "open_packed": "packed",
        "open_table": "tables",
        "packed_at": "packed",
        "parse_criteria": "weights",
        "read": "reader",
        "stream_parts": "streamed",
        "why_not_packed": "manifest",
    },
)
