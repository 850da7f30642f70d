"""Where the records of a delimited text begin, and whether all have the same number of fields.

Parsers forgive (a row with too few fields is filled up in silence), so the structure is checked here first,
a block at a time with whole-array arithmetic: exact line numbers at a fraction of the cost of parsing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from peerage.errors import DataError, Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
