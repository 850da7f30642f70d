"""The Plackett-Luce model."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from peerage._numba import kernel
from peerage.models._smooth import SmoothModel, Ties


@kernel
def _climb(
    x: Any, v: Any, opens: Any, first: int, last: int, shared: bool, top: Any, den: Any, mean: Any
) -> None:
    """Bottom up: for each entry i, the sum of exp(x_j) over i and what it beats, and the mean of v under it.

    The sum is den[i] * exp(top[i]) with top[i] the largest x in it, so den is at least 1 and nothing
    overflows or vanishes, however far apart the scores are.
    """
    high, below, below_v = -np.inf, 0.0, 0.0
    end = last
    while end > first:
        start = end - 1
        while not opens[start]:
            start -= 1
        bucket_high = high
        for e in range(start, end):
            bucket_high = max(bucket_high, x[e])
        shrink = math.exp(high - bucket_high) if bucket_high > high else 1.0
        all_, all_v = below * shrink, below_v * shrink
        for e in range(start, end):
            share = math.exp(x[e] - bucket_high)
            all_ += share
            all_v += share * v[e]
        for e in range(start, end):
            i = e - first
            if shared or end - start == 1:
                top[i], den[i], mean[i] = bucket_high, all_, all_v / all_
            else:
                top[i] = max(high, x[e])
                kept, own = below * math.exp(high - top[i]), math.exp(x[e] - top[i])
                den[i] = own + kept
                mean[i] = (own * v[e] + below_v * math.exp(high - top[i])) / den[i]
        high, below, below_v = bucket_high, all_, all_v
        end = start


@kernel
def slope(x: Any, t: Any, opens: Any, starts: Any, options: Any, value: Any, grad: Any, grad_t: Any) -> None:
    """Log-likelihood of every list, and its gradient in x."""
    shared = options[0]
    longest = np.max(np.diff(starts)) if len(starts) > 1 else 0
    top, den, mean = np.empty(longest), np.empty(longest), np.empty(longest)
    for which in range(len(starts) - 1):
        first, last = starts[which], starts[which + 1]
        _climb(x, x, opens, first, last, shared, top, den, mean)
        value[which] = 0.0
        reach, high = 0.0, top[0] if last > first else 0.0  # sum over i above of exp(high - top_i) / den_i
        start = first
        while start < last:
            end = start + 1
            while end < last and not opens[end]:
                end += 1
            bucket_high, added = _bucket_high(x, top, first, start, end, shared), 0.0
            reach *= math.exp(bucket_high - high)
            for e in range(start, end):
                i = e - first
                value[which] += x[e] - top[i] - math.log(den[i])
                added += math.exp(bucket_high - top[i]) / den[i]
            for e in range(start, end):
                i = e - first
                beaten = math.exp(x[e] - bucket_high) * (reach + added if shared else reach)
                grad[e] = 1.0 - beaten - (0.0 if shared else math.exp(x[e] - top[i]) / den[i])
            reach, high, start = reach + added, bucket_high, end


@kernel
def bend(
    x: Any, t: Any, opens: Any, starts: Any, options: Any, v: Any, v_t: Any, out: Any, out_t: Any
) -> None:
    """Hessian of every list's log-likelihood in x, times v."""
    shared = options[0]
    longest = np.max(np.diff(starts)) if len(starts) > 1 else 0
    top, den, mean = np.empty(longest), np.empty(longest), np.empty(longest)
    for which in range(len(starts) - 1):
        first, last = starts[which], starts[which + 1]
        _climb(x, v, opens, first, last, shared, top, den, mean)
        reach, reach_v, high = 0.0, 0.0, top[0] if last > first else 0.0
        start = first
        while start < last:
            end = start + 1
            while end < last and not opens[end]:
                end += 1
            bucket_high, added, added_v = _bucket_high(x, top, first, start, end, shared), 0.0, 0.0
            shrink = math.exp(bucket_high - high)
            reach, reach_v = reach * shrink, reach_v * shrink
            for e in range(start, end):
                i = e - first
                odds = math.exp(bucket_high - top[i]) / den[i]
                added += odds
                added_v += odds * mean[i]
            for e in range(start, end):
                i = e - first
                share = math.exp(x[e] - bucket_high)
                if shared:
                    out[e] = -share * (v[e] * (reach + added) - reach_v - added_v)
                else:
                    own = math.exp(x[e] - top[i]) / den[i]
                    out[e] = -own * (v[e] - mean[i]) - share * (v[e] * reach - reach_v)
            reach, reach_v, high, start = reach + added, reach_v + added_v, bucket_high, end


@kernel
def _bucket_high(x: Any, top: Any, first: int, start: int, end: int, shared: bool) -> float:
    """The largest x in a bucket and below it."""
    if shared or end - start == 1:
        return float(top[start - first])
    high = top[start - first]
    for e in range(start, end):
        high = max(high, top[e - first])
    return float(high)


class PlackettLuce(SmoothModel):
    """Plackett-Luce model: a list is built from the top, each item drawn with odds exp(eta s_i).

    log P(list) = - sum_i log(1 + sum over j strictly below i of exp(-eta (s_i - s_j)))

    Parameters
    ----------
    reliability : bool, default=False
        Estimate a reliability eta for every grader; otherwise all are 1.
    ties : {"indifferent", "model"}, default="indifferent"
        Items tied with i stay out of its sum, or join it.
    margin : bool, default=False
        Take the gap of the reported scores off the gap of the items' scores (needs scores).
    score_variance, reliability_shape, reliability_rate : float
        Priors: s ~ Normal(0, score_variance), eta ~ Gamma(shape, rate).
    tol, max_iter : float, int
        Largest slope accepted at the optimum, in units of the largest item's evidence; most Newton steps.

    Attributes
    ----------
    scores_ : ndarray of shape (n_items,)
        Posterior-mode scores, larger is better; they sum to zero in every task.
    reliabilities_ : ndarray of shape (n_graders,)

    References
    ----------
    Raman & Joachims, Methods for Ordinal Peer Grading, KDD 2014, section 4.4 and its tie variant.

    Examples
    --------
    >>> from peerage import Feedback, PlackettLuce
    >>> feedback = Feedback.from_orders([("ada", ["x", "y", "z"]), ("bob", ["x", "z", "y"])])
    >>> PlackettLuce().fit(feedback).grades()["item"].to_list()
    ['x', 'y', 'z']
    """

    slope = staticmethod(slope)
    bend = staticmethod(bend)

    def __init__(
        self,
        *,
        reliability: bool = False,
        ties: Ties = "indifferent",
        margin: bool = False,
        score_variance: float = 9.0,
        reliability_shape: float = 10.0,
        reliability_rate: float = 10.0,
        tol: float = 1e-8,
        max_iter: int = 200,
    ) -> None:
        self.reliability = reliability
        self.ties = ties
        self.margin = margin
        self.score_variance = score_variance
        self.reliability_shape = reliability_shape
        self.reliability_rate = reliability_rate
        self.tol = tol
        self.max_iter = max_iter

    def options(self) -> tuple[Any, ...]:
        """What the kernels are told: whether tied items share a denominator."""
        return (self.ties == "model",)
