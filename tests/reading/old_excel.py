"""The smallest .xls that is one: a BIFF8 stream with one sheet, in a compound file of one stream."""

import struct

SECTOR = 512
END, FREE, FAT = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD


def old_workbook(rows: list[list[object]], sheet: str = "Reviews") -> bytes:
    """A workbook of text and number cells."""
    return _compound_file(_workbook_stream(rows, sheet))


def _record(kind: int, body: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(body)) + body


def _workbook_stream(rows: list[list[object]], sheet: str) -> bytes:
    begin = _record(0x0809, struct.pack("<HHHHII", 0x0600, 0x0005, 0, 0, 0, 0))
    name = struct.pack("<BB", len(sheet), 0) + sheet.encode("latin-1")
    offset = len(begin) + len(_record(0x0085, bytes(6) + name)) + len(_record(0x000A))
    listing = _record(0x0085, struct.pack("<IH", offset, 0) + name)
    cells = b"".join(
        _cell(row, column, value) for row, line in enumerate(rows) for column, value in enumerate(line)
    )
    begin_sheet = _record(0x0809, struct.pack("<HHHHII", 0x0600, 0x0010, 0, 0, 0, 0))
    begin_sheet += _record(0x0200, struct.pack("<IIHHH", 0, len(rows), 0, max(map(len, rows)), 0))
    return begin + listing + _record(0x000A) + begin_sheet + cells + _record(0x000A)


def _cell(row: int, column: int, value: object) -> bytes:
    place = struct.pack("<HHH", row, column, 0)
    if isinstance(value, str):
        return _record(0x0204, place + struct.pack("<HB", len(value), 1) + value.encode("utf-16-le"))
    return _record(0x0203, place + struct.pack("<d", float(str(value))))


def _compound_file(stream: bytes) -> bytes:
    stream = stream.ljust(max(4096, -(-len(stream) // SECTOR) * SECTOR), b"\0")  # shorter ones live elsewhere
    count = len(stream) // SECTOR
    header = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(16)
    header += struct.pack("<HHHHH6xIIIIIIIII", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, 1, 0, 4096, END, 0, END, 0)
    header += struct.pack("<109I", 0, *[FREE] * 108)
    chain = [FAT, END, *range(3, count + 2), END]
    table = struct.pack("<128I", *chain, *[FREE] * (128 - len(chain)))
    directory = (
        _entry("Root Entry", 5, END, 0, child=1)
        + _entry("Workbook", 2, 2, len(stream))
        + _entry("", 0, 0, 0) * 2
    )
    return header + table + directory + stream


def _entry(name: str, kind: int, start: int, size: int, child: int = FREE) -> bytes:
    text = name.encode("utf-16-le") + b"\0\0" if name else b""
    head = text.ljust(64, b"\0") + struct.pack("<HBBIII", len(text), kind, 1, FREE, FREE, child)
    return head + bytes(36) + struct.pack("<IQ", start, size)
