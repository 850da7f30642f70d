"""From scores to the staff's scale: a monotone map learned from a few staff grades, and its error.

A line with a slope above 0 is tried, and an isotonic curve where there are enough staff grades to bend one.
Each predicts every staff-graded item from the others. The line wins unless the curve is better by more than
one standard error: with a few staff grades the smallest error is mostly luck. The error that is reported
leaves the item out of the choice too, so it does not flatter the winner.

Scores on the graders' own scale get a line as well, not a shift: what only peers see in a work, and only
staff, draws the best and the last together, and a shift would keep them as far apart as peers put them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from peerage.grading.staff.line_posterior import LinePosterior, line_posterior

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.grading.staff.expected import Expected

    Floats = NDArray[np.float64]

LEAST = 3  # staff grades that a map needs
LEAST_CURVE = 20  # fewer give no curve
BLOCK = 20_000  # items at a time

Curve = Callable[["NDArray[np.floating]"], "NDArray[np.float64]"]


@dataclass(frozen=True, slots=True, eq=False)
class StaffMap:
    """The chosen map.

    Attributes
    ----------
    shape : "line" or "curve".
    intercept, slope : of the map, for a curve of the straight line nearest to it.
    error : root mean squared error of items left out, also of the choice of shape.
    errors : the same by shape, without repeating the choice.
    predicted : what each staff-graded item would have got without its own staff grade.
    below : the chance of less than its staff grade, as the others tell it.
    known : what may be true of a straight map and of the gap; of a curve, of what is left beside it.
    usual : by what it was known beforehand what is usual of such staff grades, if at all.
    """

    shape: str
    intercept: float
    slope: float
    error: float
    errors: dict[str, float]
    predicted: Floats
    below: Floats
    curve: Curve
    known: LinePosterior
    bends: LinePosterior | None  # of a curve: the line that says how far its slope may be off
    usual: Literal["peers", "scale"] | None

    def __call__(self, scores: NDArray[np.floating]) -> Floats:
        """Grades on the staff's scale."""
        return self.curve(scores)

    @property
    def gap(self) -> float:
        """How far a staff grade is from the map: the median of what may be."""
        return self.known.gap_quantile(0.5)

    def vary(self, scores: NDArray[np.floating], rng: np.random.Generator) -> Floats:
        """Staff grades of draws of the scores, one class per row: map and gap are drawn too."""
        level, slope, gap = (one[:, None] for one in self.known.draw(len(scores), rng))
        turn = None
        if self.bends is not None:
            turn = (self.bends.draw(len(scores), rng)[1] - self.bends.line[1])[:, None]
        out = np.empty(scores.shape)
        for start in range(0, scores.shape[1], BLOCK):  # a large class would need its size several times over
            part = scores[:, start : start + BLOCK]
            if turn is None or self.bends is None:
                points = level + slope * (part - self.known.centre)
            else:
                points = self.curve(part) + level + turn * (part - self.bends.centre)
            noise = rng.standard_normal(part.shape, dtype=np.float32)
            out[:, start : start + BLOCK] = points + gap * noise
        return out


@dataclass(frozen=True, slots=True)
class _Fit:
    """One shape, with what every item gets from the others."""

    predicted: Floats
    below: Floats
    curve: Curve
    known: LinePosterior
    bends: LinePosterior | None = None


def fit_staff_map(
    scores: Floats,
    grades: Floats,
    *,
    noise: Floats | None = None,
    spread: float | None = None,
    expected: Expected | None = None,
) -> StaffMap:
    """The map for staff-graded items with these scores, which are known with these variances.

    `spread` is the standard deviation of the scores of the whole task; `expected`, what is usual of the staff
    grades.
    """
    c = np.zeros(len(scores)) if noise is None else noise
    sd = float(scores.std()) if spread is None else spread
    line = _straight(scores, grades, c, sd, expected)
    fits = {"line": line}
    if len(scores) >= LEAST_CURVE:
        fits["curve"] = _bent(scores, grades, c, sd, line.known)
    rest = {name: fit.predicted - grades for name, fit in fits.items()}
    shape = _simplest(rest)
    others = _chosen_without(rest)
    each = np.arange(len(scores))
    predicted = np.array([fits[name].predicted[i] for i, name in zip(each, others, strict=True)])
    below = np.array([fits[name].below[i] for i, name in zip(each, others, strict=True)])
    intercept, slope = (line if shape == "curve" else fits[shape]).known.line
    chosen = fits[shape]
    return StaffMap(
        shape, intercept, slope, _rms(predicted - grades), {name: _rms(r) for name, r in rest.items()},
        predicted, below, chosen.curve, chosen.known, chosen.bends, expected.source if expected else None,
    )  # fmt: skip


def _simplest(left_out: dict[str, Floats]) -> str:
    """The first shape that no other beats by more than a standard error of the difference."""
    for name, rest in left_out.items():
        gains = [rest**2 - other**2 for other in left_out.values() if other is not rest]
        if all(gain.mean() <= gain.std(ddof=1) / np.sqrt(len(gain)) for gain in gains):
            return name
    return min(left_out, key=lambda name: _rms(left_out[name]))


def _chosen_without(left_out: dict[str, Floats]) -> list[str]:
    """The shape that would have been chosen without each item's own error."""
    n = len(next(iter(left_out.values())))
    if len(left_out) == 1:
        return list(left_out) * n
    return [_simplest({name: np.delete(rest, i) for name, rest in left_out.items()}) for i in range(n)]


def _straight(
    scores: Floats, grades: Floats, noise: Floats, spread: float, expected: Expected | None
) -> _Fit:
    known = line_posterior(scores, grades, noise, spread, expected=expected)
    intercept, by = known.line
    return _Fit(known.predicted, known.below, lambda x: np.asarray(intercept + by * x, dtype=float), known)


def _bent(scores: Floats, grades: Floats, noise: Floats, spread: float, line: LinePosterior) -> _Fit:
    """A curve; what is left beside it is judged by items that it did not see."""
    others = ~np.eye(len(scores), dtype=bool)
    predicted = np.array([float(_isotonic(scores[k], grades[k])(scores[i])) for i, k in enumerate(others)])
    about = scores - scores.mean()
    lever = 1 / len(scores) + about**2 / max(float(about @ about), 1e-300)
    slope = line.line[1]
    rest = (grades - predicted) / np.sqrt(1 + lever)  # a left-out error also holds that of the map
    known = line_posterior(np.zeros(len(scores)), rest, slope**2 * noise, slope * spread, slope=1.0)
    return _Fit(predicted, known.below, _isotonic(scores, grades), known, line)


def _isotonic(scores: Floats, grades: Floats) -> Curve:
    """Pools of adjacent violators, joined by straight lines between the pools' middles; flat beyond."""
    from scipy.optimize import isotonic_regression

    order = np.lexsort((grades, scores))
    fitted = isotonic_regression(grades[order]).x
    level, pool = np.unique(fitted, return_inverse=True)
    middle = np.bincount(pool, scores[order]) / np.bincount(pool)
    return lambda x: np.interp(x, middle, level)


def _rms(differences: Floats) -> float:
    return float(np.sqrt(np.mean(differences**2)))
