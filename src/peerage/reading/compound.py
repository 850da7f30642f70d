"""Streams of a compound file, the container of .xls: sectors chained by a table, like a small disk."""

from __future__ import annotations

import struct
from collections.abc import Sequence

HEADER = 512
LAST = 0xFFFFFFFA  # larger numbers are marks, not sectors
ENTRY = 128
SMALL = 64
_ROOT, _STREAM = 5, 2


def stream(data: bytes, *names: str) -> bytes:
    """The content of the first stream that has one of the names; ValueError where the file is damaged."""
    shift, small_shift = struct.unpack_from("<HH", data, 30)
    directory, _, least, small_first = struct.unpack_from("<IIII", data, 48)
    if shift not in (9, 12) or small_shift != 6:
        raise ValueError("sizes of sectors")
    size = 1 << shift
    _check_counts(data, size)
    body = data[size:]  # the header fills the first sector
    table = _sector_table(data, body, size)
    entries = _chain(body, table, directory, size)
    _check_lengths(entries, len(data))
    start, length = _find(entries, _STREAM, names)
    if length >= least:
        return _chain(body, table, start, size)[:length]
    small_table = _numbers(_chain(body, table, small_first, size))
    small_body = _chain(body, table, _find(entries, _ROOT, ("Root Entry",))[0], size)
    return _chain(small_body, small_table, start, SMALL)[:length]


def _check_counts(data: bytes, size: int) -> None:
    """Parsers reserve memory for as many sectors as the header counts, so it must not count more than fit."""
    counts = [struct.unpack_from("<I", data, place)[0] for place in (40, 44, 64, 72)]
    if max(counts) > len(data) // size:
        raise ValueError("more sectors than the file has")


def _check_lengths(entries: bytes, most: int) -> None:
    for place in range(0, len(entries) - ENTRY + 1, ENTRY):
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
        if more >= LAST:
            break
        *numbers, more = _numbers(_sector(body, more, size))
        listed += numbers
    return _numbers(b"".join(_sector(body, number, size) for number in listed if number < LAST))


def _numbers(raw: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(raw) // 4}I", raw[: len(raw) // 4 * 4])


def _sector(body: bytes, number: int, size: int) -> bytes:
    if number * size >= len(body):
        raise ValueError("a sector beyond the end")
    return body[number * size : (number + 1) * size]


def _chain(body: bytes, table: Sequence[int], number: int, size: int) -> bytes:
    sectors = []
    while number < LAST:
        sectors.append(_sector(body, number, size))
        if len(sectors) > len(table) or number >= len(table):
            raise ValueError("a chain of sectors without end")
        number = table[number]
    return b"".join(sectors)


def _find(entries: bytes, kind: int, names: Sequence[str]) -> tuple[int, int]:
    """First sector and length of a directory entry."""
    for place in range(0, len(entries) - ENTRY + 1, ENTRY):
        (length,) = struct.unpack_from("<H", entries, place + 64)
        name = entries[place : place + max(0, min(length, 64) - 2)].decode("utf-16-le", errors="replace")
        if entries[place + 66] == kind and name in names:
            start, size = struct.unpack_from("<II", entries, place + 116)
            return start, size
    raise ValueError("no such stream")
