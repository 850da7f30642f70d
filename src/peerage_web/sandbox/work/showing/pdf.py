"""PDF: rebuilt from an allow-list; then pictures and words of its pages are taken from what was rebuilt."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Pdf, Stream, String

from peerage_web.sandbox.contract.shown import CHARACTERS, PAGES, PIXELS, Made, Picture
from peerage_web.sandbox.work.showing.copying import Copier
from peerage_web.sandbox.work.showing.images import LONGEST, save
from peerage_web.sandbox.work.showing.problems import CannotShowError
from peerage_web.sandbox.work.showing.texts import plain

COPY = "copy.pdf"
SCALE = 130 / 72  # pixels per point
HIDDEN = 20_000  # characters of what the file says about itself
# drawn on a page without a word in it: strokes stay, as part of the page; so does what is filled into a form
DRAWN = {
    "/Ink", "/Line", "/Square", "/Circle", "/Polygon", "/PolyLine", "/Highlight", "/Underline", "/Squiggly",
    "/StrikeOut", "/Widget",
}  # fmt: skip


def make_pdf(source: Path, folder: Path) -> Made:
    """The rebuilt file, its pages as pictures, and its words."""
    try:
        with pikepdf.open(source) as opened:
            hidden, left_out = _rebuild(opened, folder / COPY)
    except pikepdf.PasswordError:
        raise CannotShowError("locked") from None
    pictures = _pictures(folder)
    return Made("pdf", COPY, pictures, hidden=hidden, left_out=left_out)


def _rebuild(source: Pdf, path: Path) -> tuple[str, dict[str, int]]:
    count = len(source.pages)
    if count == 0:
        raise CannotShowError("no-pages")
    if count > PAGES:
        raise CannotShowError("many-pages", count=PAGES)
    hidden = _hidden(source)
    left_out = _left_out(source)
    _flatten(source)
    with Pdf.new() as target:
        copier = Copier(source, target)
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
        drawn = [one for one in _annotations(page) if str(one.get("/Subtype")) in DRAWN]
        page.obj.Annots = Array(drawn)
    source.flatten_annotations("screen")


def _annotations(page: Any) -> list[Any]:
    found = page.obj.get("/Annots")
    return [one for one in found if isinstance(one, Dictionary)] if isinstance(found, Array) else []


def _left_out(source: Pdf) -> dict[str, int]:
    """What the copy will not have, for its author to know."""
    kinds = {"/Link": "links", "/Popup": ""}
    counted: Counter[str] = Counter()
    for page in source.pages:
        for one in _annotations(page):
            subtype = str(one.get("/Subtype"))
            if subtype not in DRAWN:
                counted[kinds.get(subtype, "notes")] += 1
    counted["attachments"] = len(source.attachments)
    return {what: number for what, number in counted.items() if what}


def _hidden(source: Pdf) -> str:
    """What the file says about itself beside its pages: properties, notes, names of attachments."""
    found = [str(value) for value in source.trailer.get("/Info", {}).values() if isinstance(value, String)]
    metadata = source.Root.get("/Metadata")
    if isinstance(metadata, Stream):
        found.append(metadata.read_bytes().decode("utf-8", "ignore"))
    found += list(source.attachments)
    for page in source.pages:
        for one in _annotations(page):
            found += [str(one[key]) for key in ("/T", "/Contents") if isinstance(one.get(key), String)]
    return plain("\n".join(found))[:HIDDEN]


def _pictures(folder: Path) -> list[Picture]:
    from pypdfium2 import PdfDocument

    document = PdfDocument(folder / COPY)
    try:
        made, room = [], CHARACTERS
        for number in range(len(document)):
            one = _picture(document[number], folder / f"page-{number + 1:03}.webp", room)
            made.append(one)
            room -= len(one.text)
        return made
    finally:
        document.close()


def _picture(page: Any, path: Path, room: int) -> Picture:
    width, height = page.get_size()
    area = max(width * height, 1e-6)
    scale = min(SCALE, (PIXELS / area) ** 0.5, LONGEST / max(width, height, 1e-6))
    image = page.render(scale=scale).to_pil().convert("RGB")
    save(image, path)
    words = page.get_textpage()
    text = plain(str(words.get_text_bounded())).strip()[:room]
    words.close()
    page.close()
    return Picture(path.name, image.width, image.height, text)
