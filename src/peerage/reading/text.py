"""Delimited text as a table: the delimiter found out, the header read, every record counted, then parsed.

Parsers forgive (a row with too few fields is filled up in silence), so the structure is checked here first,
a block at a time with whole-array arithmetic: exact line numbers at a fraction of the cost of parsing.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage._words import plural
from peerage.errors import KEPT_PROBLEMS, DataError, Problem
from peerage.reading.content import decode, to_utf8
from peerage.reading.reading import OpenOptions
from peerage.reading.table import (
    InputTable,
    numbered_header,
    title_notes,
    translate_errors,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar", " ": "blank", ":": "colon"}
MOST_COLUMNS = 20_000
MOST_TITLES = 4  # lines above the header
SHOWN_BYTES = 100_000  # of a record, in a preview
_SAMPLE = 20
_LINE_END = re.compile(r"\r\n|[\n\r]")
_BLANK = re.compile(rb"\S")  # what a line that is not blank has
_NOT_AN_END = re.compile(rb"[^\r\n]")


def suits(data: bytes) -> bool:
    """Any text may be a table: what is no text is refused when it is opened."""
    return True


def open_table(data: bytes, how: OpenOptions, source: str | None) -> InputTable:
    """The table in a delimited text file."""
    text, notes = to_utf8(data, how.encoding, source)
    start, line, chosen, titles = _find_header(text, how, source)
    header, body, header_line, body_line = _read_header(text, start, line, chosen, source)
    if how.header == "none":
        header, body, body_line = numbered_header(len(header)), start, line
    text = text[body:]
    has_quotes = b'"' in text
    n_records = _check_records(text, chosen, header, body_line, source)

    @cache
    def quoted_lines() -> NDArray[np.int64]:
        blocks = iterate_records(text, chosen, source, line=body_line)
        return np.concatenate([block.lines for block in blocks])

    def lines(rows: NDArray[np.int64]) -> NDArray[np.int64]:
        # without quotes a record is a line: no need to look again
        return quoted_lines()[rows] if has_quotes else rows + body_line

    def load(columns: Sequence[int]) -> pl.DataFrame:
        return _parse_columns(text, chosen, columns, len(header), has_quotes, n_records, source)

    def load_first(columns: Sequence[int], rows: int) -> pl.DataFrame:
        part = text[: _end_of_records(text, chosen, rows, source)]
        return _parse_columns(part, chosen, columns, len(header), has_quotes, min(rows, n_records), source)

    notes = (*notes, *title_notes(titles))
    return InputTable(header, load, lines, source, notes, header_line, titles, load_first)


def _end_of_records(text: bytes, delimiter: str, rows: int, source: str | None) -> int:
    """Where so many records end."""
    count = 0
    for block in iterate_records(text, delimiter, source, block=65_536):
        if count + len(block.ends) >= rows:
            return int(block.ends[rows - count - 1]) + 1
        count += len(block.ends)
    return len(text)


def preview(data: bytes, how: OpenOptions, source: str | None, rows: int) -> dict[str, Any]:
    """The header and the first rows, also of a text whose rows do not fit its header."""
    text, name, notes = decode(data, how.encoding, source)
    start, line, chosen, _ = _find_header(text, how, source)
    header, body, _, body_line = _read_header(text, start, line, chosen, source)
    shown: list[tuple[str, ...]] = []
    for block in iterate_records(text, chosen, source, start=body, line=body_line, block=4096):
        for low, high, fields in zip(block.starts, block.ends, block.fields, strict=True):
            if fields and len(shown) < rows:
                record = text[low : min(high, low + SHOWN_BYTES)]
                shown.append(_split(record.decode("utf-8", errors="ignore"), chosen))
        if len(shown) == rows:
            break
    return {
        "header": header, "rows": tuple(shown), "delimiter": chosen, "encoding": name, "notes": notes,
    }  # fmt: skip


def _find_header(text: bytes, how: OpenOptions, source: str | None) -> tuple[int, int, str, tuple[str, ...]]:
    """Where the header begins and on which line, what divides the columns, and the titles above it."""
    start, line, declared = _skip_to_header(text, how.skip_rows)
    chosen = _check_delimiter(how.delimiter) or declared or _guess_delimiter(text, start, source)
    above = _titles_above(text, start, chosen)
    for _ in range(len(above)):
        start, line = _skip_blank(text, text.find(b"\n", start) + 1, line + 1)
    return start, line, chosen, tuple(title for title in above if title)


def _titles_above(text: bytes, start: int, delimiter: str) -> list[str]:
    """The lines above the header: of one field, or empty, where those after them have several."""
    rows = text[start : start + 65_536].decode("utf-8", errors="ignore").splitlines()
    rows = [row for row in rows if row.strip()][: MOST_TITLES + 3]
    fields = [_split(row, delimiter) if row.count('"') % 2 == 0 else () for row in rows]
    named = [[field for field in row if field] for row in fields]
    header = next((which for which, row in enumerate(named) if len(row) > 1 or not fields[which]), 0)
    alike = header + 1 < len(fields) and len(fields[header]) == len(fields[header + 1]) > 1
    fits = all(len(row) in (1, len(fields[header])) and len(row) != 2 for row in fields[:header])
    if not alike or not fits or header > MOST_TITLES or not any(named[:header]):
        return []
    return [row[0] if row else "" for row in named[:header]]


def _skip_to_header(text: bytes, skipped: int = 0) -> tuple[int, int, str | None]:
    """Where the header begins: after empty lines and after Excel's own `sep=;` line."""
    at = 0
    for _ in range(skipped):
        at = text.find(b"\n", at) + 1 or len(text)
    start, line = _skip_blank(text, at, 1 + text.count(b"\n", 0, at))
    first = text[start : start + 10].split(b"\n")[0].strip()
    if first.lower().startswith(b"sep=") and len(first) == 5:
        start, line = _skip_blank(text, text.find(b"\n", start) + 1 or len(text), line + 1)
        return start, line, chr(first[4])
    return start, line, None


def _skip_blank(text: bytes, start: int, line: int, blank: re.Pattern[bytes] = _BLANK) -> tuple[int, int]:
    """Where the first line begins that holds something, and its number; beyond the end if there is none."""
    match = blank.search(text, start)
    if match is None:
        return len(text) + 1, line + text.count(b"\n", start) + 1
    begin = max(start, text.rfind(b"\n", start, match.start()) + 1)
    return begin, line + text.count(b"\n", start, begin)


def _check_delimiter(delimiter: str | None) -> str | None:
    if delimiter is None:
        return None
    named = {name: mark for mark, name in DELIMITERS.items()} | {"\\t": "\t"}
    mark = named.get(delimiter, delimiter)
    if len(mark) != 1 or not mark.isascii() or mark in '"\n\r\0':
        raise DataError(
            Problem(f"delimiter {delimiter!r} cannot be used", fix="give one character, or 'tab'")
        )
    return mark


def _guess_delimiter(text: bytes, start: int, source: str | None) -> str:
    """The delimiter that cuts the first records into the same number of fields, two at least."""
    if start >= len(text):
        raise DataError("the file is empty", source=source)
    sample = _sample(text[start : start + 65_536].decode("utf-8", errors="ignore"))
    if not sample:
        raise DataError("the file is empty", source=source)
    for titles in range(min(MOST_TITLES, len(sample) - 1)):
        best = max(DELIMITERS, key=lambda mark: _fitness(sample[titles:], mark))
        if _agreement(sample[titles:], best) >= 0.8:
            return best
    best = max(DELIMITERS, key=lambda mark: _fitness(sample, mark))
    return best if _count(sample[0], best) else ","


def _sample(head: str) -> list[str]:
    """The first records: a line break in quotes ends none, unless a quote is never closed."""
    rows: list[str] = []
    for row in _LINE_END.split(head):
        if rows and rows[-1].count('"') % 2:
            rows[-1] += f"\n{row}"
        elif row.strip():
            rows.append(row)
    if rows and rows[-1].count('"') % 2:
        rows = [row for row in head.splitlines() if row.strip()]
    return rows[:_SAMPLE]


def _agreement(sample: list[str], mark: str) -> float:
    """The share of lines that the mark divides as it does the first."""
    first = _count(sample[0], mark)
    return sum(_count(row, mark) == first for row in sample) / len(sample) if first else 0.0


def _fitness(sample: list[str], mark: str) -> tuple[float, int, int]:
    counts = [_count(row, mark) for row in sample]
    agreeing = sum(count == counts[0] for count in counts) / len(counts) if counts[0] else 0.0
    rare = mark in " :"  # common inside labels: only where nothing better divides the header
    return (0.0 if rare else 1.0) * bool(counts[0]) + agreeing, counts[0], -ord(mark)


def _count(row: str, mark: str) -> int:
    """How often the mark stands outside quotes."""
    return sum(part.count(mark) for part in row.split('"')[::2])


def _read_header(
    text: bytes, start: int, line: int, delimiter: str, source: str | None
) -> tuple[tuple[str, ...], int, int, int]:
    """The column names, where the rows begin, the header's line and the first row's."""
    if start >= len(text):
        raise DataError("the file is empty", source=source)
    first = next(iterate_records(text, delimiter, source, start=start, line=line, block=4096))
    stop = int(first.ends[0])
    if int(first.fields[0]) > MOST_COLUMNS:
        problem = f"the header names {int(first.fields[0])} columns; at most {MOST_COLUMNS} are read"
        raise DataError(Problem(problem, line=line), source=source)
    raw = text[start:stop].decode("utf-8")
    names = _split(raw, delimiter)
    after = text.find(b"\n", stop)
    body = len(text) if after < 0 else after + 1
    following = line + text.count(b"\n", start, body)
    return names, *_find_first_row(text, body, following, line)


def _split(raw: str, delimiter: str) -> tuple[str, ...]:
    """One record's fields. The structure was checked before: quotes enclose whole fields."""
    fields: list[str] = []
    open_quote = False
    for piece in raw.split(delimiter):
        if open_quote:
            fields[-1] += delimiter + piece
        else:
            fields.append(piece)
        open_quote ^= piece.count('"') % 2 == 1
    return tuple(_unquoted(field) for field in fields)


def _unquoted(field: str) -> str:
    field = field.strip()
    return field[1:-1].replace('""', '"').strip() if field.startswith('"') else field


def _find_first_row(text: bytes, body: int, following: int, line: int) -> tuple[int, int, int]:
    # the parser counts columns in its first line, so that must not be empty
    start, first = _skip_blank(text, body, following, _NOT_AN_END)
    return min(start, len(text)), line, first


def _check_records(
    text: bytes, delimiter: str, header: tuple[str, ...], line: int, source: str | None
) -> int:
    """Count the records; refuse those with too few or too many fields, each with its line."""
    problems: list[Problem] = []
    total = count = 0
    for block in iterate_records(text, delimiter, source, line=line):
        count += len(block.fields)
        wrong = np.flatnonzero((block.fields != len(header)) & (block.fields != 0))
        total += len(wrong)
        for which in wrong[: KEPT_PROBLEMS - len(problems)]:
            low, high = int(block.starts[which]), int(block.ends[which])
            record = text[low : min(high, low + 500)].decode("utf-8", errors="replace")
            problems.append(
                _field_count_problem(
                    record, int(block.fields[which]), header, delimiter, int(block.lines[which])
                )
            )
    if problems:
        raise DataError(problems, source=source, total=total)
    return count


def _field_count_problem(
    record: str, n_fields: int, header: tuple[str, ...], delimiter: str, line: int
) -> Problem:
    rule = f"has {plural(n_fields, 'field')}, the header has {len(header)}"
    for mark, name in DELIMITERS.items():
        if mark not in (delimiter, " ", ":") and _count(record, mark) == len(header) - 1:
            used = DELIMITERS.get(delimiter, repr(delimiter))
            fix = f"it is divided by a {name}, the header by a {used}: use one delimiter"
            return Problem(rule, line=line, value=record, fix=fix)
    fix = "fill in the missing ones"
    if n_fields > len(header):
        fix = f"put quotes around a field that contains a {DELIMITERS.get(delimiter, repr(delimiter))}"
    return Problem(rule, line=line, value=record, fix=fix)


def _parse_columns(
    text: bytes,
    delimiter: str,
    columns: Sequence[int],
    width: int,
    has_quotes: bool,
    n_records: int,
    source: str | None,
) -> pl.DataFrame:
    wanted = sorted(columns)
    if n_records == 0:
        return pl.DataFrame(schema={str(which): pl.String for which in columns})
    marked = text.startswith(codecs.BOM_UTF8)  # here it begins a label, but the parser would take it away
    with translate_errors(source):
        frame = pl.read_csv(
            _first_row(delimiter, width) + text if marked else text,
            has_header=False,
            separator=delimiter,
            quote_char='"' if has_quotes else None,
            infer_schema=False,
            columns=wanted,
        )
    frame = frame.slice(1) if marked else frame
    if len(frame) != n_records:
        raise DataError("the file's rows and quotes do not fit together", source=source)
    frame.columns = [str(which) for which in wanted]
    return frame.select(str(which) for which in columns)


def _first_row(delimiter: str, width: int) -> bytes:
    return (delimiter.join("x" * width) + "\n").encode()


# -- where the records of a text begin, and whether all have the same number of fields -----------------------


BLOCK = 1 << 23
QUOTE, NEWLINE, RETURN = ord('"'), ord("\n"), ord("\r")


@dataclass(frozen=True, slots=True)
class Records:
    """Consecutive records of one block: byte offsets, first lines, and fields of each; blank ones have 0."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    lines: NDArray[np.int64]
    fields: NDArray[np.int64]


def iterate_records(
    text: bytes,
    delimiter: str,
    source: str | None = None,
    *,
    start: int = 0,
    line: int = 1,
    block: int = BLOCK,
) -> Iterator[Records]:
    """All records from byte `start`, which is on `line`; a misplaced quote raises DataError with its line."""
    quoted = text.find(b'"', start) >= 0
    buffer = np.frombuffer(text, dtype=np.uint8)
    size = block
    while start < len(text):
        window = buffer[start : start + size]
        last = start + size >= len(text)
        inside = _inside_quotes(window) if quoted else None
        ends = _outside_quotes(window == NEWLINE, inside)
        if last and (len(ends) == 0 or ends[-1] != len(window) - 1):
            ends = np.append(ends, len(window))
        if len(ends) == 0 and not last:
            size *= 2  # one record larger than the block
            continue
        if inside is not None:
            _check_quotes(window[: ends[-1] + 1], inside[: ends[-1] + 1], delimiter, line, source, last=last)
        yield _measure_records(window, inside, ends, ord(delimiter), start, line)
        line += int(np.count_nonzero(window[: ends[-1] + 1] == NEWLINE))
        start += int(ends[-1]) + 1
        size = block


def _inside_quotes(window: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Whether each byte is inside quotes: an odd number of quotes stands before or on it."""
    return np.bitwise_xor.accumulate((window == QUOTE).view(np.uint8)).view(bool)


def _outside_quotes(mask: NDArray[np.bool_], inside: NDArray[np.bool_] | None) -> NDArray[np.int64]:
    return np.flatnonzero(mask if inside is None else mask & ~inside)


def _measure_records(
    window: NDArray[np.uint8],
    inside: NDArray[np.bool_] | None,
    ends: NDArray[np.int64],
    delimiter: int,
    offset: int,
    line: int,
) -> Records:
    starts = np.append(0, ends[:-1] + 1)
    used = window[: ends[-1] + 1]
    separators = _outside_quotes(used == delimiter, None if inside is None else inside[: len(used)])
    fields = np.diff(np.searchsorted(separators, np.append(0, ends))) + 1
    shown = np.minimum(ends, len(window))
    lengths = shown - starts
    returned = (lengths > 0) & (window[np.maximum(shown - 1, 0)] == RETURN)
    fields[lengths - returned == 0] = 0
    if inside is None:
        lines = line + np.arange(len(ends))
    else:
        lines = line + np.searchsorted(np.flatnonzero(used == NEWLINE), starts)
    return Records(starts + offset, shown - returned + offset, lines, fields)


def _check_quotes(
    window: NDArray[np.uint8],
    inside: NDArray[np.bool_],
    delimiter: str,
    line: int,
    source: str | None,
    *,
    last: bool,
) -> None:
    """Quotes may only enclose whole fields; a quote inside a quoted field is doubled."""
    quotes = np.flatnonzero(window == QUOTE)
    if len(quotes) == 0:
        return
    opening = inside[quotes]
    edge = np.zeros(256, dtype=bool)
    edge[[QUOTE, NEWLINE, ord(delimiter)]] = True
    padded = np.concatenate([[np.uint8(NEWLINE)], window, [np.uint8(NEWLINE)] * 2])
    before, after, second = (padded[quotes + shift] for shift in (0, 2, 3))
    before, after = edge[before], edge[after] | ((after == RETURN) & (second == NEWLINE))
    wrong = np.flatnonzero(np.where(opening, ~before, ~after))
    if len(wrong):
        _refuse_quote(window, quotes, int(wrong[0]), bool(opening[wrong[0]]), line, source)
    if last and inside[-1]:
        place = line + int(np.count_nonzero(window[: quotes[-1]] == NEWLINE))
        rule, fix = "a quoted field opens here and is never closed", "add the closing quote"
        raise DataError(Problem(rule, line=place, fix=fix), source=source)


def _refuse_quote(
    window: NDArray[np.uint8],
    quotes: NDArray[np.int64],
    which: int,
    opening: bool,
    line: int,
    source: str | None,
) -> None:
    def line_of(quote: int) -> int:
        return line + int(np.count_nonzero(window[: quotes[quote]] == NEWLINE))

    fix = "put quotes around whole fields only, and double those inside"
    if opening:
        rule = 'a quote (") stands in the middle of a field'
        raise DataError(Problem(rule, line=line_of(which), fix=fix), source=source)
    opened, closed = line_of(which - 1), line_of(which)
    where = "" if opened == closed else f" (in line {closed})"
    rule = f"a quoted field opens here, but text follows its closing quote{where}"
    raise DataError(Problem(rule, line=opened, fix=fix), source=source)
