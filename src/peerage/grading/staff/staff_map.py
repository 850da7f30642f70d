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
from peerage.grading.staff.scales import ScaleConversion

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.grading.staff.line_posterior import GradePrior

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
    posterior : of a straight map and of the gap; of a curve, of what is left beside it.
    line : of a curve: the straight line that says how far its slope may be off.
    prior_source : by what it was known beforehand what is usual of such staff grades, if at all.
    """

    shape: str
    intercept: float
    slope: float
    error: float
    errors: dict[str, float]
    predicted: Floats
    below: Floats
    curve: Curve
    posterior: LinePosterior
    line: LinePosterior | None
    prior_source: Literal["peers", "scale"] | None

    def __call__(self, scores: NDArray[np.floating]) -> Floats:
        return self.curve(scores)

    @property
    def gap(self) -> float:
        """How far a staff grade is from the map: the median of what may be."""
        return self.posterior.gap_quantile(0.5)

    def vary(self, scores: NDArray[np.floating], rng: np.random.Generator) -> Floats:
        """Staff grades of draws of the scores, one class per row: map and gap are drawn too."""
        level, slope, gap = (part[:, None] for part in self.posterior.draw(len(scores), rng))
        turn = None
        if self.line is not None:
            turn = (self.line.draw(len(scores), rng)[1] - self.line.coefficients[1])[:, None]
        out = np.empty(scores.shape)
        for start in range(0, scores.shape[1], BLOCK):  # a large class would need its size several times over
            part = scores[:, start : start + BLOCK]
            if turn is None or self.line is None:
                points = level + slope * (part - self.posterior.centre)
            else:
                points = self.curve(part) + level + turn * (part - self.line.centre)
            noise = rng.standard_normal(part.shape, dtype=np.float32)
            out[:, start : start + BLOCK] = points + gap * noise
        return out


class AnchoredMap:
    """Scores to points on the staff's scale; draws also vary the map and the gap."""

    def __init__(
        self,
        maps: tuple[StaffMap, ...],
        task_starts: NDArray[np.int64],
        conversion: ScaleConversion,
    ) -> None:
        self.maps, self.task_starts, self.conversion = maps, task_starts, conversion
        shapes = {"line": "along a straight line", "curve": "along a rising curve"}
        how = " or ".join(sorted({shapes[task_map.shape] for task_map in maps}))
        self.sentence = (
            f"Points are on the staff's scale: peers' scores, {how} fitted to the staff grades."
            f"{self.conversion.sentence}"
        )

    def __call__(self, scores: NDArray[np.floating]) -> NDArray[np.float64]:
        """Points of the items' scores: one class, or one class per row."""
        points = np.empty(scores.shape)
        for task_map, low, high in zip(self.maps, self.task_starts[:-1], self.task_starts[1:], strict=True):
            points[..., low:high] = task_map(self.conversion(scores[..., low:high]))
        return points

    def vary(self, draws: NDArray[np.floating], rng: np.random.Generator) -> NDArray[np.float64]:
        """One class per row, as staff might have graded it: map, peers' scores and gap all uncertain."""
        points = np.empty(draws.shape)
        for task_map, low, high in zip(self.maps, self.task_starts[:-1], self.task_starts[1:], strict=True):
            points[:, low:high] = task_map.vary(self.conversion(draws[:, low:high]), rng)
        return points


@dataclass(frozen=True, slots=True)
class _Fit:
    """One shape, with what every item gets from the others."""

    predicted: Floats
    below: Floats
    curve: Curve
    posterior: LinePosterior
    line: LinePosterior | None = None


def fit_staff_map(
    scores: Floats,
    grades: Floats,
    *,
    noise: Floats | None = None,
    spread: float | None = None,
    prior: GradePrior | None = None,
) -> StaffMap:
    """The map for staff-graded items with these scores, which are known with these variances.

    `spread` is the standard deviation of the scores of the whole task; `prior`, what is usual of the staff
    grades.
    """
    c = np.zeros(len(scores)) if noise is None else noise
    sd = float(scores.std()) if spread is None else spread
    line = _straight(scores, grades, c, sd, prior)
    fits = {"line": line}
    if len(scores) >= LEAST_CURVE:
        fits["curve"] = _bent(scores, grades, c, sd, line.posterior)
    rest = {name: fit.predicted - grades for name, fit in fits.items()}
    shape = _simplest(rest)
    others = _chosen_without(rest)
    each = np.arange(len(scores))
    predicted = np.array([fits[name].predicted[i] for i, name in zip(each, others, strict=True)])
    below = np.array([fits[name].below[i] for i, name in zip(each, others, strict=True)])
    intercept, slope = (line if shape == "curve" else fits[shape]).posterior.coefficients
    chosen = fits[shape]
    return StaffMap(
        shape, intercept, slope, _rms(predicted - grades), {name: _rms(r) for name, r in rest.items()},
        predicted, below, chosen.curve, chosen.posterior, chosen.line, prior.source if prior else None,
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


def _straight(scores: Floats, grades: Floats, noise: Floats, spread: float, prior: GradePrior | None) -> _Fit:
    posterior = line_posterior(scores, grades, noise, spread, prior=prior)
    intercept, slope = posterior.coefficients
    return _Fit(
        posterior.predicted,
        posterior.below,
        lambda x: np.asarray(intercept + slope * x, dtype=float),
        posterior,
    )


def _bent(scores: Floats, grades: Floats, noise: Floats, spread: float, line: LinePosterior) -> _Fit:
    """A curve; what is left beside it is judged by items that it did not see."""
    others = ~np.eye(len(scores), dtype=bool)
    predicted = np.array([float(_isotonic(scores[k], grades[k])(scores[i])) for i, k in enumerate(others)])
    about = scores - scores.mean()
    lever = 1 / len(scores) + about**2 / max(float(about @ about), 1e-300)
    slope = line.coefficients[1]
    rest = (grades - predicted) / np.sqrt(1 + lever)  # a left-out error also holds that of the map
    posterior = line_posterior(np.zeros(len(scores)), rest, slope**2 * noise, slope * spread, slope=1.0)
    return _Fit(predicted, posterior.below, _isotonic(scores, grades), posterior, line)


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
