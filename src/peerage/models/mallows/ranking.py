"""Rankings for the Mallows model: the paper's greedy Algorithm 2, Borda counts, and local Kemenization.

A ranking is an array ``group`` by item: 0, 1, 2, ..., smaller is better, tied items share a number. Tasks
come one after the other, so the groups of different tasks never meet. Items that nobody compared are in no
group: -1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._numba import kernel
from peerage.models.lists import bucket_end
from peerage.models.mallows.greedy import members_of, place_greedily
from peerage.models.mallows.index import bucket_at, compared, item_at, parts, unit_at, within

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.mallows.index import Index

    Group = NDArray[np.int32]

SAME_RANK = 1e-12  # mean fractional ranks closer than this differ by rounding only


def greedy(index: Index, feedback: Feedback) -> Group:
    """Algorithm 2: place the smallest x first, where x counts the items above minus the items below."""
    block = np.where(compared(feedback), feedback.item_tasks, -1).astype(np.int32)
    return place_greedily(index, block)


def borda(feedback: Feedback, list_weights: NDArray[np.float64]) -> Group:
    """Order by the weighted mean of the fractional ranks, (r - 1/2) / k with r the mid-rank among k items."""
    mean = mean_ranks(feedback, list_weights)
    known = np.flatnonzero(compared(feedback))
    known = known[np.lexsort((mean[known], feedback.item_tasks[known]))]
    new = np.diff(mean[known], prepend=-np.inf) > SAME_RANK
    new |= np.diff(feedback.item_tasks[known], prepend=-1) > 0
    group = np.full(feedback.n_items, -1, dtype=np.int32)
    group[known] = np.cumsum(new) - 1
    return group


def mean_ranks(feedback: Feedback, list_weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weighted mean fractional rank of every item, 1/2 where nobody saw it."""
    return mean_ranks_of(rank_sums(feedback, list_weights))


def rank_sums(feedback: Feedback, list_weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of every item the weighted sum of its fractional ranks, and the weight."""
    sums = np.zeros((feedback.n_items, 2))
    _add_ranks(feedback.items, feedback.bucket_starts, feedback.list_starts, list_weights, sums)
    return sums


def mean_ranks_of(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean from the sums."""
    total, mass = sums.T
    return np.asarray(np.divide(total, mass, out=np.full(len(sums), 0.5), where=mass > 0))


def kemenize(index: Index, group: Group) -> Group:
    """Swap neighbours while the weighted majority strictly prefers it.

    Ties are settled first, where the comparisons among the tied items alone can: Algorithm 2 within the
    tie, until nothing changes. Items that stay tied move together. Every split and every swap lowers the
    weighted number of reversed pairs (ties counting half), so this ends, and the numbering of the items
    plays no part.
    """
    tied, n_groups = index, -1
    while group.max(initial=-1) > n_groups:
        n_groups = int(group.max())
        tied = within(tied, group)
        group = place_greedily(tied, group)
    moved = np.append(_insert_all(index, group, *members_of(group)), np.int32(-1))  # -1 stays -1
    return np.asarray(moved[group])


def centred_scores(group: Group, tasks: NDArray[np.int32], n_tasks: int) -> NDArray[np.float64]:
    """Mid-rank from the middle of its task, larger is better; 0 for items in no group."""
    known = group >= 0
    sizes = np.bincount(group[known])
    in_task = np.bincount(tasks[known], minlength=n_tasks)
    before_task = np.cumsum(in_task) - in_task
    middle = np.append(np.cumsum(sizes) - (sizes - 1) / 2, 0.0)[group] - before_task[tasks]
    return np.where(known, (in_task[tasks] + 1) / 2 - middle, 0.0)


@kernel
def _add_ranks(items: Any, bucket_starts: Any, starts: Any, weights: Any, sums: Any) -> None:
    """Add weight times fraction, and weight, by item: side by side, they cost one trip to memory."""
    for which in range(len(starts) - 1):
        first, last = starts[which], starts[which + 1]
        low = first
        while low < last:
            high = bucket_end(bucket_starts, low, last)
            fraction = 0.5 * (low - first + high - first) / (last - first)
            for e in range(low, high):
                sums[items[e], 0] += weights[which] * fraction
                sums[items[e], 1] += weights[which]
            low = high


# -- local Kemenization -------------------------------------------------------------------------------------


@kernel
def _insert_all(index: Any, group: Any, members: Any, edges: Any) -> Any:
    """Insert group after group from the best, each rising past neighbours that the majority puts below it.

    One pass leaves no pair of neighbours that wants to swap; returns the new position of every group.
    """
    n_groups = len(edges) - 1
    line = np.empty(n_groups, dtype=np.int32)
    for new in range(n_groups):
        position = new
        while position > 0 and _majority(index, group, members, edges, new, line[position - 1]) > 0:
            line[position] = line[position - 1]
            position -= 1
        line[position] = new
    where = np.empty(n_groups, dtype=np.int32)
    for position in range(n_groups):
        where[line[position]] = position
    return where


@kernel
def _majority(index: Any, group: Any, members: Any, edges: Any, one: int, other: int) -> int:
    """Comparisons that put group `one` above group `other`, minus those that put it below."""
    fewer, more, sign = one, other, 1
    if edges[one + 1] - edges[one] > edges[other + 1] - edges[other]:
        fewer, more, sign = other, one, -1
    alone = edges[more + 1] - edges[more] == 1
    total = 0
    for m in range(edges[fewer], edges[fewer + 1]):
        if alone:
            total += _between(index, members[m], members[edges[more]])
        else:
            total += _against(index, members[m], group, more)
    return sign * total


@kernel
def _between(index: Any, one: int, other: int) -> int:
    """Comparisons that put one item above another, minus those that put it below.

    Two items rarely meet. Their addresses are in order of lists, so those they share are found without a look
    at any other.
    """
    i, j, total = index.item_starts[one], index.item_starts[other], 0
    while i < index.item_starts[one + 1] and j < index.item_starts[other + 1]:
        mine, its = index.addresses[i] >> index.bits, index.addresses[j] >> index.bits
        if mine == its:
            first, low, high = bucket_at(index, index.addresses[i])
            e = first + index.addresses[j] - (its << index.bits)
            total += unit_at(index, first) * ((e >= high) - (e < low))
        i, j = i + (mine <= its), j + (its <= mine)
    return total


@kernel
def _against(index: Any, item: int, group: Any, rivals: int) -> int:
    """Comparisons that put an item above those of a group, minus those that put it below."""
    total = 0
    for i in range(index.item_starts[item], index.item_starts[item + 1]):
        first, low, high = bucket_at(index, index.addresses[i])
        unit, e = unit_at(index, first), first
        while not parts(index, e):
            if group[item_at(index, e)] == rivals:
                total += unit * ((e >= high) - (e < low))
            e += 1
    return total
