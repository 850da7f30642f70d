"""Plain text and Markdown: read as UTF-8, without characters that no page can show."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from peerage_web.sandbox.contract.shown import CHARACTERS, Made
from peerage_web.sandbox.work.showing.problems import CannotShowError

# control characters, and those that make text run against its direction and hide what it says
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]"
)
_LOWER = {"h1": "h3", "h2": "h4", "h3": "h5", "h4": "h5", "h5": "h5", "h6": "h5"}  # the page has its own


def make_text(source: Path, folder: Path, kind: str) -> Made:
    """The text itself, and what Markdown makes of it."""
    text = plain(decoded(source.read_bytes()))
    if len(text) > CHARACTERS:
        raise CannotShowError("long-text", count=CHARACTERS)
    if not text.strip():
        raise CannotShowError("empty")
    name = "copy.md" if kind == "markdown" else "copy.txt"
    (folder / name).write_text(text, encoding="utf-8", newline="\n")
    html = _html(text) if kind == "markdown" else ""
    return Made(kind, name, text=text, html=html)


def decoded(data: bytes) -> str:
    """UTF-8, or what says itself that it is UTF-16."""
    utf16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return data.decode("utf-16" if utf16 else "utf-8-sig")
    except UnicodeDecodeError:
        raise CannotShowError("encoding") from None


def plain(text: str) -> str:
    """What can be shown; lines end alike."""
    return _UNSEEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n"))


def _html(text: str) -> str:
    """Without raw HTML and pictures; the service cleans it once more."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "linkify": False})
    parser.enable(["table", "strikethrough"]).disable("image")
    tokens = parser.parse(text)
    for token in tokens:
        token.tag = _LOWER.get(token.tag, token.tag)
    return str(parser.renderer.render(tokens, parser.options, {}))
