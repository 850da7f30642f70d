"""PDF: rebuilt from an allow-list; then pictures and words of its pages are taken from what was rebuilt."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Pdf, Stream, String

from peerage_web.sandbox.contract.rendering import (
    MAX_CHARACTERS,
    MAX_PAGE_PIXELS,
    MAX_PAGES,
    CannotRenderError,
    PageImage,
    ReviewCopy,
    clean_text,
)
from peerage_web.sandbox.work.rendering.images import MAX_SIDE, save_image
from peerage_web.sandbox.work.rendering.pdf_copy import PdfCopier

COPY_NAME = "copy.pdf"
SCALE = 130 / 72  # pixels per point
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
            hidden, left_out = _rebuild(opened, folder / COPY_NAME)
    except pikepdf.PasswordError:
        raise CannotRenderError("locked") from None
    pictures = _draw_pages(folder)
    return ReviewCopy("pdf", COPY_NAME, pictures, hidden=hidden, left_out=left_out)


def _rebuild(source: Pdf, path: Path) -> tuple[str, dict[str, int]]:
    count = len(source.pages)
    if count == 0:
        raise CannotRenderError("no-pages")
    if count > MAX_PAGES:
        raise CannotRenderError("many-pages", count=MAX_PAGES)
    hidden = _hidden_text(source)
    left_out = _count_left_out(source)
    _flatten(source)
    with Pdf.new() as target:
        copier = PdfCopier(source, target)
        for page in source.pages:
            target.pages.append(pikepdf.Page(copier.page(page)))
        target.save(
            path,
            deterministic_id=True,
            compress_streams=True,
            object_stream_mode=pikepdf.ObjectStreamMode.generate,
        )
        left_out |= {"images": copier.dropped, "layers": copier.layers.hidden}
    return hidden, {what: number for what, number in left_out.items() if number}


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


def _draw_pages(folder: Path) -> list[PageImage]:
    from pypdfium2 import PdfDocument

    document = PdfDocument(folder / COPY_NAME)
    try:
        pictures, budget = [], MAX_CHARACTERS
        for number in range(len(document)):
            picture = _draw_page(document[number], folder / f"page-{number + 1:03}.webp", budget)
            pictures.append(picture)
            budget -= len(picture.text)
        return pictures
    finally:
        document.close()


def _draw_page(page: Any, path: Path, budget: int) -> PageImage:
    width, height = page.get_size()
    area = max(width * height, 1e-6)
    scale = min(SCALE, (MAX_PAGE_PIXELS / area) ** 0.5, MAX_SIDE / max(width, height, 1e-6))
    image = page.render(scale=scale).to_pil().convert("RGB")
    save_image(image, path)
    words = page.get_textpage()
    text = clean_text(str(words.get_text_bounded())).strip()[:budget]
    words.close()
    page.close()
    return PageImage(path.name, image.width, image.height, text)
