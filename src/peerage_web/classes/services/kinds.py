"""What kind of file somebody uploads, told from its first bytes. A child finds out whether it opens."""

from __future__ import annotations

import codecs
from collections.abc import Collection

PDF_WITHIN = 1024  # bytes in which a PDF says what it is
HEAD = 64 * 1024  # bytes that are looked at
_IMAGES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff")
_MARKDOWN = (".md", ".markdown", ".mkd")
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def kind_of(head: bytes, name: str, allowed: Collection[str]) -> str | None:
    """The kind, if it is one of those allowed. The name only tells Markdown from other text."""
    found = _kind(head, name)
    if found in ("text", "markdown") and found not in allowed:
        found = "markdown" if found == "text" else "text"
    return found if found in allowed else None


def _kind(head: bytes, name: str) -> str | None:
    if b"%PDF-" in head[:PDF_WITHIN]:
        return "pdf"
    if head.startswith(_IMAGES):
        return "image"
    if not _is_text(head):
        return None
    return "markdown" if name.lower().endswith(_MARKDOWN) else "text"


def _is_text(head: bytes) -> bool:
    """No zero bytes, unless it says that its letters have two; letters of old encodings are told later."""
    return head.startswith(_WIDE) or not any(byte < 9 or 14 <= byte < 27 for byte in head)
