"""Equal lists as one that counts so often: all there is to know where no reliability tells graders apart.

A million battles among 120 items are at most 120 x 120 different ones.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from peerage._parts import PartialSum
from peerage.models import thresholds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.feedback_parts import FeedbackParts

LARGEST_KEY = 2**62


class DistinctLists:
    """Distinct lists of some parts, by key, and how often each counts; None where they are too many."""

    def __init__(self, counted: tuple[NDArray[np.int64], NDArray[np.float64]] | None, most: int) -> None:
        self.counted = counted if counted is not None and len(counted[0]) <= most else None
        self.most = most

    def __add__(self, other: DistinctLists) -> DistinctLists:
        if self.counted is None or other.counted is None:
            return DistinctLists(None, self.most)
        keys = np.unique(np.concatenate([self.counted[0], other.counted[0]]))
        if len(keys) > self.most:
            return DistinctLists(None, self.most)
        weights = np.zeros(len(keys))
        for own, counts in (self.counted, other.counted):
            weights[np.searchsorted(keys, own)] += counts
        return DistinctLists((keys, weights), self.most)


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
    keys = _keys(feedback, longest)
    first, number = _first_of_each(keys, (2 * feedback.n_items + 1) ** longest)
    if len(first) > most:
        return PartialSum((DistinctLists(None, most),))
    weights = np.bincount(number, feedback.weights, len(first))
    return PartialSum((DistinctLists((keys[first], np.asarray(weights, dtype=np.float64)), most),))


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
        ordered_by="rank",
    )


def _keys(feedback: Feedback, longest: int) -> NDArray[np.int64]:
    """By list a number that says all of it."""
    lengths, base = feedback.list_lengths, 2 * feedback.n_items + 1
    keys = np.zeros(feedback.n_lists, dtype=np.int64)
    digits = 1 + 2 * feedback.items.astype(np.int64) + feedback.bucket_starts
    for place in range(longest):  # 0 stands where a list has ended
        there = np.flatnonzero(lengths > place)
        keys *= base
        keys[there] += digits[feedback.list_starts[there] + place]
    return keys


def _first_of_each(keys: NDArray[np.int64], largest: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of every distinct key, in order, where it is first; and by list the number of its key."""
    if largest > thresholds.MERGED_KEYS:
        _, first, number = np.unique(keys, return_index=True, return_inverse=True)
        return first, number
    where = np.full(largest, -1, dtype=np.int64)
    where[keys[::-1]] = np.arange(len(keys) - 1, -1, -1)
    seen = where >= 0
    return where[seen], (np.cumsum(seen) - 1)[keys]
