"""What is in a file: its bytes, read once, so that what is parsed is what is hashed; and the text they are.

Byte-order marks, UTF-16, Windows-1252, and what is no text at all.
"""

from __future__ import annotations

import codecs
import glob
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from peerage._options import named, settable
from peerage.errors import DataError, Problem

MOST_BYTES = 8 << 30


@dataclass(frozen=True, slots=True)
class Content:
    """The bytes of a file and what messages call it; whatever reads files takes one in place of a path."""

    data: bytes = field(repr=False)
    name: str | None = None

    @property
    def sha256(self) -> str:
        from hashlib import sha256

        return sha256(self.data).hexdigest()


@dataclass(frozen=True, slots=True)
class FileSet:
    """Files that are one table cut into pieces, in the order of their names; read one after the other.

    ``name`` is what messages call them together: the pattern, as a rule.
    """

    name: str
    paths: tuple[str, ...]
    digests: dict[str, str] = field(default_factory=dict, repr=False)  # of what was read, by path
    is_single: bool = False  # one file and no pattern: messages need not tell which file they are about

    @property
    def sha256(self) -> str:
        """The hash of the hashes of all files, in order."""
        from hashlib import sha256

        for path in self.paths:
            if path not in self.digests:
                self.digests[path] = _from_path(path).sha256
        if self.is_single:
            return self.digests[self.paths[0]]
        return sha256("".join(self.digests[path] for path in self.paths).encode()).hexdigest()


def file_set_of(source: Any) -> FileSet | None:
    """The files that a pattern such as `reviews/*.csv` stands for; None where it is no pattern."""
    if not isinstance(source, str | os.PathLike):
        return source if isinstance(source, FileSet) else None
    pattern = os.fspath(source)
    if not glob.has_magic(pattern) or Path(pattern).exists():
        return None
    paths = tuple(sorted(path for path in glob.glob(pattern) if Path(path).is_file()))
    if not paths:
        raise DataError("no file has such a name", source=pattern)
    return FileSet(pattern, paths)


def content_of(source: Any) -> Content:
    """Read a path, "-" for standard input, bytes or an open file; a Content is returned as it is."""
    if isinstance(source, Content):
        return source
    if isinstance(source, bytes | bytearray | memoryview):
        return Content(bytes(source))
    if isinstance(source, str | os.PathLike):
        return _from_path(os.fspath(source))
    if hasattr(source, "read"):
        content = source.read()
        name = getattr(source, "name", None)
        data = content.encode("utf-8") if isinstance(content, str) else bytes(content)
        return Content(data, name if isinstance(name, str) else None)
    msg = f"cannot read from {type(source).__name__}: give a path, bytes, a file, a table or a list of lists"
    raise TypeError(msg)


def _from_path(name: str) -> Content:
    if name == "-":
        return Content(sys.stdin.buffer.read(), "standard input")
    path = Path(name)
    if path.is_file() and path.stat().st_size > MOST_BYTES:
        raise DataError(f"the file is larger than {MOST_BYTES >> 30} GiB", source=name)
    return Content(path.read_bytes(), name)


# -- bytes to UTF-8 text -------------------------------------------------------------------------------------


_MARKS = (  # the longer mark first: UTF-32 begins like UTF-16
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_NOT_TABLES = (
    (b"%PDF", "a PDF document", "export the table as CSV or Excel"),
    (b"\x1f\x8b", "compressed with gzip", "unpack it first"),
    (b"BZh", "compressed with bzip2", "unpack it first"),
    (b"\xfd7zXZ", "compressed with xz", "unpack it first"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd", "unpack it first"),
    (b"7z\xbc\xaf", "a 7z archive", "unpack it first"),
    (b"\x89PNG", "a picture", "export the table as CSV or Excel"),
    (b"\xff\xd8\xff", "a picture", "export the table as CSV or Excel"),
    (b"{\\rtf", "a rich-text document", "export the table as CSV or Excel"),
)
_WEB_PAGES = (b"<!doctype html", b"<html", b"<table", b"<?xml")


def to_utf8(data: bytes, encoding: str | None, source: str | None) -> tuple[bytes, tuple[str, ...]]:
    """The text of a file as UTF-8 with `\\n` or `\\r\\n` line ends, and notes on what was assumed."""
    text, _, notes = decode(data, encoding, source)
    return text, notes


def decode(data: bytes, encoding: str | None, source: str | None) -> tuple[bytes, str, tuple[str, ...]]:
    """The same, with the name of the encoding it was read in."""
    _refuse_other_kinds(data, source)
    text, name, notes = _decode_by_content(data, encoding, source)
    zero = text.find(b"\0")
    if zero >= 0:
        rule = "a NUL byte: this is not a text file, or a damaged one"
        fix = "export it again as CSV (UTF-8)"
        raise DataError(Problem(rule, line=text.count(b"\n", 0, zero) + 1, fix=fix), source=source)
    return _normalise_newlines(text), name, notes


def _refuse_other_kinds(data: bytes, source: str | None) -> None:
    for start, kind, fix in _NOT_TABLES:
        if data.startswith(start):
            raise DataError(Problem(f"the file is {kind}, not a table of reviews", fix=fix), source=source)
    if data[:200].lstrip().lower().startswith(_WEB_PAGES):
        fix = "open it in a spreadsheet and save it as CSV or .xlsx"
        raise DataError(Problem("the file is a web page or XML, not a table", fix=fix), source=source)


def _decode_by_content(
    data: bytes, encoding: str | None, source: str | None
) -> tuple[bytes, str, tuple[str, ...]]:
    if encoding is not None:
        return _recode(data, encoding, source), encoding, ()
    for mark, name in _MARKS:
        if data.startswith(mark):
            body = data[len(mark) :]
            return (body if name == "utf-8" and _is_utf8(body) else _recode(body, name, source)), name, ()
    guess = _guess_utf16(data)
    if guess:
        note = f"read as {guess.upper()}, which the file does not declare"
        return _recode(data, guess, source), guess, (note,)
    if _is_utf8(data):
        return data, "utf-8", ()
    return _decode_western(data, source)


def _is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _guess_utf16(data: bytes) -> str | None:
    """UTF-16 without its mark: every other byte of western text is zero."""
    head = data[:2000]
    if len(head) < 4 or len(data) % 2:
        return None
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if odd > 0.6 * len(head) / 2 and even == 0:
        return "utf-16-le"
    return "utf-16-be" if even > 0.6 * len(head) / 2 and odd == 0 else None


def _recode(data: bytes, encoding: str, source: str | None) -> bytes:
    try:
        text = data.decode(encoding)
        return text.removeprefix("\ufeff").encode("utf-8")
    except LookupError:
        fix = "use a name such as utf-8, utf-16 or cp1252"
        raise DataError(Problem(f"unknown encoding {encoding!r}", fix=fix), source=source) from None
    except UnicodeError as error:
        start = getattr(error, "start", 0)
        good = data[:start].decode(encoding, errors="replace") if isinstance(start, int) else ""
        problem = Problem(
            f"is not {encoding.upper()} text",
            line=good.count("\n") + 1,
            value=repr(data[start : start + 4]),
            fix=_encoding_fix(),
        )
        raise DataError(problem, source=source) from None


def _encoding_fix() -> str:
    return _export_again(f"name its encoding with {named('encoding', 'cp1252')}")


def _export_again(other: str) -> str:
    again = "export it again as UTF-8"
    return f"{again}, or {other}" if settable("encoding") else again


def _decode_western(data: bytes, source: str | None) -> tuple[bytes, str, tuple[str, ...]]:
    """What spreadsheets on Windows write; never fails on text, so binary files are refused first."""
    head = data[:100_000]
    odd = sum(head.count(bytes([code])) for code in range(32) if code not in (9, 10, 11, 12, 13))
    if odd > len(head) / 1000:
        raise DataError(
            Problem("the file is binary, not text", fix="export it as CSV (UTF-8)"), source=source
        )
    try:
        text, name = data.decode("cp1252"), "Windows-1252"
    except UnicodeDecodeError:
        text, name = data.decode("latin-1"), "Latin-1"
    first = next(number for number, line in enumerate(data.split(b"\n"), 1) if not _is_utf8(line))
    better = _export_again(f"set {named('encoding')}")
    note = f"not UTF-8 (first in line {first}): read as {name}; if names look wrong, {better}"
    return text.encode("utf-8"), {"Latin-1": "latin-1"}.get(name, "cp1252"), (note,)


def _normalise_newlines(text: bytes) -> bytes:
    """Lone carriage returns, as old Macs wrote them, become line ends; inside quotes they stay."""
    if b"\r" not in text or text.count(b"\r") == text.count(b"\r\n"):
        return text
    if b'"' not in text:
        return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return text if b"\n" in text else text.replace(b"\r", b"\n")
