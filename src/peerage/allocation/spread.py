"""The functions of the designs: random, spread, and the variants of spread with anchors or staff as bridges.

Spread is connected, brings the same pair together as rarely as possible, and has a large spectral gap.
Small regular classes start from a cyclic design: items on a circle, every grader reviews those at fixed
distances ahead. Distances that are all different (a difference set) bring every pair together equally often,
and the gap of a cyclic design is a Fourier transform away, so many can be tried. On a large circle a few
fixed distances mix slowly, and a random start with repeats swapped away is better. Where both are cheap, both
are built and the larger gap wins.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from peerage.allocation.local_search import connect, reduce_repeated_pairs
from peerage.allocation.quality import fiedler_pair, lists_by_items, spectral_gap
from peerage.allocation.slots import Slots, empty_slots, may_take, put, swap
from peerage.allocation.solver import Bottleneck, Instance, complete, solve
from peerage.errors import DataError, Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.allocation.pool import Cohort, Pool
    from peerage.allocation.rules import DesignContext, ReviewBatch

CYCLIC_ITEMS = 300
CYCLIC_NUMBER = 30  # longer lists are close to even however they are made
CANDIDATES = 1500
EXCHANGES = 400
BRIDGE_ROUNDS = 40
BRIDGE_PARTNERS = 200
BRIDGE_FAILURES = 3


def random_batches(context: DesignContext, cohort: Cohort) -> list[ReviewBatch]:
    """Balanced, and nothing else."""
    return [context.assign(cohort.graders, cohort.items, cohort.numbers, solve_randomly)]


def solve_randomly(instance: Instance, context: DesignContext) -> Slots | Bottleneck:
    """A balanced random allocation, or the bottleneck that forbids one."""
    return solve(instance, context.rng)


def spread_batches(context: DesignContext, cohort: Cohort) -> list[ReviewBatch]:
    """Connected, and the same pair together as rarely as possible."""
    return [context.assign(cohort.graders, cohort.items, cohort.numbers, spread)]


def spread(instance: Instance, context: DesignContext) -> Slots | Bottleneck:
    """The better of a random start improved by local search and a cyclic design, or the bottleneck."""
    rng = context.rng
    slots = solve(instance, rng)
    if isinstance(slots, Bottleneck):
        return slots
    reduce_repeated_pairs(slots, rng)
    connect(slots, rng)
    if not _suits_a_circle(instance):
        return slots
    cyclic = _cyclic(instance, context.own(instance), rng)
    return cyclic if _gap(cyclic) > _gap(slots) else slots


def _gap(slots: Slots) -> float:
    return spectral_gap(slots.owner.astype(np.int64), slots.items.astype(np.int64), len(slots.load))


def _suits_a_circle(instance: Instance) -> bool:
    """Everybody reviews the same number, and the circle is small enough for it to mix quickly."""
    numbers, n_items = instance.numbers, len(instance.items)
    if not len(numbers) or numbers.min() != numbers.max() or len(numbers) > 20 * n_items:
        return False
    number = int(numbers[0])
    return 2 * number <= n_items <= min(CYCLIC_ITEMS, 5 * number**2) and 2 <= number <= CYCLIC_NUMBER


def _cyclic(instance: Instance, own: NDArray[np.int64], rng: np.random.Generator) -> Slots:
    """``own[g]`` is the local number of grader g's own item, or -1."""
    n_items, number = len(instance.items), int(instance.numbers[0])
    circle, width = _circle(instance, own, rng)
    seat, orbit = _seats(circle, own, rng)
    steps = best_steps(n_items, number, int(orbit.max()) + 1, width, rng)
    barred = instance.barred_starts, instance.barred
    slots = empty_slots(instance.numbers, n_items, instance.upper, barred, rng)
    for g in rng.permutation(len(instance.graders)):
        for k, step in enumerate(steps[orbit[g]]):
            item = int(circle[(seat[g] + step) % n_items])
            if slots.load[item] < instance.upper and may_take(slots, int(g), item):
                put(slots, int(slots.starts[g]) + k, item)
    solution = complete(instance, slots, rng)
    if isinstance(solution, Bottleneck):
        msg = "an allocation exists and was not found"  # `spread` found one before
        raise RuntimeError(msg)
    reduce_repeated_pairs(solution, rng)
    return solution


def _circle(
    instance: Instance, own: NDArray[np.int64], rng: np.random.Generator
) -> tuple[NDArray[np.int64], int]:
    """Items around the circle, the work of one group side by side, and the widest group's width."""
    n_items = len(instance.items)
    block = np.arange(n_items)
    for g in np.flatnonzero(own >= 0):
        block[own[g]] = instance.barred[instance.barred_starts[g]]  # the group's first item
    shuffled = rng.permutation(n_items)
    return np.argsort(shuffled[block], kind="stable"), int(np.bincount(block).max())


def _seats(
    circle: NDArray[np.int64], own: NDArray[np.int64], rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Everybody sits at their own work, the others where there is room; and how many sit there already."""
    n_items = len(circle)
    at = np.argsort(circle)
    seat = np.where(own >= 0, at[own], -1)
    sitting = np.bincount(seat[seat >= 0], minlength=n_items)
    for g in np.flatnonzero(seat < 0):
        free = np.flatnonzero(sitting == sitting.min())
        seat[g] = rng.choice(free)
        sitting[seat[g]] += 1
    order = np.argsort(seat, kind="stable")
    first = np.searchsorted(seat[order], seat[order])
    orbit = np.empty(len(seat), dtype=np.int64)
    orbit[order] = np.arange(len(seat)) - first
    return seat, orbit


def best_steps(
    n_items: int, number: int, orbits: int, width: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """For every orbit the distances ahead whose circulant comparison graph has the largest gap.

    Distances of at least ``width`` both ways around keep groups that sit together from their own work.
    """
    near = width if n_items - 2 * width + 1 >= 2 * number else 1
    distances = np.arange(near, n_items - near + 1)
    keys = rng.random((max(20, CANDIDATES // orbits), orbits, len(distances)))
    tried = distances[np.argsort(keys, axis=2)[:, :, :number]]
    steps, best = _best(tried, n_items)
    while True:  # exchange one distance at a time while that helps
        better, now = _best(_exchanges(steps, distances, rng), n_items)
        if now >= best - 1e-9:
            return steps
        steps, best = better, now


def _best(tried: NDArray[np.int64], n_items: int) -> tuple[NDArray[np.int64], float]:
    """Of several choices of distances the one whose largest nontrivial eigenvalue is the smallest."""
    hits = np.zeros((*tried.shape[:2], n_items))
    np.put_along_axis(hits, tried, 1.0, axis=2)
    largest = (np.abs(np.fft.rfft(hits, axis=2)) ** 2).sum(axis=1)[:, 1:].max(axis=1)
    first = int(np.argmin(largest))
    return tried[first], float(largest[first])


def _exchanges(
    steps: NDArray[np.int64], distances: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Random choices that differ from this one in one distance of one orbit."""
    changed = np.repeat(steps[None], EXCHANGES, axis=0)
    orbit = rng.integers(len(steps), size=EXCHANGES)
    place = rng.integers(steps.shape[1], size=EXCHANGES)
    changed[np.arange(EXCHANGES), orbit, place] = rng.choice(distances, size=EXCHANGES)
    ordered = np.sort(changed, axis=2)
    proper = (ordered[:, :, 1:] != ordered[:, :, :-1]).all(axis=(1, 2))
    return np.concatenate([steps[None], changed[proper]])


# -- anchors: a few items that staff grade and that every list contains one of ----------------------


def calibrated_batches(context: DesignContext, cohort: Cohort) -> list[ReviewBatch]:
    """The anchors, one in every list and all of them for staff; and the other items, spread."""
    pool = context.pool
    chosen = _choose_anchors(pool, context.anchors, cohort.items, context.rng)
    if not len(chosen):
        raise DataError(f"{cohort.name} has none of the anchors", source=pool.source)
    others = np.setdiff1d(cohort.items, chosen)
    is_staff = pool.is_staff[cohort.graders]
    own_number = (pool.reviews[cohort.graders] >= 0) | (context.staff_number is not None)
    numbers = np.where(is_staff & ~own_number, len(chosen), cohort.numbers)
    first = _anchor_numbers(numbers, is_staff, len(chosen))
    first = np.minimum(first, np.where(is_staff, context.may_see(cohort.graders, chosen), first))
    rest = np.where(is_staff & ~own_number, 0, numbers - first)
    return [
        context.assign(cohort.graders, chosen, first, solve_randomly, anchor=True),
        context.assign(cohort.graders, others, rest, spread),
    ]


def _choose_anchors(
    pool: Pool, anchors: int | Sequence[str], items: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """The anchors among these items: the ones named, or so many at random."""
    if not isinstance(anchors, int):
        return np.intersect1d(_find_items(pool, anchors), items)
    if not 1 <= anchors <= len(items) - 1:
        msg = f"anchors={anchors}: choose between 1 and {len(items) - 1}, one less than there are items"
        raise DataError(msg, source=pool.source)
    return np.sort(rng.choice(items, size=anchors, replace=False))


def _find_items(pool: Pool, names: Sequence[str]) -> NDArray[np.int64]:
    number = {label: k for k, label in enumerate(pool.items)}
    unknown = [name for name in names if name not in number]
    if unknown or not names:
        raise DataError(
            [_unknown_anchor(name, number) for name in unknown] or "no anchors were named", source=pool.source
        )
    return np.array(sorted({number[name] for name in names}), dtype=np.int64)


def _unknown_anchor(name: str, items: dict[str, int]) -> Problem:
    close = difflib.get_close_matches(name, list(items), n=1)
    fix = (
        f"did you mean {close[0]!r}?"
        if close
        else "work from outside needs a line: role external, submits yes, reviews 0"
    )
    return Problem("is an anchor but not an item of the roster", value=name, fix=fix)


def _anchor_numbers(
    numbers: NDArray[np.int64], is_staff: NDArray[np.bool_], n_anchors: int
) -> NDArray[np.int64]:
    """How many anchors everybody reviews: students one, staff all of them as far as their number goes."""
    return np.minimum(numbers, np.where(is_staff, n_anchors, 1))


# -- staff as bridges -------------------------------------------------------------------------------


def staff_batches(context: DesignContext, cohort: Cohort) -> list[ReviewBatch]:
    """Spread; then staff's lists reach across the part of the class that is connected least."""
    if not context.pool.is_staff[cohort.graders].any():
        msg = "the design 'staff' needs staff on the roster: give them the role staff or external"
        raise DataError(msg, source=context.pool.source)
    return [context.assign(cohort.graders, cohort.items, cohort.numbers, spread_and_bridge)]


def spread_and_bridge(instance: Instance, context: DesignContext) -> Slots | Bottleneck:
    """Spread, then swap staff's reviews."""
    solution = spread(instance, context)
    if not isinstance(solution, Bottleneck):
        _bridge(solution, context.pool.is_staff[instance.graders], context.rng)
    return solution


def _bridge(slots: Slots, is_staff: NDArray[np.bool_], rng: np.random.Generator) -> None:
    """Swap staff's reviews with students' while that widens the spectral gap.

    To first order, the gap grows by what a swap adds to the scatter of the two lists along the slowest
    direction of the graph (its Fiedler vector); every round takes the best swap of each staff list, and
    gives back what did not help. Loads and numbers of reviews stay as they are.
    """
    students = np.flatnonzero(~is_staff[slots.owner])
    staff = np.flatnonzero(is_staff & (np.diff(slots.starts) > 1))
    gap, vector = _fiedler(slots)
    failures = 0
    for _ in range(BRIDGE_ROUNDS):
        if failures == BRIDGE_FAILURES or not len(students) or not len(staff):
            return
        asked = staff if failures == 0 else rng.choice(staff, size=max(1, len(staff) >> failures))
        done = [pair for g in asked if (pair := _swap_best(slots, int(g), students, vector, rng))]
        new_gap, new_vector = _fiedler(slots)
        if new_gap > gap:
            gap, vector, failures = new_gap, new_vector, 0
            continue
        failures += 1
        for pair in reversed(done):
            swap(slots, *pair)


def _fiedler(slots: Slots) -> tuple[float, NDArray[np.float64]]:
    table = lists_by_items(slots.owner.astype(np.int64), slots.items.astype(np.int64), len(slots.load))
    return fiedler_pair(table)


def _swap_best(
    slots: Slots,
    staff: int,
    students: NDArray[np.int64],
    vector: NDArray[np.float64],
    rng: np.random.Generator,
) -> tuple[int, int] | None:
    """The best of some random swaps of this staff list, carried out if it scatters the two lists more."""
    mine = rng.integers(slots.starts[staff], slots.starts[staff + 1], size=BRIDGE_PARTNERS)
    theirs = rng.choice(students, size=BRIDGE_PARTNERS)
    gains = [_gain(slots, int(e), int(f), vector) for e, f in zip(mine, theirs, strict=True)]
    best = int(np.argmax(gains))
    if gains[best] <= 0:
        return None
    swap(slots, int(mine[best]), int(theirs[best]))
    return int(mine[best]), int(theirs[best])


def _gain(slots: Slots, e: int, f: int, vector: NDArray[np.float64]) -> float:
    staff, student = int(slots.owner[e]), int(slots.owner[f])
    item, other = int(slots.items[e]), int(slots.items[f])
    if not (may_take(slots, staff, other) and may_take(slots, student, item)):
        return 0.0
    return _scatter(slots, staff, vector, e, other) + _scatter(slots, student, vector, f, item)


def _scatter(slots: Slots, grader: int, vector: NDArray[np.float64], slot: int, item: int) -> float:
    """How much wider the list lies when the slot holds this item instead."""
    low, high = slots.starts[grader], slots.starts[grader + 1]
    before = vector[slots.items[low:high]]
    after = before.copy()
    after[slot - low] = vector[item]
    return float(after.var() * len(after) - before.var() * len(before))
