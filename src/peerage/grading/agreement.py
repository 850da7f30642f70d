"""Does a grader agree with the class? Measured against an estimate made without that grader.

A grader's own lists pull the estimate towards them, most where reviews are few: agreement with the full
estimate flatters. So every grader is held against the scores that the others alone would give
(`scores_without`), and chance means what it says: a grader who orders at random agrees with
half of the pairs. No chance is drawn on the way, so the seed of a run changes nothing here.

The pairs of one list hang together. Under random ordering the agreeing share of a list has a known variance
(Kendall's), so n pairs are worth fewer independent ones: a list of 7 has 21 pairs, worth 10. Intervals use
that number, `effective_pairs`.

What is typical of the class is how often graders agree with the others, by how far apart two items are.
Graders who are far out would blur it, and hide each other. So it is estimated from all, then from those of
whom the first estimate is not surprised, and so on a few times.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import betainc

from peerage._numba import kernel
from peerage.models.leave_out import scores_without

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models.base import Estimator

    Floats = NDArray[np.float64]

# Distances between two items at which another bin begins, in standard deviations of the scores.
EDGES = np.array([0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.4, 2.0, 3.0])
SAME = 1e-5  # of a standard deviation: scores closer than this are one score
ROUNDS = 4
FAR_OUT = 0.01  # agreement that a typical grader would have less often than this
OWN = 10.0  # pairs that the mean over all distances counts for in each: some are rare
# Pairs. Few are never believed, and neither is a class whose graders are all alike: honest ones differ (a
# Gamma(5, 5) reliability is worth about 60), some by much, with a longer tail than a binomial one.
LEAST_SPREAD, MOST_SPREAD = 5.0, 30.0


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """Per grader, held against the estimate of the others.

    Attributes
    ----------
    pairs : strict pairs. share : the share of them that the estimate orders alike (NaN without pairs).
    effective_pairs : how many independent ones they are worth.
    expected : the share that is typical of the class for pairs as close as these (NaN without pairs).
    typical : the share over all pairs of graders who are not far out.
    spread : how much graders differ beside luck, as a number of pairs: the fewer, the more.
    """

    pairs: NDArray[np.int64]
    share: Floats
    effective_pairs: Floats
    expected: Floats
    typical: float
    spread: float = float("inf")

    def interval(self, level: float) -> tuple[Floats, Floats]:
        """Wilson's interval of each share; NaN without pairs."""
        z2 = NormalDist().inv_cdf(0.5 + level / 2) ** 2
        n, p = self.effective_pairs, self.share
        with np.errstate(invalid="ignore", divide="ignore"):
            middle = (p + z2 / (2 * n)) / (1 + z2 / n)
            half = np.sqrt(z2) / (1 + z2 / n) * np.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
        return middle - half, middle + half


def measure_agreement(fitted: Estimator, others: Floats | None = None) -> Agreement:
    """Every grader against the estimate of the others; `others` is what `scores_without` says, if known."""
    feedback = fitted.feedback_
    others = scores_without(fitted) if others is None else others
    sd = float(np.std(others)) if len(others) else 0.0
    score = others / sd if sd > 0 else np.zeros(len(others))
    lists = (feedback.bucket_starts, feedback.list_starts, feedback.list_graders)
    pairs, agreed, variance = np.zeros((3, feedback.n_graders))
    pairs_by_gap, agreed_by_gap = np.zeros((2, feedback.n_graders, len(EDGES) + 1), dtype=np.float32)
    _count(lists, score, pairs, agreed, variance, pairs_by_gap, agreed_by_gap)
    with np.errstate(invalid="ignore", divide="ignore"):
        share, effective = agreed / pairs, np.where(pairs > 0, pairs**2 / variance, 0.0)
    usual = estimate_expected(pairs_by_gap, agreed_by_gap, share, effective)
    return Agreement(pairs.astype(np.int64), share, effective, usual.by_grader, usual.share, usual.spread)


@kernel
def _count(
    lists: Any, score: Any, pairs: Any, agreed: Any, spread: Any, pairs_by_gap: Any, agreed_by_gap: Any
) -> None:  # fmt: skip
    """Add each list's strict pairs, the agreeing ones, and four times their variance under chance.

    With S = agreeing - disagreeing, var S = (k(k-1)(2k+5) - sum over ties t(t-1)(2t+5)) / 18 for a random
    order with these ties; the agreeing number is (pairs + S) / 2. Ties of the estimate are left out of the
    variance: they are rare, and it is then too large, never too small. Also counts the pairs and the agreeing
    ones by how far the estimate puts the two apart.
    """
    bucket_starts, starts, graders = lists
    for which in range(len(graders)):
        grader, start, last = graders[which], starts[which], starts[which + 1]
        k = last - start
        variance = k * (k - 1) * (2 * k + 5) / 18.0
        while start < last:
            end = start + 1
            while end < last and not bucket_starts[end]:
                end += 1
            t = end - start
            variance -= t * (t - 1) * (2 * t + 5) / 18.0
            pairs[grader] += t * (last - end)
            for e in range(start, end):
                for f in range(end, last):
                    gap = score[e] - score[f]
                    win = 1.0 if gap > SAME else (0.5 if gap >= -SAME else 0.0)
                    agreed[grader] += win
                    near = 0  # by hand: np.searchsorted would load much of Numba at every start
                    while near < len(EDGES) and EDGES[near] < abs(gap):
                        near += 1
                    pairs_by_gap[grader, near] += 1.0
                    agreed_by_gap[grader, near] += win
            start = end
        spread[grader] += variance


class ExpectedAgreement(NamedTuple):
    """By grader the share that is expected; the share over all; and how much graders differ, as pairs."""

    by_grader: Floats
    share: float
    spread: float


def estimate_expected(
    pairs: NDArray[Any], agreed: NDArray[Any], share: Floats, effective: Floats
) -> ExpectedAgreement:
    """From each grader's pairs, and those that agree, by distance; their share and effective number."""
    ordered = effective > 0
    kept, expected = ordered, ExpectedAgreement(np.full(len(share), np.nan), float("nan"), np.inf)
    for _ in range(ROUNDS if ordered.any() else 0):
        expected = _expected_among(pairs, agreed, share, effective, kept)
        # not with the spread just found: one grader far out would widen it enough to stay
        near = ordered & (
            lower_tail(share, allow_for_spread(effective, MOST_SPREAD), expected.by_grader) > FAR_OUT
        )
        if not near.any() or (near == kept).all():
            break
        kept = near
    return expected


def _expected_among(
    pairs: NDArray[Any], agreed: NDArray[Any], share: Floats, effective: Floats, kept: Any
) -> ExpectedAgreement:
    """The same from the kept graders alone."""
    pairs_by_gap = pairs[kept].sum(axis=0, dtype=np.float64)
    agreed_by_gap = agreed[kept].sum(axis=0, dtype=np.float64)
    over_all = float(agreed_by_gap.sum() / pairs_by_gap.sum())
    rates = (agreed_by_gap + OWN * over_all) / (pairs_by_gap + OWN)
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = pairs @ rates / pairs.sum(axis=1)
    spread = _spread(share[kept], effective[kept], expected[kept])
    return ExpectedAgreement(np.asarray(expected, dtype=np.float64), over_all, spread)


def _spread(share: Floats, effective: Floats, expected: Floats) -> float:
    """By moments: shares vary about the expected by expected (1 - expected) (1/effective + 1/spread)."""
    noise = expected * (1.0 - expected)
    extra = float((effective * (share - expected) ** 2).sum() - noise.sum())
    if len(share) < 3 or extra <= 0:
        return MOST_SPREAD
    return float(np.clip((effective * noise).sum() / extra, LEAST_SPREAD, MOST_SPREAD))


def allow_for_spread(effective: Floats, spread: float) -> Floats:
    """The effective number of pairs for telling a grader from the typical one, where graders differ."""
    with np.errstate(divide="ignore"):
        return np.asarray(1.0 / (1.0 / effective + 1.0 / spread))


def lower_tail(share: Floats, effective: Floats, true: Floats) -> Floats:
    """The chance that a grader of this true share agrees as little as was seen, or less.

    The binomial distribution for the effective number of pairs; 1 without pairs.
    """
    agreed = np.clip(np.nan_to_num(share) * effective, 0.0, effective)
    miss = np.clip(1.0 - np.nan_to_num(true), 0.0, 1.0)
    chance = betainc(np.maximum(effective - agreed, 1e-12), agreed + 1.0, miss)
    return np.where((effective > agreed) & (effective > 0), chance, 1.0)
