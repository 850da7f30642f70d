"""Which format it is: as told, or by the content, which the ending of a name often gets wrong."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from peerage.errors import DataError, Problem
from peerage.reading.content import Content
from peerage.reading.formats import FORMATS, LAYOUTS, LIST_FILES, SOURCES, TABLE_FILES, Layout, TableFile
from peerage.reading.grids import only_question
from peerage.reading.reshaping import noted
from peerage.reading.table import Table

HEAD = 4096  # bytes by which a text is known
TEXT = next(iter(TABLE_FILES.values()))


def check_format(told: str) -> None:
    """Refuse the name of a format that there is not."""
    if told not in FORMATS:
        raise DataError(f"format {told!r} is not known; use one of {', '.join(FORMATS)}")


def kind_of(content: Content, told: str = "auto") -> str:
    """The kind of file: a name from the tables of files and of lists."""
    table = table_file(content)
    if told in LIST_FILES or told in TABLE_FILES:
        _refuse_other_kind(content, table, told)
        return told
    if told in LAYOUTS or table.binary:
        return table.name
    ending = Path(content.name).suffix.lower() if content.name else ""
    head = _head(content.data)
    by_ending = (kind.name for kind in LIST_FILES.values() if ending in kind.endings)
    by_head = (kind.name for kind in LIST_FILES.values() if kind.reader.suits(head))
    return next(by_ending, None) or next(by_head, TEXT.name)


def table_file(content: Content) -> TableFile:
    """The kind of file as far as tables go: known by its first bytes, or text."""
    if not content.data:
        raise DataError("the file is empty", source=content.name)
    known = (kind for kind in TABLE_FILES.values() if kind.binary and kind.reader.suits(content.data))
    return next(known, TEXT)


def layout_of(table: Table, given: Mapping[str, str]) -> Layout:
    """The layout of a table."""
    layouts = list(LAYOUTS.values())
    return next((layout for layout in layouts if layout.reader.suits(table, given)), layouts[0])


def recognised(
    table: Table, given: Mapping[str, str], question: str | None = None
) -> tuple[Table, dict[str, str]]:
    """The table without what the system that exported it has added, and the roles known from that."""
    for source in SOURCES.values():
        if source.reader.suits(table):
            found = source.reader.cleaned(table, given)
            table = noted(found.table, f"read as an export of {source.words}")
            given = {**found.roles, **given}
            break
    return only_question(table, question), dict(given)


def _head(data: bytes) -> str:
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    return data[:HEAD].decode("utf-16" if wide else "utf-8-sig", errors="replace")


def _refuse_other_kind(content: Content, actual: TableFile, told: str) -> None:
    binary = told in TABLE_FILES and TABLE_FILES[told].binary  # that one's reader says itself what is wrong
    if actual.binary and not binary:
        problem = Problem(f"the file is {actual.words}, not {told}", fix="leave out the format")
        raise DataError(problem, source=content.name)
