"""Walking through all pairs of items that were listed together, in large blocks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback

    Entries = NDArray[np.int64]

SORTED_AT_MOST = 100_000_000  # pairs: 800 MB of keys
MARKED_AT_MOST = 2**29  # cells of the table of all pairs: 0.5 GB
VISITED_AT_MOST = 500_000_000  # pairs: some ten seconds


def pair_blocks(feedback: Feedback) -> Iterator[tuple[Entries, Entries]]:
    """Entry numbers (first, second) of all pairs in a list, second the lower placed or tied.

    Pairs come by their distance in the list: the lists too short for it drop out, so the work is that of
    the pairs themselves whatever the mixture of lengths.
    """
    ends = np.repeat(feedback.list_starts[1:], feedback.list_lengths)
    first = np.flatnonzero(np.arange(1, feedback.n_entries + 1) < ends)
    distance = 1
    while len(first):
        yield first, first + distance
        distance += 1
        first = first[first + distance < ends[first]]


def pairs_seen(feedback: Feedback) -> tuple[NDArray[np.int64], bool]:
    """Distinct pairs of items listed together, per task, and whether that number is exact.

    Beyond a size where counting would take too long it is an upper bound: every pair counted as often as
    it was seen, but no more than there are.
    """
    lengths = feedback.list_lengths
    visits = np.zeros(feedback.n_tasks, dtype=np.int64)
    np.add.at(visits, feedback.list_tasks, lengths * (lengths - 1) // 2)
    total, cells = int(visits.sum()), feedback.n_items**2
    if (
        cells <= MARKED_AT_MOST
        and total <= VISITED_AT_MOST
        and (cells <= 4 * total or total > SORTED_AT_MOST)
    ):
        keys = _marked_keys(feedback)
    elif total <= SORTED_AT_MOST:
        keys = _sorted_keys(feedback, total)
    else:
        return np.minimum(visits, pairs_possible(feedback)), False
    tasks = feedback.item_tasks[keys // max(feedback.n_items, 1)]
    return np.bincount(tasks, minlength=feedback.n_tasks), True


def pairs_possible(feedback: Feedback) -> NDArray[np.int64]:
    """Pairs of items of each task."""
    items = np.diff(feedback.task_starts)
    return np.asarray(items * (items - 1) // 2)


def _keys(feedback: Feedback) -> Iterator[NDArray[np.int64]]:
    """Blocks of pair numbers: lower item times n_items plus higher item."""
    for first, second in pair_blocks(feedback):
        left, right = feedback.items[first], feedback.items[second]
        yield np.minimum(left, right).astype(np.int64) * feedback.n_items + np.maximum(left, right)


def _marked_keys(feedback: Feedback) -> NDArray[np.int64]:
    seen = np.zeros(feedback.n_items**2, dtype=bool)
    for block in _keys(feedback):
        seen[block] = True
    return np.flatnonzero(seen)


def _sorted_keys(feedback: Feedback, total: int) -> NDArray[np.int64]:
    keys, filled = np.empty(total, dtype=np.int64), 0
    for block in _keys(feedback):
        keys[filled : filled + len(block)] = block
        filled += len(block)
    keys.sort()
    fresh = np.ones(total, dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=fresh[1:])
    return np.asarray(keys[fresh])
