"""The Mallows model whose distance weighs every reversed pair by its score gap."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._numba import kernel
from peerage.errors import DataError
from peerage.models._lists import bucket_end, longest_of
from peerage.models._mallows_ranking import mean_ranks
from peerage.models._smooth import SmoothModel
from peerage.models._subsets import N_TABLES, bend_places, expect_places, sort_entries, sum_chains

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback import Feedback

START_SPREAD = 2.0  # of the scores at the start, first to last; saves Newton a step or two
MOST_ITEMS = 18  # 2^18 subsets: 15 megabytes of workspace and some ten milliseconds per list


@kernel
def _workspace(starts: Any) -> Any:
    """Room for the longest list, made once: order, subset sizes, rows by item, tables by subset."""
    longest = longest_of(starts)
    order, held = np.empty(longest, dtype=np.int64), np.empty(1 << longest, dtype=np.int64)
    return order, held, np.empty((3, longest)), np.empty((N_TABLES, 1 << longest))


@kernel
def _add_orders(x: Any, low: int, high: int, sign: float, work: Any, lead: Any, grad: Any) -> float:
    """Add sign times log(sum over the orders of low:high of exp(-sum of x times place)).

    The answer is returned in two parts: the best order's exponent as coefficients ``lead`` of x, so that
    lists which agree with the scores lose nothing to cancellation, and the logarithm of the rest.
    """
    order, held, rows, tables = work
    size = high - low
    if size == 1:
        lead[low] -= sign
        grad[low] -= sign
        return 0.0
    sort_entries(x, low, high, order)
    total = sum_chains(x, order, size, held, rows[0], tables)
    expect_places(size, tables, rows[0])
    for rank in range(size):
        lead[order[rank]] -= sign * (size - rank)
        grad[order[rank]] -= sign * rows[0, rank]
    return sign * math.log(total)


@kernel
def slope(x: Any, t: Any, opens: Any, starts: Any, options: Any, value: Any, grad: Any, grad_t: Any) -> None:
    """Log-likelihood of every list, and its gradient in x.

    The orders that agree with a list are those of its first bucket at places 1, 2, ..., then those of the
    next.
    """
    work = _workspace(starts)
    lead = np.zeros(len(x))
    grad[:] = 0.0
    for which in range(len(starts) - 1):
        first, last = starts[which], starts[which + 1]
        value[which] = 0.0
        low = first
        while low < last:
            high = bucket_end(opens, low, last)
            if high - low == last - first:  # one bucket: every order agrees with it
                break
            value[which] += _add_orders(x, low, high, 1.0, work, lead, grad)
            for e in range(low, high):
                lead[e] -= low - first
                grad[e] -= low - first
            low = high
        if low == last:
            value[which] += _add_orders(x, first, last, -1.0, work, lead, grad)
        for e in range(first, last):
            value[which] += lead[e] * (x[e] - x[first])


@kernel
def _add_bend(x: Any, v: Any, low: int, high: int, sign: float, work: Any, out: Any) -> None:
    order, held, rows, tables = work
    size = high - low
    sort_entries(x, low, high, order)
    sum_chains(x, order, size, held, rows[0], tables)
    middle = 0.0
    for e in range(low, high):
        middle += v[e] / size
    for rank in range(size):
        rows[1, rank] = v[order[rank]] - middle  # only differences matter; small ones must not drown
    bend_places(size, rows[1], tables, rows[2])
    for rank in range(size):
        out[order[rank]] -= sign * rows[2, rank]


@kernel
def bend(
    x: Any, t: Any, opens: Any, starts: Any, options: Any, v: Any, v_t: Any, out: Any, out_t: Any
) -> None:
    """Hessian of every list's log-likelihood in x, times v."""
    work = _workspace(starts)
    out[:] = 0.0
    for which in range(len(starts) - 1):
        first, last = starts[which], starts[which + 1]
        low = first
        while low < last:
            high = bucket_end(opens, low, last)
            if high - low == last - first:
                break
            if high - low > 1:
                _add_bend(x, v, low, high, 1.0, work, out)
            low = high
        if low == last:
            _add_bend(x, v, first, last, -1.0, work, out)


class ScoreWeightedMallows(SmoothModel):
    """Score-weighted Mallows model: a reversed pair costs eta times its score gap.

    P(order) is proportional to exp(-eta * sum over items of s_i * place(i)) over the k! orders of the
    list's items, and P(list) sums it over the orders that agree with the list. Both sums run over the 2^k
    subsets of the items instead, at most 18 in a list. Strict lists make the objective convex; with ties
    the search starts from small Borda scores.

    Parameters
    ----------
    reliability : bool, default=False
        Estimate a reliability eta for every grader; otherwise all are 1.
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
    Raman & Joachims, Methods for Ordinal Peer Grading, KDD 2014, section 4.1.

    Examples
    --------
    >>> from peerage import Feedback, ScoreWeightedMallows
    >>> feedback = Feedback.from_orders([("ada", ["x", "y", "z"]), ("bob", ["x", {"y", "z"}])])
    >>> ScoreWeightedMallows().fit(feedback).grades()["item"].to_list()
    ['x', 'y', 'z']
    """

    slope = staticmethod(slope)
    bend = staticmethod(bend)

    def __init__(
        self,
        *,
        reliability: bool = False,
        score_variance: float = 9.0,
        reliability_shape: float = 10.0,
        reliability_rate: float = 10.0,
        tol: float = 1e-8,
        max_iter: int = 200,
    ) -> None:
        self.reliability = reliability
        self.score_variance = score_variance
        self.reliability_shape = reliability_shape
        self.reliability_rate = reliability_rate
        self.tol = tol
        self.max_iter = max_iter

    def start(self, feedback: Feedback) -> NDArray[np.float64]:
        """Borda scores, scaled down: with ties there may be several optima, and this one is near the data."""
        return START_SPREAD * (0.5 - mean_ranks(feedback, feedback.list_weights))

    def _validate(self, feedback: Feedback) -> None:
        super()._validate(feedback)
        lengths = feedback.list_lengths
        if lengths.max(initial=0) > MOST_ITEMS:
            worst = int(np.argmax(lengths))
            grader = feedback.grader_labels[int(feedback.list_graders[worst])]
            raise DataError(
                f"grader {grader!r} ranks {lengths[worst]} items in one list, and score-weighted Mallows"
                f" (MALS) takes at most {MOST_ITEMS}, because it sums over all subsets of a list;"
                " use another method, such as Plackett-Luce (PL)"
            )
