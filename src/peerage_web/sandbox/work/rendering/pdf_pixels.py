"""Pixels of images in a PDF: unpacked or as they are, and nothing behind the last of them."""

import re
from io import BytesIO
from typing import Any

import pikepdf
from pikepdf import Array, Name

from peerage_web.sandbox.work.rendering.images import strip_jpeg_metadata

LOSSLESS = {"/FlateDecode", "/LZWDecode", "/ASCII85Decode", "/ASCIIHexDecode", "/RunLengthDecode"}
_MODES = {"L": "/DeviceGray", "RGB": "/DeviceRGB", "CMYK": "/DeviceCMYK"}


def pixels_of(source: Any, filters: list[str]) -> tuple[bytes, str | None, dict[str, Any]]:
    """The bytes of an image, the packing they stay in, and what changes with it."""
    if filters == ["/DCTDecode"]:
        return strip_jpeg_metadata(source.read_raw_bytes()), filters[0], {}
    if len(filters) == 1 and filters[0] in ("/CCITTFaxDecode", "/JBIG2Decode"):
        return source.read_raw_bytes(), filters[0], {}
    if filters and filters[-1] == "/JPXDecode":
        return _unpacked(source)
    if set(filters) <= LOSSLESS:
        return source.read_bytes(), None, {}
    return source.read_bytes(pikepdf.StreamDecodeLevel.all), None, {}


def _unpacked(source: Any) -> tuple[bytes, str | None, dict[str, Any]]:
    """JPEG 2000, which has boxes for texts: drawn anew, pixel by pixel."""
    from PIL import Image

    with Image.open(BytesIO(source.read_raw_bytes()), formats=["JPEG2000"]) as image:
        drawn = image if image.mode in _MODES else image.convert("L" if image.mode == "LA" else "RGB")
        changes = {
            "ColorSpace": Name(_MODES[drawn.mode]),
            "BitsPerComponent": 8,
            "Width": drawn.width,
            "Height": drawn.height,
        }
        return drawn.tobytes(), None, changes


def size_of_pixels(image: Any, size: int) -> int:
    """How many bytes of the image are pixels."""
    bits = (
        1 if image.get("/ImageMask") is True else int(image.get("/BitsPerComponent", 8)) * _components(image)
    )
    return min(size, (int(image.Width) * bits + 7) // 8 * int(image.Height))


def _components(image: Any) -> int:
    colour = image.get("/ColorSpace")
    family = str(colour[0]) if isinstance(colour, Array) else str(colour)
    if family == "/DeviceN":
        return len(colour[1])
    return {"/DeviceRGB": 3, "/CalRGB": 3, "/Lab": 3, "/DeviceCMYK": 4}.get(family, 1)


_INLINE_WORDS = re.compile(
    rb"(/(IM|ImageMask|I|Interpolate|D|Decode|CS|ColorSpace|G|RGB|CMYK|DeviceGray|DeviceRGB|DeviceCMYK)|[-+.0-9]+"
    rb"|true|false|[\[\]]|/(W|Width|H|Height|BPC|BitsPerComponent))"
)


def is_bare(image: Any) -> bool:
    """Whether a small image between the instructions is its pixels and nothing else."""
    head, _, data = image.unparse().removeprefix(b"BI").removesuffix(b"EI").partition(b"\nID\n")
    words = head.replace(b"[", b" [ ").replace(b"]", b" ] ").split()
    if not all(_INLINE_WORDS.fullmatch(word) for word in words):
        return False  # packed, in colours of its own, or with a remark
    depth = {b"/RGB": 3, b"/DeviceRGB": 3, b"/CMYK": 4, b"/DeviceCMYK": 4}
    bits = max([depth.get(word, 1) for word in words]) * (1 if image.image_mask else image.bits_per_component)
    pixels = (int(image.width) * bits + 7) // 8 * int(image.height)
    return len(data) <= pixels + 1  # a blank before the last word
