"""One allocation problem in numbers, and its exact solution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from peerage.allocation._deal import deal
from peerage.allocation._exact import UNSEEN, cover_all, fill_all
from peerage.allocation._slots import EMPTY, Slots, empty_slots

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
    def cut(
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
    if (instance.numbers <= len(instance.items)).all():  # otherwise nothing can be dealt without repeats
        deal(slots, rng)
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
