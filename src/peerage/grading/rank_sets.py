"""Ranks of a whole task that hold at once: what prizes are decided by.

Intervals of ranks hold item by item, and of forty of them some fail in nearly every class. A rank set leaves
out the same share of draws at either end of every item, so little that the level's share of draws has all
items inside: what is left out is found from one half of the draws, the share from the other. Of large tasks
the scores are held each, as if independent, which is wider.

The best item is among the fewest that are the best in the level's share of draws.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtri

from peerage.models.solver.dense import multiply
from peerage.uncertainty.precision import cholesky

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.uncertainty.posterior import Posterior

    Floats = NDArray[np.float64]
    Ints = NDArray[np.signedinteger[Any]]

JOINT = 300  # items of a task up to which all ranks are drawn together
SAMPLES = 4_000  # for either half
STREAM = 0x72616E6B
RIDGE = 1e-9
NAMED = 10  # items that a sentence lists


def rank_sets(posterior: Posterior, level: float) -> tuple[Ints, Ints, NDArray[np.bool_]]:
    """Best and worst rank of every item, all of a task at once; and whether it may be the best."""
    low, high = np.ones((2, len(posterior.location)), dtype=np.int64)
    best = np.zeros(len(low), dtype=bool)
    for first, last in pairwise(posterior.feedback.task_starts):
        part = slice(int(first), int(last))
        centre = posterior.location[part]
        if 1 < len(centre) <= JOINT and not posterior.by_item:
            ranks = _draw_ranks(centre, posterior.draws[:, part].astype(np.float64))
            low[part], high[part] = _by_ranks(ranks, level)
            best[part] = _candidates(ranks, level)
        else:
            low[part], high[part] = _by_scores(centre, posterior.score_se[part], level)
            best[part] = low[part] == 1
    return low, high, best


def _draw_ranks(centre: Floats, draws: Floats) -> Ints:
    """Ranks in many more draws than there are, of the normal distribution with their covariance."""
    moves = draws - draws.mean(axis=0)
    covariance = multiply(moves.T.copy(), moves) / (len(draws) - 1)
    ridge = RIDGE * max(float(np.trace(covariance)), 1e-300)  # scores of a task have a fixed mean
    factor = np.tril(cholesky(covariance + ridge * np.eye(len(centre))))
    noise = np.random.default_rng(STREAM).standard_normal((2 * SAMPLES, len(centre)))
    scores = centre + multiply(noise, factor.T.copy())
    ranks = np.empty(scores.shape, dtype=np.int16)
    places = np.arange(1, len(centre) + 1, dtype=np.int16)
    np.put_along_axis(ranks, np.argsort(-scores, axis=1), places[None, :], axis=1)
    return ranks


def _by_ranks(ranks: Ints, level: float) -> tuple[Ints, Ints]:
    known, tried = ranks[:SAMPLES], ranks[SAMPLES:]
    tail = np.full(len(tried), SAMPLES)
    counts = np.empty((known.shape[1], known.shape[1] + 1), dtype=np.int64)  # draws at or above every rank
    for item, (column, drawn) in enumerate(zip(known.T, tried.T, strict=True)):
        counts[item] = np.bincount(column, minlength=len(counts) + 1).cumsum()
        worse = SAMPLES - counts[item][drawn - 1]
        tail = np.minimum(tail, np.minimum(counts[item][drawn], worse))
    out = max(int(np.quantile(tail, 1 - level, method="lower")) - 1, 0)
    return (counts <= out).sum(axis=1), (counts <= SAMPLES - 1 - out).sum(axis=1)


def _candidates(ranks: Ints, level: float) -> NDArray[np.bool_]:
    share = (ranks == 1).mean(axis=0)
    order = np.argsort(-share, kind="stable")
    n = int(np.searchsorted(np.cumsum(share[order]), level - 1e-9)) + 1
    best = np.zeros(len(share), dtype=bool)
    best[order[:n]] = True
    return best


def _by_scores(centre: Floats, error: Floats, level: float) -> tuple[Ints, Ints]:
    n = len(centre)
    reach = float(ndtri(0.5 + level ** (1 / max(n, 1)) / 2)) * error
    above = n - np.searchsorted(np.sort(centre - reach), centre + reach, side="right")
    below = np.searchsorted(np.sort(centre + reach), centre - reach, side="left")
    return 1 + above, n - below


def best_sentence(items: list[str], level: float, of: int) -> str:
    """Among which items the best is."""
    if len(items) == of or not items:
        return f"Which of the {of:,} items is the best is open: none can be ruled out ({100 * level:.0f} %)."
    if len(items) == 1:
        return f"{items[0]} is the best of the {of:,} items ({100 * level:.0f} %)."
    names = f": {', '.join(items)}" if len(items) <= NAMED else ""
    return f"The best of the {of:,} items is among these {len(items):,} ({100 * level:.0f} %){names}."
