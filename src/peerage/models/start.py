"""A first guess of the scores that costs one pass over the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._numba import kernel
from peerage.models.lists import bucket_end

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback


def log_odds(met: NDArray[np.float64], lost: NDArray[np.float64]) -> NDArray[np.float64]:
    """log(won / lost) over all comparisons of an item, one more of each so that it stays finite.

    A tie is half won. From here Newton's method needs no more than a few full steps; from zero, its first
    step would throw items that always win far beyond where they belong.
    """
    return np.asarray(np.log((met - lost + 1.0) / (lost + 1.0)))


def comparisons(feedback: Feedback) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of every item, how often it was compared with another and how often it lost, lists by weight."""
    met, lost = np.zeros(feedback.n_items), np.zeros(feedback.n_items)
    _compare(feedback.items, feedback.bucket_starts, feedback.list_starts, feedback.list_weights, met, lost)
    return met, lost


def most_compared(feedback: Feedback) -> float:
    """The largest number of comparisons that an item has, lists by weight; at least 1."""
    return float(comparisons(feedback)[0].max(initial=1.0))


@kernel
def _compare(items: Any, bucket_starts: Any, starts: Any, weights: Any, met: Any, lost: Any) -> None:
    for which in range(len(starts) - 1):
        first, last = starts[which], starts[which + 1]
        low = first
        while low < last:
            high = bucket_end(bucket_starts, low, last)
            above = low - first + 0.5 * (high - low - 1)  # half of those tied
            for e in range(low, high):
                met[items[e]] += weights[which] * (last - first - 1)
                lost[items[e]] += weights[which] * above
            low = high
