"""Files made to break a reader, each within the size that the service takes."""

import io
import random
import struct
import zipfile
import zlib

SIZE = 15 << 20


def zip_bomb(*, honest: bool) -> bytes:
    """A workbook whose one sheet unpacks to 3 GiB; the directory says so, or says a thousand bytes."""
    sheet = "xl/worksheets/sheet1.xml"
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    piece = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    packed = piece * 3072 + zlib.compressobj(9, zlib.DEFLATED, -15).flush()
    size = 3 << 30 if honest else 1000
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
        archive.writestr(zipfile.ZipInfo(sheet), b"")
    data = bytearray(whole.getvalue())
    entry = data.index(b"PK\x03\x04", 4)
    directory = data.index(b"PK\x01\x02")
    second = data.index(b"PK\x01\x02", directory + 4)
    for place, start in ((entry, 8), (second, 10)):
        struct.pack_into("<H", data, place + start, zipfile.ZIP_DEFLATED)
        struct.pack_into("<II", data, place + start + 10, len(packed), size)
    end = data.index(b"PK\x05\x06")
    struct.pack_into("<I", data, end + 16, directory + len(packed))
    head = entry + 30 + len(sheet)
    return bytes(data[:head]) + packed + bytes(data[head:])


def nested_zip(levels: int) -> bytes:
    data = b"grader,item,rank\n"
    for level in range(levels):
        whole = io.BytesIO()
        with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
            for copy in range(4):
                archive.writestr(f"{level}-{copy}.zip", data)
        data = whole.getvalue()
    return data


def laughing_workbook() -> bytes:
    """Entities of entities of entities: a few bytes that would become gigabytes of text."""
    entities = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    doctype = f'<?xml version="1.0"?><!DOCTYPE w [<!ENTITY a0 "{"ha" * 10}">{entities}]>'
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", f"{doctype}<workbook>&a11;</workbook>")
    return whole.getvalue()


def wide_parquet() -> bytes:
    import polars as pl

    whole = io.BytesIO()
    pl.DataFrame({f"c{n}": [n] for n in range(5000)}).write_parquet(whole)
    return whole.getvalue()


FILES = {
    "zip bomb": lambda: ("a.xlsx", zip_bomb(honest=True)),
    "zip bomb that lies": lambda: ("a.xlsx", zip_bomb(honest=False)),
    "zip in zip in zip": lambda: ("a.xlsx", nested_zip(18)),
    "entities": lambda: ("a.xlsx", laughing_workbook()),
    "a million columns": lambda: ("a.csv", b"x," * 1_000_000 + b"x\n" + b"1," * 1_000_000 + b"1\n"),
    "NULs after a header": lambda: ("a.csv", b"grader,item,rank\n" + bytes(SIZE)),
    "random bytes": lambda: ("a.csv", random.Random(1).randbytes(SIZE)),
    "random bytes as an old workbook": lambda: (
        "a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + random.Random(3).randbytes(SIZE),
    ),
    "random bytes as Parquet": lambda: ("a.parquet", b"PAR1" + random.Random(4).randbytes(SIZE) + b"PAR1"),
    "wide Parquet": lambda: ("a.parquet", wide_parquet()),
    "one endless line": lambda: ("a.csv", b"grader,item,rank\n" + b"a" * SIZE),
    "quotes": lambda: ("a.csv", b'grader,item,rank\n"' + b'""' * (SIZE // 2)),
    "delimiters": lambda: ("a.csv", b"grader,item,rank\n" + b"," * SIZE),
    "rows too short": lambda: ("a.csv", b"grader,item,rank\n" + b"a\n" * (SIZE // 2)),
    "an endless list": lambda: ("a.pgf", b"t g " + b"a > " * (SIZE // 4) + b"b\n"),
    "alternatives": lambda: (
        "a.soi", b"# DATA TYPE: soi\n" + b"".join(b"# ALTERNATIVE NAME %d: a\n" % n for n in range(300_000)),
    ),
    "one grader ranks everything": lambda: (
        "a.csv", b"grader,item,rank\n" + b"".join(b"a,i%d,%d\n" % (n, n + 1) for n in range(400_000)),
    ),
}  # fmt: skip
