"""Join the parts of a comparison graph by swapping reviews between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from peerage.allocation._slots import Slots, may_take, put, take

if TYPE_CHECKING:
    from numpy.typing import NDArray

ATTEMPTS = 200


def item_components(slots: Slots) -> tuple[int, NDArray[np.int32]]:
    """How many parts the comparison graph has, and the part of each item."""
    n_graders, n_items = len(slots.starts) - 1, len(slots.load)
    ones = np.ones(len(slots.items), dtype=np.int8)
    size = n_graders + n_items
    graph = coo_array((ones, (slots.owner, n_graders + slots.items.astype(np.int64))), shape=(size, size))
    _, labels = connected_components(graph, directed=False)
    parts, of_item = np.unique(labels[n_graders:], return_inverse=True)
    return len(parts), of_item.astype(np.int32)


def connect(slots: Slots, rng: np.random.Generator) -> bool:
    """Swap until the graph is in one piece; False where no swap found joins the rest.

    Swapping two reviews of different parts joins them unless one of the reviews was all that held its own
    part together, so a few attempts per part are enough.
    """
    lengths = np.diff(slots.starts)
    if (lengths[lengths > 0] - 1).sum() < len(slots.load) - 1:
        return False  # a tree of that many items needs more shared reviews than there are
    parts, of_item = item_components(slots)
    failures = 0
    while parts > 1 and failures < ATTEMPTS:
        swapped = _swap_between(slots, of_item, rng)
        now, labels = item_components(slots) if swapped else (parts, of_item)
        if swapped and now >= parts:
            swap(slots, *swapped)
        failures = 0 if now < parts else failures + 1
        if now < parts:
            parts, of_item = now, labels
    return parts == 1


def _swap_between(
    slots: Slots, of_item: NDArray[np.int32], rng: np.random.Generator
) -> tuple[int, int] | None:
    """Swap a random review of the smallest part with one of another part, if the rules allow it."""
    part = of_item[slots.items]
    smallest = np.argmin(np.bincount(part, minlength=int(of_item.max()) + 1))
    inside, outside = np.flatnonzero(part == smallest), np.flatnonzero(part != smallest)
    if not len(inside):
        return None
    e, f = int(rng.choice(inside)), int(rng.choice(outside))
    item, other = int(slots.items[e]), int(slots.items[f])
    if not (may_take(slots, int(slots.owner[e]), other) and may_take(slots, int(slots.owner[f]), item)):
        return None
    swap(slots, e, f)
    return e, f


def swap(slots: Slots, e: int, f: int) -> None:
    """Exchange the items of two slots."""
    item, other = take(slots, e), take(slots, f)
    put(slots, e, other)
    put(slots, f, item)
