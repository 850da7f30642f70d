"""Why there is no copy of a file for reviewers, and what to do: codes in words, in the reader's language."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

PROBLEMS: dict[str, Any] = {
    "empty": _("The file is empty. Choose another one."),
    "unreadable": _(
        "The file is damaged and cannot be opened. Open it on your computer, save or export it anew, and"
        " upload that."
    ),
    "locked": _("The PDF is protected by a password. Export it without one and upload it again."),
    "no-pages": _("The PDF has no pages. Export it anew and upload it again."),
    "many-pages": ngettext_lazy(
        "The PDF has more than %(count)d page, which is all that can be shown. Upload a shorter one.",
        "The PDF has more than %(count)d pages, which is all that can be shown. Upload a shorter one.",
        "count",
    ),
    "many-pixels": ngettext_lazy(
        "The image has more than %(count)d million pixels. Make it smaller and upload it again.",
        "The image has more than %(count)d million pixels. Make it smaller and upload it again.",
        "count",
    ),
    "long-text": ngettext_lazy(
        "The text is longer than %(count)d character. Shorten it, or upload it as a PDF.",
        "The text is longer than %(count)d characters. Shorten it, or upload it as a PDF.",
        "count",
    ),
    "encoding": _("The text is not in UTF-8. Save it with the encoding UTF-8 and upload it again."),
    "time": _(
        "The file takes too long to draw. Export it anew, with simpler figures or as a smaller file, and"
        " upload that."
    ),
    "memory": _("The file needs too much memory. Make its images smaller and upload it again."),
    "crash": _(
        "The program that draws the file died on it. Print it into a new PDF on your computer and upload"
        " that."
    ),
    "interrupted": _(
        "The work on the file was interrupted several times; nothing is known to be wrong with it. Try again."
    ),
    "broken": _(
        "Something went wrong on our side. Try again; if it happens again, tell the people who run this"
        " service."
    ),
    "gone": _("The copy for reviewers is missing. Try again, or tell your instructor."),
}
AGAIN = frozenset({"time", "memory", "interrupted", "broken", "gone"})  # what another try may help


def stored_problem(code: str, **figures: int) -> str:
    """As `SubmissionFile.problem` keeps it."""
    return json.dumps({"code": code if code in PROBLEMS else "broken", **figures})


def problem_in_words(stored: str) -> str:
    """What the author reads; empty where there is no problem."""
    found = _read(stored)
    if not found:
        return ""
    try:
        return str(PROBLEMS[found["code"]] % found)
    except (KeyError, TypeError, ValueError):
        return str(PROBLEMS["broken"])


def may_be_tried_again(stored: str) -> bool:
    """Whether the same file may come through at another time."""
    return _read(stored).get("code") in AGAIN


def _read(stored: str) -> Mapping[str, Any]:
    try:
        found = json.loads(stored or "{}")
    except ValueError:
        return {"code": "broken"}
    return found if isinstance(found, dict) else {"code": "broken"}
