"""Images: turned as their camera was held, then drawn anew, so that nothing is left but what is seen.

JPEGs inside a PDF keep their pixels, and lose what their segments say beside the picture: EXIF, XMP,
profiles, comments, thumbnails.
"""

from __future__ import annotations

from pathlib import Path
from typing import IO, TYPE_CHECKING

from peerage_web.sandbox.contract.rendering import (
    MAX_PAGE_PIXELS,
    MAX_SOURCE_PIXELS,
    CannotRenderError,
    PageImage,
    ReviewCopy,
)

if TYPE_CHECKING:
    from PIL.Image import Image as Drawn

MILLION = 1_000_000
FORMATS = {"PNG": "png", "JPEG": "jpg"}
MAX_SIDE = 16_000  # pixels of a side, as far as the formats go


def render_image(source: Path, folder: Path) -> ReviewCopy:
    """A picture for the page, and the whole image for download."""
    from PIL import Image, ImageOps

    Image.MAX_IMAGE_PIXELS = None  # we count ourselves, before anything is unpacked
    with Image.open(source, formats=list(FORMATS)) as opened:
        _refuse_many_pixels(opened)
        ending = FORMATS[str(opened.format)]
        hidden = _hidden_text(opened)
        whole = _redraw(ImageOps.exif_transpose(opened))
    save_image(whole, folder / f"copy.{ending}")
    page = _save_page(whole, folder, f"page-001.{ending}")
    return ReviewCopy("image", f"copy.{ending}", [page], hidden=hidden)


def render_picture(source: IO[bytes], folder: Path, number: int) -> tuple[PageImage, str]:
    """A picture inside a document, drawn anew; and what was written in it beside the pixels."""
    from PIL import Image, ImageOps

    Image.MAX_IMAGE_PIXELS = None
    with Image.open(source, formats=[*FORMATS, "GIF", "BMP", "TIFF", "WEBP"]) as opened:
        _refuse_many_pixels(opened)
        hidden = _hidden_text(opened)
        whole = _redraw(ImageOps.exif_transpose(opened))
    return _save_page(whole, folder, f"page-{number:03d}.png"), hidden


def _refuse_many_pixels(image: Drawn) -> None:
    if image.width * image.height > MAX_SOURCE_PIXELS:
        raise CannotRenderError("many-pixels", count=MAX_SOURCE_PIXELS // MILLION)


def _save_page(whole: Drawn, folder: Path, name: str) -> PageImage:
    page = _shrink(whole)
    save_image(page, folder / name)
    return PageImage(name, page.width, page.height, blank=is_blank(page))


def _redraw(image: Drawn) -> Drawn:
    """The pixels alone, in one of three modes."""
    from PIL import Image

    mode = "L" if image.mode in ("1", "L", "I;16", "I", "F") else "RGB"
    if "A" in image.mode or "transparency" in image.info:
        mode = "RGBA"
    if image.mode.startswith("I"):  # 16 bits, which a conversion would cut off at 255
        image = image.convert("I").point(lambda value: value / 256)
    drawn = image.convert(mode)
    clean = Image.new(mode, drawn.size)
    clean.paste(drawn)
    return clean


def _shrink(image: Drawn) -> Drawn:
    """No larger than a page needs."""
    scale = min(1.0, (MAX_PAGE_PIXELS / (image.width * image.height)) ** 0.5, MAX_SIDE / max(image.size))
    if scale == 1.0:
        return image
    return image.resize((max(1, int(image.width * scale)), max(1, int(image.height * scale))))


SAME = 8  # of 255: what compression makes of one colour


def is_blank(image: Drawn) -> bool:
    """Whether it is one colour all over, as it is seen on white paper."""
    from PIL import Image

    seen = image
    if image.mode == "RGBA":
        seen = Image.new("RGB", image.size, "white")
        seen.paste(image, mask=image.getchannel("A"))
    histogram = seen.convert("RGB").histogram()  # 256 counts for each colour
    for start in range(0, len(histogram), 256):
        used = [level for level, count in enumerate(histogram[start : start + 256]) if count]
        if used[-1] - used[0] > SAME:
            return False
    return True


def save_image(image: Drawn, path: Path) -> None:
    """Under the format of the name."""
    if path.suffix == ".jpg":
        image.convert("L" if image.mode == "L" else "RGB").save(path, "JPEG", quality=90)
    elif path.suffix == ".webp":
        image.save(path, "WEBP", quality=82, method=2)
    else:
        image.save(path, "PNG")


def _hidden_text(image: Drawn) -> str:
    """What is written in it beside the pixels: for its author, who may wonder what others would have read."""
    from PIL import ExifTags

    words = [str(value) for value in image.info.values() if isinstance(value, str)]
    exif = image.getexif()
    for part in (exif, *(exif.get_ifd(ifd) for ifd in ExifTags.IFD if ifd != ExifTags.IFD.MakerNote)):
        words += [_decode_text(value) for value in part.values()]
    return "\n".join(word for word in words if word)[:20_000]


def _decode_text(value: object) -> str:
    """Text, however a camera has written it."""
    if isinstance(value, bytes):
        wide = value.count(0) * 3 > len(value)  # two bytes a letter, as Windows does
        return value.decode("utf-16-le" if wide else "utf-8", "ignore").replace("\0", "")
    return value if isinstance(value, str) else ""


# -- JPEG segments -------------------------------------------------------------------------------------------

_APP0, _APP14, _APP15, _COMMENT = 0xE0, 0xEE, 0xEF, 0xFE
_START, _END, _SCAN = 0xD8, 0xD9, 0xDA
_ADOBE = 12  # bytes of Adobe's segment, which says how colours are stored


def strip_jpeg_metadata(data: bytes) -> bytes:
    """The same picture, to the last pixel; ValueError where it is no JPEG."""
    if data[:2] != bytes((0xFF, _START)):
        raise ValueError("no JPEG")
    kept, place = [data[:2]], 2
    while True:
        marker, place = _next_marker(data, place)
        if marker == _END:
            return b"".join([*kept, bytes((0xFF, _END))])
        size = int.from_bytes(data[place : place + 2])
        if size < 2 or place + size > len(data):
            raise ValueError("a segment ends after the file")
        body = _keep_segment(marker, data[place + 2 : place + size])
        place += size
        if body is not None:
            kept.append(bytes((0xFF, marker)) + (len(body) + 2).to_bytes(2) + body)
        if marker == _SCAN:
            end = _scan_end(data, place)
            kept.append(data[place:end])
            place = end


def _next_marker(data: bytes, place: int) -> tuple[int, int]:
    """The next marker, and where its segment begins; a file that just stops has ended."""
    if place >= len(data):
        return _END, place
    if data[place] != 0xFF:
        raise ValueError("no marker where one should be")
    while place < len(data) and data[place] == 0xFF:  # any number of these may come before it
        place += 1
    return (data[place], place + 1) if place < len(data) else (_END, place)


def _keep_segment(marker: int, body: bytes) -> bytes | None:
    if marker == _APP0 and body[:5] == b"JFIF\0" and len(body) >= 12:
        return body[:12] + b"\0\0"  # without its thumbnail
    if marker == _APP14 and body[:5] == b"Adobe":
        return body[:_ADOBE]
    if _APP0 <= marker <= _APP15 or marker == _COMMENT:
        return None
    return body


def _scan_end(data: bytes, place: int) -> int:
    """Where the pixels of a scan end: at a marker that is neither stuffing nor a restart."""
    while True:
        place = data.find(b"\xff", place)
        if place < 0 or place + 1 >= len(data):
            return len(data)
        following = data[place + 1]
        if following == 0xFF:
            place += 1
        elif following == 0 or 0xD0 <= following <= 0xD7:
            place += 2
        else:
            return place
