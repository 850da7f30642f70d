"""Images: turned as their camera was held, then drawn anew, so that nothing is left but what is seen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from peerage_web.sandbox.contract.shown import MOST_PIXELS, PIXELS, Made, Picture
from peerage_web.sandbox.work.showing.problems import CannotShowError

if TYPE_CHECKING:
    from PIL.Image import Image as Drawn

MILLION = 1_000_000
FORMATS = {"PNG": "png", "JPEG": "jpg"}
LONGEST = 16_000  # pixels of a side, as far as the formats go


def make_image(source: Path, folder: Path) -> Made:
    """A picture for the page, and the whole image for download."""
    from PIL import Image, ImageOps

    Image.MAX_IMAGE_PIXELS = None  # we count ourselves, before anything is unpacked
    with Image.open(source, formats=list(FORMATS)) as opened:
        if opened.width * opened.height > MOST_PIXELS:
            raise CannotShowError("many-pixels", count=MOST_PIXELS // MILLION)
        ending = FORMATS[str(opened.format)]
        hidden = _hidden(opened)
        whole = bare(ImageOps.exif_transpose(opened))
    save(whole, folder / f"copy.{ending}")
    shown = fitted(whole)
    name = f"page-001.{ending}"
    save(shown, folder / name)
    return Made("image", f"copy.{ending}", [Picture(name, shown.width, shown.height)], hidden=hidden)


def bare(image: Drawn) -> Drawn:
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


def fitted(image: Drawn) -> Drawn:
    """No larger than a page needs."""
    scale = min(1.0, (PIXELS / (image.width * image.height)) ** 0.5, LONGEST / max(image.size))
    if scale == 1.0:
        return image
    return image.resize((max(1, int(image.width * scale)), max(1, int(image.height * scale))))


def save(image: Drawn, path: Path) -> None:
    """Under the format of the name."""
    if path.suffix == ".jpg":
        image.convert("L" if image.mode == "L" else "RGB").save(path, "JPEG", quality=90)
    elif path.suffix == ".webp":
        image.save(path, "WEBP", quality=82, method=2)
    else:
        image.save(path, "PNG")


def _hidden(image: Drawn) -> str:
    """What is written in it beside the pixels: for its author, who may wonder what others would have read."""
    from PIL import ExifTags

    words = [str(value) for value in image.info.values() if isinstance(value, str)]
    exif = image.getexif()
    for part in (exif, *(exif.get_ifd(one) for one in ExifTags.IFD if one != ExifTags.IFD.MakerNote)):
        words += [_word(value) for value in part.values()]
    return "\n".join(word for word in words if word)[:20_000]


def _word(value: object) -> str:
    """Text, however a camera has written it."""
    if isinstance(value, bytes):
        wide = value.count(0) * 3 > len(value)  # two bytes a letter, as Windows does
        return value.decode("utf-16-le" if wide else "utf-8", "ignore").replace("\0", "")
    return value if isinstance(value, str) else ""
