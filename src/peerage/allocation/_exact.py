"""Maximum flow on the table of slots: completes an allocation, or finds the bottleneck that forbids it.

Both searches are breadth-first searches for an augmenting path in the bipartite graph of graders and items.
That graph is dense, but what a grader must *not* see is short: every item is either reached once or skipped
for a grader that holds or must not see it, so a search is linear in the class, never quadratic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from peerage._numba import kernel
from peerage.allocation._slots import EMPTY, Slots, holds, is_barred, put, take

if TYPE_CHECKING:
    from numpy.typing import NDArray

UNSEEN = -1
ROOT = -2


@kernel
def fill(slots: Slots, slot: int, upper: NDArray[np.int64], link: NDArray[np.int64]) -> bool:
    """Fill one empty slot so that no load exceeds ``upper``, moving other graders' items if needed.

    ``link[g]`` is how grader g was reached: the slot it would have to give up, ROOT or UNSEEN. After a
    failure the graders reached, and the items they may see, are the proof that it cannot be done.
    """
    n_items = len(slots.load)
    left = np.arange(n_items)  # items not reached yet
    n_left = n_items
    via = np.full(n_items, UNSEEN, dtype=np.int32)  # the grader that would take the item
    link[:] = UNSEEN
    link[slots.owner[slot]] = ROOT
    queue = np.empty(len(link), dtype=np.int32)
    queue[0], head, tail = slots.owner[slot], 0, 1
    while head < tail:
        grader = queue[head]
        head += 1
        k = 0
        while k < n_left:
            item = left[k]
            if is_barred(slots, grader, item) or holds(slots, grader, item):
                k += 1
                continue
            n_left -= 1
            left[k] = left[n_left]
            via[item] = grader
            if slots.load[item] < upper[item]:
                _shift(slots, slot, item, via, link)
                return True
            for h in range(slots.load[item]):
                held = slots.holders[item, h]
                if link[slots.owner[held]] == UNSEEN and not slots.frozen[held]:
                    link[slots.owner[held]] = held
                    queue[tail] = slots.owner[held]
                    tail += 1
    return False


@kernel
def _shift(slots: Slots, slot: int, item: int, via: NDArray[np.int32], link: NDArray[np.int64]) -> None:
    """Walk the path back: every grader on it gives up one item for the next."""
    while True:
        grader = via[item]
        given = link[grader]
        if given == ROOT:
            put(slots, slot, item)
            return
        freed = take(slots, given)
        put(slots, given, item)
        item = freed


@kernel
def cover(
    slots: Slots, item: int, lower: NDArray[np.int64], link: NDArray[np.int32], graders: NDArray[np.int64]
) -> bool:
    """One more review for an item: from a grader with an empty slot, or from an item above ``lower``.

    ``graders`` is the order in which graders are asked; ``link[i]`` is the grader who would give up item i
    for another, ROOT or UNSEEN. After a failure the items reached are the proof that it cannot be done.
    """
    left = graders.copy()  # graders not reached yet
    n_left = len(left)
    want = np.full(len(left), UNSEEN, dtype=np.int32)  # the item a grader would take
    given = np.full(len(slots.load), UNSEEN, dtype=np.int32)  # the slot that would be freed
    link[:] = UNSEEN
    link[item] = ROOT
    queue = np.empty(len(slots.load), dtype=np.int32)
    queue[0], head, tail = item, 0, 1
    while head < tail:
        wanted = queue[head]
        head += 1
        first = n_left  # graders reached in this step are kept behind this mark
        k = 0
        while k < n_left:
            grader = left[k]
            if is_barred(slots, grader, wanted) or holds(slots, grader, wanted):
                k += 1
                continue
            n_left -= 1
            left[k], left[n_left] = left[n_left], left[k]
            want[grader] = wanted
            for slot in range(slots.starts[grader], slots.starts[grader + 1]):
                if slots.items[slot] == EMPTY:
                    _pass_on(slots, slot, want, given, link)
                    return True
        for k in range(n_left, first):
            grader = left[k]
            for slot in range(slots.starts[grader], slots.starts[grader + 1]):
                other = slots.items[slot]
                if slots.frozen[slot] or link[other] != UNSEEN:
                    continue
                link[other], given[other] = grader, slot
                if slots.load[other] > lower[other]:
                    take(slots, slot)
                    _pass_on(slots, slot, want, given, link)
                    return True
                queue[tail] = other
                tail += 1
    return False


@kernel
def _pass_on(
    slots: Slots, slot: int, want: NDArray[np.int32], given: NDArray[np.int32], link: NDArray[np.int32]
) -> None:
    """Walk the path back: the freed slot takes what its grader was asked for, and so on to the root."""
    while True:
        item = want[slots.owner[slot]]
        if link[item] == ROOT:
            put(slots, slot, item)
            return
        freed = given[item]
        take(slots, freed)
        put(slots, slot, item)
        slot = freed


@kernel
def fill_all(slots: Slots, upper: NDArray[np.int64], link: NDArray[np.int64]) -> int:
    """Fill every empty slot; returns the first that cannot be filled, or EMPTY."""
    for slot in range(len(slots.items)):
        if slots.items[slot] == EMPTY and not fill(slots, slot, upper, link):
            return slot
    return EMPTY


@kernel
def cover_all(
    slots: Slots, lower: NDArray[np.int64], link: NDArray[np.int32], graders: NDArray[np.int64]
) -> int:
    """Bring every item up to its lower bound; returns the first that cannot be, or EMPTY."""
    for item in range(len(slots.load)):
        while slots.load[item] < lower[item]:
            if not cover(slots, item, lower, link, graders):
                return item
    return EMPTY
