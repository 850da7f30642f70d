"""The options of grading as flags."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import typer

from peerage.cli._flags import Command, Flag, flags_of, with_flags
from peerage.grading.options import GradingOptions

METHOD = Flag(("--method", "-m"), "See peerage methods; chosen for you if not given.")
FLAGS = {"method": METHOD, "params": Flag(("--set",)), "own_work": Flag(("--self",))}
LIBRARY_ONLY = ("prior",)


def takes_grading_options(*names: str) -> Callable[[Command], Command]:
    """Give a command the flags of grading, or some of them; it receives them as one argument `options`."""
    offered = [name for name in GradingOptions.table() if name not in LIBRARY_ONLY]
    return with_flags("options", flags_of(GradingOptions, names or offered, own=FLAGS), grading_options)


def grading_options(given: Mapping[str, Any]) -> GradingOptions:
    """The options from what the flags were given."""
    read: dict[type, Callable[[Any], Any]] = {dict: parameters, tuple: _parts}
    table = GradingOptions.table()
    return GradingOptions(
        **{name: read.get(table[name].kind, lambda v: v)(value) for name, value in given.items()}
    )


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def parameters(texts: list[str] | None) -> dict[str, Any]:
    """Parameters of a method from `name=value`; numbers and true/false are recognised."""
    found: dict[str, Any] = {}
    for text in texts or ():
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals and value):
            raise typer.BadParameter(
                f"{text!r} is not NAME=VALUE, as in score_variance=3", param_hint="--set"
            )
        found[name] = _value(value)
    return found


def _value(text: str) -> Any:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
