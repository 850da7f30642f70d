"""Which numbers the class is drawn by, and where they fall on the picture."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from peerage.report.markup import digits_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.grading.result import GradingResult

    Floats = NDArray[np.float64]

EDGE = 2.0  # per cent of the width kept free on either side


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """What is drawn: a value and an interval for every row of ``items``, and where the axis ends.

    Ranks run the other way, so that better is always to the right.
    """

    name: str
    value: Floats
    low: Floats
    high: Floats
    start: float
    end: float
    digits: int

    def place(self, values: Floats | float) -> Floats:
        """Where values fall, in per cent of the width."""
        share = (np.asarray(values, dtype=float) - self.start) / (self.end - self.start)
        return np.asarray(EDGE + (100 - 2 * EDGE) * np.clip(share, 0.0, 1.0))

    def ticks(self) -> Floats:
        """Round numbers along it."""
        return round_numbers(self.start, self.end)


def class_axis(result: GradingResult) -> Axis:
    """Points where there are any; ranks for a method that gives nothing else; else scores."""
    items = result.items
    if "points" in items.columns:
        return _axis("Points", *(items[n].to_numpy() for n in ("points", "points_low", "points_high")))
    if result.fitted.score_scale == "rank":
        values = (items[n].to_numpy().astype(float) for n in ("rank", "rank_low", "rank_high"))
        return _axis("Rank", *values, falling=True)
    return _axis("Score", *(items[n].to_numpy() for n in ("score", "score_low", "score_high")))


def _axis(name: str, value: Floats, low: Floats, high: Floats, *, falling: bool = False) -> Axis:
    low, high = np.where(np.isfinite(low), low, value), np.where(np.isfinite(high), high, value)
    least, most = (float(low.min()), float(high.max())) if len(value) else (0.0, 1.0)
    if most <= least:
        least, most = least - 1.0, most + 1.0
    start, end = (most, least) if falling else (least, most)
    return Axis(name, value, low, high, start, end, 0 if falling else digits_for(most - least))


def round_numbers(start: float, end: float, most: int = 8) -> Floats:
    """At most `most` + 1 multiples of 1, 2 or 5 times a power of ten between two numbers."""
    low, high = min(start, end), max(start, end)
    raw = (high - low) / most
    power = 10.0 ** math.floor(math.log10(raw))
    step = power * next(k for k in (1, 2, 5, 10) if k * power >= raw * (1 - 1e-9))
    return np.asarray(
        np.arange(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1) * step, dtype=float
    )


def tick_text(value: float, ticks: Floats) -> str:
    """A tick with no more decimals than the step between ticks needs."""
    step = float(ticks[1] - ticks[0]) if len(ticks) > 1 else 1.0
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    return f"{value + 0.0:.{digits}f}".replace("-", "\N{MINUS SIGN}")
