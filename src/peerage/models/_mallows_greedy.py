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


def place(index: Index, block: NDArray[np.int64]) -> NDArray[np.int64]:
    """Algorithm 2 within every block of items, block after block; -1 is left out and stays -1.

    x counts, over lists and in units, the unplaced items above an item minus those below it, among the items
    of its block. The smallest x is placed next, equal ones together. Returns the number of each item's group.
    """
    x = _opening(index, block)
    members = np.argsort(block, kind="stable").astype(np.int32)
    edges = np.searchsorted(block[members], np.arange(int(block.max(initial=-1)) + 2))
    return np.asarray(_place_all(index, x, members, edges))


@kernel
def _opening(index: Any, block: Any) -> Any:
    x = np.zeros(len(block), dtype=np.int64)
    for entry in range(len(index.cells) - 1):
        item = item_at(index, entry)
        first, low, high, last = rivals(index, entry)
        unit = unit_at(index, entry)
        for e in range(first, low):
            if block[item_at(index, e)] == block[item]:
                x[item] += unit
        for e in range(high, last):
            if block[item_at(index, e)] == block[item]:
                x[item] -= unit
    return x


@kernel
def _place_all(index: Any, x: Any, members: Any, edges: Any) -> Any:
    group = np.full(len(x), -1, dtype=np.int64)
    slot = np.full(len(x), -1, dtype=np.int32)  # where in the heap an item is; -1 outside of it
    number = 0
    for which in range(len(edges) - 1):
        heap = members[edges[which] : edges[which + 1]].copy()
        key = np.empty(len(heap), dtype=np.int64)
        for at in range(len(heap)):
            slot[heap[at]] = at
            key[at] = x[heap[at]]
        number = _place_block(index, heap, key, slot, group, number)
    return group


@kernel
def _place_block(index: Any, heap: Any, key: Any, slot: Any, group: Any, number: int) -> int:
    """Empty the heap group by group; returns the next free group number."""
    size = len(heap)
    together = np.empty(size, dtype=np.int32)
    for at in range(size // FAN, -1, -1):
        _sink(heap, key, slot, at, size)
    while size:
        smallest, n_tied = key[0], 0
        while size and key[0] == smallest:
            item = heap[0]
            together[n_tied] = item
            n_tied += 1
            size -= 1
            _put(heap, key, slot, 0, heap[size], key[size])
            _sink(heap, key, slot, 0, size)
            slot[item] = -1
            group[item] = number
        for i in range(n_tied if size else 0):
            _withdraw(index, together[i], heap, key, slot, size)
        number += 1
    return number


@kernel
def _withdraw(index: Any, item: int, heap: Any, key: Any, slot: Any, size: int) -> None:
    """Take a placed item out of the sums of its unplaced rivals."""
    for i in range(index.item_starts[item], index.item_starts[item + 1]):
        entry = index.item_entries[i]
        first, low, high, last = rivals(index, entry)
        unit = unit_at(index, entry)
        for e in range(first, low):
            at = slot[item_at(index, e)]
            if at >= 0:
                key[at] += unit
                _sink(heap, key, slot, at, size)
        for e in range(high, last):
            at = slot[item_at(index, e)]
            if at >= 0:
                key[at] -= unit
                _rise(heap, key, slot, at)


# -- the heap: items, their keys beside them, and where each item is --------------------------------------


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
