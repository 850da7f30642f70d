"""What models of lists share: steps of kernels (lists, buckets, exponentials), and counted comparisons."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._numba import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback

# Within this range of x in a list, ratios of exponentials are exact: one exp per entry serves all its pairs.
NARROW = 60.0


@kernel
def longest_of(starts: Any) -> int:
    """The length of the longest list."""
    longest = 0
    for which in range(len(starts) - 1):
        longest = max(longest, starts[which + 1] - starts[which])
    return longest


@kernel
def count_pairs(starts: Any) -> int:
    """How many pairs of entries the lists have in all."""
    count = 0
    for which in range(len(starts) - 1):
        length = starts[which + 1] - starts[which]
        count += length * (length - 1) // 2
    return count


@kernel
def bucket_end(bucket_starts: Any, start: int, last: int) -> int:
    """Where the tie bucket that this entry is in ends."""
    end = start + 1
    while end < last and not bucket_starts[end]:
        end += 1
    return end


@kernel
def middle_of(x: Any, first: int, last: int) -> tuple[float, bool]:
    """The middle of the list's range, and whether that is narrow enough for exponentials."""
    low, high = x[first], x[first]
    for e in range(first + 1, last):
        low, high = min(low, x[e]), max(high, x[e])
    return 0.5 * (low + high), high - low <= NARROW


@kernel
def exponentials(x: Any, first: int, last: int, power: Any) -> bool:
    """power = exp(x - middle), where the range of the list allows it; says whether it does."""
    middle, is_narrow = middle_of(x, first, last)
    if is_narrow:
        for e in range(first, last):
            power[e - first] = math.exp(x[e] - middle)
    return is_narrow


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
