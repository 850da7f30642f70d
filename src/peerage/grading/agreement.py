"""Does a grader agree with the class? Measured against an estimate made without that grader.

A grader's own lists pull the estimate towards them, most where reviews are few: agreement with the full
estimate flatters. So every grader is held against the scores that the others alone would give
(`peerage.models.scores_without`), and chance means what it says: a grader who orders at random agrees with
half of the pairs. No chance is drawn on the way, so the seed of a run changes nothing here.

Items that are close are hard to order: what is typical is counted by how far apart the two are.

The pairs of one list hang together. Under random ordering the agreeing share of a list has a known variance
(Kendall's), so n pairs are worth fewer independent ones: a list of 7 has 21 pairs, worth 10. Intervals use
that number, `worth`.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._numba import kernel
from peerage.grading.typical import typical_of
from peerage.models.leave_out import scores_without

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models.base import Estimator

# Distances between two items at which another bin begins, in standard deviations of the scores.
EDGES = np.array([0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.4, 2.0, 3.0])
SAME = 1e-5  # of a standard deviation: scores closer than this are one score


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """Per grader, held against the estimate of the others.

    Attributes
    ----------
    pairs : strict pairs. share : the share of them that the estimate orders alike (NaN without pairs).
    worth : what the pairs are worth in independent ones.
    expected : the share that is typical of the class for pairs as close as these (NaN without pairs).
    typical : the share over all pairs of graders who are not far out.
    spread : how much graders differ beside luck, as a number of pairs: the fewer, the more.
    """

    pairs: NDArray[np.int64]
    share: NDArray[np.float64]
    worth: NDArray[np.float64]
    expected: NDArray[np.float64]
    typical: float
    spread: float = float("inf")

    def interval(self, level: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Wilson's interval of each share; NaN without pairs."""

        z2 = NormalDist().inv_cdf(0.5 + level / 2) ** 2
        n, p = self.worth, self.share
        with np.errstate(invalid="ignore", divide="ignore"):
            middle = (p + z2 / (2 * n)) / (1 + z2 / n)
            half = np.sqrt(z2) / (1 + z2 / n) * np.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
        return middle - half, middle + half


def agreement(fitted: Estimator, others: NDArray[np.float64] | None = None) -> Agreement:
    """Every grader against the estimate of the others; `others` is what `scores_without` says, if known."""
    feedback = fitted.feedback_
    others = scores_without(fitted) if others is None else others
    spread = float(np.std(others)) if len(others) else 0.0
    place = others / spread if spread > 0 else np.zeros(len(others))
    lists = (feedback.bucket_starts, feedback.list_starts, feedback.list_graders)
    pairs, agreed, variance = np.zeros((3, feedback.n_graders))
    seen, alike = np.zeros((2, feedback.n_graders, len(EDGES) + 1), dtype=np.float32)
    _count(lists, place, pairs, agreed, variance, seen, alike)
    with np.errstate(invalid="ignore", divide="ignore"):
        share, worth = agreed / pairs, np.where(pairs > 0, pairs**2 / variance, 0.0)
    usual = typical_of(seen, alike, share, worth)
    return Agreement(pairs.astype(np.int64), share, worth, usual.expected, usual.share, usual.spread)


@kernel
def _count(
    lists: Any, place: Any, pairs: Any, agreed: Any, spread: Any, seen: Any, alike: Any
) -> None:  # fmt: skip
    """Add each list's strict pairs, the agreeing ones, and four times their variance under chance.

    With S = agreeing - disagreeing, var S = (k(k-1)(2k+5) - sum over ties t(t-1)(2t+5)) / 18 for a random
    order with these ties; the agreeing number is (pairs + S) / 2. Ties of the estimate are left out of the
    variance: they are rare, and it is then too large, never too small. Also counts the pairs and the agreeing
    ones by how far the estimate puts the two apart.
    """
    bucket_starts, starts, graders = lists
    for which in range(len(graders)):
        grader, start, last = graders[which], starts[which], starts[which + 1]
        k = last - start
        variance = k * (k - 1) * (2 * k + 5) / 18.0
        while start < last:
            end = start + 1
            while end < last and not bucket_starts[end]:
                end += 1
            t = end - start
            variance -= t * (t - 1) * (2 * t + 5) / 18.0
            pairs[grader] += t * (last - end)
            for e in range(start, end):
                for f in range(end, last):
                    gap = place[e] - place[f]
                    win = 1.0 if gap > SAME else (0.5 if gap >= -SAME else 0.0)
                    agreed[grader] += win
                    near = 0  # by hand: np.searchsorted would load much of Numba at every start
                    while near < len(EDGES) and EDGES[near] < abs(gap):
                        near += 1
                    seen[grader, near] += 1.0
                    alike[grader, near] += win
            start = end
        spread[grader] += variance
