"""Gibbs step of the Mallows sampler: an item is taken out of the order and put back by chance.

Only items that were compared with it matter: between two of them the energy is the same everywhere. So a
position is drawn by the stretch it lies in, at a cost of the item's comparisons, not of the class.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._numba import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

NEVER = 80.0  # energies this far above the least are never drawn


@kernel
def name_comparisons(lists: Any, which_lists: Any, local: Any, better: Any, worse: Any) -> None:
    items, bucket_starts, starts, _, _ = lists
    at = 0
    for which in which_lists:
        last = starts[which + 1]
        for e in range(starts[which], last):
            lower = e + 1
            while lower < last and not bucket_starts[lower]:
                lower += 1
            for f in range(lower, last):
                better[at], worse[at] = local[items[e]], local[items[f]]
                at += 1


@kernel
def weigh(lists: Any, which_lists: Any, eta: Any, slots: Any, lead: Any) -> None:
    """The lead of i over rival j: weight of comparisons that put i above j, less those that put it below."""
    _, bucket_starts, starts, graders, weights = lists
    lead[:] = 0.0
    at = 0
    for which in which_lists:
        weight, last = weights[which] * eta[graders[which]], starts[which + 1]
        for e in range(starts[which], last):
            lower = e + 1
            while lower < last and not bucket_starts[lower]:
                lower += 1
            for _ in range(lower, last):
                lead[slots[0, at]] += weight
                lead[slots[1, at]] -= weight
                at += 1


@kernel
def put_back_all(
    rng: Any, starts: Any, rivals: Any, lead: Any, near: Any, order: Any, place: Any, mass: Any
) -> None:
    """Take each item out of the order and put it back where chance, given all others, wants it."""
    for item in range(len(order)):
        low, high = starts[item], starts[item + 1]
        _sort_by_place(near, low, high, rivals, place)
        at = _draw(rng, rivals, lead, near[low:high], place, item, len(order), mass)
        _move(order, place, place[item], at)


@kernel
def _sort_by_place(near: Any, low: int, high: int, rivals: Any, place: Any) -> None:
    """By insertion: since the last sweep little has changed."""
    for k in range(low + 1, high):
        own = near[k]
        there = place[rivals[own]]
        back = k
        while back > low and place[rivals[near[back - 1]]] > there:
            near[back] = near[back - 1]
            back -= 1
        near[back] = own


@kernel
def _draw(rng: Any, rivals: Any, lead: Any, near: Any, place: Any, item: int, m: int, mass: Any) -> int:
    """A position below m with chances proportional to exp(-energy), the summed lead over those above."""
    least = energy = 0.0
    for slot in near:
        energy += lead[slot]
        least = min(least, energy)
    total = energy = 0.0
    first = 0
    for k in range(len(near) + 1):
        end, over = _end(k, rivals, near, place, item, m), energy - least
        total += (end - first) * math.exp(-over) if over < NEVER else 0.0
        mass[k] = total
        if k < len(near):
            energy += lead[near[k]]
        first = end
    goal = rng.random() * total
    k = np.searchsorted(mass[: len(near)], goal, side="right")
    first = _end(k - 1, rivals, near, place, item, m) if k else 0
    end, before = _end(k, rivals, near, place, item, m), mass[k - 1] if k else 0.0
    return min(first + int((goal - before) / (mass[k] - before) * (end - first)), end - 1)


@kernel
def _end(k: int, rivals: Any, near: Any, place: Any, item: int, m: int) -> int:
    """Where stretch k ends, which the k-th rival closes; positions are counted without the item."""
    if k == len(near):
        return m
    there = place[rivals[near[k]]]
    return int(there if there > place[item] else there + 1)


@kernel
def _move(order: Any, place: Any, here: int, there: int) -> None:
    item = order[here]
    step = 1 if there > here else -1
    while here != there:
        order[here] = order[here + step]
        place[order[here]] = here
        here += step
    order[there] = item
    place[item] = there


class Rivals:
    """Who was compared with whom in some lists: for every item its rivals, and the lead over each."""

    def __init__(self, lists: tuple[Any, ...], which: Ints, local: Ints, items: int, pairs: int) -> None:
        self.lists, self.which, self.count = lists, which, items
        better, worse = np.empty(pairs, dtype=np.int64), np.empty(pairs, dtype=np.int64)
        name_comparisons(lists, which, local, better, worse)
        keys, slots = np.unique(
            np.concatenate([better * items + worse, worse * items + better]), return_inverse=True
        )
        self.slots = slots.reshape(2, pairs)  # of both sides of every comparison
        self.owners, self.rivals = keys // items, keys % items
        self.starts = np.searchsorted(self.owners, np.arange(items + 1))
        self.lead = np.empty(len(keys))

    def weigh(self, eta: Floats) -> None:
        weigh(self.lists, self.which, eta, self.slots, self.lead)

    def shuffled(self, rng: np.random.Generator) -> Order:
        return Order(self, rng.permutation(self.count))


class Order:
    """An order of all items, the best first, which changes in place."""

    def __init__(self, rivals: Rivals, order: Ints) -> None:
        self.order, self.compared = order, rivals
        self.place = np.empty_like(order)
        self.place[order] = np.arange(len(order))
        self.near = np.lexsort((self.place[rivals.rivals], rivals.owners))  # rivals of an item by their place
        self.mass = np.empty(int(np.diff(rivals.starts).max(initial=0)) + 1)

    def sweep(self, rng: np.random.Generator) -> None:
        known = self.compared
        put_back_all(
            rng, known.starts, known.rivals, known.lead, self.near, self.order, self.place, self.mass
        )
