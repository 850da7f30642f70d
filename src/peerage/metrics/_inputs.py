"""Arguments of metrics: arrays of plain floats of equal length, or an error that says what is wrong."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from peerage.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Metric = Callable[["NDArray[np.float64]", "NDArray[np.float64]"], float]


def as_numbers(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """The values as float64, whatever their shape; None becomes NaN."""
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "biufO":
            raise DataError(f"{name} must hold numbers, not {array.dtype}")
        return np.asarray(array, dtype=np.float64, order="C")
    except DataError:
        raise
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} must be an array of numbers: {error}") from error


def as_vector(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """One number per thing, none of them NaN."""
    array = as_numbers(name, values)
    if array.ndim != 1:
        raise DataError(f"{name} must have one dimension, not {array.ndim}")
    missing = np.flatnonzero(np.isnan(array))
    if len(missing) > 0:
        raise DataError(f"{name}[{missing[0]}] is NaN; every entry needs a number ({len(missing)} are NaN)")
    return array


def as_booleans(name: str, values: ArrayLike) -> NDArray[np.bool_]:
    """One yes or no per thing, given as booleans or as 0 and 1."""
    array = as_vector(name, values)
    wrong = np.flatnonzero((array != 0) & (array != 1))
    if len(wrong) > 0:
        raise DataError(f"{name}[{wrong[0]}] is {array[wrong[0]]:g}; use True or False, or 1 and 0")
    return np.asarray(array == 1)


def check_same_length(**arrays: NDArray[np.generic]) -> None:
    """Raise unless all arrays have one entry per thing, for the same things."""
    if len({array.shape[-1] for array in arrays.values()}) > 1:
        sizes = ", ".join(f"{name} has {array.shape[-1]}" for name, array in arrays.items())
        raise DataError(f"lengths must be equal: {sizes}")


def macro_average(metric: Metric, target: ArrayLike, predicted: ArrayLike) -> float:
    """Mean of ``metric(target, predicted)`` over the targets, each over the items it has.

    An item that is NaN in a target is not in that target. A target where the metric is undefined (NaN)
    does not count; where none is defined the mean is NaN.
    """
    prediction = as_vector("predicted", predicted)
    rows = as_targets(target)
    check_same_length(target=rows, predicted=prediction)
    return mean_of_defined([_on_present_items(metric, row, prediction) for row in rows])


def as_targets(target: ArrayLike) -> NDArray[np.float64]:
    """One target, or a sequence of several, as the rows of a matrix."""
    rows = as_numbers("target", target)
    if rows.ndim not in (1, 2):
        raise DataError(f"target must be one array or a sequence of arrays, but has {rows.ndim} dimensions")
    return np.atleast_2d(rows)


def mean_of_defined(values: list[float]) -> float:
    """Mean of the values that are not NaN; NaN where there are none."""
    defined = [value for value in values if not math.isnan(value)]
    return math.fsum(defined) / len(defined) if defined else math.nan


def _on_present_items(metric: Metric, row: NDArray[np.float64], prediction: NDArray[np.float64]) -> float:
    here = ~np.isnan(row)
    return metric(row, prediction) if here.all() else metric(row[here], prediction[here])
