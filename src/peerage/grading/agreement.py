"""Does a grader agree with the class? Measured against an estimate made without that grader.

A grader's own lists pull the estimate towards them, most where reviews are few: agreement with the full
estimate flatters. So graders are dealt into folds, each fold is held against the fit to all the others, and
chance means what it says: a grader who orders at random agrees with half of the pairs.

The pairs of one list hang together. Under random ordering the agreeing share of a list has a known variance
(Kendall's), so n pairs are worth fewer independent ones: a list of 7 has 21 pairs, worth 10. Intervals use
that number, `worth`.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._numba import kernel
from peerage.errors import ConvergenceWarning
from peerage.models._tables import _levels as levels
from peerage.models.base import clone

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models.base import Estimator

FOLDS, FEW_FOLDS = 10, 4
LARGE = 5_000  # items from which a fit is dear enough for few folds


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """Per grader: strict pairs, the share that others' estimate orders alike (NaN without pairs), and what
    the pairs are worth in independent ones; `typical` is the share over all pairs of the class."""

    pairs: NDArray[np.int64]
    share: NDArray[np.float64]
    worth: NDArray[np.float64]
    typical: float

    def interval(self, level: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Wilson's interval of each share; NaN without pairs."""
        from scipy.special import ndtri

        z2 = float(ndtri(0.5 + level / 2)) ** 2
        n, p = self.worth, self.share
        with np.errstate(invalid="ignore", divide="ignore"):
            middle = (p + z2 / (2 * n)) / (1 + z2 / n)
            half = np.sqrt(z2) / (1 + z2 / n) * np.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
        return middle - half, middle + half


def agreement(fitted: Estimator, *, seed: int) -> Agreement:
    """Every grader against the estimate of the other folds."""
    feedback = fitted.feedback_
    n = feedback.n_graders
    folds = min(FOLDS if feedback.n_items <= LARGE else FEW_FOLDS, max(n, 1))
    fold = np.random.default_rng(seed).permutation(n) % folds
    pairs, agreed, spread = np.zeros(n), np.zeros(n), np.zeros(n)
    for k in range(folds):
        theirs = fold[feedback.list_graders] == k
        if not theirs.any():
            continue
        level = levels(feedback, _without(fitted, ~theirs))
        part = feedback.take_lists(np.flatnonzero(theirs))
        _count(part.items, part.opens, part.list_starts, part.list_graders, level, pairs, agreed, spread)
    with np.errstate(invalid="ignore", divide="ignore"):
        share, worth = agreed / pairs, pairs**2 / spread
    typical = float(agreed.sum() / pairs.sum()) if pairs.any() else float("nan")
    return Agreement(pairs.astype(np.int64), share, np.where(pairs > 0, worth, 0.0), typical)


def _without(fitted: Estimator, kept: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Scores from the kept lists alone; all ties where none is left."""
    feedback = fitted.feedback_
    if not kept.any():
        return np.zeros(feedback.n_items)
    with warnings.catch_warnings():  # near the optimum is near enough for a yardstick
        warnings.simplefilter("ignore", ConvergenceWarning)
        return clone(fitted).fit(feedback.take_lists(np.flatnonzero(kept))).scores_


@kernel
def _count(
    items: Any, opens: Any, starts: Any, graders: Any, level: Any, pairs: Any, agreed: Any, spread: Any
) -> None:
    """Add each list's strict pairs, the agreeing ones, and four times their variance under chance.

    With S = agreeing - disagreeing, var S = (k(k-1)(2k+5) - sum over ties t(t-1)(2t+5)) / 18 for a random
    order with these ties; the agreeing number is (pairs + S) / 2. Ties of the estimate are left out of the
    variance: they are rare, and it is then too large, never too small.
    """
    for which in range(len(graders)):
        grader, start, last = graders[which], starts[which], starts[which + 1]
        k = last - start
        variance = k * (k - 1) * (2 * k + 5) / 18.0
        while start < last:
            end = start + 1
            while end < last and not opens[end]:
                end += 1
            t = end - start
            variance -= t * (t - 1) * (2 * t + 5) / 18.0
            pairs[grader] += t * (last - end)
            for e in range(start, end):
                mine = level[items[e]]
                for f in range(end, last):
                    other = level[items[f]]
                    agreed[grader] += 1.0 if mine < other else (0.5 if mine == other else 0.0)
            start = end
        spread[grader] += variance
