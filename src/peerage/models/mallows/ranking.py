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
from peerage.models.mallows.index import bucket_after, bucket_at, compared, item_at, parts, unit_at, within
from peerage.models.mallows.quickheap import MAX_LEVELS, Quickheap, decrease_key, open_heap, pop_min

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.mallows.index import Index

    Group = NDArray[np.int32]

FEW_ITEMS = 10_000  # whose sums are in the cache anyway
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


# -- Algorithm 2 in about linear time, and no pair is ever stored ------------------------------------------


def place_greedily(index: Index, block: NDArray[np.int32]) -> NDArray[np.int32]:
    """Algorithm 2 within every block of items, block after block; -1 is left out and stays -1.

    No list of the index has items of two blocks. x counts, over lists and in units, the unplaced items above
    an item minus those below it. The smallest x is placed next, equal ones together. Returns the number of
    each item's group.
    """
    opening = np.zeros(len(block), dtype=_kind_of_sums(index))
    _open(index, opening)
    return np.asarray(_place_all(index, opening, *members_of(block)))


def _kind_of_sums(index: Index) -> type[np.signedinteger[Any]]:
    """Sums of many items are held in little memory where they fit: changing them is most of the work.

    Those of few items are in the cache anyway, and one kind less has to be compiled for them. Sums must be
    smaller than 2^(bits - 3); in int64 they are by the choice of units (see `whole_units`).
    """
    reviews = np.diff(index.item_starts)
    small = len(index.units) == 1 and index.longest * int(reviews.max(initial=0)) < 2**13
    return np.int16 if small and len(reviews) > FEW_ITEMS else np.int64


def members_of(block: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The items of every block, block after block, and where each block begins; -1 is left out."""
    edges = np.zeros(int(block.max(initial=-1)) + 2, dtype=np.int64)
    np.cumsum(np.bincount(block + 1, minlength=len(edges))[1:], out=edges[1:])
    members = np.empty(edges[-1], dtype=np.int32)
    _sort_by_block(block, edges[:-1].copy(), members)
    return members, edges


@kernel
def _sort_by_block(block: Any, next_slot: Any, members: Any) -> None:
    for item in range(len(block)):
        if block[item] >= 0:
            members[next_slot[block[item]]] = item
            next_slot[block[item]] += 1


@kernel
def _open(index: Any, x: Any) -> None:
    """x before anything is placed."""
    first = int(np.int64(1))
    while first < len(index.cells):
        last = first
        while not parts(index, last):
            last += 1
        low, unit = first, unit_at(index, first)
        while low < last:
            high = bucket_after(index, low)
            for e in range(low, high):
                x[item_at(index, e)] += unit * ((low - first) - (last - high))
            low = high
        first = last + 1


@kernel
def _place_all(index: Any, opening: Any, members: Any, edges: Any) -> Any:
    group = np.full(len(opening), -1, dtype=np.int32)
    slot = np.empty(len(opening), dtype=np.int32)
    ends, pivots = np.empty(MAX_LEVELS, dtype=np.int64), np.empty(MAX_LEVELS, dtype=opening.dtype)
    number = int(np.int64(0))  # to Numba a plain 0 is a type of its own: what gets it is compiled twice
    for which in range(len(edges) - 1):
        if edges[which + 1] - edges[which] == 1:  # most, where ties are settled
            group[members[edges[which]]] = number
            number += 1
            continue
        heap = Quickheap(members[edges[which] : edges[which + 1]], slot, ends, pivots)
        number = _place_block(index, opening, heap, group, number)
    return group


@kernel
def _place_block(index: Any, x: Any, heap: Any, group: Any, number: int) -> int:
    """Place the items of the heap, group by group; returns the next free group number."""
    bits = 8 * x.itemsize
    most = 2 ** (bits - 3)
    placed = 2 ** (bits - 2) + 2 ** (bits - 4)  # the sum of a placed item: above most, come what may
    open_heap(heap, most)
    head = inner = int(np.int64(0))
    while head < len(heap.items):
        end, inner = pop_min(heap, x, head, inner)
        for at in range(head, end):
            x[heap.items[at]] = placed
            group[heap.items[at]] = number
        for at in range(head, end):
            _withdraw(index, heap.items[at], x, heap, inner)
        head, number = end, number + 1
    return number


@kernel
def _withdraw(index: Any, item: int, x: Any, heap: Any, inner: int) -> None:
    """Take a placed item out of the sums of its rivals."""
    pivot = heap.pivots[1]
    start, end, seen = index.item_starts[item], index.item_starts[item + 1], 0
    for i in range(start, end):  # ask for all lists at once: trips to memory overlap
        first = index.addresses[i] >> index.bits
        seen |= index.cells[first] | index.cells[first + index.longest - 1]
    for i in range(start, end if seen >= 0 else start):  # always so, but not to be left out by the compiler
        first, low, high = bucket_at(index, index.addresses[i])
        unit = unit_at(index, first)
        for e in range(first, low):
            x[item_at(index, e)] += unit
        while not parts(index, high):
            rival = item_at(index, high)
            x[rival] -= unit
            if x[rival] <= pivot:
                decrease_key(heap, inner, rival, x[rival])
            high += 1
