"""The paper's Algorithm 2 with a heap: O((items + pairs) log items), and no pair is ever stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._numba import kernel
from peerage.models._mallows_index import item_at, rivals, unit_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models._mallows_index import Index

FAN = 4  # children of a heap node: they share a cache line
SAMPLE = 32  # of the waiting items, looked at to choose who enters the heap
FEW = 64  # so few all enter
ALL = 2**61  # no sum is larger (see whole_units)
OUTSIDE = 2**62 + 2**60  # instead of the sum of an item placed or of another block: above ALL, come what may


def place(index: Index, block: NDArray[np.int64]) -> NDArray[np.int64]:
    """Algorithm 2 within every block of items, block after block; -1 is left out and stays -1.

    x counts, over lists and in units, the unplaced items above an item minus those below it, among the items
    of its block. The smallest x is placed next, equal ones together. Returns the number of each item's group.
    """
    return np.asarray(_place_all(index, _opening(index, block), *members_of(block)))


def members_of(block: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
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
def _opening(index: Any, block: Any) -> Any:
    """x before anything is placed. What a list needs of its items is fetched once."""
    x = np.zeros(len(block), dtype=np.int64)
    home, sums = np.empty((2, 0), dtype=np.int64)
    first = 1
    while first < len(index.cells):
        last = first
        while not index.cells[last] & 2:
            last += 1
        if last - first > len(home):
            home, sums = np.empty((2, 2 * (last - first)), dtype=np.int64)
        for e in range(first, last):
            home[e - first] = block[item_at(index, e)]
            sums[e - first] = 0
        _add_pairs(index, first, last, home, sums)
        for e in range(first, last):
            x[item_at(index, e)] += sums[e - first]
        first = last + 1
    return x


@kernel
def _add_pairs(index: Any, first: int, last: int, home: Any, sums: Any) -> None:
    """Unit by unit, the pairs of one list whose items have the same home."""
    low, unit = first, unit_at(index, last)
    while low < last:
        high = low + 1
        while not index.cells[high] & 1:
            high += 1
        for i in range(low - first, high - first):
            for j in range(high - first, last - first):
                if home[i] == home[j]:
                    sums[i] -= unit
                    sums[j] += unit
        low = high


@kernel
def _place_all(index: Any, opening: Any, members: Any, edges: Any) -> Any:
    group = np.full(len(opening), -1, dtype=np.int64)
    slot = np.full(len(opening), -1, dtype=np.int32)  # where in the heap an item is; -1 outside of it
    x = np.full(len(opening), OUTSIDE, dtype=np.int64)
    number = 0
    for which in range(len(edges) - 1):
        if edges[which + 1] - edges[which] == 1:  # most, where ties are settled
            group[members[edges[which]]] = number
            number += 1
            continue
        waiting = members[edges[which] : edges[which + 1]].copy()
        for item in waiting:
            x[item] = opening[item]
        number = _place_block(index, x, waiting, slot, group, number)
    return group


@kernel
def _place_block(index: Any, x: Any, waiting: Any, slot: Any, group: Any, number: int) -> int:
    """Place the items of a block, group by group; returns the next free group number.

    Only items whose x is at most `limit` are in the heap, a small part of all, so that most changes of x
    need no more than a look at the limit. When the heap is empty, the limit rises.
    """
    left = n_waiting = len(waiting)
    heap, key = np.empty(left, dtype=np.int32), np.empty(left, dtype=np.int64)
    together = np.empty(left, dtype=np.int32)
    size, limit = 0, -ALL
    while left:
        if size == 0:
            n_waiting = _compact(x, waiting, n_waiting)
            limit = _next_limit(x, waiting, n_waiting)
            size = _fill(x, waiting, n_waiting, limit, heap, key, slot)
        smallest, n_tied = key[0], 0
        while size and key[0] == smallest:
            item = heap[0]
            if x[item] > smallest:  # grown since it entered the heap
                size = _demote(x[item], limit, heap, key, slot, size)
                continue
            together[n_tied] = item
            n_tied += 1
            size = _drop_first(heap, key, slot, size)
            x[item] = OUTSIDE
            group[item] = number
        left -= n_tied
        number += n_tied > 0
        for i in range(n_tied if left else 0):
            size = _withdraw(index, together[i], x, limit, heap, key, slot, size)
    return number


@kernel
def _compact(x: Any, waiting: Any, n_waiting: int) -> int:
    """Move the items not placed yet to the front; how many there are."""
    kept = 0
    for i in range(n_waiting):
        if x[waiting[i]] < ALL:
            waiting[kept] = waiting[i]
            kept += 1
    return kept


@kernel
def _next_limit(x: Any, waiting: Any, n_waiting: int) -> int:
    """The second smallest x of a few dozen waiting items, so that about one item in sixteen is below it."""
    if n_waiting <= FEW:
        return ALL
    least = second = ALL
    for i in range(0, n_waiting, n_waiting // SAMPLE):
        here = x[waiting[i]]
        least, second = min(least, here), min(second, max(least, here))
    return second


@kernel
def _fill(x: Any, waiting: Any, n_waiting: int, limit: int, heap: Any, key: Any, slot: Any) -> int:
    size = 0
    for i in range(n_waiting):
        if x[waiting[i]] <= limit:
            _put(heap, key, slot, size, waiting[i], x[waiting[i]])
            size += 1
    for at in range(size // FAN, -1, -1):
        _sink(heap, key, slot, at, size)
    return size


@kernel
def _withdraw(index: Any, item: int, x: Any, limit: int, heap: Any, key: Any, slot: Any, size: int) -> int:
    """Take a placed item out of the sums of its unplaced rivals; returns the new size of the heap.

    A sum that grows is left where it is in the heap, too far up, until it comes first there.
    """
    start, end, seen = index.item_starts[item], index.item_starts[item + 1], 0
    for i in range(start, end):
        seen |= index.cells[index.item_cells[i]]  # ask for all lists at once: trips to memory overlap
    for i in range(start, end if seen >= 0 else start):  # always so, but not to be left out by the compiler
        first, low, high, last = rivals(index, index.item_cells[i])
        unit = unit_at(index, last)
        for e in range(first, low):
            x[item_at(index, e)] += unit
        for e in range(high, last):
            rival = item_at(index, e)
            x[rival] -= unit
            if x[rival] <= limit:
                size = _promote(rival, x[rival], heap, key, slot, size)
    return size


# -- the heap: items, their keys beside them, and where each item is --------------------------------------


@kernel
def _promote(item: int, value: int, heap: Any, key: Any, slot: Any, size: int) -> int:
    """Enter an item, or move it up where it is in the heap with a larger key; returns the new size."""
    at = slot[item]
    if at < 0:
        at = size
        size += 1
    elif key[at] <= value:
        return size
    _put(heap, key, slot, at, item, value)
    _rise(heap, key, slot, at)
    return size


@kernel
def _demote(value: int, limit: int, heap: Any, key: Any, slot: Any, size: int) -> int:
    """Give the first item a larger key, or take it out if that is beyond the limit."""
    if value > limit:
        return _drop_first(heap, key, slot, size)
    key[0] = value
    _sink(heap, key, slot, 0, size)
    return size


@kernel
def _drop_first(heap: Any, key: Any, slot: Any, size: int) -> int:
    slot[heap[0]] = -1
    size -= 1
    if size:
        _put(heap, key, slot, 0, heap[size], key[size])
        _sink(heap, key, slot, 0, size)
    return size


@kernel
def _put(heap: Any, key: Any, slot: Any, at: int, item: int, value: int) -> None:
    heap[at] = item
    key[at] = value
    slot[item] = at


@kernel
def _rise(heap: Any, key: Any, slot: Any, at: int) -> None:
    item, value, start = heap[at], key[at], at
    while at > 0:
        parent = (at - 1) // FAN
        if key[parent] <= value:
            break
        _put(heap, key, slot, at, heap[parent], key[parent])
        at = parent
    if at != start:
        _put(heap, key, slot, at, item, value)


@kernel
def _sink(heap: Any, key: Any, slot: Any, at: int, size: int) -> None:
    if at >= size:
        return
    item, value, start = heap[at], key[at], at
    while True:
        child = FAN * at + 1
        if child >= size:
            break
        for other in range(child + 1, min(FAN * at + FAN, size - 1) + 1):
            if key[other] < key[child]:
                child = other
        if key[child] >= value:
            break
        _put(heap, key, slot, at, heap[child], key[child])
        at = child
    if at != start:
        _put(heap, key, slot, at, item, value)
