"""The working table of an allocation: one slot per review, and who holds each item.

Every design and every repair is a sequence of the three moves here: put, take and swap. They keep the two
views (lists of graders, holders of items) in step and never check rules; callers do, with `may_take`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from peerage._numba import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

EMPTY = -1


class Slots(NamedTuple):
    """Slots of grader g are ``starts[g]:starts[g + 1]``; ``items`` says what is in them, or EMPTY.

    ``holders[i, :load[i]]`` are the slots that hold item i, ``place`` the inverse. ``frozen`` slots are
    never emptied. What grader g must not see is ``barred[barred_starts[g]:barred_starts[g + 1]]``, sorted.
    ``state`` is the random number generator's, so that equal seeds give equal tables on every machine.
    """

    items: NDArray[np.int32]
    starts: NDArray[np.int64]
    owner: NDArray[np.int32]
    holders: NDArray[np.int32]
    place: NDArray[np.int32]
    load: NDArray[np.int64]
    frozen: NDArray[np.bool_]
    barred_starts: NDArray[np.int64]
    barred: NDArray[np.int32]
    state: NDArray[np.uint64]


def empty_slots(
    numbers: NDArray[np.int64],
    n_items: int,
    most: int,
    barred: tuple[NDArray[np.int64], NDArray[np.int32]],
    rng: np.random.Generator,
) -> Slots:
    """A table of empty slots, ``numbers[g]`` for grader g; no item will be held more than ``most`` times."""
    total = int(numbers.sum())
    return Slots(
        items=np.full(total, EMPTY, dtype=np.int32),
        starts=np.concatenate([[0], np.cumsum(numbers)]).astype(np.int64),
        owner=np.repeat(np.arange(len(numbers), dtype=np.int32), numbers),
        holders=np.full((n_items, max(most, 1)), EMPTY, dtype=np.int32),
        place=np.full(total, EMPTY, dtype=np.int32),
        load=np.zeros(n_items, dtype=np.int64),
        frozen=np.zeros(total, dtype=bool),
        barred_starts=barred[0],
        barred=barred[1],
        state=rng.integers(1, 2**63, size=1, dtype=np.uint64),
    )


@kernel
def random_below(state: NDArray[np.uint64], limit: int) -> int:
    """A random number 0 … limit - 1 (xorshift64*; its bias is below limit / 2**53)."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return int(((x * np.uint64(2685821657736338717)) >> np.uint64(11)) * (limit / 9007199254740992.0))


@kernel
def put(slots: Slots, slot: int, item: int) -> None:
    """Fill an empty slot."""
    slots.items[slot] = item
    slots.holders[item, slots.load[item]] = slot
    slots.place[slot] = slots.load[item]
    slots.load[item] += 1


@kernel
def take(slots: Slots, slot: int) -> int:
    """Empty a slot; returns what was in it."""
    item = slots.items[slot]
    slots.load[item] -= 1
    last = slots.holders[item, slots.load[item]]
    slots.holders[item, slots.place[slot]] = last
    slots.place[last] = slots.place[slot]
    slots.items[slot] = EMPTY
    return int(item)


@kernel
def is_barred(slots: Slots, grader: int, item: int) -> bool:
    """Whether the grader must not see the item."""
    low, high = slots.barred_starts[grader], slots.barred_starts[grader + 1]
    while low < high:
        middle = (low + high) // 2
        if slots.barred[middle] < item:
            low = middle + 1
        else:
            high = middle
    return bool(low < slots.barred_starts[grader + 1] and slots.barred[low] == item)


@kernel
def holds(slots: Slots, grader: int, item: int) -> bool:
    """Whether the grader has the item already."""
    if slots.load[item] < slots.starts[grader + 1] - slots.starts[grader]:
        for k in range(slots.load[item]):  # noqa: SIM110 - Numba compiles no generators
            if slots.owner[slots.holders[item, k]] == grader:
                return True
        return False
    for slot in range(slots.starts[grader], slots.starts[grader + 1]):  # noqa: SIM110
        if slots.items[slot] == item:
            return True
    return False


@kernel
def may_take(slots: Slots, grader: int, item: int) -> bool:
    """Whether the rules let the grader have this item as one more."""
    return not holds(slots, grader, item) and not is_barred(slots, grader, item)


def put_all(slots: Slots, places: NDArray[np.int64], items: NDArray[np.int64]) -> None:
    """Fill many slots of an empty table."""
    slots.items[places] = items
    slots.load[:] = np.bincount(items, minlength=len(slots.load))
    order = np.argsort(items, kind="stable")
    first = np.cumsum(slots.load) - slots.load
    slots.place[places[order]] = np.arange(len(items)) - first[items[order]]
    slots.holders[items, slots.place[places]] = places


@kernel
def swap(slots: Slots, e: int, f: int) -> None:
    """Exchange the items of two slots."""
    item, other = take(slots, e), take(slots, f)
    put(slots, e, other)
    put(slots, f, item)
