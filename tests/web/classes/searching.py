"""Marks that are planted, and a search that finds them however they are packed.

They are of small letters and digits alone, which HTML, JSON and addresses leave as they are.
"""

import contextlib
import gzip
import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from functools import cache

import pikepdf
from PIL import Image

DEEPEST = 4  # archives within archives


class Marks:
    """`marks("exif")` is a word that nobody else has; finds all that were made again."""

    def __init__(self, whose: str = "zq") -> None:
        self.whose = whose
        self.planted: dict[str, str] = {}

    def __call__(self, place: str) -> str:
        word = f"{self.whose}{re.sub('[^a-z0-9]', '', place)}{len(self.planted)}x{self.whose}"
        return self.planted.setdefault(place, word)

    def found_in(self, data: bytes) -> list[str]:
        """The places whose marks are somewhere in these bytes, unpacked and decoded in every way we know."""
        parts = [part for part in map(bytes.lower, texts_of(data)) if _holds(part, self.whose)]
        return sorted(
            place for place, word in self.planted.items() if any(_holds(part, word) for part in parts)
        )

    def found_in_text(self, text: str) -> set[str]:
        """The same in a text."""
        return {place for place, word in self.planted.items() if word in text}


def _holds(small: bytes, word: str) -> bool:
    """Whether a mark, or how all of them begin, is in bytes without capitals."""
    return any(form in small for form in _forms(word))


@cache
def _forms(word: str) -> tuple[bytes, ...]:
    forms = (word.encode(), word.encode("utf-16-le"), word.encode("utf-16-be"))
    return *forms, forms[0].hex().encode(), forms[2].hex().encode()


def texts_of(data: bytes, depth: int = 0) -> Iterator[bytes]:
    """The bytes themselves, and whatever is packed in them."""
    yield data
    if depth >= DEEPEST:
        return
    for unpacked in _unpacked(data):
        yield from texts_of(unpacked, depth + 1)


def _unpacked(data: bytes) -> Iterator[bytes]:
    if b"%PDF-" in data[:1024]:
        yield from _of_pdf(data)
    if data.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for entry in archive.infolist():
                yield entry.filename.encode()
                yield archive.read(entry)
    if data.startswith((b"\x89PNG", b"\xff\xd8\xff", b"RIFF")):
        yield from _of_image(data)
    if data.startswith(b"\x1f\x8b"):
        yield gzip.decompress(data)
    if b"\r\n " in data:
        yield data.replace(b"\r\n ", b"")  # the folded lines of a calendar


def _of_pdf(data: bytes) -> Iterator[bytes]:
    """Every object of it: strings, names, keys, streams unpacked and as they are."""
    with pikepdf.open(io.BytesIO(data)) as document:
        for one in document.objects:
            yield from _of_object(one, 0)
        yield from _of_object(document.trailer, 0)


def _of_object(one, depth: int) -> Iterator[bytes]:
    inside = []
    if isinstance(one, pikepdf.Stream):
        yield one.read_raw_bytes()
        with contextlib.suppress(pikepdf.PdfError):
            yield one.read_bytes()
    if isinstance(one, pikepdf.String):
        yield bytes(one)
        yield str(one).encode("utf-8", "replace")
    elif isinstance(one, pikepdf.Name):
        yield str(one).encode()
    elif isinstance(one, pikepdf.Dictionary | pikepdf.Stream):
        entries = dict(one.items())
        yield from map(str.encode, entries)
        inside = list(entries.values())
    elif isinstance(one, pikepdf.Array):
        inside = list(one)
    for part in inside:
        if depth < 8 and not getattr(part, "is_indirect", False):
            yield from _of_object(part, depth + 1)


def _of_image(data: bytes) -> Iterator[bytes]:
    with Image.open(io.BytesIO(data)) as image:
        image.load()
        values, exif = [*image.info, *image.info.values()], image.getexif()
        for part in (exif, *(exif.get_ifd(number) for number in (0x8769, 0x8825, 0xA005))):
            values += part.values()
        yield from (value if isinstance(value, bytes) else str(value).encode() for value in values)
    if data.startswith(b"\x89PNG"):
        for found in re.finditer(rb"(?:zTXt|iCCP)[^\0]{1,79}\0\0", data):
            with contextlib.suppress(zlib.error):
                yield zlib.decompressobj().decompress(data[found.end() :])
