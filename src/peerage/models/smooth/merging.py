"""Equal lists as one that counts so often: all there is to know where no reliability tells graders apart.

A million battles among 120 items are at most 120 x 120 different ones.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from peerage._parts import Told, total_of
from peerage.feedback.partition import partition_graders
from peerage.models.solver.parallel import limits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.source import Source

WORTHWHILE = 20_000  # lists below which a fit takes no time anyway
LARGEST_KEY = 2**62
COUNTED = 4_000_000  # keys up to which counting beats sorting


def merged(feedback: Feedback) -> Feedback:
    """The same lists, equal ones once with their weights added; as it is where that saves little.

    Graders are no longer told apart, and neither scores nor names of lists are kept.
    """
    if feedback.n_lists < WORTHWHILE:
        return feedback
    keys, largest = _keys(feedback)
    if largest > LARGEST_KEY:
        return feedback
    first, number = _distinct(keys, largest)
    if 2 * len(first) > feedback.n_lists:
        return feedback
    lengths = feedback.list_lengths[first]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    entries = np.repeat(feedback.list_starts[first] - starts[:-1], lengths) + np.arange(starts[-1])
    return replace(
        feedback,
        items=feedback.items[entries],
        bucket_starts=feedback.bucket_starts[entries],
        list_starts=starts,
        list_graders=np.zeros(len(first), dtype=np.int32),
        list_tasks=feedback.list_tasks[first],
        weights=_weights(feedback, number, len(first)),
        scores=None,
        ordered_by="rank",
        list_labels=None,
    )


def _weights(feedback: Feedback, number: NDArray[np.int64], count: int) -> NDArray[np.float64]:
    """How often every distinct list counts; part by part where there are several, as everything is added."""
    if feedback.weights is None:
        return np.asarray(np.bincount(number, minlength=count), dtype=np.float64)
    edges = partition_graders(feedback.grader_reviews, **limits())
    part = np.searchsorted(edges, feedback.list_graders, side="right") - 1
    found = {}
    for which in range(len(edges) - 1):
        mine = np.flatnonzero(part == which)
        sums = np.bincount(number[mine], feedback.weights[mine], count)
        found[which, which + 1] = Told((np.asarray(sums, dtype=np.float64),))
    (weights,) = total_of(found, (0, len(edges) - 1)).sums
    return np.asarray(weights)


# -- in parts ----------------------------------------------------------------------------------------------


class DistinctLists:
    """Distinct lists of some parts, by key, and how often each counts; None where they are too many."""

    def __init__(self, found: tuple[NDArray[np.int64], NDArray[np.float64]] | None, most: int) -> None:
        self.found = found if found is not None and len(found[0]) <= most else None
        self.most = most

    def __add__(self, other: DistinctLists) -> DistinctLists:
        if self.found is None or other.found is None:
            return DistinctLists(None, self.most)
        keys = np.unique(np.concatenate([self.found[0], other.found[0]]))
        if len(keys) > self.most:
            return DistinctLists(None, self.most)
        weights = np.zeros(len(keys))
        for own, counts in (self.found, other.found):
            weights[np.searchsorted(keys, own)] += counts
        return DistinctLists((keys, weights), self.most)


def merged_source(source: Source) -> Feedback | None:
    """What `merged` makes of the whole; None where that saves little."""
    base = 2 * source.n_items + 1
    if source.n_lists < WORTHWHILE or base**source.longest > LARGEST_KEY:
        return None
    (distinct,) = source.parts.sum(_distinct_lists, source.longest, source.n_lists // 2).sums
    return None if distinct.found is None else _decoded(source, *distinct.found)


def _distinct_lists(feedback: Feedback, longest: int, most: int) -> Told:
    keys, largest = _keys(feedback, longest)
    first, number = _distinct(keys, largest)
    if len(first) > most:
        return Told((DistinctLists(None, most),))
    weights = np.bincount(number, feedback.weights, len(first))
    return Told((DistinctLists((keys[first], np.asarray(weights, dtype=np.float64)), most),))


def _decoded(source: Source, keys: NDArray[np.int64], weights: NDArray[np.float64]) -> Feedback:
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


def _keys(feedback: Feedback, longest: int | None = None) -> tuple[NDArray[np.int64], int]:
    """By list a number that says all of it, and how large such numbers may be."""
    lengths = feedback.list_lengths
    longest, base = longest or int(lengths.max(initial=0)), 2 * feedback.n_items + 1
    largest = base**longest
    keys = np.zeros(feedback.n_lists, dtype=np.int64)
    if largest > LARGEST_KEY:
        return keys, largest
    digits = 1 + 2 * feedback.items.astype(np.int64) + feedback.bucket_starts
    for place in range(longest):  # 0 stands where a list has ended
        there = np.flatnonzero(lengths > place)
        keys *= base
        keys[there] += digits[feedback.list_starts[there] + place]
    return keys, largest


def _distinct(keys: NDArray[np.int64], largest: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of every distinct key, in order, where it is first; and by list the number of its key."""
    if largest > COUNTED:
        _, first, number = np.unique(keys, return_index=True, return_inverse=True)
        return first, number
    where = np.full(largest, -1, dtype=np.int64)
    where[keys[::-1]] = np.arange(len(keys) - 1, -1, -1)
    seen = where >= 0
    return where[seen], (np.cumsum(seen) - 1)[keys]
