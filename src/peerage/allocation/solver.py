"""One allocation problem in numbers, and its exact solution: a balanced random start, then maximum flow.

The flow completes an allocation, or finds the bottleneck that forbids it. Its searches are breadth-first
searches for an augmenting path in the bipartite graph of graders and items. That graph is dense, but what a
grader must *not* see is short: every item is either reached once or skipped for a grader that holds or must
not see it, so a search is linear in the class, never quadratic.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from peerage._numba import kernel
from peerage.allocation.slots import (
    EMPTY,
    Slots,
    empty_slots,
    holds,
    is_barred,
    may_take,
    put,
    random_below,
    take,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

EXCHANGE_TRIES = 64
UNSEEN = -1
ROOT = -2


@dataclass(frozen=True, slots=True, eq=False)
class Instance:
    """Graders with their numbers of reviews, items, and the pairs that must not meet.

    Graders and items are numbers of a roster: ``graders[g]`` gives ``numbers[g]`` reviews, of ``items``.
    ``barred`` is in local numbers.
    """

    graders: NDArray[np.int64]
    items: NDArray[np.int64]
    numbers: NDArray[np.int64]
    barred_starts: NDArray[np.int64]
    barred: NDArray[np.int32]

    @classmethod
    def restrict(
        cls,
        barred: tuple[NDArray[np.int64], NDArray[np.int32]],
        graders: NDArray[np.int64],
        items: NDArray[np.int64],
        numbers: NDArray[np.int64],
    ) -> Instance:
        """The part of a roster's rules between these graders and these items."""
        starts, flat = barred
        local = np.full(int(max(items.max(initial=-1), flat.max(initial=-1))) + 1, -1, dtype=np.int64)
        local[items] = np.arange(len(items))
        lengths = np.diff(starts)[graders]
        entries = np.repeat(starts[graders] - (np.cumsum(lengths) - lengths), lengths) + np.arange(
            lengths.sum()
        )
        owner, mine = np.repeat(np.arange(len(graders)), lengths), local[flat[entries]]
        owner, mine = owner[mine >= 0], mine[mine >= 0]
        mine = mine[np.lexsort((mine, owner))]
        return cls(
            graders=graders,
            items=items,
            numbers=numbers,
            barred_starts=np.searchsorted(owner, np.arange(len(graders) + 1)).astype(np.int64),
            barred=mine.astype(np.int32),
        )

    @property
    def lower(self) -> int:
        """The least number of reviews an item may get, so that all are within one of each other."""
        return int(self.numbers.sum()) // max(len(self.items), 1)

    @property
    def upper(self) -> int:
        """The largest number of reviews an item may get."""
        return -(-int(self.numbers.sum()) // max(len(self.items), 1))

    @property
    def allowed(self) -> NDArray[np.int64]:
        """How many items each grader may see."""
        return len(self.items) - np.diff(self.barred_starts)


@dataclass(frozen=True, slots=True, eq=False)
class Bottleneck:
    """Why an instance has no solution, in local numbers.

    kind "graders": the marked graders have more reviews to give than the rules leave room for.
    kind "items": the marked items need more reviews than the graders who may see them can give.
    """

    kind: str
    graders: NDArray[np.bool_]
    items: NDArray[np.bool_]


def solve(instance: Instance, rng: np.random.Generator) -> Slots | Bottleneck:
    """A balanced random allocation that keeps every rule, or the bottleneck that forbids all of them."""
    barred = instance.barred_starts, instance.barred
    slots = empty_slots(instance.numbers, len(instance.items), instance.upper, barred, rng)
    if (instance.numbers <= len(instance.items)).all():  # otherwise nothing can be filled without repeats
        fill_randomly(slots, rng)
    return complete(instance, slots, rng)


def complete(instance: Instance, slots: Slots, rng: np.random.Generator) -> Slots | Bottleneck:
    """Fill what is still empty and level the loads, exactly."""
    n_graders, n_items = len(instance.graders), len(instance.items)
    reached = np.full(n_graders, UNSEEN, dtype=np.int64)
    if fill_all(slots, np.full(n_items, instance.upper), reached) != EMPTY:
        graders = reached != UNSEEN
        return Bottleneck("graders", graders, _seen_by(slots, graders))
    wanted = np.full(n_items, UNSEEN, dtype=np.int32)
    order = rng.permutation(n_graders)
    if cover_all(slots, np.full(n_items, instance.lower), wanted, order) != EMPTY:
        items = wanted != UNSEEN
        return Bottleneck("items", _able_to_take(slots, items), items)
    return slots


def _seen_by(slots: Slots, graders: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Items that one of the graders may see and does not have: all full, and held only by those graders."""
    n_items = len(slots.load)
    seen = np.zeros(n_items, dtype=bool)
    for grader in np.flatnonzero(graders):
        free = np.ones(n_items, dtype=bool)
        free[slots.barred[slots.barred_starts[grader] : slots.barred_starts[grader + 1]]] = False
        mine = slots.items[slots.starts[grader] : slots.starts[grader + 1]]
        free[mine[mine != EMPTY]] = False
        seen |= free
        if seen.all():
            break
    return seen


def _able_to_take(slots: Slots, items: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Graders who may see one of the items and do not have it: they have nothing but those items."""
    n_graders, wanted = len(slots.starts) - 1, int(items.sum())
    barred_owner = np.repeat(np.arange(n_graders), np.diff(slots.barred_starts))
    lost = np.bincount(barred_owner[items[slots.barred]], minlength=n_graders)
    filled = slots.items != EMPTY
    lost += np.bincount(slots.owner[filled][items[slots.items[filled]]], minlength=n_graders)
    return np.asarray(lost < wanted)


# -- a balanced random start -----------------------------------------------------------------------


def fill_randomly(slots: Slots, rng: np.random.Generator) -> None:
    """Fill the empty slots with shuffles of all items, one after the other, and exchange what is illegal.

    Whole shuffles keep the loads within one and leave repeats inside a list only where two shuffles meet.
    A slot for which no legal exchange was found stays empty: `complete` finds the rest.
    """
    total, n_items = len(slots.items), len(slots.load)
    shuffles = [rng.permutation(n_items) for _ in range(-(-total // n_items))]
    sequence = np.concatenate([np.empty(0, dtype=np.int64), *shuffles])[:total]
    turn = rng.permutation(len(slots.starts) - 1)
    order = np.argsort(turn[slots.owner], kind="stable")
    _fill_in_order(slots, sequence, order)


@kernel
def _fill_in_order(slots: Slots, sequence: NDArray[np.int64], order: NDArray[np.int64]) -> None:
    left = np.full(len(sequence), EMPTY)
    for k in range(len(sequence)):
        slot = order[k]
        if may_take(slots, int(slots.owner[slot]), sequence[k]):
            put(slots, slot, sequence[k])
        else:
            left[k] = sequence[k]
    for k in range(len(sequence)):
        if left[k] != EMPTY:
            _exchange(slots, order[k], left[k])


@kernel
def _exchange(slots: Slots, slot: int, item: int) -> bool:
    """Give the item to a random other grader whose item this slot may have."""
    for _ in range(EXCHANGE_TRIES):
        other = random_below(slots.state, len(slots.items))
        theirs, grader = int(slots.items[other]), int(slots.owner[slot])
        if theirs == EMPTY or slots.owner[other] == grader:
            continue
        if may_take(slots, grader, theirs) and may_take(slots, int(slots.owner[other]), item):
            take(slots, other)
            put(slots, other, item)
            put(slots, slot, theirs)
            return True
    return False


# -- maximum flow ----------------------------------------------------------------------------------


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
        grader = int(queue[head])
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
                _augment_fill(slots, slot, item, via, link)
                return True
            for h in range(slots.load[item]):
                held = slots.holders[item, h]
                if link[slots.owner[held]] == UNSEEN and not slots.frozen[held]:
                    link[slots.owner[held]] = held
                    queue[tail] = slots.owner[held]
                    tail += 1
    return False


@kernel
def _augment_fill(
    slots: Slots, slot: int, item: int, via: NDArray[np.int32], link: NDArray[np.int64]
) -> None:
    """Walk the path back: every grader on it gives up one item for the next."""
    while True:
        grader = via[item]
        released = link[grader]
        if released == ROOT:
            put(slots, slot, item)
            return
        freed = take(slots, released)
        put(slots, released, item)
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
    released = np.full(len(slots.load), UNSEEN, dtype=np.int32)  # the slot that would be freed
    link[:] = UNSEEN
    link[item] = ROOT
    queue = np.empty(len(slots.load), dtype=np.int32)
    queue[0], head, tail = item, 0, 1
    while head < tail:
        wanted = int(queue[head])
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
                    _augment_cover(slots, slot, want, released, link)
                    return True
        for k in range(n_left, first):
            grader = left[k]
            for slot in range(slots.starts[grader], slots.starts[grader + 1]):
                other = slots.items[slot]
                if slots.frozen[slot] or link[other] != UNSEEN:
                    continue
                link[other], released[other] = grader, slot
                if slots.load[other] > lower[other]:
                    take(slots, slot)
                    _augment_cover(slots, slot, want, released, link)
                    return True
                queue[tail] = other
                tail += 1
    return False


@kernel
def _augment_cover(
    slots: Slots, slot: int, want: NDArray[np.int32], released: NDArray[np.int32], link: NDArray[np.int32]
) -> None:
    """Walk the path back: the freed slot takes what its grader was asked for, and so on to the root."""
    while True:
        item = int(want[slots.owner[slot]])
        if link[item] == ROOT:
            put(slots, slot, item)
            return
        freed = int(released[item])
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
