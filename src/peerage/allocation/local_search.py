"""Local search by swaps of two reviews: few repeated pairs, and a connected comparison graph.

The cost of repeated pairs is the sum over pairs of items of (number of lists that hold both)^2. Its minimum
at a given workload is the design whose comparison graph is as even as can be, which is what makes the
spectral gap large. Every swap keeps all rules and all loads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from peerage._numba import kernel
from peerage.allocation.slots import EMPTY, Slots, may_take, random_below, swap

if TYPE_CHECKING:
    from numpy.typing import NDArray

DENSE_ITEMS = 4096  # up to here a table of all pairs is cheap
SORTED_PAIRS = 50_000_000  # above this the slots worth a swap are not looked up, all are tried
WORK = 8e8  # elementary steps after which the search stops, so that long lists in large classes end too
ATTEMPTS = 200  # to join two components


def reduce_repeated_pairs(
    slots: Slots, rng: np.random.Generator, *, passes: int = 30, tries: int = 40
) -> None:
    """Swap until a whole pass over the reviews finds nothing better."""
    n_items = len(slots.load)
    dense = n_items <= DENSE_ITEMS
    together = np.zeros((n_items, n_items) if dense else (1, 1), dtype=np.int32)
    if dense:
        _count_together(slots, together)
    mark = np.zeros(n_items, dtype=np.int64)
    usual = _usual(slots)
    per_try = 4 * np.diff(slots.starts).mean() * (1 if dense else slots.load.mean())
    trials = np.array([WORK / max(per_try, 1.0)], dtype=np.int64)
    for _ in range(passes):
        order = rng.permutation(_crowded(slots, usual))
        if _pass(slots, together, dense, order, mark, tries, trials) == 0 or trials[0] < 0:
            return


def _crowded(slots: Slots, usual: int) -> NDArray[np.int64]:
    """Slots whose item meets another of the same list more than `usual` times, over all lists."""
    lengths = np.diff(slots.starts)
    n_pairs = int((lengths * (lengths - 1) // 2).sum())
    if n_pairs > SORTED_PAIRS:
        return np.arange(len(slots.items))
    keys = np.empty(n_pairs, dtype=np.int64)
    _pair_keys(slots, keys)
    keys.sort()
    often = np.unique(keys[usual:][keys[usual:] == keys[: n_pairs - usual]]) if usual < n_pairs else keys[:0]
    crowded = np.zeros(len(slots.items), dtype=bool)
    _mark_crowded(slots, often, crowded)
    return np.flatnonzero(crowded)


@kernel
def _key(slots: Slots, e: int, f: int) -> int:
    low, high = min(slots.items[e], slots.items[f]), max(slots.items[e], slots.items[f])
    return int(low) * len(slots.load) + int(high)


@kernel
def _pair_keys(slots: Slots, keys: NDArray[np.int64]) -> None:
    n = 0
    for g in range(len(slots.starts) - 1):
        for e in range(slots.starts[g], slots.starts[g + 1]):
            for f in range(e + 1, slots.starts[g + 1]):
                keys[n] = _key(slots, e, f)
                n += 1


@kernel
def _mark_crowded(slots: Slots, often: NDArray[np.int64], crowded: NDArray[np.bool_]) -> None:
    for g in range(len(slots.starts) - 1):
        for e in range(slots.starts[g], slots.starts[g + 1]):
            for f in range(e + 1, slots.starts[g + 1]):
                key = _key(slots, e, f)
                at = np.searchsorted(often, key)
                if at < len(often) and often[at] == key:
                    crowded[e] = crowded[f] = True


def _usual(slots: Slots) -> int:
    """How often a pair of items must meet on average, rounded up: more than that is worth a swap."""
    lengths = np.diff(slots.starts)
    n_items = len(slots.load)
    return -(-int((lengths * (lengths - 1)).sum()) // max(n_items * (n_items - 1), 1))


@kernel
def _count_together(slots: Slots, together: NDArray[np.int32]) -> None:
    for g in range(len(slots.starts) - 1):
        for e in range(slots.starts[g], slots.starts[g + 1]):
            for f in range(slots.starts[g], slots.starts[g + 1]):
                if e != f:
                    together[slots.items[e], slots.items[f]] += 1


@kernel
def _pass(
    slots: Slots,
    together: NDArray[np.int32],
    dense: bool,
    order: NDArray[np.int64],
    mark: NDArray[np.int64],
    tries: int,
    trials: NDArray[np.int64],
) -> int:
    """Look for a better place for every item in these slots; returns the number of swaps."""
    swaps = 0
    for e in order:
        if trials[0] < 0:
            break
        trials[0] -= 1
        if not _repeats(slots, together, dense, e, mark):  # an earlier swap has resolved it
            continue
        for _ in range(tries):
            trials[0] -= 1
            f = random_below(slots.state, len(slots.items))
            if _swap_if_better(slots, together, dense, e, f, mark):
                swaps += 1
                break
    return swaps


@kernel
def _repeats(
    slots: Slots, together: NDArray[np.int32], dense: bool, slot: int, mark: NDArray[np.int64]
) -> bool:
    """Whether the item in this slot meets one of its list in another list too."""
    grader = int(slots.owner[slot])
    others = slots.starts[grader + 1] - slots.starts[grader] - 1
    for e in range(slots.starts[grader], slots.starts[grader + 1]):
        mark[slots.items[e]] = grader + 1
    mark[slots.items[slot]] = 0
    met = _meetings(slots, together, dense, int(slots.items[slot]), grader, mark)
    _unmark(slots, grader, mark)
    return bool(met > others)


@kernel
def _meetings(
    slots: Slots, together: NDArray[np.int32], dense: bool, item: int, grader: int, mark: NDArray[np.int64]
) -> int:
    """How often the item meets the marked items of the grader's list, over all lists."""
    total = 0
    low, high = slots.starts[grader], slots.starts[grader + 1]
    if dense:
        for e in range(low, high):
            if mark[slots.items[e]] == grader + 1:
                total += together[item, slots.items[e]]
        return total
    for k in range(slots.load[item]):
        other = slots.owner[slots.holders[item, k]]
        for e in range(slots.starts[other], slots.starts[other + 1]):
            if mark[slots.items[e]] == grader + 1:
                total += 1
    return total


@kernel
def _swap_if_better(
    slots: Slots, together: NDArray[np.int32], dense: bool, e: int, f: int, mark: NDArray[np.int64]
) -> bool:
    g, h, i, j = int(slots.owner[e]), int(slots.owner[f]), int(slots.items[e]), int(slots.items[f])
    if j == EMPTY or g == h or i == j or slots.frozen[e] or slots.frozen[f]:
        return False
    if not (may_take(slots, g, j) and may_take(slots, h, i)):
        return False
    rest = _mark_rest(slots, g, h, i, j, mark)
    # a pair that meets c times costs c^2: losing it saves 2c - 1, gaining it costs 2c + 1
    change = 2 * (
        _meetings(slots, together, dense, i, h, mark)
        + _meetings(slots, together, dense, j, g, mark)
        - _meetings(slots, together, dense, i, g, mark)
        - _meetings(slots, together, dense, j, h, mark)
        + rest
    )
    better = change < 0
    if better:
        if dense:
            _move(slots, together, i, g, mark, -1)
            _move(slots, together, j, g, mark, 1)
            _move(slots, together, j, h, mark, -1)
            _move(slots, together, i, h, mark, 1)
        swap(slots, e, f)
    _unmark(slots, g, mark)
    _unmark(slots, h, mark)
    return better


@kernel
def _mark_rest(slots: Slots, g: int, h: int, i: int, j: int, mark: NDArray[np.int64]) -> int:
    """Mark what only one of the two lists holds, besides i and j; for what both hold nothing changes."""
    for e in range(slots.starts[g], slots.starts[g + 1]):
        mark[slots.items[e]] = g + 1
    rest = slots.starts[g + 1] - slots.starts[g] - 1
    for e in range(slots.starts[h], slots.starts[h + 1]):
        item = slots.items[e]
        if mark[item] == g + 1:
            mark[item] = 0
            rest -= 1
        else:
            mark[item] = h + 1
            rest += 1
    mark[i], mark[j] = 0, 0
    return int(rest - 1)


@kernel
def _unmark(slots: Slots, grader: int, mark: NDArray[np.int64]) -> None:
    for e in range(slots.starts[grader], slots.starts[grader + 1]):
        mark[slots.items[e]] = 0


@kernel
def _move(
    slots: Slots, together: NDArray[np.int32], item: int, grader: int, mark: NDArray[np.int64], by: int
) -> None:
    for e in range(slots.starts[grader], slots.starts[grader + 1]):
        other = slots.items[e]
        if mark[other] == grader + 1:
            together[item, other] += by
            together[other, item] += by


# -- connecting -----------------------------------------------------------------------------------


def connect(slots: Slots, rng: np.random.Generator) -> None:
    """Swap until the comparison graph is connected, or no swap is found that joins two components.

    Swapping two reviews of different components joins them unless one of the reviews was all that held its
    own component together, so a few attempts per component are enough.
    """
    lengths = np.diff(slots.starts)
    if (lengths[lengths > 0] - 1).sum() < len(slots.load) - 1:
        return  # a tree of that many items needs more shared reviews than there are
    count, component = _item_components(slots)
    failures = 0
    while count > 1 and failures < ATTEMPTS:
        swapped = _swap_between(slots, component, rng)
        new_count, new_component = _item_components(slots) if swapped else (count, component)
        if new_count < count:
            count, component, failures = new_count, new_component, 0
            continue
        failures += 1
        if swapped:
            swap(slots, *swapped)


def _item_components(slots: Slots) -> tuple[int, NDArray[np.int32]]:
    """How many components the comparison graph has, and the component of each item."""
    n_graders, n_items = len(slots.starts) - 1, len(slots.load)
    ones = np.ones(len(slots.items), dtype=np.int8)
    size = n_graders + n_items
    graph = coo_array((ones, (slots.owner, n_graders + slots.items.astype(np.int64))), shape=(size, size))
    _, labels = connected_components(graph, directed=False)
    distinct, component = np.unique(labels[n_graders:], return_inverse=True)
    return len(distinct), component.astype(np.int32)


def _swap_between(
    slots: Slots, component: NDArray[np.int32], rng: np.random.Generator
) -> tuple[int, int] | None:
    """Swap a random review of the smallest component with one of another, if the rules allow it."""
    of_slot = component[slots.items]
    smallest = np.argmin(np.bincount(of_slot, minlength=int(component.max()) + 1))
    inside, outside = np.flatnonzero(of_slot == smallest), np.flatnonzero(of_slot != smallest)
    if not len(inside):
        return None
    e, f = int(rng.choice(inside)), int(rng.choice(outside))
    item, other = int(slots.items[e]), int(slots.items[f])
    if not (may_take(slots, int(slots.owner[e]), other) and may_take(slots, int(slots.owner[f]), item)):
        return None
    swap(slots, e, f)
    return e, f
