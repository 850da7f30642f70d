"""Docstrings for readers of the site: terse parameters in full width, and of a model only what users call."""

from __future__ import annotations

import re
from typing import Any

SECTION = re.compile(r"^(\s*)(Parameters|Attributes|Returns|Raises)$")
ENTRY = re.compile(r"^(\*{0,2}\w[\w, *]*) : (.+)$")
TYPE = 60  # characters, about: what is longer is a sentence
OF_MODELS = {  # what users call; the rest is for those who write a model
    "aic_", "fit", "get_params", "graders", "grades", "log_likelihood", "log_likelihood_", "n_parameters_",
    "plot", "predict_order", "predict_proba", "score", "set_params", "to_frame", "win_probability",
}  # fmt: skip


def _unfold(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """`name : a sentence` becomes a name with a sentence below it; `name : type` stays."""
    result: list[str] = []
    inside, margin = False, 0
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if SECTION.match(line) and set(following.strip()) == {"-"}:
            inside, margin = True, len(line) - len(line.lstrip())
        elif line.strip() and set(following.strip()) == {"-"}:
            inside = False
        text = line[margin:]
        entry = ENTRY.match(text) if inside and line[:margin].isspace() | (margin == 0) else None
        if entry and _terse(entry[2], following[margin:]):
            blank = " " * margin
            result += [f"{blank}{entry[1]}", f"{blank}    {entry[2]}"]
        else:
            result.append(line)
    lines[:] = result


def _terse(text: str, following: str) -> bool:
    continued = following.startswith("    ")
    return not continued or len(text) > TYPE or following.strip()[:1].islower()


def _skip(app: Any, what: str, name: str, thing: Any, skip: bool, options: Any) -> bool | None:
    module = getattr(getattr(thing, "fget", thing), "__module__", None) or ""
    return True if module.startswith("peerage.models.") and name not in OF_MODELS else None


def setup(app: Any) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", _unfold, priority=400)  # before numpydoc
    app.connect("autodoc-skip-member", _skip)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
