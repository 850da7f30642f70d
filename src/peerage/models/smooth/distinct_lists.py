"""Equal lists as one that counts so often: all there is to know where no reliability tells graders apart.

A million battles among 120 items are at most 120 x 120 different ones.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._numba import kernel
from peerage._parts import PartialSum
from peerage.models import thresholds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.feedback_parts import FeedbackParts

    Counted = tuple[NDArray[np.int64], NDArray[np.float64]]  # keys in order, and how often each counts

LARGEST_KEY = 2**62


class DistinctLists:
    """Distinct lists of some parts, by key, and how often each counts; None where they are too many."""

    def __init__(self, counted: Counted | None, most: int) -> None:
        self.counted = counted if counted is not None and len(counted[0]) <= most else None
        self.most = most

    def __add__(self, other: DistinctLists) -> DistinctLists:
        if self.counted is None or other.counted is None:
            return DistinctLists(None, self.most)
        return DistinctLists(_merge(*self.counted, *other.counted), self.most)


def distinct_lists(feedback: FeedbackParts) -> Feedback | None:
    """The same lists, equal ones once with their weights added; None where that saves little.

    Graders are no longer told apart, and neither scores nor labels are kept.
    """
    largest = (2 * feedback.n_items + 1) ** feedback.longest
    if feedback.n_lists < thresholds.MERGED_LISTS or largest > LARGEST_KEY:
        return None
    (distinct,) = feedback.parts.sum(_distinct_lists, feedback.longest, feedback.n_lists // 2).sums
    return None if distinct.counted is None else _decode(feedback, *distinct.counted)


def _distinct_lists(feedback: Feedback, longest: int, most: int) -> PartialSum:
    base = 2 * feedback.n_items + 1
    keys = np.empty(feedback.n_lists, dtype=np.int64)
    _fill_keys(feedback.items, feedback.bucket_starts, feedback.list_starts, longest, base, keys)
    return PartialSum((DistinctLists(_count(keys, feedback.weights, base**longest), most),))


def _decode(source: FeedbackParts, keys: NDArray[np.int64], weights: NDArray[np.float64]) -> Feedback:
    """Lists from their keys."""
    base, left, places = 2 * source.n_items + 1, keys.copy(), []
    for _ in range(source.longest):
        places.append(left % base)
        left //= base
    digits = np.stack(places[::-1], axis=1)
    there = digits > 0
    entries = digits[there] - 1
    items = (entries // 2).astype(np.int32)
    starts = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
    return replace(
        source.sample(),
        items=items,
        bucket_starts=entries % 2 == 1,
        list_starts=starts,
        list_graders=np.zeros(len(keys), dtype=np.int32),
        list_tasks=source.item_tasks[items[starts[:-1]]],
        weights=weights,
        scores=None,
        positions=None,
        ordered_by="rank",
    )


@kernel
def _fill_keys(items: Any, bucket_starts: Any, starts: Any, longest: int, base: int, keys: Any) -> None:
    """By list a number that says all of it; digit 0 stands where it has ended."""
    for which in range(len(keys)):
        key = 0
        for e in range(starts[which], starts[which + 1]):
            key = key * base + 1 + 2 * items[e] + bucket_starts[e]
        for _ in range(starts[which + 1] - starts[which], longest):
            key *= base
        keys[which] = key


def _count(keys: NDArray[np.int64], weights: NDArray[np.float64] | None, largest: int) -> Counted:
    """Distinct keys in order, and the summed weights of each."""
    if largest > thresholds.MERGED_KEYS:
        distinct, number = np.unique(keys, return_inverse=True)
        return distinct, np.bincount(number, weights, len(distinct)).astype(np.float64)
    counts = np.bincount(keys, minlength=largest)
    distinct = np.flatnonzero(counts)
    totals = counts if weights is None else np.bincount(keys, weights, largest)
    return distinct, totals[distinct].astype(np.float64)


@kernel
def _merge(keys: Any, weights: Any, more_keys: Any, more_weights: Any) -> Any:
    """Those of two parts, both in order: weights of the same key are added."""
    room = len(keys) + len(more_keys)
    merged, totals = np.empty(room, np.int64), np.zeros(room)
    size = i = j = 0
    while i < len(keys) or j < len(more_keys):
        mine = j == len(more_keys) or (i < len(keys) and keys[i] <= more_keys[j])
        other = i == len(keys) or (j < len(more_keys) and more_keys[j] <= keys[i])
        if mine:
            merged[size] = keys[i]
            totals[size] += weights[i]
            i += 1
        if other:
            merged[size] = more_keys[j]
            totals[size] += more_weights[j]
            j += 1
        size += 1
    return merged[:size], totals[:size]
