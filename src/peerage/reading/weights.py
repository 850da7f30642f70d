"""Criteria and how much each counts, from what people write."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from peerage._options import named
from peerage.errors import DataError

Weights = Mapping[str, float] | Iterable[str] | str


def parse_criteria(given: Weights) -> dict[str, float]:
    """Weights by the name of the column; a criterion without one counts once.

    >>> parse_criteria("clarity=2, method")
    {'clarity': 2.0, 'method': 1.0}
    """
    if isinstance(given, str):
        given = [part for part in given.split(",") if part.strip()]
    pairs = given.items() if isinstance(given, Mapping) else map(_pair, given)
    found: dict[str, float] = {}
    for name, weight in pairs:
        number = _number(weight)
        if not str(name).strip() or number is None:
            raise DataError(
                f"{named('criteria')}: {name!r} with the weight {weight!r} is not NAME=WEIGHT, with a weight"
                " above 0, as in clarity=2"
            )
        if name in found:
            raise DataError(f"{named('criteria')}: {name!r} is named twice")
        found[str(name).strip()] = number
    if len(found) == 1:
        raise DataError(f"{named('criteria')}: one criterion is a score: name two or more")
    return found


def _pair(text: str) -> tuple[str, str]:
    name, equals, weight = text.rpartition("=")
    return (name.strip(), weight.strip()) if equals else (text.strip(), "1")


def _number(weight: Any) -> float | None:
    try:
        number = float(weight)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) and number > 0 else None
