"""What a copied PDF may hold: for every kind of object the keys it keeps, and what stands under each.

Keys that are not listed are not copied: Metadata, PieceInfo, StructParents, LastModified, Alternates, OPI,
Measure and whatever else a program puts in. `plain` is numbers and names; a string is kept only under `text`.
"""

from __future__ import annotations

_FUNCTION_KEYS = {
    **dict.fromkeys(
        ("FunctionType", "Domain", "Range", "Size", "BitsPerSample", "Order", "Encode", "Decode", "C0", "C1",
         "N", "Bounds"),
        "plain",
    ),
    "Functions": "list of function",
}  # fmt: skip

KEYS: dict[str, dict[str, str]] = {
    "page": {
        **dict.fromkeys(("MediaBox", "CropBox", "Rotate", "UserUnit"), "plain"),
        "Resources": "resources",
        "Group": "group",
    },
    "resources": {
        "ExtGState": "each state",
        "ColorSpace": "each colour",
        "Pattern": "each pattern",
        "Shading": "each shading",
        "XObject": "each drawing",
        "Font": "each font",
    },
    "group": {**dict.fromkeys(("S", "I", "K"), "plain"), "CS": "colour"},
    "state": {
        **dict.fromkeys(
            ("LW", "LC", "LJ", "ML", "D", "RI", "OP", "op", "OPM", "FL", "SM", "SA", "BM", "CA", "ca", "AIS",
             "TK"),
            "plain",
        ),
        "Font": "font and size",
        "SMask": "soft mask",
    },
    "soft mask": {**dict.fromkeys(("S", "BC"), "plain"), "G": "drawing", "TR": "function"},
    "form": {
        **dict.fromkeys(("Subtype", "FormType", "BBox", "Matrix"), "plain"),
        "Resources": "resources",
        "Group": "group",
    },
    "image": {
        **dict.fromkeys(
            ("Subtype", "Width", "Height", "BitsPerComponent", "Decode", "ImageMask", "Interpolate", "Intent",
             "Matte"),
            "plain",
        ),
        "ColorSpace": "colour",
        "Mask": "mask",
        "SMask": "drawing",
    },
    "parameters": {
        **dict.fromkeys(
            ("K", "EndOfLine", "EncodedByteAlign", "Columns", "Rows", "EndOfBlock", "BlackIs1",
             "DamagedRowsBeforeError", "ColorTransform"),
            "plain",
        ),
        "JBIG2Globals": "data",
    },
    "pattern": {
        **dict.fromkeys(
            ("PatternType", "PaintType", "TilingType", "BBox", "XStep", "YStep", "Matrix"), "plain"
        ),
        "Resources": "resources",
        "Shading": "shading",
        "ExtGState": "state",
    },
    "shading": {
        **dict.fromkeys(
            ("ShadingType", "Background", "BBox", "AntiAlias", "Domain", "Coords", "Extend", "Matrix",
             "BitsPerCoordinate", "BitsPerComponent", "BitsPerFlag", "Decode", "VerticesPerRow"),
            "plain",
        ),
        "ColorSpace": "colour",
        "Function": "functions",
    },
    "function": _FUNCTION_KEYS,
    "font": {
        **dict.fromkeys(
            ("Type", "Subtype", "BaseFont", "FirstChar", "LastChar", "Widths", "DW", "W", "DW2", "W2",
             "FontBBox", "FontMatrix"),
            "plain",
        ),
        "FontDescriptor": "descriptor",
        "Encoding": "encoding",
        "ToUnicode": "character map",
        "DescendantFonts": "list of font",
        "CIDSystemInfo": "system",
        "CIDToGIDMap": "map or data",
        "CharProcs": "each glyph",
        "Resources": "resources",
    },
    "descriptor": {
        **dict.fromkeys(
            ("Type", "FontName", "FontStretch", "FontWeight", "Flags", "FontBBox", "ItalicAngle", "Ascent",
             "Descent", "Leading", "CapHeight", "XHeight", "StemV", "StemH", "AvgWidth", "MaxWidth",
             "MissingWidth"),
            "plain",
        ),
        "FontFile": "data",
        "FontFile2": "data",
        "FontFile3": "data",
    },
    "encoding": dict.fromkeys(("Type", "BaseEncoding", "Differences"), "plain"),
    "character map": {
        **dict.fromkeys(("Type", "CMapName", "WMode", "UseCMap"), "plain"),
        "CIDSystemInfo": "system",
    },
    "system": {"Registry": "text", "Ordering": "text", "Supplement": "plain"},
    "data": dict.fromkeys(("Subtype", "Length1", "Length2", "Length3"), "plain"),
    "calibrated": dict.fromkeys(("WhitePoint", "BlackPoint", "Gamma", "Matrix", "Range"), "plain"),
}  # fmt: skip

# what draws; marked content (which may hold alternative texts) and anything unknown is not among it
OPERATORS = frozenset({
    "b", "B", "b*", "B*", "BT", "BX", "c", "cm", "CS", "cs", "d", "d0", "d1", "Do", "ET", "EX", "f", "F",
    "f*", "G", "g", "gs", "h", "i", "j", "J", "K", "k", "l", "m", "M", "n", "q", "Q", "re", "RG", "rg",
    "ri", "s", "S", "SC", "sc", "SCN", "scn", "sh", "T*", "Tc", "Td", "TD", "Tf", "TL", "Tm", "Tr", "Ts",
    "Tw", "Tz", "v", "w", "W", "W*", "y",
})  # fmt: skip
WITH_STRINGS = frozenset({"Tj", "TJ", "'", '"'})  # and only these show strings
DEVICE = {1: "/DeviceGray", 3: "/DeviceRGB", 4: "/DeviceCMYK"}  # in place of a profile, by its components
