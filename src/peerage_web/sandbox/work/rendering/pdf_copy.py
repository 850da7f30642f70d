"""A PDF rebuilt object by object from the table of what may be in it.

Layers that are switched off are not seen, and what is on them must not be seen in a copy. Nor may what is
hidden in names, behind the last pixel, or in a table of characters. A page with something that cannot be
cleaned is named in `tainted`: it has to be drawn anew.
"""

import re
from decimal import Decimal
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name, Pdf, Stream, String

from peerage_web.sandbox.work.rendering.pdf_allowed import (
    CALCULATOR,
    COLLECTIONS,
    DEVICE,
    INKS,
    KEYS,
    NAMED,
    NAMES,
    OPERATORS,
    RESERVED,
    STYLES,
    TYPEFACES,
    WITH_STRINGS,
)
from peerage_web.sandbox.work.rendering.pdf_fonts import GlyphNames, character_tables, has_program, program_of
from peerage_web.sandbox.work.rendering.pdf_pixels import is_bare, pixels_of, size_of_pixels

MAX_DEPTH = 60  # objects within objects


class PdfLayers:
    """Which layers a reader shows at first."""

    def __init__(self, source: Pdf) -> None:
        properties: Any = source.Root.get("/OCProperties")
        default = properties.get("/D") if isinstance(properties, Dictionary) else None
        self._off: set[Any] = set()
        if not isinstance(default, Dictionary):
            return
        if default.get("/BaseState") == "/OFF":
            self._off = _object_ids(properties.get("/OCGs"))
        self._off = (self._off | _object_ids(default.get("/OFF"))) - _object_ids(default.get("/ON"))

    @property
    def hidden(self) -> int:
        """How many are switched off."""
        return len(self._off)

    def hides(self, group: Any) -> bool:
        """Whether what belongs to a layer, or to a set of them, is not seen."""
        if not self._off or not isinstance(group, Dictionary):
            return False
        if group.get("/Type") != "/OCMD":
            return group.objgen in self._off
        members = group.get("/OCGs")
        inside = _object_ids(members if isinstance(members, Array) else [members])
        return bool(inside) and inside <= self._off

    def hides_marked(self, operands: Any, resources: Any) -> bool:
        """Whether marked content begins that is not seen: `/OC /name BDC`."""
        if not self._off or len(operands) != 2 or operands[0] != "/OC":
            return False
        properties = resources.get("/Properties") if isinstance(resources, Dictionary) else None
        name = str(operands[1])
        return isinstance(properties, Dictionary) and name in properties and self.hides(properties[name])


def _object_ids(groups: Any) -> set[Any]:
    if not isinstance(groups, Array | list):
        return set()
    return {group.objgen for group in groups if isinstance(group, Dictionary)}


class PdfCopier:
    """Copies what pages need from one PDF into another; `dropped` counts images that could not be cleaned."""

    def __init__(self, source: Pdf, target: Pdf) -> None:
        self.target = target
        self.layers = PdfLayers(source)
        self.dropped = 0
        self.tainted: set[int] = set()  # numbers of pages
        self._names: dict[tuple[str, str], str] = {}
        self._open: list[Any] = []  # what is being copied, from the page inwards
        self._unclean: set[Any] = set()
        self._glyphs: GlyphNames = GlyphNames()
        self._copies: dict[tuple[Any, str], Any] = {}
        self._depth = 0

    def page(self, page: Any, number: int) -> Any:
        """A page; what it inherits is its own afterwards."""
        self._open = [number]
        copy = self._page(page)
        if number in self._unclean:
            self.tainted.add(number)
        return copy

    def _page(self, page: Any) -> Any:
        entries = {key: _inherited(page.obj, key) for key in KEYS["page"]}
        copy = Dictionary(Type=Name.Page)
        for key, kind in KEYS["page"].items():
            self._put(copy, key, self.copy(entries[key], kind))
        resources = entries["Resources"]
        copy.Contents = self._stream(self._drawn(page, resources))
        return self.target.make_indirect(copy)

    def copy(self, source: Any, kind: str) -> Any:
        """The copy of an object that is used as this kind; None for what is not copied."""
        if source is None or self._depth > MAX_DEPTH:
            return None
        if kind == "plain":
            return plain(source)
        key = (source.objgen, kind) if isinstance(source, pikepdf.Object) and source.is_indirect else None
        if key is not None and key in self._copies:
            if key in self._unclean:
                self._taint()
            return self._copies[key]
        self._depth += 1
        self._open.append(key)
        try:
            return self._copy(source, kind, key)
        finally:
            self._open.pop()
            self._depth -= 1

    def _taint(self) -> None:
        """Something cannot be cleaned: neither what it is in, nor any page that has it."""
        self._unclean.update(key for key in self._open if key is not None)

    def _name(self, kind: str, name: str) -> str:
        """A name that the file has made up, as the copy has it: the same everywhere, without a meaning."""
        if name in RESERVED:
            return name
        return self._names.setdefault((kind, name), f"/{kind[0].upper()}{len(self._names)}")

    def _copy(self, source: Any, kind: str, key: Any) -> Any:
        if kind.startswith("each "):
            return self._each(source, kind.removeprefix("each "))
        if kind.startswith("list of "):
            items = [self.copy(item, kind.removeprefix("list of ")) for item in _items(source)]
            return Array([item for item in items if item is not None])
        special = getattr(self, "_" + kind.replace(" ", "_"), None)
        if special is not None:
            return special(source, key)
        return self._copy_by_table(source, kind, key)

    # -- objects that are nothing but their keys ----------------------------------------------

    def _copy_by_table(self, source: Any, kind: str, key: Any) -> Any:
        if isinstance(source, Stream):
            return self._data(source, key, kind)
        if not isinstance(source, Dictionary):
            return None
        copy = self._new(key, Dictionary())
        self._fill(copy, source, kind)
        return copy

    def _fill(self, copy: Any, source: Any, kind: str) -> None:
        for name, under in KEYS[kind].items():
            self._put(copy, name, self.copy(source.get("/" + name), under))

    def _each(self, source: Any, kind: str) -> Any:
        if not isinstance(source, Dictionary):
            return None
        copy = Dictionary()
        for name in source.keys():  # noqa: SIM118 - it is no mapping
            new = self._glyphs(name) if kind == "glyph" else self._name(kind, name)
            self._put(copy, new[1:], self.copy(source[name], kind))
        return copy

    @staticmethod
    def _put(copy: Any, name: str, value: Any) -> None:
        if value is not None:
            copy["/" + name] = value

    def _new(self, key: Any, empty: Any) -> Any:
        """A new object, known before it is filled: objects may lead back to themselves."""
        copy = self.target.make_indirect(empty)
        if key is not None:
            self._copies[key] = copy
        return copy

    def _stream(self, data: bytes) -> Any:
        return self.target.make_indirect(Stream(self.target, data))

    # -- kinds that are more than a table -----------------------------------------------------

    def _data(self, source: Any, key: Any, kind: str = "data") -> Any:
        """Bytes as they are, unpacked; the packing is done anew."""
        if not isinstance(source, Stream):
            return None
        copy = self._new(key, Stream(self.target, source.read_bytes()))
        self._fill(copy, source, kind)
        return copy

    def _collection(self, source: Any, key: Any) -> Any:
        known = isinstance(source, String) and str(source) in COLLECTIONS
        return String(str(source) if known else "Identity")

    def _drawing(self, source: Any, key: Any) -> Any:
        if not isinstance(source, Stream) or self.layers.hides(source.get("/OC")):
            return None
        if source.get("/Subtype") == "/Image":
            return self._image(source, key)
        if source.get("/Subtype") == "/Form":
            return self._form(source, key, "form")
        return None

    def _form(self, source: Any, key: Any, kind: str) -> Any:
        copy = self._new(key, Stream(self.target, b""))
        self._fill(copy, source, kind)
        copy.write(self._drawn(source, source.get("/Resources")))
        return copy

    def _pattern(self, source: Any, key: Any) -> Any:
        if isinstance(source, Stream):
            return self._form(source, key, "pattern")
        return self._copy_by_table(source, "pattern", key)

    def _glyph(self, source: Any, key: Any) -> Any:
        return self._stream(self._drawn(source, None)) if isinstance(source, Stream) else None

    def _functions(self, source: Any, key: Any) -> Any:
        return self.copy(source, "list of function" if isinstance(source, Array) else "function")

    def _function(self, source: Any, key: Any) -> Any:
        if isinstance(source, Name):
            return plain(source)
        copy = self._copy_by_table(source, "function", key)
        if isinstance(copy, Stream):
            copy.write(_calculator(copy.read_bytes()) if copy.get("/FunctionType") == 4 else _samples(copy))
        return copy

    def _shading(self, source: Any, key: Any) -> Any:
        if isinstance(source, Stream):  # a mesh, of which nobody knows where it ends
            self._taint()
        return self._copy_by_table(source, "shading", key)

    def _soft_mask(self, source: Any, key: Any) -> Any:
        return plain(source) if isinstance(source, Name) else self._copy_by_table(source, "soft mask", key)

    def _mask(self, source: Any, key: Any) -> Any:
        return plain(source) if isinstance(source, Array) else self._drawing(source, key)

    def _font_and_size(self, source: Any, key: Any) -> Any:
        parts = _items(source)
        font = self.copy(parts[0], "font") if len(parts) == 2 else None
        return Array([font, plain(parts[1])]) if font is not None else None

    def _font(self, source: Any, key: Any) -> Any:
        if not isinstance(source, Dictionary):
            return None
        outside, self._glyphs = self._glyphs, GlyphNames(source, self._name)
        copy = self._copy_by_table(source, "font", key)
        self._glyphs = outside
        if source.get("/Subtype") != "/Type3":
            copy.BaseFont = self._typeface(source.get("/BaseFont"), has_program(source))
        return copy

    def _descriptor(self, source: Any, key: Any) -> Any:
        copy = self._copy_by_table(source, "descriptor", key)
        if copy is not None:
            copy.FontName = self._typeface(source.get("/FontName"), program_of(source) is not None)
        return copy

    def _typeface(self, name: Any, embedded: bool) -> Any:
        family, _, style = str(name or "/").removeprefix("/").replace(",", "-").partition("-")
        known = any(family.startswith(face) and family.removeprefix(face) in STYLES for face in TYPEFACES)
        if known and not embedded and style in STYLES:
            return Name(str(name))
        return Name(self._name("typeface", str(name)))

    def _glyph_names(self, source: Any, key: Any) -> Any:
        items = [Name(self._glyphs(str(item))) if isinstance(item, Name) else item for item in _items(source)]
        return Array([item for item in items if isinstance(item, Name | int)])

    def _encoding(self, source: Any, key: Any) -> Any:
        if isinstance(source, Stream):
            return self._character_map(source, key)
        return plain(source) if isinstance(source, Name) else self._copy_by_table(source, "encoding", key)

    def _map_or_data(self, source: Any, key: Any) -> Any:
        return plain(source) if isinstance(source, Name) else self._data(source, key)

    def _character_map(self, source: Any, key: Any) -> Any:
        """A program of its own, of which the tables are kept."""
        if isinstance(source, Name):
            return plain(source)
        if not isinstance(source, Stream):
            return None
        copy = self._new(key, Stream(self.target, character_tables(source.read_bytes())))
        self._fill(copy, source, "character map")
        if source.get("/Type") == "/CMap":
            copy.CMapName = Name("/Characters")
        return copy

    # -- colours --------------------------------------------------------------------------------

    def _colour(self, source: Any, key: Any) -> Any:
        """A profile names the machine it was made on; its colours are near enough without it."""
        if isinstance(source, Name):
            return plain(source)
        parts = _items(source)
        family = str(parts[0]) if parts else ""
        rest = parts[1:]
        if family == "/ICCBased" and rest and isinstance(rest[0], Stream):
            return Name(DEVICE.get(int(rest[0].get("/N", 3)), "/DeviceRGB"))
        if family in ("/CalGray", "/CalRGB", "/Lab") and rest:
            return Array([Name(family), self.copy(rest[0], "calibrated") or Dictionary()])
        if family == "/Indexed" and len(rest) == 3:
            return Array([Name(family), self.copy(rest[0], "colour"), plain(rest[1]), self._table(rest[2])])
        if family in ("/Separation", "/DeviceN") and len(rest) >= 3:
            inks = [Name(self._ink(str(ink))) for ink in _items(rest[0])]
            named = Array(inks) if family == "/DeviceN" else inks[0]
            return Array([Name(family), named, self.copy(rest[1], "colour"), self.copy(rest[2], "function")])
        if family == "/Pattern":
            base = self.copy(rest[0], "colour") if rest else None
            return Array([Name(family), base]) if base is not None else Name(family)
        return Name(family) if family.startswith("/Device") else None

    def _ink(self, name: str) -> str:
        return name if name in INKS else self._name("ink", name)

    def _table(self, source: Any) -> Any:
        """The colours of a palette."""
        data = source.read_bytes() if isinstance(source, Stream) else bytes(source)
        return String(data[: 256 * 4])

    # -- images -----------------------------------------------------------------------------------

    def _image(self, source: Any, key: Any) -> Any:
        filters = [str(name) for name in _items(source.get("/Filter"))]
        try:
            data, packed, changes = pixels_of(source, filters)
        except (ValueError, OSError, pikepdf.PdfError):
            self.dropped += 1
            return None
        copy = self._new(key, Stream(self.target, data))
        self._fill(copy, source, "image")
        for name, value in changes.items():
            copy["/" + name] = value
        if packed is None:
            copy.write(data[: size_of_pixels(copy, len(data))])
        elif packed != "/DCTDecode":
            self._taint()  # what follows the last line of a fax cannot be told from it
        if packed is not None:
            copy.write(data, filter=Name(packed), decode_parms=self._decode_parameters(source))
        return copy

    def _decode_parameters(self, source: Any) -> Any:
        listed = source.get("/DecodeParms")
        parameters = listed[0] if isinstance(listed, Array) and len(listed) else listed
        return self.copy(parameters, "parameters") if isinstance(parameters, Dictionary) else None

    # -- what is drawn ------------------------------------------------------------------------------

    def _drawn(self, source: Any, resources: Any) -> bytes:
        """The instructions, without marked content, comments, and what is on hidden layers."""
        kept, hidden = [], 0
        opened: list[bool] = []
        for instruction in pikepdf.parse_content_stream(source):
            operator = str(instruction.operator)
            if operator in ("BMC", "BDC"):
                opened.append(self.layers.hides_marked(instruction.operands, resources))
                hidden += opened[-1]
            elif operator == "EMC":
                hidden -= opened.pop() if opened else 0
            elif not hidden and _may_stay(operator, instruction):
                kept.append(self._renamed(operator, instruction))
        return pikepdf.unparse_content_stream(kept)

    def _renamed(self, operator: str, instruction: Any) -> Any:
        """With the names that resources have in the copy."""
        if operator == "INLINE IMAGE":
            if not is_bare(instruction.iimage):
                self._taint()
            return instruction
        kind = NAMED.get(operator)
        if kind is None:
            return instruction
        operands = [
            Name(self._name(kind, str(operand))) if isinstance(operand, Name) else operand
            for operand in instruction.operands
        ]
        return pikepdf.ContentStreamInstruction(operands, instruction.operator)


def _may_stay(operator: str, instruction: Any) -> bool:
    if operator == "INLINE IMAGE":
        filters = instruction.iimage.filters
        return not {"/DCTDecode", "/DCT", "/JPXDecode"} & {str(name) for name in filters}
    operands = list(instruction.operands)
    if operator in WITH_STRINGS:
        parts = [part for operand in operands for part in _items(operand)]
        return all(isinstance(part, String) or _is_number(part) for part in parts)
    if operator not in OPERATORS:
        return False
    names = [operand for operand in operands if isinstance(operand, Name)]
    if operator == "ri":
        return all(str(name) in NAMES for name in names)
    numbers = (part for operand in operands if not isinstance(operand, Name) for part in _items(operand))
    return len(names) <= (operator in NAMED) and all(_is_number(part) for part in numbers)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal)


def plain(source: Any) -> Any:
    """Numbers, names that have a meaning, truth and lists of these; None for anything else."""
    if isinstance(source, bool | int | float | Decimal):
        return source
    if isinstance(source, Name):
        return Name(str(source)) if str(source) in NAMES else None
    if isinstance(source, Array):
        items = [plain(item) for item in source]
        return Array([item for item in items if item is not None])
    return None


def _items(source: Any) -> list[Any]:
    if source is None:
        return []
    return list(source) if isinstance(source, Array) else [source]


def _inherited(node: Any, key: str) -> Any:
    for _ in range(MAX_DEPTH):
        if not isinstance(node, Dictionary):
            return None
        if "/" + key in node:
            return node["/" + key]
        node = node.get("/Parent") if key in ("Resources", "MediaBox", "CropBox", "Rotate") else None
    return None


# -- functions: what counts of their bytes ---------------------------------------------------------------


def _samples(function: Any) -> bytes:
    """The samples of function type 0."""
    data = bytes(function.read_bytes())
    count = len(function.get("/Range", ())) // 2
    for size in _items(function.get("/Size")):
        count *= int(size)
    return data[: (count * int(function.get("/BitsPerSample", 8)) + 7) // 8]


def _calculator(program: bytes) -> bytes:
    """The words of function type 4, and no others."""
    words = re.sub(rb"%[^\r\n]*", b" ", program).replace(b"{", b" { ").replace(b"}", b" } ").split()
    number = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)")
    return b" ".join(word for word in words if word in CALCULATOR or number.fullmatch(word))
