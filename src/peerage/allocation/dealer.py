"""Pieces of an allocation: reviews decided together, or the reason why they cannot be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from peerage.allocation._slots import Slots
from peerage.allocation.instance import Bottleneck, Instance, solve
from peerage.allocation.pool import Pool
from peerage.allocation.rules import explain, short_of_graders, short_of_work

if TYPE_CHECKING:
    from numpy.typing import NDArray

Deal = Callable[[Instance], Slots | Bottleneck]

SEARCHED_REVIEWS = 200_000  # above this, no smaller number of reviews is searched for in an error message


@dataclass(frozen=True, slots=True)
class Piece:
    """Reviews decided together, in numbers of the roster; loads within a piece differ by at most one."""

    graders: NDArray[np.int64]
    items: NDArray[np.int64]
    among: NDArray[np.int64]
    is_anchor: bool = False


@dataclass(frozen=True, slots=True)
class Dealer:
    """What designs make pieces with: the pool, the options of the allocation, and everything random."""

    pool: Pool
    anchors: int | Sequence[str]
    rng: np.random.Generator
    staff_number: int | None

    def piece(
        self,
        graders: NDArray[np.int64],
        items: NDArray[np.int64],
        numbers: NDArray[np.int64],
        deal: Deal,
        *,
        anchor: bool = False,
    ) -> Piece:
        """Let these graders review so many of these items each, as the design deals them."""
        busy = numbers > 0
        barred = self.pool.barred_starts, self.pool.barred
        instance = Instance.cut(barred, graders[busy], items, numbers[busy])
        slots = self._dealt(instance, deal)
        return Piece(instance.graders[slots.owner], instance.items[slots.items], items, anchor)

    def _dealt(self, instance: Instance, deal: Deal) -> Slots:
        short = short_of_work(self.pool, instance) or short_of_graders(self.pool, instance)
        if short is not None:
            raise short
        solved = deal(instance)
        if isinstance(solved, Bottleneck):
            raise explain(self.pool, instance, solved, largest_possible(instance))
        return solved

    def own(self, instance: Instance) -> NDArray[np.int64]:
        """Everybody's own item in local numbers, or -1."""
        local = np.full(self.pool.n_items + 1, -1, dtype=np.int64)  # the last is for "none", number -1
        local[instance.items] = np.arange(len(instance.items))
        return local[self.pool.own[instance.graders]]

    def may_see(self, graders: NDArray[np.int64], items: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many of these items each of these graders may see."""
        return np.array([len(np.setdiff1d(items, self.pool.barred_of(int(g)))) for g in graders])


def largest_possible(instance: Instance) -> int | None:
    """The largest common number of reviews below the one asked for that has a solution."""
    if instance.numbers.sum() > SEARCHED_REVIEWS:
        return None
    for number in range(int(instance.numbers.max()) - 1, 0, -1):
        numbers = np.minimum(instance.numbers, number)
        smaller = Instance(instance.graders, instance.items, numbers, instance.barred_starts, instance.barred)
        if not isinstance(solve(smaller, np.random.default_rng(0)), Bottleneck):
            return number
    return None
