"""The paper's Algorithm 2 in about linear time, and no pair is ever stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._numba import kernel
from peerage.models.mallows.index import bucket_after, bucket_at, item_at, parts, unit_at
from peerage.models.mallows.quickheap import MAX_LEVELS, Quickheap, decrease_key, open_heap, pop_min

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models.mallows.index import Index


FEW_ITEMS = 10_000  # whose sums are in the cache anyway


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
