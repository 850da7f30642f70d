"""The report of a class: a template of ours, filled with the parts."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

from peerage.palette import custom_properties
from peerage.report.markup import printable, text
from peerage.report.parts import report_parts
from peerage.report.sections import navigation, sections_html

if TYPE_CHECKING:
    from peerage.grading.result import GradingResult

COLOURS = (  # those that report.css uses
    "paper", "sheet", "ink", "muted", "line", "accent", "accent-soft", "band-a", "band-b", "mark", "whisker",
    "warn-ink", "warn-paper", "note-ink", "note-paper",
)  # fmt: skip


def class_page(result: GradingResult, *, anonymous: bool, title: str | None = None) -> str:
    """The whole report."""
    aside = '<p class="aside">Graders are numbered; their names are left out.</p>' if anonymous else ""
    parts = report_parts(result, anonymous=anonymous)
    return render(
        "report.html",
        title=parts["title"] if title is None else printable(title),
        figures=parts["figures"],
        anonymous=aside,
        navigation=navigation(),
        sections=sections_html(parts),
    )


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
