"""From scores to the staff's scale: a monotone map learned from a few staff grades, and its error.

Three shapes are tried: a shift (staff = score + a, for scores on the graders' scale), a line with slope of
at least 0, and an isotonic curve where there are enough staff grades to bend one. Each predicts every
staff-graded item from the others. The simplest shape wins unless another is better by more than one standard
error: with a few staff grades the smallest error is mostly luck. The error that is reported repeats the whole
choice without the item, so it does not flatter the winner.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEAST = 3  # staff grades that a map needs
LEAST_LINE = 6  # fewer give a shift, where scores are on the graders' scale
LEAST_CURVE = 20  # fewer give no curve

Curve = Callable[["NDArray[np.floating]"], "NDArray[np.float64]"]


@dataclass(frozen=True, slots=True, eq=False)
class StaffMap:
    """The chosen map.

    Attributes
    ----------
    shape : "shift", "line" or "curve".
    intercept, slope : of the map, for a curve of the straight line nearest to it.
    error : cross-validated root mean squared error, with the choice of shape repeated.
    errors : the same by shape, without repeating the choice.
    predicted : what each staff-graded item would have got without its own staff grade.
    """

    shape: str
    intercept: float
    slope: float
    error: float
    errors: dict[str, float]
    predicted: NDArray[np.float64]
    curve: Curve
    covariance: NDArray[np.float64]  # of (intercept, slope)

    def __call__(self, scores: NDArray[np.floating]) -> NDArray[np.float64]:
        """Grades on the staff's scale."""
        return self.curve(scores)


def fit_staff_map(scores: NDArray[np.float64], grades: NDArray[np.float64], *, same_scale: bool) -> StaffMap:
    """The map for staff-graded items with these scores."""
    shapes = _shapes(len(scores), same_scale=same_scale)
    left_out = {name: _left_out(scores, grades, name) - grades for name in shapes}
    errors = {name: _rms(rest) for name, rest in left_out.items()}
    shape = _simplest(left_out)
    predicted = _nested(scores, grades, shapes)
    line = _line(scores, grades)
    curve = _FITS[shape](scores, grades)
    intercept, slope = (float(np.mean(grades - scores)), 1.0) if shape == "shift" else line
    return StaffMap(
        shape, intercept, slope, _rms(predicted - grades), errors, predicted, curve,
        _covariance(scores, grades - curve(scores), shape),
    )  # fmt: skip


def _shapes(n: int, *, same_scale: bool) -> list[str]:
    shapes = ["shift"] if same_scale else ["line"]
    if same_scale and n >= LEAST_LINE:
        shapes.append("line")
    return [*shapes, "curve"] if n >= LEAST_CURVE else shapes


def _simplest(left_out: dict[str, NDArray[np.float64]]) -> str:
    """The first shape that no other beats by more than a standard error of the difference."""
    for name, rest in left_out.items():
        gains = [rest**2 - other**2 for other in left_out.values() if other is not rest]
        if all(gain.mean() <= gain.std(ddof=1) / np.sqrt(len(gain)) for gain in gains):
            return name
    return min(left_out, key=lambda name: _rms(left_out[name]))


def _shift(scores: NDArray[np.float64], grades: NDArray[np.float64]) -> Curve:
    by = float(np.mean(grades - scores))
    return lambda x: np.asarray(x + by, dtype=float)


def _line(scores: NDArray[np.float64], grades: NDArray[np.float64]) -> tuple[float, float]:
    """Least squares with a slope of at least 0."""
    about = scores - scores.mean()
    spread = float(about @ about)
    slope = max(0.0, float(about @ grades) / spread) if spread > 0 else 0.0
    return float(grades.mean() - slope * scores.mean()), slope


def _straight(scores: NDArray[np.float64], grades: NDArray[np.float64]) -> Curve:
    intercept, slope = _line(scores, grades)
    return lambda x: np.asarray(intercept + slope * x, dtype=float)


def _isotonic(scores: NDArray[np.float64], grades: NDArray[np.float64]) -> Curve:
    """Pools of adjacent violators, joined by straight lines between the pools' middles; flat beyond."""
    from scipy.optimize import isotonic_regression

    order = np.lexsort((grades, scores))
    fitted = isotonic_regression(grades[order]).x
    level, pool = np.unique(fitted, return_inverse=True)
    middle = np.bincount(pool, scores[order]) / np.bincount(pool)
    return lambda x: np.interp(x, middle, level)


_FITS: dict[str, Callable[[NDArray[np.float64], NDArray[np.float64]], Curve]] = {
    "shift": _shift,
    "line": _straight,
    "curve": _isotonic,
}


def _left_out(scores: NDArray[np.float64], grades: NDArray[np.float64], shape: str) -> NDArray[np.float64]:
    """Each item predicted by the map of all the others."""
    others = ~np.eye(len(scores), dtype=bool)
    return np.array([float(_FITS[shape](scores[k], grades[k])(scores[i])) for i, k in enumerate(others)])


def _nested(
    scores: NDArray[np.float64], grades: NDArray[np.float64], shapes: list[str]
) -> NDArray[np.float64]:
    """Each item predicted by the shape that the others alone would have chosen."""
    if len(shapes) == 1:
        return _left_out(scores, grades, shapes[0])
    predicted = np.empty(len(scores))
    for i in range(len(scores)):
        k = np.arange(len(scores)) != i
        x, y = scores[k], grades[k]
        best = _simplest({name: _left_out(x, y, name) - y for name in shapes})
        predicted[i] = float(_FITS[best](x, y)(scores[i]))
    return predicted


def _rms(differences: NDArray[np.float64]) -> float:
    return float(np.sqrt(np.mean(differences**2)))


def _covariance(scores: NDArray[np.float64], rest: NDArray[np.float64], shape: str) -> NDArray[np.float64]:
    """How well intercept and slope are known, from what the map leaves."""
    n, free = len(scores), 1 if shape == "shift" else 2
    noise = float(rest @ rest) / max(n - free, 1)
    if shape == "shift":
        return np.diag([noise / n, 0.0])
    design = np.column_stack([np.ones(n), scores])
    return np.asarray(noise * np.linalg.pinv(design.T @ design))
