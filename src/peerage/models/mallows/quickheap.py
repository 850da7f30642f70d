"""Which item has the smallest sum, while sums change all the time: a quickheap.

All items stand in one array. Level 0 is all of it, and every further level a part of the one before, from the
head on: it holds all items whose sum is at most the level's pivot, and perhaps some whose sum has grown
since. Only the innermost level is ever searched; it is small, because it is partitioned from the one around
it by the sums of a few dozen items. An item whose sum falls moves inwards at once, a step or two; one whose
sum grows stays until somebody looks. See Navarro & Paredes, On sorting, heaps and minimum spanning trees,
Algorithmica 2010. A binary heap jumps all over memory where this walks along an array: with one, Mallows took
2.3 to 2.5 times as long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from peerage._numba import kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SAMPLE = 32  # items looked at to choose a pivot
FEW_LEFT = 48  # items in a level that is searched as it is
MAX_LEVELS = 64  # at most: beyond, the innermost replaces the one before it


class Quickheap(NamedTuple):
    """Items, where each of them stands, where each level ends, and its pivot."""

    items: NDArray[np.int32]
    slot: NDArray[np.int32]
    ends: NDArray[np.int64]
    pivots: NDArray[Any]


@kernel
def open_heap(heap: Any, most: int) -> None:
    """Put all items into level 0, whatever the sum up to `most`."""
    for at in range(len(heap.items)):
        heap.slot[heap.items[at]] = at
    heap.ends[0] = len(heap.items)
    heap.pivots[0] = most


@kernel
def pop_min(heap: Any, x: Any, head: int, inner: int) -> tuple[int, int]:
    """Bring all items with the smallest sum to the head, a level of their own; where it ends, its number."""
    while True:
        while heap.ends[inner] == head:
            inner -= 1
        inner = _cut(heap, x, head, inner)
        smallest = x[heap.items[head]]
        for at in range(head + 1, heap.ends[inner]):
            smallest = min(smallest, x[heap.items[at]])
        if smallest <= heap.pivots[inner]:
            break
        inner -= 1  # all in here have grown
    inner = min(inner + 1, MAX_LEVELS - 1)
    _partition(heap, x, head, inner, smallest)
    return int(heap.ends[inner]), inner


@kernel
def _cut(heap: Any, x: Any, head: int, inner: int) -> int:
    """Partition smaller levels from the innermost one while it has too many items; its number."""
    while heap.ends[inner] - head > FEW_LEFT and inner < MAX_LEVELS - 2:
        pivot = min(_second_smallest(heap, x, head, heap.ends[inner]), heap.pivots[inner])
        _partition(heap, x, head, inner + 1, pivot)
        if heap.ends[inner + 1] == heap.ends[inner]:  # many have this very sum: who has less?
            _partition(heap, x, head, inner + 1, pivot - 1)
        if heap.ends[inner + 1] == head:
            break
        inner += 1
    return inner


@kernel
def _second_smallest(heap: Any, x: Any, head: int, end: int) -> int:
    """Of the sums of a few items, so that about one item in sixteen has a smaller sum."""
    least = second = max(x[heap.items[head]], x[heap.items[end - 1]])
    for at in range(head, end, (end - head) // SAMPLE):
        here = x[heap.items[at]]
        least, second = min(least, here), min(second, max(least, here))
    return int(second)


@kernel
def _partition(heap: Any, x: Any, head: int, level: int, pivot: int) -> None:
    """Make the level within the one before it, for the sums up to a pivot."""
    end = head
    for at in range(head, heap.ends[level - 1]):
        if x[heap.items[at]] <= pivot:
            _swap(heap, end, at)
            end += 1
    heap.ends[level] = end
    heap.pivots[level] = pivot


@kernel
def decrease_key(heap: Any, inner: int, item: int, value: int) -> None:
    """Let an item whose sum has fallen into all levels that it now belongs to."""
    for level in range(1, inner + 1):
        if value > heap.pivots[level]:
            break
        if heap.slot[item] >= heap.ends[level]:
            _swap(heap, heap.ends[level], heap.slot[item])
            heap.ends[level] += 1


@kernel
def _swap(heap: Any, one: int, other: int) -> None:
    first, second = heap.items[one], heap.items[other]
    heap.items[one], heap.items[other] = second, first
    heap.slot[second], heap.slot[first] = one, other
