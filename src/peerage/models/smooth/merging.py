"""Equal lists as one that counts so often: all there is to know where no reliability tells graders apart.

A million battles among 120 items are at most 120 x 120 different ones.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback import Feedback

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
        opens=feedback.opens[entries],
        list_starts=starts,
        list_graders=feedback.list_graders[first],
        list_tasks=feedback.list_tasks[first],
        weights=np.asarray(np.bincount(number, feedback.list_weights, len(first)), dtype=np.float64),
        scores=None,
        ordered_by="rank",
        list_labels=None,
    )


def _keys(feedback: Feedback) -> tuple[NDArray[np.int64], int]:
    """By list a number that says all of it, and how large such numbers may be."""
    lengths = feedback.list_lengths
    longest, base = int(lengths.max(initial=0)), 2 * feedback.n_items + 1
    largest = base**longest
    keys = np.zeros(feedback.n_lists, dtype=np.int64)
    if largest > LARGEST_KEY:
        return keys, largest
    digits = 1 + 2 * feedback.items.astype(np.int64) + feedback.opens
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
