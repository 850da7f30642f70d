"""What `read` can be told: how to open a file, what values mean that do not say it, and criteria."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from peerage._options import named
from peerage.errors import DataError
from peerage.feedback.choices import Duplicates, Ids, Missing

DirectionOption = Literal["auto", "ranks", "scores"]
Weights = Mapping[str, float] | Iterable[str] | str
Zeros = Literal["auto", "scores", "empty"]


def scale_words(words: str | Sequence[str]) -> tuple[str, ...]:
    """The marks of a scale, from a text with commas or one by one."""
    parts = words.split(",") if isinstance(words, str) else list(words)
    scale = tuple(part.strip() for part in parts if part.strip())
    if len({word.lower() for word in scale}) < len(scale) or len(scale) == 1:
        raise DataError(
            f"words={','.join(scale)!r} is no scale: give two marks or more, each once, best first"
        )
    return scale


@dataclass(frozen=True, slots=True)
class OpenOptions:
    """How to open a file; what is not said is found out."""

    sheet: str | int | None = None
    encoding: str | None = None
    delimiter: str | None = None
    skip_rows: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The rules of :func:`peerage.read`, in one object; what is not said is found out or refused."""

    duplicates: Duplicates = "error"
    missing: Missing = "error"
    direction: DirectionOption = "auto"
    lower_is_better: bool = False
    zeros: Zeros = "auto"
    words: tuple[str, ...] = ()
    ids: Ids = "exact"

    def check(self) -> None:
        for name, kind in (("direction", DirectionOption), ("zeros", Zeros), ("ids", Ids)):
            value, allowed = getattr(self, name), get_args(kind)
            if value not in allowed:
                raise DataError(f"{name}={value!r} is not known; use one of {', '.join(allowed)}")


def parse_criteria(criteria: Weights) -> dict[str, float]:
    """Weights by the name of the column; a criterion without one counts once.

    >>> parse_criteria("clarity=2, method")
    {'clarity': 2.0, 'method': 1.0}
    """
    if isinstance(criteria, str):
        criteria = [part for part in criteria.split(",") if part.strip()]
    pairs = criteria.items() if isinstance(criteria, Mapping) else map(_pair, criteria)
    weights: dict[str, float] = {}
    for name, weight in pairs:
        number = _number(weight)
        if not str(name).strip() or number is None:
            raise DataError(
                f"{named('criteria')}: {name!r} with the weight {weight!r} is not NAME=WEIGHT, with a weight"
                " above 0, as in clarity=2"
            )
        if name in weights:
            raise DataError(f"{named('criteria')}: {name!r} is named twice")
        weights[str(name).strip()] = number
    if len(weights) == 1:
        raise DataError(f"{named('criteria')}: one criterion is a score: name two or more")
    return weights


def _pair(text: str) -> tuple[str, str]:
    name, equals, weight = text.rpartition("=")
    return (name.strip(), weight.strip()) if equals else (text.strip(), "1")


def _number(weight: Any) -> float | None:
    try:
        number = float(weight)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) and number > 0 else None
