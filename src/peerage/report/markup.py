"""Text into HTML: everything that comes from data passes through here."""

from __future__ import annotations

import html
import json
import math
import re
from typing import Any

from peerage.grading.points import decimals

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")
MINUS = "\N{MINUS SIGN}"


def text(value: object) -> str:
    """A value as HTML text, safe in an attribute too."""
    return html.escape(printable(str(value)), quote=True)


def printable(label: str) -> str:
    """A label without the characters that neither HTML nor SVG may hold: each becomes a mark."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", label)


def paragraphs(*sentences: str | None) -> str:
    """One paragraph per sentence that is there."""
    return "\n".join(f"<p>{prose(sentence)}</p>" for sentence in sentences if sentence)


def prose(sentence: str) -> str:
    """A sentence as HTML text, its per cent signs kept with their numbers."""
    return text(sentence.replace(" %", "\N{NO-BREAK SPACE}%"))


def number(value: float | None, digits: int = 0) -> str:
    """A number with a true minus sign; nothing for nothing."""
    if value is None or not math.isfinite(value):
        return ""
    shown = f"{value:.{digits}f}"
    if float(shown) == 0:
        shown = shown.lstrip("-")
    return shown.replace("-", MINUS)


def interval(low: float | None, high: float | None, digits: int = 0) -> str:
    """`3 to 9`; nothing where an end is missing."""
    ends = number(low, digits), number(high, digits)
    return f"{ends[0]} to {ends[1]}" if all(ends) else ""


def percent(share: float | None) -> str:
    """A share as a percentage."""
    return "" if share is None or not math.isfinite(share) else f"{100 * share:.0f} %"


def share_of(part: float, whole: float) -> str:
    """`12 %`, with a decimal where it would round to nothing."""
    value = 100 * part / whole if whole else 0.0
    return f"{value:.1f} %" if 0 < value < 9.95 else f"{value:.0f} %"


def digits_for(spread: float) -> int:
    """Decimals that suit numbers spread this wide."""
    return decimals(spread)


def data_block(name: str, value: Any) -> str:
    """Data for the script, in a form that cannot end the element or start another."""
    return f'<script type="application/json" id="{name}">{packed(value)}</script>'


def packed(value: Any) -> str:
    """JSON as short as it goes, without the characters that mean something in HTML."""
    short = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for mark in "<>&\u2028\u2029":
        short = short.replace(mark, f"\\u{ord(mark):04x}")
    return short
