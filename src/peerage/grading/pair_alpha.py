"""Krippendorff's alpha of orders: which of two items is better, as several graders see it.

A unit is a pair of items, its values are the graders who put the first above the second, and those who put it
below. Which item is called the first is a convention, so that chance has both equally often: of a pair with a
votes one way and b the other, a + b > 1, the observed disagreement is 2ab / (a + b - 1), that of chance is
(a + b) / 2. Ties are indifference and count neither way. The interval is a jackknife over graders.

In large classes nearly all pairs are judged once, say nothing, and are not kept (`repeated.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import stdtrit

from peerage._numba import kernel
from peerage.grading.repeated import count, empty_table, how_many, may_come_back
from peerage.metrics.inter_rater import Estimate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback

    Floats = NDArray[np.float64]

MOST_PAIRS = 100_000_000  # of all lists
MOST_KEPT = 30_000_000  # of these: beyond, memory runs out before patience
ALL_KEPT = 1_000_000  # up to here, those judged once are


def pair_alpha(feedback: Feedback, level: float) -> Estimate:
    """Alpha over the pairs of items that two or more lists put in order; undefined without any."""
    nothing = Estimate(np.nan, np.nan, np.nan)
    n = int(feedback.list_strict_pairs.sum())
    if not 1 < n <= MOST_PAIRS:
        return nothing
    kept = _kept_pairs(feedback, n)
    if kept is None:
        return nothing
    key, first, grader = kept
    unit = np.unique(key, return_inverse=True)[1]
    votes = np.bincount(unit).astype(float)
    wins = np.bincount(unit, first).astype(np.float64)
    if not (votes > 1).any():
        return nothing
    ordered = feedback.grader_strict_pairs > 0
    return _over_graders(unit, first, grader, wins, votes, ordered, level)


def _kept_pairs(feedback: Feedback, n: int) -> tuple[Any, Any, Any] | None:
    """Pairs that more than one list may have put in order; all where there are few, none where too many."""
    lists = (feedback.items, feedback.bucket_starts, feedback.list_starts, feedback.list_graders)
    table, least, room = (empty_table(n), 2, -1) if n > ALL_KEPT else (empty_table(0), 0, n)
    if least:
        _count_pairs(lists, feedback.n_items, table)
        room = how_many(table, least)
    if room < 0:
        room = _pairs(lists, feedback.n_items, table, least, *_room(0))
    if room > MOST_KEPT:
        return None
    found = _room(room)
    _pairs(lists, feedback.n_items, table, least, *found)
    return found


def _room(n: int) -> tuple[Any, Any, Any]:
    return np.empty(n, dtype=np.int64), np.empty(n, dtype=bool), np.empty(n, dtype=np.int32)


def _observed(wins: Floats, votes: Floats) -> Floats:
    return np.where(votes > 1, 2.0 * wins * (votes - wins) / np.maximum(votes - 1.0, 1.0), 0.0)


def _expected(votes: Floats) -> Floats:
    return np.where(votes > 1, 0.5 * votes, 0.0)


def _over_graders(
    unit: Any, first: Any, grader: Any, wins: Floats, votes: Floats, ordered: NDArray[np.bool_], level: float
) -> Estimate:
    """Alpha, and its interval from leaving out one grader at a time; who ordered nothing does not count.

    Who ordered the same pair more than once is left out one vote at a time, which is nearly the same.
    """
    observed, expected = _observed(wins, votes), _expected(votes)
    total = np.array([observed.sum(), expected.sum()])
    fewer, n_graders = votes[unit] - 1.0, len(ordered)
    lost = np.array(
        [
            np.bincount(grader, observed[unit] - _observed(wins[unit] - first, fewer), n_graders),
            np.bincount(grader, expected[unit] - _expected(fewer), n_graders),
        ]
    )
    left = total[:, None] - lost[:, ordered]
    alpha, n = 1.0 - total[0] / total[1], left.shape[1]
    if n < 3 or (left[1] <= 0).any():
        return Estimate(alpha, np.nan, np.nan)
    alphas = 1.0 - left[0] / left[1]
    error = np.sqrt((n - 1) / n * ((alphas - alphas.mean()) ** 2).sum())
    reach = float(stdtrit(n - 1, 0.5 + level / 2) * error)
    return Estimate(alpha, alpha - reach, min(alpha + reach, 1.0))


@kernel
def _count_pairs(lists: Any, n_items: int, table: Any) -> None:
    """Every strict pair of every list into the table."""
    items, bucket_starts, starts, _ = lists
    for which in range(len(starts) - 1):
        start, last = starts[which], starts[which + 1]
        while start < last:
            end = start + 1
            while end < last and not bucket_starts[end]:
                end += 1
            for e in range(start, end):
                for f in range(end, last):
                    above, below = np.int64(items[e]), np.int64(items[f])
                    count(table, min(above, below) * n_items + max(above, below))
            start = end


@kernel
def _pairs(lists: Any, n_items: int, table: Any, least: int, key: Any, first: Any, grader: Any) -> int:
    """Strict pairs that may be in so many lists: a number for the two, whether the smaller is above, by whom.

    All of them where `least` is 0; as many as there is room for; and how many there are.
    """
    items, bucket_starts, starts, graders = lists
    at = 0
    for which in range(len(graders)):
        start, last = starts[which], starts[which + 1]
        while start < last:
            end = start + 1
            while end < last and not bucket_starts[end]:
                end += 1
            for e in range(start, end):
                for f in range(end, last):
                    above, below = np.int64(items[e]), np.int64(items[f])
                    number = min(above, below) * n_items + max(above, below)
                    if least and not may_come_back(table, number, least):
                        continue
                    if at < len(key):
                        key[at], first[at], grader[at] = number, above < below, graders[which]
                    at += 1
            start = end
    return at
