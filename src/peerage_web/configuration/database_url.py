"""The address of the database, taken apart. No message shows any of it, for it holds a password."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urlsplit

from django.core.exceptions import ImproperlyConfigured

_FORM = "use postgresql://USER:PASSWORD@HOST:PORT/NAME, or leave it out for SQLite"
_ESCAPES = "; characters of a password that mean something in an address (: / ? # [ ] @ %) are written with %"
_OPTION = re.compile(r"[a-z_]+=[^=@]*")


def taken_apart(url: str) -> tuple[SplitResult, dict[str, str]]:
    """Its parts, and the options after the question mark."""
    try:
        parts = urlsplit(url)
        known = (parts.scheme in ("postgres", "postgresql"), parts.port, parts.hostname)
    except ValueError:  # its words would quote what stands where the port should be
        raise ImproperlyConfigured(f"DATABASE_URL cannot be taken apart: {_FORM}{_ESCAPES}") from None
    if not known[0]:
        raise ImproperlyConfigured(f"DATABASE_URL: {_FORM}")
    pairs = [pair for pair in parts.query.split("&") if pair]
    name = parts.path.removeprefix("/")
    # what a password with an unescaped character in it leaves behind
    if not name or "/" in name or "@" in name or parts.fragment or not all(map(_OPTION.fullmatch, pairs)):
        raise ImproperlyConfigured(f"DATABASE_URL cannot be taken apart: {_FORM}{_ESCAPES}")
    return parts, {name: value for name, _, value in (pair.partition("=") for pair in pairs)}
