"""Which item has the smallest sum, while sums change all the time: a queue of rooms within rooms.

All items wait in one line. Room 0 is the whole line, and every further room is a part of the one before, from
the head of the line on: it holds all items whose sum is at most the room's limit, and perhaps some whose sum
has grown since. Only the innermost room is ever searched; it is small, because it is cut from the one around
it by the sums of a few dozen items. An item whose sum falls moves inwards at once, a step or two; one whose
sum grows stays until somebody looks. The idea is that of quickheaps (Navarro & Paredes, Algorithmica 2010):
what a heap does with jumps all over memory, this does with walks along a line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from peerage._numba import kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SAMPLE = 32  # items looked at to choose a limit
FEW = 48  # items in a room that is searched as it is
ROOMS = 64  # at most: beyond, the innermost replaces the one before it


class Queue(NamedTuple):
    """Items in line, where in the line each item is, where each room ends, and its limit."""

    line: NDArray[np.int32]
    slot: NDArray[np.int32]
    ends: NDArray[np.int64]
    limits: NDArray[Any]


@kernel
def open_queue(queue: Any, most: int) -> None:
    """Let everybody in line into room 0, whatever the sum up to `most`."""
    for at in range(len(queue.line)):
        queue.slot[queue.line[at]] = at
    queue.ends[0] = len(queue.line)
    queue.limits[0] = most


@kernel
def come_first(queue: Any, x: Any, head: int, inner: int) -> tuple[int, int]:
    """Bring all items with the smallest sum to the head of the line.

    They get a room of their own. Returns where it ends and its number.
    """
    while True:
        while queue.ends[inner] == head:
            inner -= 1
        inner = _cut(queue, x, head, inner)
        smallest = x[queue.line[head]]
        for at in range(head + 1, queue.ends[inner]):
            smallest = min(smallest, x[queue.line[at]])
        if smallest <= queue.limits[inner]:
            break
        inner -= 1  # everybody in here has grown
    inner = min(inner + 1, ROOMS - 1)
    _furnish(queue, x, head, inner, smallest)
    return int(queue.ends[inner]), inner


@kernel
def _cut(queue: Any, x: Any, head: int, inner: int) -> int:
    """Cut smaller rooms from the innermost one while there are too many items in it; its number."""
    while queue.ends[inner] - head > FEW and inner < ROOMS - 2:
        limit = min(_second_smallest(queue, x, head, queue.ends[inner]), queue.limits[inner])
        _furnish(queue, x, head, inner + 1, limit)
        if queue.ends[inner + 1] == queue.ends[inner]:  # many have this very sum: who has less?
            _furnish(queue, x, head, inner + 1, limit - 1)
        if queue.ends[inner + 1] == head:
            break
        inner += 1
    return inner


@kernel
def _second_smallest(queue: Any, x: Any, head: int, end: int) -> int:
    """Of the sums of a few items, so that about one item in sixteen has a smaller sum."""
    least = second = max(x[queue.line[head]], x[queue.line[end - 1]])
    for at in range(head, end, (end - head) // SAMPLE):
        here = x[queue.line[at]]
        least, second = min(least, here), min(second, max(least, here))
    return int(second)


@kernel
def _furnish(queue: Any, x: Any, head: int, room: int, limit: int) -> None:
    """Make the room within the one before it, for the sums up to a limit."""
    end = head
    for at in range(head, queue.ends[room - 1]):
        if x[queue.line[at]] <= limit:
            _swap(queue, end, at)
            end += 1
    queue.ends[room] = end
    queue.limits[room] = limit


@kernel
def move_in(queue: Any, inner: int, item: int, value: int) -> None:
    """Let an item whose sum has fallen into all rooms that it now belongs to."""
    for room in range(1, inner + 1):
        if value > queue.limits[room]:
            break
        if queue.slot[item] >= queue.ends[room]:
            _swap(queue, queue.ends[room], queue.slot[item])
            queue.ends[room] += 1


@kernel
def _swap(queue: Any, one: int, other: int) -> None:
    first, second = queue.line[one], queue.line[other]
    queue.line[one], queue.line[other] = second, first
    queue.slot[second], queue.slot[first] = one, other
