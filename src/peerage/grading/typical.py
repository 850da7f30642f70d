"""What is typical of the class: how often graders agree with the others, by how far apart two items are.

Graders who are far out would blur it, and hide each other. So it is estimated from all, then from those of
whom the first estimate is not surprised, and so on a few times.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import betainc

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

ROUNDS = 4
FAR_OUT = 0.01  # agreement that a typical grader would have less often than this
OWN = 10.0  # pairs that the mean over all distances counts for in each: some are rare
# Pairs. Few are never believed, and neither is a class whose graders are all alike: honest ones differ (a
# Gamma(5, 5) reliability is worth about 60), some by much, with a longer tail than a binomial one.
LEAST_SPREAD, MOST_SPREAD = 5.0, 30.0


class Typical(NamedTuple):
    """By grader the share that is expected; the share over all; and how much graders differ, as pairs."""

    expected: Floats
    share: float
    spread: float


def typical_of(seen: NDArray[Any], alike: NDArray[Any], share: Floats, worth: Floats) -> Typical:
    """From each grader's pairs, and those that agree, by distance; their share and what they are worth."""
    judged = worth > 0
    kept, found = judged, Typical(np.full(len(share), np.nan), float("nan"), np.inf)
    for _ in range(ROUNDS if judged.any() else 0):
        found = _among(seen, alike, share, worth, kept)
        # not with the spread just found: one grader far out would widen it enough to stay
        near = judged & (at_most(share, among_others(worth, MOST_SPREAD), found.expected) > FAR_OUT)
        if not near.any() or (near == kept).all():
            break
        kept = near
    return found


def _among(seen: NDArray[Any], alike: NDArray[Any], share: Floats, worth: Floats, kept: Any) -> Typical:
    """The same from the kept graders alone."""
    pairs = seen[kept].sum(axis=0, dtype=np.float64)
    agreed = alike[kept].sum(axis=0, dtype=np.float64)
    over_all = float(agreed.sum() / pairs.sum())
    rates = (agreed + OWN * over_all) / (pairs + OWN)
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = seen @ rates / seen.sum(axis=1)
    spread = _spread(share[kept], worth[kept], expected[kept])
    return Typical(np.asarray(expected, dtype=np.float64), over_all, spread)


def _spread(share: Floats, worth: Floats, expected: Floats) -> float:
    """By moments: the variance of shares around the expected is expected (1 - expected) (1/worth + 1/m)."""
    noise = expected * (1.0 - expected)
    extra = float((worth * (share - expected) ** 2).sum() - noise.sum())
    if len(share) < 3 or extra <= 0:
        return MOST_SPREAD
    return float(np.clip((worth * noise).sum() / extra, LEAST_SPREAD, MOST_SPREAD))


def among_others(worth: Floats, spread: float) -> Floats:
    """What pairs are worth for telling a grader from the typical one, where graders differ."""
    with np.errstate(divide="ignore"):
        return np.asarray(1.0 / (1.0 / worth + 1.0 / spread))


def at_most(share: Floats, worth: Floats, true: Floats) -> Floats:
    """The chance that a grader of this true share agrees as little as was seen, or less.

    The binomial distribution for the number of independent pairs that theirs are worth; 1 without pairs.
    """
    seen = np.clip(np.nan_to_num(share) * worth, 0.0, worth)
    miss = np.clip(1.0 - np.nan_to_num(true), 0.0, 1.0)
    chance = betainc(np.maximum(worth - seen, 1e-12), seen + 1.0, miss)
    return np.where((worth > seen) & (worth > 0), chance, 1.0)
