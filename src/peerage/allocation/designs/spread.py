"""The default design: connected, the same pair together as rarely as possible, a large spectral gap.

Small regular classes start from a cyclic design: items on a circle, every grader reviews those at fixed
distances ahead. Distances that are all different (a difference set) bring every pair together equally often,
and the gap of a cyclic design is a Fourier transform away, so many can be tried. On a large circle a few
fixed distances mix slowly, and a random deal with repeats swapped away is better. Where both are cheap, both
are built and the larger gap wins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from peerage.allocation._separate import separate
from peerage.allocation._slots import Slots, empty_slots, may_take, put
from peerage.allocation.connect import connect
from peerage.allocation.instance import Bottleneck, Instance, complete, solve
from peerage.allocation.measures import spectral_gap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.allocation.dealer import Dealer, Piece
    from peerage.allocation.parts import Part

CYCLIC_ITEMS = 300
CYCLIC_NUMBER = 30  # longer lists are close to even however they are made
CANDIDATES = 1500
EXCHANGES = 400


def pieces(dealer: Dealer, part: Part) -> list[Piece]:
    """One piece."""
    return [
        dealer.piece(
            part.graders, part.items, part.numbers, lambda one: spread(one, dealer.own(one), dealer.rng)
        )
    ]


def spread(instance: Instance, own: NDArray[np.int64], rng: np.random.Generator) -> Slots | Bottleneck:
    """Allocate; ``own[g]`` is the local number of grader g's own item, or -1."""
    dealt = solve(instance, rng)
    if isinstance(dealt, Bottleneck):
        return dealt
    separate(dealt, rng)
    connect(dealt, rng)
    if not _suits_a_circle(instance):
        return dealt
    cyclic = _cyclic(instance, own, rng)
    return cyclic if gap(cyclic) > gap(dealt) else dealt


def gap(slots: Slots) -> float:
    """The spectral gap of a full table."""
    return spectral_gap(slots.owner.astype(np.int64), slots.items.astype(np.int64), len(slots.load))


def _suits_a_circle(instance: Instance) -> bool:
    """Everybody reviews the same number, and the circle is small enough for it to mix quickly."""
    numbers, n_items = instance.numbers, len(instance.items)
    if not len(numbers) or numbers.min() != numbers.max() or len(numbers) > 20 * n_items:
        return False
    number = int(numbers[0])
    return 2 * number <= n_items <= min(CYCLIC_ITEMS, 5 * number**2) and 2 <= number <= CYCLIC_NUMBER


def _cyclic(instance: Instance, own: NDArray[np.int64], rng: np.random.Generator) -> Slots:
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
    finished = complete(instance, slots, rng)
    if isinstance(finished, Bottleneck):
        msg = "an allocation exists and was not found"  # the deal before found one
        raise RuntimeError(msg)
    separate(finished, rng)
    return finished


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
