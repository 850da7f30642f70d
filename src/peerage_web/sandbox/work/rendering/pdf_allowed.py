"""What a copied PDF may hold: for every kind of object the keys it keeps, and what stands under each.

Keys that are not listed are not copied: Metadata, PieceInfo, StructParents, LastModified, Alternates, OPI,
Measure and whatever else a program puts in. `plain` is numbers, and names to which the standard gives a
meaning (`NAMES`). Names that the file makes up itself (of resources, inks, typefaces, glyphs) are given anew.
"""

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
            ("Type", "Subtype", "FirstChar", "LastChar", "Widths", "DW", "W", "DW2", "W2",
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
            ("Type", "FontStretch", "FontWeight", "Flags", "FontBBox", "ItalicAngle", "Ascent",
             "Descent", "Leading", "CapHeight", "XHeight", "StemV", "StemH", "AvgWidth", "MaxWidth",
             "MissingWidth"),
            "plain",
        ),
        "FontFile": "data",
        "FontFile2": "data",
        "FontFile3": "data",
    },
    "encoding": {**dict.fromkeys(("Type", "BaseEncoding"), "plain"), "Differences": "glyph names"},
    "character map": {
        **dict.fromkeys(("Type", "WMode", "UseCMap"), "plain"),
        "CIDSystemInfo": "system",
    },
    "system": {"Registry": "collection", "Ordering": "collection", "Supplement": "plain"},
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
# which resource the name behind an operator is of
NAMED = {
    "gs": "state", "cs": "colour", "CS": "colour", "scn": "pattern", "SCN": "pattern", "sh": "shading",
    "Do": "drawing", "Tf": "font",
}  # fmt: skip
WITH_STRINGS = frozenset({"Tj", "TJ", "'", '"'})  # and only these show strings
DEVICE = {1: "/DeviceGray", 3: "/DeviceRGB", 4: "/DeviceCMYK"}  # in place of a profile, by its components

_ENCODINGS = """
StandardEncoding MacRomanEncoding MacExpertEncoding WinAnsiEncoding PDFDocEncoding Identity-H Identity-V
GB-EUC-H GB-EUC-V GBpc-EUC-H GBpc-EUC-V GBK-EUC-H GBK-EUC-V GBKp-EUC-H GBKp-EUC-V GBK2K-H GBK2K-V
UniGB-UCS2-H UniGB-UCS2-V UniGB-UTF16-H UniGB-UTF16-V B5pc-H B5pc-V HKscs-B5-H HKscs-B5-V ETen-B5-H ETen-B5-V
ETenms-B5-H ETenms-B5-V CNS-EUC-H CNS-EUC-V UniCNS-UCS2-H UniCNS-UCS2-V UniCNS-UTF16-H UniCNS-UTF16-V
83pv-RKSJ-H 90ms-RKSJ-H 90ms-RKSJ-V 90msp-RKSJ-H 90msp-RKSJ-V 90pv-RKSJ-H Add-RKSJ-H Add-RKSJ-V EUC-H EUC-V
Ext-RKSJ-H Ext-RKSJ-V H V UniJIS-UCS2-H UniJIS-UCS2-V UniJIS-UCS2-HW-H UniJIS-UCS2-HW-V UniJIS-UTF16-H
UniJIS-UTF16-V KSC-EUC-H KSC-EUC-V KSCms-UHC-H KSCms-UHC-V KSCms-UHC-HW-H KSCms-UHC-HW-V KSCpc-EUC-H
UniKS-UCS2-H UniKS-UCS2-V UniKS-UTF16-H UniKS-UTF16-V
"""
# of types, groups, blending, rendering intents, widths of typefaces and colours
_VALUES = """
Page Font FontDescriptor Encoding CMap XObject Pattern ExtGState Group Mask
Form Image Type0 Type1 MMType1 Type3 TrueType CIDFontType0 CIDFontType2 Type1C CIDFontType0C OpenType
Transparency Alpha Luminosity None Default Identity
Normal Compatible Multiply Screen Overlay Darken Lighten ColorDodge ColorBurn HardLight SoftLight Difference
Exclusion Hue Saturation Color
AbsoluteColorimetric RelativeColorimetric Perceptual
UltraCondensed ExtraCondensed Condensed SemiCondensed SemiExpanded Expanded ExtraExpanded UltraExpanded
DeviceGray DeviceRGB DeviceCMYK CalGray CalRGB Lab Indexed Separation DeviceN
"""
NAMES = frozenset("/" + name for name in (*_ENCODINGS.split(), *_VALUES.split()))
COLLECTIONS = frozenset({"Adobe", "Identity", "UCS", "Japan1", "Japan2", "GB1", "CNS1", "Korea1", "KR"})
INKS = frozenset({"/All", "/None", "/Cyan", "/Magenta", "/Yellow", "/Black"})
# names of resources with a meaning of their own
RESERVED = frozenset(
    {"/DeviceGray", "/DeviceRGB", "/DeviceCMYK", "/Pattern", "/DefaultGray", "/DefaultRGB", "/DefaultCMYK"}
)
# typefaces that readers have themselves; others are either in the file, or drawn in one of these anyway
_TYPEFACES = "Helvetica Times Courier Symbol ZapfDingbats Arial Verdana Georgia Tahoma Calibri Cambria"
_STYLES = """
Roman Regular Bold Italic Oblique BoldItalic BoldOblique New NewRoman NewRomanPS NewRomanPSMT PSMT
BoldMT ItalicMT BoldItalicMT MT
"""
TYPEFACES, STYLES = tuple(_TYPEFACES.split()), frozenset({"", *_STYLES.split()})
# the calculator of function type 4
CALCULATOR = frozenset(
    b"""abs add atan ceiling cos cvi cvr div exp floor idiv ln log mod mul neg round sin sqrt sub truncate
    and bitshift eq false ge gt le lt ne not or true xor if ifelse copy dup exch index pop roll { }""".split()
)
