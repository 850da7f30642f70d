"""Word files (.docx): their text and images as a page, and nothing else of what a document carries along.

Mammoth makes HTML of what the document says: headings, lists, tables, images; insertions count, deletions do
not. Properties, comments, headers and footers, macros stay out; their words go to `hidden`, where names are
looked for that only the author is told about.
"""

import re
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from peerage_web.sandbox.contract.rendering import (
    IMAGE_MARK_SIGNS,
    MAX_CHARACTERS,
    MAX_PAGES,
    CannotRenderError,
    PageImage,
    ReviewCopy,
    clean_text,
    image_mark,
)
from peerage_web.sandbox.work.rendering.images import render_picture

MAX_UNPACKED = 200 << 20  # bytes of all parts of a document
MAX_HIDDEN = 20_000  # characters that are searched for names
MAIN = "word/document.xml"
_WORDS = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_PROPERTIES = ("docProps/core.xml", "docProps/app.xml", "docProps/custom.xml")
_HEADINGS = """
p[style-name='Title'] => h3:fresh
p[style-name='Heading 1'] => h3:fresh
p[style-name='Heading 2'] => h4:fresh
p[style-name='Heading 3'] => h5:fresh
p[style-name='Heading 4'] => h5:fresh
p[style-name='Heading 5'] => h5:fresh
p[style-name='Heading 6'] => h5:fresh
"""


def render_word(source: Path, folder: Path) -> ReviewCopy:
    """HTML with its images, and the text alone for download."""
    import mammoth

    with zipfile.ZipFile(source) as archive:
        _refuse_bombs(archive)
        hidden, left_out = _hidden_parts(archive)
    pictures = _Pictures(folder)
    with source.open("rb") as opened:
        html = mammoth.convert_to_html(
            opened, style_map=_HEADINGS, convert_image=pictures.convert, ignore_empty_paragraphs=False
        ).value
        opened.seek(0)
        text = clean_text(mammoth.extract_raw_text(opened).value).replace("\n\n", "\n").strip()
    if len(text) > MAX_CHARACTERS or len(html) > 20 * MAX_CHARACTERS:
        raise CannotRenderError("long-text", count=MAX_CHARACTERS)
    if not text and not pictures.made:
        raise CannotRenderError("empty")
    (folder / "copy.txt").write_text(text + "\n", encoding="utf-8", newline="\n")
    if pictures.unreadable:
        left_out["images"] = pictures.unreadable
    hidden = "\n".join([hidden, *pictures.hidden])[:MAX_HIDDEN]
    return ReviewCopy(
        "word", "copy.txt", pictures.made, text=text, html=_with_marks(html), hidden=hidden, left_out=left_out
    )


def _refuse_bombs(archive: zipfile.ZipFile) -> None:
    if any(part.flag_bits & 1 for part in archive.infolist()):
        raise CannotRenderError("locked-word")
    if MAIN not in archive.namelist():
        raise CannotRenderError("unreadable")
    if sum(part.file_size for part in archive.infolist()) > MAX_UNPACKED:
        raise CannotRenderError("unpacked", count=MAX_UNPACKED >> 20)


class _Pictures:
    """The images of a document, each drawn anew where it stands."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.made: list[PageImage] = []
        self.hidden: list[str] = []
        self.unreadable = 0

    def convert(self, image: Any) -> list[Any]:
        """What Mammoth writes for an image: its number. Alternative texts are often paths, with a name."""
        from mammoth import html

        if len(self.made) == MAX_PAGES:
            raise CannotRenderError("many-images", count=MAX_PAGES)
        try:
            with image.open() as opened:
                made, hidden = render_picture(opened, self.folder, len(self.made) + 1)
        except CannotRenderError:
            raise
        except (OSError, ValueError, SyntaxError, KeyError):  # drawings of Windows, damaged or linked images
            self.unreadable += 1
            return []
        self.made.append(made)
        self.hidden.append(hidden)
        return [html.element("img", {"src": str(len(self.made))})]


_IMAGE = re.compile(r'<img src="([0-9]+)" ?/>')


def _with_marks(html: str) -> str:
    """With a mark for every image that we made, and for none that a document pretends to have."""
    parts = _IMAGE.split(html)
    parts[::2] = [IMAGE_MARK_SIGNS.sub("", clean_text(text)) for text in parts[::2]]
    parts[1::2] = [image_mark(int(number)) for number in parts[1::2]]
    return "".join(parts)


def _hidden_parts(archive: zipfile.ZipFile) -> tuple[str, dict[str, int]]:
    """The words of what stays out, and how much of it there is."""
    names = archive.namelist()
    words: list[str] = []
    counts: dict[str, int] = {}
    for name in _PROPERTIES:
        if name in names:
            words += _texts(archive, name)
    for name in names:
        kind = name.removeprefix("word/").rstrip("0123456789.xml")
        if name.startswith("word/") and name.endswith(".xml") and kind in ("header", "footer"):
            text = _texts(archive, name)
            words += text
            counts["headers"] = counts.get("headers", 0) + bool("".join(text).strip())
    if "word/comments.xml" in names:
        comments = _tree(archive, "word/comments.xml").findall(f"{_WORDS}comment")
        counts["comments"] = len(comments)
        words += [text for comment in comments for text in [*comment.attrib.values(), *comment.itertext()]]
    changes = [
        change
        for tag in ("ins", "del", "moveFrom", "moveTo")
        for change in _tree(archive, MAIN).iter(f"{_WORDS}{tag}")
    ]
    counts["changes"] = len(changes)
    words += [change.get(f"{_WORDS}author") or "" for change in changes]
    words += [text for change in changes if change.tag.endswith("del") for text in change.itertext()]
    counts["macros"] = sum(name.lower().endswith("vbaproject.bin") for name in names)
    return clean_text("\n".join(filter(None, words))), {
        what: count for what, count in counts.items() if count
    }


def _texts(archive: zipfile.ZipFile, name: str) -> list[str]:
    return [text for text in _tree(archive, name).itertext() if text.strip()]


def _tree(archive: zipfile.ZipFile, name: str) -> ElementTree.Element:
    return ElementTree.fromstring(archive.read(name))  # which resolves nothing outside of the file
