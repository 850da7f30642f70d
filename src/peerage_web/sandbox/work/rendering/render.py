"""One file, made into what reviewers see of it.

Plain text and Markdown are read here: as UTF-8, without characters that no page can show.
"""

import codecs
from dataclasses import asdict
from pathlib import Path
from typing import Any

from peerage_web.sandbox.contract.errors import DISK_FULL, error_location
from peerage_web.sandbox.contract.jobs import JobFiles, without_kernels
from peerage_web.sandbox.contract.rendering import (
    COPY_FOLDER,
    MAX_CHARACTERS,
    CannotRenderError,
    ReviewCopy,
    clean_text,
)
from peerage_web.sandbox.work.reading import StepListener

_HEADINGS = {"h1": "h3", "h2": "h4", "h3": "h5", "h4": "h5", "h5": "h5", "h6": "h5"}  # the page has its own


@without_kernels
def render_file(files: JobFiles, kind: str, *, on_step: StepListener) -> dict[str, Any]:
    """Make it in the folder `shown` beside the file's.

    The answer is a :class:`ReviewCopy`, or a `problem` with its code and figures. Parsers raise whatever they
    like on a damaged file, so everything they raise means that it is one; `where` tells us what it was.
    """
    files.enter()
    folder = Path("..") / COPY_FOLDER
    folder.mkdir()
    try:
        return asdict(_render(kind, Path(files.feedback), folder))
    except CannotRenderError as error:
        return {"problem": {"code": error.code, **error.figures}}
    except MemoryError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno in DISK_FULL:
            raise
        return {"problem": {"code": "unreadable"}, "where": error_location(error)}


def _render(kind: str, source: Path, folder: Path) -> ReviewCopy:
    """Each kind loads its own libraries, and only when it is asked for."""
    if kind == "pdf":
        from peerage_web.sandbox.work.rendering.pdf import render_pdf

        return render_pdf(source, folder)
    if kind == "image":
        from peerage_web.sandbox.work.rendering.images import render_image

        return render_image(source, folder)
    if kind == "word":
        from peerage_web.sandbox.work.rendering.word import render_word

        return render_word(source, folder)
    return _render_text(source, folder, kind)


def _render_text(source: Path, folder: Path, kind: str) -> ReviewCopy:
    """The text itself, and what Markdown makes of it."""
    text = clean_text(_decode(source.read_bytes()))
    if len(text) > MAX_CHARACTERS:
        raise CannotRenderError("long-text", count=MAX_CHARACTERS)
    if not text.strip():
        raise CannotRenderError("empty")
    name = "copy.md" if kind == "markdown" else "copy.txt"
    (folder / name).write_text(text, encoding="utf-8", newline="\n")
    html = _markdown_to_html(text) if kind == "markdown" else ""
    return ReviewCopy(kind, name, text=text, html=html)


def _decode(data: bytes) -> str:
    """UTF-8, or what says itself that it is UTF-16."""
    utf16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return data.decode("utf-16" if utf16 else "utf-8-sig")
    except UnicodeDecodeError:
        raise CannotRenderError("encoding") from None


def _markdown_to_html(text: str) -> str:
    """Without raw HTML and pictures; the service cleans it once more."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "linkify": False})
    parser.enable(["table", "strikethrough"]).disable("image")
    tokens = parser.parse(text)
    for token in tokens:
        token.tag = _HEADINGS.get(token.tag, token.tag)
    return str(parser.renderer.render(tokens, parser.options, {}))
