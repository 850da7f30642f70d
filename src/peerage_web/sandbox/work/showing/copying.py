"""A PDF rebuilt object by object from the table of what may be in it."""

from __future__ import annotations

import re
from decimal import Decimal
from io import BytesIO
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name, Pdf, Stream, String

from peerage_web.sandbox.work.showing.allowed import DEVICE, KEYS, OPERATORS, WITH_STRINGS
from peerage_web.sandbox.work.showing.jpeg import without_metadata
from peerage_web.sandbox.work.showing.layers import Layers

LOSSLESS = {"/FlateDecode", "/LZWDecode", "/ASCII85Decode", "/ASCIIHexDecode", "/RunLengthDecode"}
FAX = {"/CCITTFaxDecode", "/JBIG2Decode"}
DEEPEST = 60  # objects within objects
_COMMENTS = re.compile(rb"^%.*$", re.MULTILINE)
_MODES = {"L": "/DeviceGray", "RGB": "/DeviceRGB", "CMYK": "/DeviceCMYK"}


class Copier:
    """Copies what pages need from one PDF into another; `dropped` counts images that could not be cleaned."""

    def __init__(self, source: Pdf, target: Pdf) -> None:
        self.target = target
        self.layers = Layers(source)
        self.dropped = 0
        self._known: dict[tuple[Any, str], Any] = {}
        self._depth = 0

    def page(self, page: Any) -> Any:
        """A page; what it inherits is its own afterwards."""
        given = {key: _inherited(page.obj, key) for key in KEYS["page"]}
        copy = Dictionary(Type=Name.Page)
        for key, kind in KEYS["page"].items():
            self._put(copy, key, self.copy(given[key], kind))
        resources = given["Resources"]
        copy.Contents = self._stream(self._drawn(page, resources))
        return self.target.make_indirect(copy)

    def copy(self, one: Any, kind: str) -> Any:
        """The copy of an object that is used as this kind; None for what is not copied."""
        if one is None or self._depth > DEEPEST:
            return None
        if kind == "plain":
            return plain(one)
        key = (one.objgen, kind) if isinstance(one, pikepdf.Object) and one.is_indirect else None
        if key is not None and key in self._known:
            return self._known[key]
        self._depth += 1
        try:
            return self._copy(one, kind, key)
        finally:
            self._depth -= 1

    def _copy(self, one: Any, kind: str, key: Any) -> Any:
        if kind.startswith("each "):
            return self._each(one, kind.removeprefix("each "))
        if kind.startswith("list of "):
            items = [self.copy(item, kind.removeprefix("list of ")) for item in _items(one)]
            return Array([item for item in items if item is not None])
        special = getattr(self, "_" + kind.replace(" ", "_"), None)
        if special is not None:
            return special(one, key)
        return self._by_table(one, kind, key)

    # -- objects that are nothing but their keys ----------------------------------------------

    def _by_table(self, one: Any, kind: str, key: Any) -> Any:
        if isinstance(one, Stream):
            return self._data(one, key, kind)
        if not isinstance(one, Dictionary):
            return None
        copy = self._new(key, Dictionary())
        self._fill(copy, one, kind)
        return copy

    def _fill(self, copy: Any, one: Any, kind: str) -> None:
        for name, under in KEYS[kind].items():
            self._put(copy, name, self.copy(one.get("/" + name), under))

    def _each(self, one: Any, kind: str) -> Any:
        if not isinstance(one, Dictionary):
            return None
        copy = Dictionary()
        for name in one.keys():  # noqa: SIM118 - it is no mapping
            self._put(copy, name[1:], self.copy(one[name], kind))
        return copy

    @staticmethod
    def _put(copy: Any, name: str, value: Any) -> None:
        if value is not None:
            copy["/" + name] = value

    def _new(self, key: Any, made: Any) -> Any:
        """A new object, known before it is filled: objects may lead back to themselves."""
        copy = self.target.make_indirect(made)
        if key is not None:
            self._known[key] = copy
        return copy

    def _stream(self, data: bytes) -> Any:
        return self.target.make_indirect(Stream(self.target, data))

    # -- kinds that are more than a table -----------------------------------------------------

    def _data(self, one: Any, key: Any, kind: str = "data") -> Any:
        """Bytes as they are, unpacked; the packing is done anew."""
        if not isinstance(one, Stream):
            return None
        copy = self._new(key, Stream(self.target, one.read_bytes()))
        self._fill(copy, one, kind)
        return copy

    def _text(self, one: Any, key: Any) -> Any:
        return String(str(one)[:40]) if isinstance(one, String) else None

    def _drawing(self, one: Any, key: Any) -> Any:
        if not isinstance(one, Stream) or self.layers.hides(one.get("/OC")):
            return None
        if one.get("/Subtype") == "/Image":
            return self._image(one, key)
        if one.get("/Subtype") == "/Form":
            return self._form(one, key, "form")
        return None

    def _form(self, one: Any, key: Any, kind: str) -> Any:
        copy = self._new(key, Stream(self.target, b""))
        self._fill(copy, one, kind)
        copy.write(self._drawn(one, one.get("/Resources")))
        return copy

    def _pattern(self, one: Any, key: Any) -> Any:
        if isinstance(one, Stream):
            return self._form(one, key, "pattern")
        return self._by_table(one, "pattern", key)

    def _glyph(self, one: Any, key: Any) -> Any:
        return self._stream(self._drawn(one, None)) if isinstance(one, Stream) else None

    def _functions(self, one: Any, key: Any) -> Any:
        return self.copy(one, "list of function" if isinstance(one, Array) else "function")

    def _function(self, one: Any, key: Any) -> Any:
        return plain(one) if isinstance(one, Name) else self._by_table(one, "function", key)

    def _soft_mask(self, one: Any, key: Any) -> Any:
        return plain(one) if isinstance(one, Name) else self._by_table(one, "soft mask", key)

    def _mask(self, one: Any, key: Any) -> Any:
        return plain(one) if isinstance(one, Array) else self._drawing(one, key)

    def _font_and_size(self, one: Any, key: Any) -> Any:
        parts = _items(one)
        font = self.copy(parts[0], "font") if len(parts) == 2 else None
        return Array([font, plain(parts[1])]) if font is not None else None

    def _encoding(self, one: Any, key: Any) -> Any:
        if isinstance(one, Stream):
            return self._character_map(one, key)
        return plain(one) if isinstance(one, Name) else self._by_table(one, "encoding", key)

    def _map_or_data(self, one: Any, key: Any) -> Any:
        return plain(one) if isinstance(one, Name) else self._data(one, key)

    def _character_map(self, one: Any, key: Any) -> Any:
        """A program of its own, which may carry comments."""
        if isinstance(one, Name):
            return plain(one)
        if not isinstance(one, Stream):
            return None
        copy = self._new(key, Stream(self.target, _COMMENTS.sub(b"", one.read_bytes())))
        self._fill(copy, one, "character map")
        return copy

    # -- colours --------------------------------------------------------------------------------

    def _colour(self, one: Any, key: Any) -> Any:
        """A profile names the machine it was made on; its colours are near enough without it."""
        if isinstance(one, Name):
            return plain(one)
        parts = _items(one)
        family = str(parts[0]) if parts else ""
        rest = parts[1:]
        if family == "/ICCBased" and rest and isinstance(rest[0], Stream):
            return Name(DEVICE.get(int(rest[0].get("/N", 3)), "/DeviceRGB"))
        if family in ("/CalGray", "/CalRGB", "/Lab") and rest:
            return Array([Name(family), self.copy(rest[0], "calibrated") or Dictionary()])
        if family == "/Indexed" and len(rest) == 3:
            return Array([Name(family), self.copy(rest[0], "colour"), plain(rest[1]), self._table(rest[2])])
        if family in ("/Separation", "/DeviceN") and len(rest) >= 3:
            return Array(
                [Name(family), plain(rest[0]), self.copy(rest[1], "colour"), self.copy(rest[2], "function")]
            )
        if family == "/Pattern":
            base = self.copy(rest[0], "colour") if rest else None
            return Array([Name(family), base]) if base is not None else Name(family)
        return Name(family) if family.startswith("/Device") else None

    def _table(self, one: Any) -> Any:
        """The colours of a palette."""
        data = one.read_bytes() if isinstance(one, Stream) else bytes(one)
        return String(data[: 256 * 4])

    # -- images -----------------------------------------------------------------------------------

    def _image(self, one: Any, key: Any) -> Any:
        filters = [str(name) for name in _items(one.get("/Filter"))]
        try:
            data, packed, changes = _pixels(one, filters)
        except (ValueError, OSError, pikepdf.PdfError):
            self.dropped += 1
            return None
        copy = self._new(key, Stream(self.target, data))
        self._fill(copy, one, "image")
        for name, value in changes.items():
            copy["/" + name] = value
        if packed is not None:
            copy.write(data, filter=Name(packed), decode_parms=self._parameters_of(one))
        return copy

    def _parameters_of(self, one: Any) -> Any:
        given = one.get("/DecodeParms")
        found = given[0] if isinstance(given, Array) and len(given) else given
        return self.copy(found, "parameters") if isinstance(found, Dictionary) else None

    # -- what is drawn ------------------------------------------------------------------------------

    def _drawn(self, one: Any, resources: Any) -> bytes:
        """The instructions, without marked content, comments, and what is on hidden layers."""
        kept, hidden = [], 0
        opened: list[bool] = []
        for found in pikepdf.parse_content_stream(one):
            operator = str(found.operator)
            if operator in ("BMC", "BDC"):
                opened.append(self.layers.hides_marked(found.operands, resources))
                hidden += opened[-1]
            elif operator == "EMC":
                hidden -= opened.pop() if opened else 0
            elif not hidden and _may_stay(operator, found):
                kept.append(found)
        return pikepdf.unparse_content_stream(kept)


def _may_stay(operator: str, found: Any) -> bool:
    if operator == "INLINE IMAGE":
        filters = found.iimage.filters
        return not {"/DCTDecode", "/DCT", "/JPXDecode"} & {str(name) for name in filters}
    if operator in WITH_STRINGS:
        return True
    return operator in OPERATORS and not any(isinstance(one, String | Dictionary) for one in found.operands)


def plain(one: Any) -> Any:
    """Numbers, names, truth and lists of these; None for anything else."""
    if isinstance(one, bool | int | float | Decimal):
        return one
    if isinstance(one, Name):
        return Name(str(one))
    if isinstance(one, Array):
        items = [plain(item) for item in one]
        return Array([item for item in items if item is not None])
    return None


def _items(one: Any) -> list[Any]:
    if one is None:
        return []
    return list(one) if isinstance(one, Array) else [one]


def _inherited(node: Any, key: str) -> Any:
    for _ in range(DEEPEST):
        if not isinstance(node, Dictionary):
            return None
        if "/" + key in node:
            return node["/" + key]
        node = node.get("/Parent") if key in ("Resources", "MediaBox", "CropBox", "Rotate") else None
    return None


def _pixels(one: Any, filters: list[str]) -> tuple[bytes, str | None, dict[str, Any]]:
    """The bytes of an image, the packing they stay in, and what changes with it."""
    if filters == ["/DCTDecode"]:
        return without_metadata(one.read_raw_bytes()), filters[0], {}
    if len(filters) == 1 and filters[0] in FAX:
        return one.read_raw_bytes(), filters[0], {}
    if filters and filters[-1] == "/JPXDecode":
        return _unpacked(one)
    if set(filters) <= LOSSLESS:
        return one.read_bytes(), None, {}
    return one.read_bytes(pikepdf.StreamDecodeLevel.all), None, {}


def _unpacked(one: Any) -> tuple[bytes, str | None, dict[str, Any]]:
    """JPEG 2000, which has boxes for texts: drawn anew, pixel by pixel."""
    from PIL import Image

    with Image.open(BytesIO(one.read_raw_bytes()), formats=["JPEG2000"]) as image:
        drawn = image if image.mode in _MODES else image.convert("L" if image.mode == "LA" else "RGB")
        changes = {
            "ColorSpace": Name(_MODES[drawn.mode]),
            "BitsPerComponent": 8,
            "Width": drawn.width,
            "Height": drawn.height,
        }
        return drawn.tobytes(), None, changes
