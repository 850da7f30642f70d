"""Staff as bridges: their lists reach across the part of the class that is connected least."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from peerage.allocation._slots import Slots, may_take
from peerage.allocation.connect import swap
from peerage.allocation.designs.spread import spread
from peerage.allocation.instance import Bottleneck, Instance
from peerage.allocation.measures import lists_by_items, slowest
from peerage.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.allocation.dealer import Dealer, Piece
    from peerage.allocation.parts import Part

ROUNDS = 40
PARTNERS = 200
FAILURES = 3


def pieces(dealer: Dealer, part: Part) -> list[Piece]:
    """One piece, spread, then bridged by staff."""
    is_staff = dealer.pool.is_staff
    if not is_staff[part.graders].any():
        msg = "the design 'staff' needs staff on the roster: give them the role staff or external"
        raise DataError(msg, source=dealer.pool.source)

    def deal(instance: Instance) -> Slots | Bottleneck:
        dealt = spread(instance, dealer.own(instance), dealer.rng)
        if not isinstance(dealt, Bottleneck):
            bridge(dealt, is_staff[instance.graders], dealer.rng)
        return dealt

    return [dealer.piece(part.graders, part.items, part.numbers, deal)]


def bridge(slots: Slots, is_staff: NDArray[np.bool_], rng: np.random.Generator) -> None:
    """Swap staff's reviews with students' while that widens the spectral gap.

    To first order, the gap grows by what a swap adds to the scatter of the two lists along the slowest
    direction of the graph (its Fiedler vector); every round takes the best swap of each staff list, and
    gives back what did not help. Loads and numbers of reviews stay as they are.
    """
    students = np.flatnonzero(~is_staff[slots.owner])
    staff = np.flatnonzero(is_staff & (np.diff(slots.starts) > 1))
    gap, where = _slowest(slots)
    failures = 0
    for _ in range(ROUNDS):
        if failures == FAILURES or not len(students) or not len(staff):
            return
        asked = staff if failures == 0 else rng.choice(staff, size=max(1, len(staff) >> failures))
        done = [pair for g in asked if (pair := _swap_best(slots, int(g), students, where, rng))]
        now, direction = _slowest(slots)
        if now > gap:
            gap, where, failures = now, direction, 0
            continue
        failures += 1
        for pair in reversed(done):
            swap(slots, *pair)


def _slowest(slots: Slots) -> tuple[float, NDArray[np.float64]]:
    table = lists_by_items(slots.owner.astype(np.int64), slots.items.astype(np.int64), len(slots.load))
    return slowest(table)


def _swap_best(
    slots: Slots,
    staff: int,
    students: NDArray[np.int64],
    where: NDArray[np.float64],
    rng: np.random.Generator,
) -> tuple[int, int] | None:
    """The best of some random swaps of this staff list, carried out if it scatters the two lists more."""
    mine = rng.integers(slots.starts[staff], slots.starts[staff + 1], size=PARTNERS)
    theirs = rng.choice(students, size=PARTNERS)
    gains = [_gain(slots, int(e), int(f), where) for e, f in zip(mine, theirs, strict=True)]
    best = int(np.argmax(gains))
    if gains[best] <= 0:
        return None
    swap(slots, int(mine[best]), int(theirs[best]))
    return int(mine[best]), int(theirs[best])


def _gain(slots: Slots, e: int, f: int, where: NDArray[np.float64]) -> float:
    staff, student = int(slots.owner[e]), int(slots.owner[f])
    item, other = int(slots.items[e]), int(slots.items[f])
    if not (may_take(slots, staff, other) and may_take(slots, student, item)):
        return 0.0
    return _scatter(slots, staff, where, e, other) + _scatter(slots, student, where, f, item)


def _scatter(slots: Slots, grader: int, where: NDArray[np.float64], slot: int, item: int) -> float:
    """How much wider the list lies when the slot holds this item instead."""
    low, high = slots.starts[grader], slots.starts[grader + 1]
    before = where[slots.items[low:high]]
    after = before.copy()
    after[slot - low] = where[item]
    return float(after.var() * len(after) - before.var() * len(before))
