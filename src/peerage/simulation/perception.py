"""What graders think of the items they see, and what they hand in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

Model = Literal["normal", "pl", "thurstone", "bt"]
HONEST, LAZY, REVERSED = 0, 1, 2
KINDS = ("honest", "lazy", "reversed")


def qualities(rng: np.random.Generator, items: int, sd: float) -> Floats:
    """How good the items are, around zero."""
    return rng.normal(0.0, sd, items)


def reliabilities(rng: np.random.Generator, graders: int, shape: float) -> Floats:
    """How reliable the graders are, one on average; a small shape means unequal."""
    return rng.gamma(shape, 1 / shape, graders)


def kinds(rng: np.random.Generator, graders: int, lazy: float, backwards: float) -> Ints:
    """Who is honest, lazy or reversed; exactly the asked shares, rounded."""
    kind = np.zeros(graders, dtype=np.int64)
    order = rng.permutation(graders)
    n_lazy, n_backwards = round(lazy * graders), round(backwards * graders)
    kind[order[:n_lazy]] = LAZY
    kind[order[n_lazy : n_lazy + n_backwards]] = REVERSED
    return kind


def signal(quality: Floats, kind: Ints) -> Floats:
    """How the item looks to this kind of grader, before noise: as it is, like any other, or upside down."""
    return np.asarray(quality * np.array([1.0, 0.0, -1.0])[kind])


def on_scale(scores: Floats, low: float, high: float, step: float) -> Floats:
    """Clipped to the scale and rounded to its steps."""
    return np.clip(low + np.rint((scores - low) / step) * step, low, high)


def ranks(worth: Floats, graders: Ints) -> Ints:
    """Rank of each review in its grader's list, 1 for the largest worth; graders come in runs."""
    order = np.lexsort((-worth, graders))
    lengths = np.bincount(graders)
    rank = np.empty(len(worth), dtype=np.int64)
    rank[order] = np.arange(len(worth)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + 1
    return rank


def plackett_luce(rng: np.random.Generator, looks: Floats, reliability: Floats) -> Floats:
    """Worths whose order is Plackett-Luce with scores reliability * looks (the Gumbel trick)."""
    return reliability * looks + rng.gumbel(size=len(looks))


def thurstone(rng: np.random.Generator, looks: Floats, reliability: Floats) -> Floats:
    """Worths that order any two items with probability Phi(sqrt(reliability) * difference)."""
    # each of the two has half of the variance 1 / reliability of their difference
    return looks + rng.normal(size=len(looks)) * np.sqrt(0.5 / reliability)


def bradley_terry(rng: np.random.Generator, gaps: Floats, reliability: Floats) -> NDArray[np.bool_]:
    """Whether the first of each pair wins: probability 1 / (1 + exp(-reliability * gap))."""
    return np.asarray(rng.logistic(size=len(gaps)) < reliability * gaps)
