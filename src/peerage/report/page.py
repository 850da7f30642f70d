"""Pages of ours: data becomes safe HTML here, and HTML a page with its own style, script and policy."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import math
import re
from dataclasses import dataclass
from importlib.resources import files
from string import Template
from typing import Any
from urllib.parse import urlencode

import polars as pl

from peerage.palette import custom_properties

COLOURS = (  # those that report.css uses
    "paper", "sheet", "ink", "muted", "line", "accent", "accent-soft", "band-a", "band-b", "mark", "whisker",
    "warn-ink", "warn-paper", "note-ink", "note-paper",
)  # fmt: skip
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


def data_block(name: str, value: Any) -> str:
    """Data for the script, in a form that cannot end the element or start another."""
    return f'<script type="application/json" id="{name}">{packed(value)}</script>'


def packed(value: Any) -> str:
    """JSON as short as it goes, without the characters that mean something in HTML."""
    short = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for mark in "<>&\u2028\u2029":
        short = short.replace(mark, f"\\u{ord(mark):04x}")
    return short


# -- where items lead -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses of items: `address?item=…`, with `task=…` where there are several tasks."""

    address: str
    several: bool

    def to(self, item: str, task: str) -> str:
        query = {"item": item, "task": task} if self.several else {"item": item}
        return f"{self.address}?{urlencode(query)}"


def links_of(frame: pl.DataFrame, links: Links | None) -> list[str]:
    """The addresses of a table's items, in the order of its rows; none where items lead nowhere."""
    if links is None:
        return []
    return [links.to(item, task) for item, task in zip(frame["item"], frame["task"], strict=True)]


# -- a whole page ---------------------------------------------------------------------------------------


def render(template: str, **parts: str) -> str:
    """A template of ours with its style and script inside, and a policy that lets no others run."""
    style, script = _style(), _script()
    parts["title"] = text(parts["title"])
    return Template(_asset(template)).substitute(parts, style=style, script=script, policy=policy())


def policy() -> str:
    """What a browser may run in a page of ours: its own style and script, known by their hashes."""
    return (
        f"default-src 'none'; style-src '{_hash(_style())}'; script-src '{_hash(_script())}';"
        " base-uri 'none'; form-action 'none'"
    )


def _style() -> str:
    return f"{custom_properties(COLOURS)}\n{_asset('report.css')}"


def _script() -> str:
    return _asset("report.js") + _asset("start.js")


def _asset(name: str) -> str:
    return files("peerage.report").joinpath("assets", name).read_text(encoding="utf-8")


def _hash(source: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
