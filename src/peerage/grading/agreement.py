"""Does a grader agree with the class? Measured against an estimate made without that grader.

A grader's own lists pull the estimate towards them, most where reviews are few: agreement with the full
estimate flatters. So graders are dealt into folds, each fold is held against the fit to all the others, and
chance means what it says: a grader who orders at random agrees with half of the pairs.

Items that are close are hard to order: what is typical is counted by how far apart the two are.

The pairs of one list hang together. Under random ordering the agreeing share of a list has a known variance
(Kendall's), so n pairs are worth fewer independent ones: a list of 7 has 21 pairs, worth 10. Intervals use
that number, `worth`.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._numba import kernel
from peerage.errors import ConvergenceWarning
from peerage.grading.ranking import ranks
from peerage.models import clone

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback import Feedback
    from peerage.models import Estimator

FOLDS, FEW_FOLDS = 5, 3
BINS = 10  # of distance between two items
ROUGH = 1e-4  # tolerance of those fits
LARGE = 5_000  # items from which a fit is dear enough for few folds


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """Per grader, held against the estimate of the others.

    Attributes
    ----------
    pairs : strict pairs. share : the share of them that the estimate orders alike (NaN without pairs).
    worth : what the pairs are worth in independent ones.
    expected : the share that is typical of the class for pairs as close as these (NaN without pairs).
    typical : the share over all pairs of the class.
    """

    pairs: NDArray[np.int64]
    share: NDArray[np.float64]
    worth: NDArray[np.float64]
    expected: NDArray[np.float64]
    typical: float

    def interval(self, level: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Wilson's interval of each share; NaN without pairs."""

        z2 = NormalDist().inv_cdf(0.5 + level / 2) ** 2
        n, p = self.worth, self.share
        with np.errstate(invalid="ignore", divide="ignore"):
            middle = (p + z2 / (2 * n)) / (1 + z2 / n)
            half = np.sqrt(z2) / (1 + z2 / n) * np.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
        return middle - half, middle + half


def agreement(fitted: Estimator, rng: np.random.Generator) -> Agreement:
    """Every grader against the estimate of the other folds, which `rng` deals."""
    feedback = fitted.feedback_
    n = feedback.n_graders
    folds = min(FOLDS if feedback.n_items <= LARGE else FEW_FOLDS, max(n, 1))
    fold = rng.permutation(n) % folds
    pairs, agreed, spread, expected = np.zeros((4, n))
    seen, alike = np.zeros((2, BINS))
    held: list[tuple[Any, NDArray[np.float64]]] = []
    for k in range(folds):
        theirs = fold[feedback.list_graders] == k
        if theirs.any():
            part = feedback.take_lists(np.flatnonzero(theirs))
            place = _places(feedback, _without(fitted, ~theirs))
            lists = (part.items, part.opens, part.list_starts, part.list_graders)
            _count(lists, place, pairs, agreed, spread, seen, alike)
            held.append((lists, place))
    rates = np.divide(alike, seen, out=np.full(BINS, 0.5), where=seen > 0)
    for lists, place in held:
        _expect(lists, place, rates, expected)
    with np.errstate(invalid="ignore", divide="ignore"):
        share, worth, expected = agreed / pairs, pairs**2 / spread, expected / pairs
    typical = float(agreed.sum() / pairs.sum()) if pairs.any() else float("nan")
    return Agreement(pairs.astype(np.int64), share, np.where(pairs > 0, worth, 0.0), expected, typical)


def _places(feedback: Feedback, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The place of every item within its task, from 0 for the best to less than 1; tied items share one."""
    sizes = np.diff(feedback.task_starts)[feedback.item_tasks]
    return (ranks(feedback, scores) - 1) / sizes


def _without(fitted: Estimator, kept: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Scores from the kept lists alone; all ties where none is left."""
    feedback = fitted.feedback_
    if not kept.any():
        return np.zeros(feedback.n_items)
    with warnings.catch_warnings():  # near the optimum is near enough for a yardstick
        warnings.simplefilter("ignore", ConvergenceWarning)
        twin = clone(fitted)
        if "tol" in twin.get_params():
            twin.set_params(tol=ROUGH)
        return twin.fit(feedback.take_lists(np.flatnonzero(kept))).scores_


@kernel
def _count(
    lists: Any,
    place: Any,
    pairs: Any,
    agreed: Any,
    spread: Any,
    seen: Any,
    alike: Any,
) -> None:
    """Add each list's strict pairs, the agreeing ones, and four times their variance under chance.

    With S = agreeing - disagreeing, var S = (k(k-1)(2k+5) - sum over ties t(t-1)(2t+5)) / 18 for a random
    order with these ties; the agreeing number is (pairs + S) / 2. Ties of the estimate are left out of the
    variance: they are rare, and it is then too large, never too small. Also counts the pairs and the agreeing
    ones by how far the estimate puts the two apart.
    """
    items, opens, starts, graders = lists
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
                for f in range(end, last):
                    gap = place[items[f]] - place[items[e]]
                    win = 1.0 if gap > 0 else (0.5 if gap == 0 else 0.0)
                    agreed[grader] += win
                    near = int(abs(gap) * BINS)
                    seen[near] += 1.0
                    alike[near] += win
            start = end
        spread[grader] += variance


@kernel
def _expect(lists: Any, place: Any, rates: Any, expected: Any) -> None:
    """Add the agreement that is typical of pairs as far apart as each grader's."""
    items, opens, starts, graders = lists
    for which in range(len(graders)):
        start, last = starts[which], starts[which + 1]
        while start < last:
            end = start + 1
            while end < last and not opens[end]:
                end += 1
            for e in range(start, end):
                for f in range(end, last):
                    expected[graders[which]] += rates[int(abs(place[items[f]] - place[items[e]]) * BINS)]
            start = end
