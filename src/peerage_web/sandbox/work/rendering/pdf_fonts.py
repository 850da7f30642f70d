"""What fonts of a PDF carry beside their shapes: names of glyphs, and the map from codes to letters."""

import re
from typing import Any

from pikepdf import Array, Dictionary, Stream

from peerage_web.sandbox.work.rendering.pdf_allowed import NAMES

_MAP_TOKEN = re.compile(rb"%[^\r\n]*|\((?:\\.|[^\\)])*\)|<[0-9A-Fa-f\s]*>|[\[\]]|/?[^\s<>\[\]()/%]+")
_MAP_TABLE = re.compile(rb"(begin|end)(codespacerange|(bf|cid|notdef)(char|range))")
_MOST_DIGITS = 16  # four letters under one character: a ligature
_MAP_FRAME = (
    b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def "
    b"/CMapName /Characters def\n%s\nendcmap CMapName currentdict /CMap defineresource pop end end"
)


def character_tables(program: bytes) -> bytes:
    """The tables of a character map: numbers and codes between `begin…` and `end…`, in a frame of ours."""
    kept: list[bytes] = []
    inside, before = False, b""
    for token in _MAP_TOKEN.findall(program):
        if _MAP_TABLE.fullmatch(token):
            inside = token.startswith(b"begin")
            kept += [b"\n", before, token] if inside and before.isdigit() else [token, b"\n"]
        elif inside and (token in b"[]" or token.isdigit()):
            kept.append(token)
        elif inside and token.startswith(b"<"):
            kept.append(b"<" + b"".join(token[1:-1].split())[:_MOST_DIGITS] + b">")
        elif token == b"usecmap" and before.decode("latin-1") in NAMES:
            kept += [before, token]
        before = token
    return _MAP_FRAME % b" ".join(kept)


def program_of(descriptor: Any) -> Any:
    """The font itself, where it is in the file."""
    if not isinstance(descriptor, Dictionary):
        return None
    files = (descriptor.get(key) for key in ("/FontFile", "/FontFile2", "/FontFile3"))
    return next((file for file in files if isinstance(file, Stream)), None)


def has_program(font: Any) -> bool:
    """Whether a font, or the one it is made of, is in the file."""
    parts = font.get("/DescendantFonts")
    inner = [part for part in parts if isinstance(part, Dictionary)] if isinstance(parts, Array) else []
    return any(program_of(part.get("/FontDescriptor")) is not None for part in (font, *inner))


class GlyphNames:
    """Names of glyphs in a font: usual ones, and those that its program knows; others draw nothing."""

    def __init__(self, font: Any = None, rename: Any = None) -> None:
        self._font, self._rename = font, rename
        self._words: bytes | None = None

    def __call__(self, name: str) -> str:
        from fontTools.agl import AGL2UV

        plain_name = name.removeprefix("/")
        if plain_name in AGL2UV or plain_name == ".notdef" or _NUMBERED.fullmatch(plain_name):
            return name
        if self._font is not None and self._font.get("/Subtype") == "/Type3":
            return str(self._rename("glyph", name))
        return name if plain_name.encode() in self._program_words() else "/.notdef"

    def _program_words(self) -> bytes:
        if self._words is None:
            program = program_of(self._font.get("/FontDescriptor")) if self._font is not None else None
            data = bytes(program.read_bytes()) if program is not None else b""
            self._words = data + _decrypted(data)
        return self._words


_NUMBERED = re.compile(r"(uni|u|g|gid|glyph|cid|index|c|a|G|C|H|f)[0-9A-F]{1,6}")


def _decrypted(data: bytes) -> bytes:
    """The encrypted part of a Type 1 font (Adobe's eexec), where its glyphs are named."""
    _head, found, body = data.partition(b"eexec")
    if not found:
        return b""
    key, plain_bytes = 55665, bytearray()
    for byte in body.lstrip():
        plain_bytes.append(byte ^ (key >> 8))
        key = ((byte + key) * 52845 + 22719) & 0xFFFF
    return bytes(plain_bytes)
