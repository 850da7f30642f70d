"""Who reviews what: lists of about equal length, items reviewed about equally often, never one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

SWAPS = 50  # rounds of swapping before the last clashes are drawn anew
CELLS = 20_000_000  # of the tables of graders and items, at a time


def list_lengths(rng: np.random.Generator, graders: int, mean: float, sd: float, longest: int) -> Ints:
    """Lengths between 1 and `longest` whose sum is `graders * mean`, rounded."""
    total = round(graders * mean)
    lengths = np.clip(np.rint(rng.normal(mean, sd, graders)), 1, longest).astype(np.int64)
    while (off := total - int(lengths.sum())) != 0:
        room = np.flatnonzero(lengths < longest if off > 0 else lengths > 1)
        lengths[rng.choice(room, min(abs(off), len(room)), replace=False)] += np.sign(off)
    return lengths


def assign(rng: np.random.Generator, lengths: Ints, own: Ints, n_items: int) -> tuple[Ints, Ints]:
    """Graders and items of all reviews; `own` is each grader's own item, or -1.

    Every place in the list deals the items out anew, so that any two items may meet; a grader who was dealt
    the same item twice, or their own, swaps with somebody else.
    """
    graders = np.repeat(np.arange(len(lengths)), lengths)
    if len(lengths) == 0 or 2 * int(lengths.max()) > n_items:
        return graders, _draw(rng, lengths, own, n_items)
    places = np.arange(len(graders)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    by_place = np.argsort(places, kind="stable")
    items = np.empty(len(graders), dtype=np.int64)
    items[by_place] = _dealt(rng, len(graders), n_items)
    for _ in range(SWAPS):
        clash = np.flatnonzero(_clashes(graders, items, own, n_items))
        if len(clash) == 0:
            return graders, items
        _swap(rng, items, clash)
    return graders, _redrawn(rng, lengths, graders, items, own, n_items)


def _dealt(rng: np.random.Generator, reviews: int, n_items: int) -> Ints:
    """All items in random order, again and again."""
    rounds = -(-reviews // n_items)
    decks = np.tile(np.arange(n_items), (rounds, 1))
    return np.asarray(rng.permuted(decks, axis=1).ravel()[:reviews])


def _clashes(graders: Ints, items: Ints, own: Ints, n_items: int) -> NDArray[np.bool_]:
    """Reviews of one's own item, and all but one of those of the same item by the same grader."""
    keys = graders * n_items + items
    order = np.argsort(keys, kind="stable")
    again = np.zeros(len(keys), dtype=bool)
    again[order[1:]] = keys[order[1:]] == keys[order[:-1]]
    return np.asarray(again | (own[graders] == items))


def _swap(rng: np.random.Generator, items: Ints, clash: Ints) -> None:
    """Exchange the items of clashing reviews with those of random others."""
    others = rng.integers(len(items), size=len(clash))
    pool = np.unique(np.concatenate([clash, others]))
    items[pool] = items[rng.permutation(pool)]


def _redrawn(
    rng: np.random.Generator, lengths: Ints, graders: Ints, items: Ints, own: Ints, n_items: int
) -> Ints:
    """Give the graders who still clash a fresh random list."""
    again = np.unique(graders[_clashes(graders, items, own, n_items)])
    items[np.isin(graders, again)] = _draw(rng, lengths[again], own[again], n_items)
    return items


def _draw(rng: np.random.Generator, lengths: Ints, own: Ints, n_items: int) -> Ints:
    """A random list for each grader by itself, in blocks of graders."""
    block = max(CELLS // max(n_items, 1), 1)
    parts = [np.empty(0, dtype=np.int64)]
    for low in range(0, len(lengths), block):
        size, mine = lengths[low : low + block], own[low : low + block]
        ticket = rng.random((len(size), n_items))
        owners = np.flatnonzero(mine >= 0)
        ticket[owners, mine[owners]] = np.inf
        order = np.argsort(ticket, axis=1)
        parts.append(order[np.arange(n_items) < size[:, None]])
    return np.concatenate(parts)
