"""Simulated reviews: who reviews what, what graders think of the items they see, and the rankings they give.

Lists are of about equal length, items are reviewed about equally often, and nobody reviews their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from peerage.feedback.container import Feedback

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

SWAPS = 50  # rounds of swapping before the last clashes are drawn anew
CELLS = 20_000_000  # of the tables of graders and items, at a time
HONEST, LAZY, REVERSED = 0, 1, 2
KINDS = ("honest", "lazy", "reversed")

# -- who reviews what -------------------------------------------------------------------------------------


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
        return graders, _draw_lists(rng, lengths, own, n_items)
    places = np.arange(len(graders)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    by_place = np.argsort(places, kind="stable")
    items = np.empty(len(graders), dtype=np.int64)
    items[by_place] = _deal(rng, len(graders), n_items)
    for _ in range(SWAPS):
        clash = np.flatnonzero(_clashes(graders, items, own, n_items))
        if len(clash) == 0:
            return graders, items
        _swap(rng, items, clash)
    return graders, _redraw(rng, lengths, graders, items, own, n_items)


def _deal(rng: np.random.Generator, reviews: int, n_items: int) -> Ints:
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


def _redraw(
    rng: np.random.Generator, lengths: Ints, graders: Ints, items: Ints, own: Ints, n_items: int
) -> Ints:
    """Give the graders who still clash a fresh random list."""
    again = np.unique(graders[_clashes(graders, items, own, n_items)])
    items[np.isin(graders, again)] = _draw_lists(rng, lengths[again], own[again], n_items)
    return items


def _draw_lists(rng: np.random.Generator, lengths: Ints, own: Ints, n_items: int) -> Ints:
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


# -- what graders think of an item ------------------------------------------------------------------------


def draw_qualities(rng: np.random.Generator, items: int, sd: float) -> Floats:
    """How good the items are, around zero."""
    return rng.normal(0.0, sd, items)


def draw_reliabilities(rng: np.random.Generator, graders: int, shape: float) -> Floats:
    """How reliable the graders are, one on average; a small shape means unequal."""
    return rng.gamma(shape, 1 / shape, graders)


def draw_kinds(rng: np.random.Generator, graders: int, lazy: float, backwards: float) -> Ints:
    """Who is honest, lazy or reversed; exactly the asked shares, rounded."""
    kind = np.zeros(graders, dtype=np.int64)
    order = rng.permutation(graders)
    n_lazy, n_backwards = round(lazy * graders), round(backwards * graders)
    kind[order[:n_lazy]] = LAZY
    kind[order[n_lazy : n_lazy + n_backwards]] = REVERSED
    return kind


def perceived_quality(quality: Floats, kind: Ints) -> Floats:
    """How the item looks to this kind of grader, before noise: as it is, like any other, or upside down."""
    return np.asarray(quality * np.array([1.0, 0.0, -1.0])[kind])


def round_to_scale(scores: Floats, low: float, high: float, step: float) -> Floats:
    """Clipped to the scale and rounded to its steps."""
    return np.clip(low + np.rint((scores - low) / step) * step, low, high)


def rank_within_graders(worth: Floats, graders: Ints) -> Ints:
    """Rank of each review in its grader's list, 1 for the largest worth; graders come in runs."""
    order = np.lexsort((-worth, graders))
    lengths = np.bincount(graders)
    rank = np.empty(len(worth), dtype=np.int64)
    rank[order] = np.arange(len(worth)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + 1
    return rank


def draw_plackett_luce(rng: np.random.Generator, looks: Floats, reliability: Floats) -> Floats:
    """Worths whose order is Plackett-Luce with scores reliability * looks (the Gumbel trick)."""
    return reliability * looks + rng.gumbel(size=len(looks))


def draw_thurstone(rng: np.random.Generator, looks: Floats, reliability: Floats) -> Floats:
    """Worths that order any two items with probability Phi(sqrt(reliability) * difference)."""
    # each of the two has half of the variance 1 / reliability of their difference
    return looks + rng.normal(size=len(looks)) * np.sqrt(0.5 / reliability)


def draw_bradley_terry(rng: np.random.Generator, gaps: Floats, reliability: Floats) -> NDArray[np.bool_]:
    """Whether the first of each pair wins: probability 1 / (1 + exp(-reliability * gap))."""
    return np.asarray(rng.logistic(size=len(gaps)) < reliability * gaps)


# -- rankings on lists that are given ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class SimulatedRankings:
    """What everybody submitted, and the true scores of the items."""

    feedback: Feedback
    scores: Floats


def simulate_rankings(
    graders: Ints,
    items: Ints,
    *,
    n_graders: int,
    n_items: int,
    sd: float,
    reliability_shape: float,
    rng: np.random.Generator,
) -> SimulatedRankings:
    """Everybody ranks the items of their list by the Plackett-Luce model.

    Scores are N(0, sd²), reliabilities Gamma(reliability_shape, rate reliability_shape); review e is grader
    ``graders[e]``'s of item ``items[e]``.
    """
    scores = draw_qualities(rng, n_items, sd)
    reliabilities = draw_reliabilities(rng, n_graders, reliability_shape)
    worth = draw_plackett_luce(rng, scores[items], reliabilities[graders])
    return SimulatedRankings(rank_all(graders, items, worth, n_items), scores)


def rank_all(graders: Ints, items: Ints, worth: Floats, n_items: int) -> Feedback:
    """Everybody ranks their items by how much they like them, without ties; rows may come in any order."""
    order = np.lexsort((-worth, graders))
    people, first = np.unique(graders[order], return_index=True)
    starts = np.append(first, len(items)).astype(np.int64)
    return Feedback(
        items=items[order].astype(np.int32),
        bucket_starts=np.ones(len(items), dtype=bool),
        list_starts=starts,
        list_graders=np.arange(len(people), dtype=np.int32),
        list_tasks=np.zeros(len(people), dtype=np.int32),
        item_tasks=np.zeros(n_items, dtype=np.int32),
        item_labels=_sortable_labels("i", np.arange(n_items)),
        grader_labels=_sortable_labels("g", people),
        task_labels=pl.Series(["1"]),
    )


def _sortable_labels(letter: str, numbers: Ints) -> pl.Series:
    """Labels whose alphabetical order is the order of the numbers."""
    return letter + pl.Series(numbers).cast(pl.String).str.zfill(9)
