"""Whether "i is above j with probability 0.8" is true 8 times in 10."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from peerage.errors import DataError
from peerage.metrics._inputs import as_booleans, as_numbers, as_vector, check_same_length

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Reliability:
    """A reliability diagram: the forecasts in bins, and how often each bin came true.

    Attributes
    ----------
    edges : float64[bins + 1], from 0 to 1; a bin holds its lower edge, the last one also its upper
    counts : int64[bins], number of forecasts
    forecast, observed : float64[bins]
        Mean probability and share that came true; NaN in an empty bin.
    """

    edges: NDArray[np.float64]
    counts: NDArray[np.int64]
    forecast: NDArray[np.float64]
    observed: NDArray[np.float64]


def reliability_diagram(probability: ArrayLike, above: ArrayLike, *, bins: int = 10) -> Reliability:
    """Sort the forecasts into bins of equal width, and compare each bin with what came true.

    Parameters
    ----------
    probability : array of P(i above j), one per pair, from 0 to 1
    above : array of booleans, whether i was above j; pairs tied in truth are left out beforehand
    bins : int, default=10

    >>> diagram = reliability_diagram([0.1, 0.3, 0.75, 1.0], [False, True, True, True], bins=2)
    >>> diagram.forecast, diagram.observed
    (array([0.2  , 0.875]), array([0.5, 1. ]))
    """
    chance, outcome = _forecasts(probability, above)
    if bins < 1:
        raise DataError(f"bins must be at least 1, not {bins}")
    edges = np.arange(bins + 1) / bins  # unlike linspace, 3 / 10 is the same number as 0.3
    where = np.searchsorted(edges[1:-1], chance, side="right")
    counts = np.bincount(where, minlength=bins)
    size = np.where(counts > 0, counts, np.nan)
    return Reliability(
        edges=edges,
        counts=counts,
        forecast=np.bincount(where, weights=chance, minlength=bins) / size,
        observed=np.bincount(where, weights=outcome, minlength=bins) / size,
    )


def expected_calibration_error(probability: ArrayLike, above: ArrayLike, *, bins: int = 10) -> float:
    """Mean distance between forecast and truth in the reliability diagram, bins weighed by their counts.

    0 is perfectly calibrated, 1 always sure and always wrong; NaN without pairs.

    >>> expected_calibration_error([0.5, 0.5, 1.0, 1.0], [True, False, True, False])
    0.25
    """
    diagram = reliability_diagram(probability, above, bins=bins)
    filled = diagram.counts > 0
    counts = diagram.counts[filled]
    gaps = np.abs(diagram.forecast[filled] - diagram.observed[filled])
    return float(counts @ gaps / counts.sum()) if len(counts) > 0 else math.nan


def brier_score(probability: ArrayLike, above: ArrayLike) -> float:
    """Mean squared distance of the probability from what happened, 0 or 1.

    0 is perfect, 0.25 is what saying 0.5 to everything gets; NaN without pairs.

    >>> brier_score([0.5, 1.0], [True, True])
    0.125
    """
    chance, outcome = _forecasts(probability, above)
    return float(np.mean((chance - outcome) ** 2)) if len(chance) > 0 else math.nan


def log_loss(probability: ArrayLike, above: ArrayLike) -> float:
    """Mean of -log(probability of what happened).

    0 is perfect, log 2 is what saying 0.5 to everything gets; infinite where something happened that was
    given no chance at all, because nothing is clipped; NaN without pairs.

    >>> log_loss([0.5, 1.0], [True, True])
    0.34657359027997264
    """
    chance, outcome = _forecasts(probability, above)
    if len(chance) == 0:
        return math.nan
    with np.errstate(divide="ignore"):  # log(0) is meant to be infinite
        # log1p keeps what 1 - p would round away where p is tiny
        return float(-np.where(outcome, np.log(chance), np.log1p(-chance)).mean())


def pair_outcomes(target: ArrayLike, above: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The forecasts for the pairs strict in the target, and which came true: what the functions above take.

    ``above[i, j]`` is P(i above j). Every pair comes both ways round, (i, j) and (j, i), so that nothing
    depends on how the items are numbered. Items that are NaN in the target are left out.

    >>> pair_outcomes([2, 1], [[0.5, 0.7], [0.3, 0.5]])
    (array([0.7, 0.3]), array([ True, False]))
    """
    truth, chance = as_numbers("target", target), as_numbers("above", above)
    if truth.ndim != 1:
        raise DataError(f"target must have one dimension, not {truth.ndim}")
    if chance.shape != (len(truth), len(truth)):
        raise DataError(f"above must be {len(truth)} by {len(truth)}, one row per item, not {chance.shape}")
    first, second = np.nonzero((truth[:, None] > truth) | (truth[:, None] < truth))
    return chance[first, second], truth[first] > truth[second]


def _forecasts(probability: ArrayLike, above: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    chance, outcome = as_vector("probability", probability), as_booleans("above", above)
    check_same_length(probability=chance, above=outcome)
    wrong = np.flatnonzero((chance < 0) | (chance > 1))
    if len(wrong) > 0:
        raise DataError(f"probability[{wrong[0]}] is {chance[wrong[0]]:g}; it must be from 0 to 1")
    return chance, outcome
