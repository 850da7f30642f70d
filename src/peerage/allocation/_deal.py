"""A balanced random start: items dealt like cards, then illegal cards traded away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from peerage._numba import kernel
from peerage.allocation._slots import EMPTY, Slots, below, may_take, put, take

if TYPE_CHECKING:
    from numpy.typing import NDArray

TRIES = 64


def deal(slots: Slots, rng: np.random.Generator) -> None:
    """Fill the empty slots with shuffled decks of all items, one deck after the other.

    Whole decks keep the loads within one and leave repeats inside a list only where two decks meet.
    A slot for which no legal trade was found stays empty: `exact.complete` finds the rest.
    """
    total, n_items = len(slots.items), len(slots.load)
    decks = [rng.permutation(n_items) for _ in range(-(-total // n_items))]
    cards = np.concatenate([np.empty(0, dtype=np.int64), *decks])[:total]
    turn = rng.permutation(len(slots.starts) - 1)
    order = np.argsort(turn[slots.owner], kind="stable")
    _deal(slots, cards.astype(np.int32), order)


@kernel
def _deal(slots: Slots, cards: NDArray[np.int32], order: NDArray[np.int64]) -> None:
    left = np.full(len(cards), EMPTY, dtype=np.int32)
    for c in range(len(cards)):
        slot = order[c]
        if may_take(slots, slots.owner[slot], cards[c]):
            put(slots, slot, cards[c])
        else:
            left[c] = cards[c]
    for c in range(len(cards)):
        if left[c] != EMPTY:
            _trade(slots, order[c], left[c])


@kernel
def _trade(slots: Slots, slot: int, item: int) -> bool:
    """Give the item to a random other grader whose item this slot may have."""
    for _ in range(TRIES):
        other = below(slots.state, len(slots.items))
        theirs = slots.items[other]
        if theirs == EMPTY or slots.owner[other] == slots.owner[slot]:
            continue
        if may_take(slots, slots.owner[slot], theirs) and may_take(slots, slots.owner[other], item):
            take(slots, other)
            put(slots, other, item)
            put(slots, slot, theirs)
            return True
    return False
