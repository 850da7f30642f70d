"""How far grades are off, where they are on a scale: in points, and over its boundaries."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from peerage.errors import DataError
from peerage.metrics._inputs import macro_average, vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def grade_rmse(target: ArrayLike, predicted: ArrayLike) -> float:
    """Root of the mean squared difference between grades, in points of the scale.

    Several targets and NaN in a target are treated as in :func:`peerage.metrics.tau_error`; a target
    without grades does not count, and grades must be finite.

    >>> grade_rmse([8, 6, 7], [7, 6, 9])
    1.2909944487358058
    """
    return macro_average(_rmse, target, predicted)


def boundary_error(target: ArrayLike, predicted: ArrayLike, boundaries: ArrayLike) -> float:
    """Share of the items that a boundary of the scale separates from their true grade.

    A grade on a boundary is above it: with boundary 5, a 5 passes. 0 is perfect, 1 puts every item into
    a wrong band. Several targets and NaN in a target are treated as in :func:`grade_rmse`.

    Parameters
    ----------
    target, predicted : arrays of grades
    boundaries : increasing grades at which a better band begins

    >>> boundary_error([8, 6, 7, 4], [7, 6, 9, 5], boundaries=[5, 8])
    0.75
    """
    cuts = vector("boundaries", boundaries)
    if len(cuts) == 0 or (cuts[1:] <= cuts[:-1]).any():
        raise DataError(f"boundaries must be increasing, at least one; got {cuts.tolist()}")
    return macro_average(lambda truth, guess: _misplaced(truth, guess, cuts), target, predicted)


def _rmse(target: NDArray[np.float64], predicted: NDArray[np.float64]) -> float:
    _check_finite(target=target, predicted=predicted)
    # math.dist scales before it squares, so that large and tiny differences survive
    return math.dist(target, predicted) / math.sqrt(len(target)) if len(target) > 0 else math.nan


def _misplaced(
    target: NDArray[np.float64], predicted: NDArray[np.float64], cuts: NDArray[np.float64]
) -> float:
    _check_finite(target=target, predicted=predicted)
    wrong = np.searchsorted(cuts, target, side="right") != np.searchsorted(cuts, predicted, side="right")
    return float(wrong.mean()) if len(wrong) > 0 else math.nan


def _check_finite(**grades: NDArray[np.float64]) -> None:
    for name, values in grades.items():
        if np.isinf(values).any():
            raise DataError(f"{name} holds an infinite grade; grades must be finite")
