"""PDF: rebuilt from an allow-list; then pictures and words of its pages are taken from what was rebuilt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name, Pdf, Stream, String

from peerage_web.sandbox.contract.rendering import (
    MAX_CHARACTERS,
    MAX_PAGE_PIXELS,
    MAX_PAGES,
    CannotRenderError,
    PageImage,
    ReviewCopy,
    clean_text,
)
from peerage_web.sandbox.work.rendering.images import MAX_SIDE, is_blank, save_image
from peerage_web.sandbox.work.rendering.pdf_copy import PdfCopier

COPY_NAME = "copy.pdf"
SCALE = 130 / 72  # pixels per point
MAX_TILES = 10_000_000  # of a pattern on one page: an A4 page with one every fifth of a point
MAX_HIDDEN = 20_000  # characters of what the file says about itself
# drawn on a page without a word in it: strokes stay, as part of the page; so does what is filled into a form
KEPT_ANNOTATIONS = {
    "/Ink", "/Line", "/Square", "/Circle", "/Polygon", "/PolyLine", "/Highlight", "/Underline", "/Squiggly",
    "/StrikeOut", "/Widget",
}  # fmt: skip


def render_pdf(source: Path, folder: Path) -> ReviewCopy:
    """The rebuilt file, its pages as pictures, and its words."""
    try:
        with pikepdf.open(source) as opened:
            _refuse_fine_patterns(opened)
            hidden, left_out, drawn = _rebuild(opened, folder / COPY_NAME)
    except pikepdf.PasswordError:
        raise CannotRenderError("locked") from None
    pictures = _draw_pages(folder, drawn)
    return ReviewCopy("pdf", COPY_NAME, pictures, hidden=hidden, left_out=left_out)


def _refuse_fine_patterns(source: Pdf) -> None:
    """A pattern whose tiles are laid every thousandth of a point would be drawn for minutes."""
    largest = max((_area(page) for page in source.pages), default=0.0)
    for item in source.objects:
        if isinstance(item, Stream) and item.get("/PatternType") == 1 and _tiles(item, largest) > MAX_TILES:
            raise CannotRenderError("time")


def _area(page: Any) -> float:
    try:
        left, bottom, right, top = (float(edge) for edge in page.mediabox)
    except (TypeError, ValueError):
        return 0.0
    return abs((right - left) * (top - bottom))


def _tiles(pattern: Any, area: float) -> float:
    """How often it is laid on so much of a page, in square points."""
    try:
        a, b, c, d = (float(cell) for cell in list(pattern.get("/Matrix", (1, 0, 0, 1, 0, 0)))[:4])
        step = abs(float(pattern.get("/XStep", 0)) * float(pattern.get("/YStep", 0)) * (a * d - b * c))
    except (TypeError, ValueError):
        return 0.0  # not a pattern that is drawn
    return area / step if step else 0.0


def _rebuild(source: Pdf, path: Path) -> tuple[str, dict[str, int], dict[int, DrawnPage]]:
    count = len(source.pages)
    if count == 0:
        raise CannotRenderError("no-pages")
    if count > MAX_PAGES:
        raise CannotRenderError("many-pages", count=MAX_PAGES)
    hidden = _hidden_text(source)
    left_out = _count_left_out(source)
    _flatten(source)
    copier = _copy_pages(source, path, {})
    drawn = _draw_unclean(path, copier.tainted)
    if drawn:
        _copy_pages(source, path, drawn)
    left_out |= {"images": copier.dropped, "layers": copier.layers.hidden, "pages": len(drawn)}
    return hidden, {what: number for what, number in left_out.items() if number}, drawn


def _copy_pages(source: Pdf, path: Path, drawn: Mapping[int, DrawnPage]) -> PdfCopier:
    """Write the copy; pages that were drawn anew are their pictures in it, and nothing else."""
    with Pdf.new() as target:
        copier = PdfCopier(source, target)
        for number, page in enumerate(source.pages):
            if number in drawn:
                _add_picture(target, drawn[number])
            else:
                target.pages.append(pikepdf.Page(copier.page(page, number)))
        target.save(
            path,
            deterministic_id=True,
            compress_streams=True,
            object_stream_mode=pikepdf.ObjectStreamMode.generate,
        )
    return copier


# -- pages that cannot be cleaned ----------------------------------------------------------------------------

SHARP = 200 / 72  # pixels per point of a page that is drawn for good
BLEED = 12  # points that an image may go beyond the edge, as printers want it


@dataclass(frozen=True, slots=True)
class DrawnPage:
    """A page as it is seen, in points; its words are beside it, for they are no longer in it."""

    jpeg: bytes
    pixels: tuple[int, int]
    width: float
    height: float
    text: str


def _draw_unclean(path: Path, tainted: set[int]) -> dict[int, DrawnPage]:
    """Pages that hold more than they show, by their number."""
    from pypdfium2 import PdfDocument

    # an open file: a path would be made absolute, and a child that is another user may have no way to it
    with path.open("rb") as file, PdfDocument(file) as document:
        drawn = {}
        for number in range(len(document)):
            page = document[number]
            if number in tainted or _hides_beyond_the_edge(page):
                drawn[number] = _draw_anew(page)
            page.close()
        return drawn


def _draw_anew(page: Any) -> DrawnPage:
    image, packed = _render(page, SHARP), BytesIO()
    image.save(packed, "JPEG", quality=85)
    width, height = page.get_size()
    return DrawnPage(packed.getvalue(), image.size, width, height, _words(page))


def _hides_beyond_the_edge(page: Any) -> bool:
    """Whether there are letters that are cut off, or images of which much is."""
    from pypdfium2 import raw

    # what is inside a form has its place in the form's own measure
    texts = list(page.get_objects(filter=[raw.FPDF_PAGEOBJ_TEXT]))
    if any(text.level or _beyond(page, text) > 0 for text in texts) and _cuts_letters_off(page):
        return True
    kinds = [raw.FPDF_PAGEOBJ_IMAGE]
    if any(image.level for image in page.get_objects(filter=kinds)):
        kinds.append(raw.FPDF_PAGEOBJ_FORM)
    return any(_beyond(page, drawing) > BLEED for drawing in page.get_objects(filter=kinds, max_depth=1))


def _beyond(page: Any, drawing: Any) -> float:
    """How many points of it are outside the page, on the side where it is most."""
    left, bottom, right, top = page.get_bbox()
    west, south, east, north = drawing.get_bounds()
    return float(max(left - west, bottom - south, east - right, north - top))


def _cuts_letters_off(page: Any) -> bool:
    left, bottom, right, top = page.get_bbox()
    words = page.get_textpage()
    try:
        for number in range(words.count_chars()):
            west, south, east, north = words.get_charbox(number)
            beyond = east <= left or west >= right or north <= bottom or south >= top
            if beyond and words.get_text_range(number, 1).strip():
                return True
        return False
    finally:
        words.close()


def _add_picture(target: Pdf, drawn: DrawnPage) -> None:
    width, height = drawn.width, drawn.height
    stream = Stream(target, b"")
    stream.write(drawn.jpeg, filter=Name.DCTDecode)
    for key, value in {
        "Type": Name.XObject,
        "Subtype": Name.Image,
        "Width": drawn.pixels[0],
        "Height": drawn.pixels[1],
        "ColorSpace": Name.DeviceRGB,
        "BitsPerComponent": 8,
    }.items():
        stream["/" + key] = value
    contents = f"q {width:.2f} 0 0 {height:.2f} 0 0 cm /D0 Do Q"
    page = Dictionary(
        Type=Name.Page,
        MediaBox=Array([0, 0, Decimal(f"{width:.2f}"), Decimal(f"{height:.2f}")]),
        Resources=Dictionary(XObject=Dictionary(D0=target.make_indirect(stream))),
        Contents=target.make_indirect(Stream(target, contents.encode())),
    )
    target.pages.append(pikepdf.Page(target.make_indirect(page)))


def _flatten(source: Pdf) -> None:
    """Strokes and filled-in forms become part of their page; every other annotation goes."""
    for page in source.pages:
        page.obj.Annots = Array(
            [note for note in _annotations(page) if str(note.get("/Subtype")) in KEPT_ANNOTATIONS]
        )
    source.flatten_annotations("screen")


def _annotations(page: Any) -> list[Any]:
    listed = page.obj.get("/Annots")
    return [note for note in listed if isinstance(note, Dictionary)] if isinstance(listed, Array) else []


def _count_left_out(source: Pdf) -> dict[str, int]:
    """What the copy will not have, for its author to know."""
    kinds = {"/Link": "links", "/Popup": ""}
    counted: Counter[str] = Counter()
    for page in source.pages:
        for annotation in _annotations(page):
            subtype = str(annotation.get("/Subtype"))
            if subtype not in KEPT_ANNOTATIONS:
                counted[kinds.get(subtype, "notes")] += 1
    counted["attachments"] = len(source.attachments)
    return {what: number for what, number in counted.items() if what}


def _hidden_text(source: Pdf) -> str:
    """What the file says about itself beside its pages: properties, notes, names of attachments."""
    texts = [str(value) for value in source.trailer.get("/Info", {}).values() if isinstance(value, String)]
    metadata = source.Root.get("/Metadata")
    if isinstance(metadata, Stream):
        texts.append(metadata.read_bytes().decode("utf-8", "ignore"))
    texts += list(source.attachments)
    for page in source.pages:
        for note in _annotations(page):
            texts += [str(note[key]) for key in ("/T", "/Contents") if isinstance(note.get(key), String)]
    return clean_text("\n".join(texts))[:MAX_HIDDEN]


def _draw_pages(folder: Path, drawn: Mapping[int, DrawnPage]) -> list[PageImage]:
    from pypdfium2 import PdfDocument

    with (folder / COPY_NAME).open("rb") as file, PdfDocument(file) as document:
        pictures, budget = [], MAX_CHARACTERS
        for number in range(len(document)):
            page = document[number]
            text = (drawn[number].text if number in drawn else _words(page))[:budget]
            picture = _draw_page(page, folder / f"page-{number + 1:03}.webp", text)
            pictures.append(picture)
            budget -= len(picture.text)
        return pictures


def _draw_page(page: Any, path: Path, text: str) -> PageImage:
    image = _render(page, SCALE)
    save_image(image, path)
    page.close()
    return PageImage(path.name, image.width, image.height, text, is_blank(image))


def _words(page: Any) -> str:
    words = page.get_textpage()
    text = clean_text(str(words.get_text_bounded())).strip()
    words.close()
    return text


def _render(page: Any, scale: float) -> Any:
    """At this scale, or as large as there is room for."""
    width, height = page.get_size()
    area = max(width * height, 1e-6)
    scale = min(scale, (MAX_PAGE_PIXELS / area) ** 0.5, MAX_SIDE / max(width, height, 1e-6))
    return page.render(scale=scale).to_pil().convert("RGB")
