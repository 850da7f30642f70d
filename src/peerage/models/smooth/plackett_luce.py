"""The Plackett-Luce model."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._numba import kernel
from peerage.models.lists import bucket_end, exponentials, longest_of
from peerage.models.smooth.links import logistic
from peerage.models.smooth.model import SmoothModel, Ties
from peerage.models.solver import FixedScales, minimise
from peerage.models.source import NoJournal, in_parts, search

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback import Feedback
    from peerage.models.solver import Mode, Outcome
    from peerage.models.source import Journal, Source

UNITS = 3.0  # largest change, in logarithms, of the unit of scores that ties had a say in
TINY = 1e-100  # products of chances are logged before they vanish


@kernel
def _narrow_gradient(
    power: Any, opens: Any, first: int, last: int, shared: bool, odds: Any, grad: Any
) -> float:
    """Value and gradient from exponentials: sums from the bottom up, then losses from the top down."""
    value, product, below = 0.0, 1.0, 0.0
    end = last
    while end > first:
        start, bucket = end - 1, power[end - 1 - first]
        while not opens[start]:
            start -= 1
            bucket += power[start - first]
        for i in range(start - first, end - first):
            odds[i] = 1.0 / ((bucket if shared else power[i]) + below)
            product *= power[i] * odds[i]  # one log for many items
        if product < TINY:
            value += math.log(product)
            product = 1.0
        below += bucket
        end = start
    reach = 0.0
    start = first
    while start < last:
        end, added = start, 0.0
        while end == start or (end < last and not opens[end]):
            added += odds[end - first]
            end += 1
        for e in range(start, end):
            i = e - first
            lost = power[i] * (reach + added) if shared else power[i] * (reach + odds[i])
            grad[e] = 1.0 - lost
        reach += added
        start = end
    return value + math.log(product)


@kernel
def _narrow_product(
    power: Any, opens: Any, first: int, last: int, shared: bool, odds: Any, mean: Any, v: Any, out: Any
) -> None:
    """The same sums once more, now of v: mean[i] is the mean of v over i and what it beats."""
    below, below_v = 0.0, 0.0
    end = last
    while end > first:
        start, bucket, bucket_v = end, 0.0, 0.0
        while start == end or not opens[start]:
            start -= 1
            bucket += power[start - first]
            bucket_v += power[start - first] * v[start]
        for e in range(start, end):
            i = e - first
            odds[i] = 1.0 / ((bucket if shared else power[i]) + below)
            mean[i] = odds[i] * ((bucket_v if shared else power[i] * v[e]) + below_v)
        below += bucket
        below_v += bucket_v
        end = start
    reach, reach_v = 0.0, 0.0
    start = first
    while start < last:
        end, added, added_v = start, 0.0, 0.0
        while end == start or (end < last and not opens[end]):
            added += odds[end - first]
            added_v += odds[end - first] * mean[end - first]
            end += 1
        for e in range(start, end):
            i = e - first
            if shared:
                out[e] = -power[i] * (v[e] * (reach + added) - (reach_v + added_v))
            else:
                out[e] = -power[i] * (v[e] * (reach + odds[i]) - (reach_v + odds[i] * mean[i]))
        reach += added
        reach_v += added_v
        start = end


@kernel
def _rivals(opens: Any, e: int, last: int, shared: bool) -> int:
    """Where the items begin that share the denominator of e with it."""
    start = e
    if shared:
        while not opens[start]:
            start -= 1
        return start
    return bucket_end(opens, e, last)


@kernel
def _log_denominator(x: Any, e: int, rivals: int, last: int) -> float:
    """log of the sum of exp(x) over e and the entries from rivals on, whatever their size."""
    high = x[e]
    for f in range(rivals, last):
        high = max(high, x[f])
    total = 0.0 if rivals <= e else math.exp(x[e] - high)
    for f in range(rivals, last):
        total += math.exp(x[f] - high)
    return float(high + math.log(total))


@kernel
def _wide_gradient(x: Any, opens: Any, first: int, last: int, shared: bool, grad: Any) -> float:
    """Value and gradient item by item, for lists too far apart for plain exponentials."""
    value = 0.0
    grad[first:last] = 1.0
    for e in range(first, last):
        rivals = _rivals(opens, e, last, shared)
        log_den = _log_denominator(x, e, rivals, last)
        value += x[e] - log_den
        if rivals > e:
            grad[e] -= math.exp(x[e] - log_den)
        for f in range(rivals, last):
            grad[f] -= math.exp(x[f] - log_den)
    return value


@kernel
def _wide_product(x: Any, opens: Any, first: int, last: int, shared: bool, v: Any, out: Any) -> None:
    out[first:last] = 0.0
    for e in range(first, last):
        rivals = _rivals(opens, e, last, shared)
        log_den = _log_denominator(x, e, rivals, last)
        own = math.exp(x[e] - log_den) if rivals > e else 0.0
        mean = own * v[e]
        for f in range(rivals, last):
            mean += math.exp(x[f] - log_den) * v[f]
        out[e] -= own * (v[e] - mean)
        for f in range(rivals, last):
            out[f] -= math.exp(x[f] - log_den) * (v[f] - mean)


@kernel
def value_and_gradient(
    x: Any, t: Any, opens: Any, starts: Any, options: Any, value: Any, grad: Any, grad_t: Any
) -> None:
    """Log-likelihood of every list, and its gradient in x."""
    shared, longest = options[0], longest_of(starts)
    power, odds = np.empty(longest), np.empty(longest)
    for which in range(len(starts) - 1):
        first, last = starts[which], starts[which + 1]
        if exponentials(x, first, last, power):
            value[which] = _narrow_gradient(power, opens, first, last, shared, odds, grad)
        else:
            value[which] = _wide_gradient(x, opens, first, last, shared, grad)


@kernel
def hessian_product(
    x: Any, t: Any, opens: Any, starts: Any, options: Any, v: Any, v_t: Any, out: Any, out_t: Any
) -> None:
    """Hessian of every list's log-likelihood in x, times v."""
    shared, longest = options[0], longest_of(starts)
    power, odds, mean = np.empty(longest), np.empty(longest), np.empty(longest)
    for which in range(len(starts) - 1):
        first, last = starts[which], starts[which + 1]
        if exponentials(x, first, last, power):
            _narrow_product(power, opens, first, last, shared, odds, mean, v, out)
        else:
            _wide_product(x, opens, first, last, shared, v, out)


@kernel
def _narrow_off_diagonal(
    power: Any, opens: Any, first: int, last: int, shared: bool, odds: Any, at: int, out: Any
) -> None:
    """Two items are coupled in every draw that both take part in.

    These are the draws of all items above both, and that of the better of the two; where denominators are
    shared, the draws of its whole bucket.
    """
    _find_odds(power, opens, first, last, shared, odds)
    reach, start = 0.0, first
    while start < last:
        end, added = start, 0.0
        while end == start or (end < last and not opens[end]):
            added += odds[end - first] * odds[end - first]
            end += 1
        for i in range(start - first, end - first):
            tied = power[i] * (reach + added if shared else reach)
            strict = power[i] * (reach + added if shared else reach + odds[i] * odds[i])
            row = at - i - 1
            for j in range(i + 1, end - first):
                out[row + j] = tied * power[j]
            for j in range(end - first, last - first):
                out[row + j] = strict * power[j]
            at += last - first - i - 1
        reach += added
        start = end


@kernel
def _find_odds(power: Any, opens: Any, first: int, last: int, shared: bool, odds: Any) -> None:
    """One over the sum of exponentials in every item's draw, from the bottom up."""
    below, end = 0.0, last
    while end > first:
        start, bucket = end, 0.0
        while start == end or not opens[start]:
            start -= 1
            bucket += power[start - first]
        for i in range(start - first, end - first):
            odds[i] = 1.0 / ((bucket if shared else power[i]) + below)
        below += bucket
        end = start


@kernel
def _wide_off_diagonal(x: Any, opens: Any, first: int, last: int, shared: bool, at: int, out: Any) -> None:
    """The same draw by draw, for lists too far apart for plain exponentials."""
    size = last - first
    out[at : at + size * (size - 1) // 2] = 0.0
    for draw in range(first, last):
        rivals = _rivals(opens, draw, last, shared)
        log_den = _log_denominator(x, draw, rivals, last)
        pair = at
        for e in range(first, last):
            for f in range(e + 1, last):
                if (e == draw or e >= rivals) and (f == draw or f >= rivals):
                    out[pair] += math.exp(x[e] - log_den) * math.exp(x[f] - log_den)
                pair += 1


@kernel
def off_diagonal(x: Any, t: Any, opens: Any, starts: Any, options: Any, out: Any) -> None:
    """Hessian of every list's log-likelihood in x, beside the diagonal."""
    shared, longest = options[0], longest_of(starts)
    power, odds = np.empty(longest), np.empty(longest)
    at = 0
    for which in range(len(starts) - 1):
        first, last = starts[which], starts[which + 1]
        if exponentials(x, first, last, power):
            _narrow_off_diagonal(power, opens, first, last, shared, odds, at, out)
        else:
            _wide_off_diagonal(x, opens, first, last, shared, at, out)
        at += (last - first) * (last - first - 1) // 2


class PlackettLuce(SmoothModel):
    """Plackett-Luce model: a list is built from the top, each item drawn with odds exp(eta s_i).

    log P(list) = - sum_i log(1 + sum over j strictly below i of exp(-eta (s_i - s_j)))

    Parameters
    ----------
    reliability : bool, default=False
        Estimate a reliability eta for every grader; otherwise all are 1.
    ties : {"indifferent", "model"}, default="indifferent"
        Items tied with i stay out of its sum, or join it. The latter is no distribution over orders with
        ties: good for the order of the scores, but it does not tell how sure they are, nor reliabilities.
    margin : bool, default=False
        Take the gap of the reported scores off the gap of the items' scores (needs scores).
    score_variance, reliability_shape, reliability_rate : float
        Priors: s ~ Normal(0, score_variance), eta ~ Gamma(shape, rate).
    identified : bool, default=False
        Hold the mean of the reliabilities, each by its grader's strict pairs, at 1. Lists tell only
        reliability times score; without this the priors share the product out, badly where items outnumber
        graders. With ``ties="model"``, also take reliabilities, the unit of the scores and all uncertainty
        from ``ties="indifferent"``.
    tol, max_iter : float, int
        Largest gradient accepted at the optimum, in units of the largest item's evidence; most Newton steps.

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

    inverse_link = staticmethod(logistic)
    strict_lists_know_no_ties = True

    value_and_gradient = staticmethod(value_and_gradient)
    hessian_product = staticmethod(hessian_product)
    off_diagonal = staticmethod(off_diagonal)

    def __init__(
        self,
        *,
        reliability: bool = False,
        ties: Ties = "indifferent",
        margin: bool = False,
        score_variance: float = 9.0,
        reliability_shape: float = 10.0,
        reliability_rate: float = 10.0,
        identified: bool = False,
        tol: float = 1e-8,
        max_iter: int = 200,
    ) -> None:
        self.reliability = reliability
        self.ties = ties
        self.margin = margin
        self.score_variance = score_variance
        self.reliability_shape = reliability_shape
        self.reliability_rate = reliability_rate
        self.identified = identified
        self.tol = tol
        self.max_iter = max_iter

    def options(self) -> tuple[Any, ...]:
        """What the kernels are told: whether tied items share a denominator."""
        return (self.ties == "model",)

    @property
    def scale_is_free(self) -> bool:
        """Modelled ties have no scale that means anything, with reliabilities or without."""
        return super().scale_is_free or (self.ties == "model" and not self.margin)

    def _borrows(self, has_ties: bool) -> bool:
        """Whether all but the order of the scores comes from lists whose ties say nothing."""
        return self.identified and self.ties == "model" and not self.margin and has_ties

    def _without_ties(self) -> PlackettLuce:
        """The same with ties that say nothing."""
        twin = PlackettLuce(**{**self.get_params(), "ties": "indifferent"})
        twin.warm_start = getattr(self, "scores_", self.warm_start)
        return twin

    def _fit(self, feedback: Feedback) -> None:
        """With modelled ties whose scale is borrowed, the scores for given reliabilities, then their unit."""
        if not self._borrows(not feedback.opens.all()):
            return super()._fit(feedback)
        source = in_parts(feedback)
        if source is not None:
            return self._borrow_in_parts(source, NoJournal())
        twin = self._without_ties()
        twin._fit(feedback)
        with_ties = FixedScales(self.objective(feedback))
        with_ties.scales = twin.reliabilities_
        outcome = minimise(with_ties, twin.scores_, tol=self.tol, max_iter=self.max_iter)
        indifferent = twin.objective(feedback)
        unit = best_unit(lambda scores: indifferent.evaluate(scores, twin.reliabilities_), outcome.scores)
        return self._borrow(twin, outcome, unit)

    def _fit_source(self, source: Source, journal: Journal) -> None:
        if self._borrows(source.n_ties > 0):
            self._borrow_in_parts(source, journal)
        else:
            super()._fit_source(source, journal)

    def _borrow_in_parts(self, source: Source, journal: Journal) -> None:
        """The same in parts, wherever they are."""
        from peerage.models.smooth.list_parts import ListParts

        twin = self._without_ties()
        twin._fit_source(source, journal)
        of_parts = ListParts(self, source)
        found = search(
            journal,
            "ties",
            lambda: of_parts.fixed(twin.reliabilities_),
            lambda: twin.scores_,
            tol=self.tol,
            max_iter=self.max_iter,
        )
        indifferent = ListParts(twin, source).fixed(twin.reliabilities_)
        self._borrow(twin, found.outcome, best_unit(indifferent.evaluate, found.outcome.scores))

    def _borrow(self, twin: PlackettLuce, outcome: Outcome, unit: float) -> None:
        """Scores in the unit, and with the reliabilities, of lists whose ties say nothing."""
        self.scores_, self.reliabilities_ = outcome.scores * unit, twin.reliabilities_
        self.objective_, self.n_iter_ = outcome.value, twin.n_iter_ + outcome.n_iter
        self.converged_ = twin.converged_ and outcome.converged

    def mode(self) -> Mode:
        """Where the fitted model stands on its posterior; if borrowed, that of ties that say nothing."""
        self._check_fitted()
        if not self._borrows(not self.feedback_.opens.all()):
            return super().mode()
        twin = self._without_ties()
        twin._fit(self.feedback_)
        twin.feedback_ = self.feedback_
        return replace(twin.mode(), order=self.scores_)


def best_unit(value: Callable[[NDArray[np.float64]], float], scores: NDArray[np.float64]) -> float:
    """The factor by which scores are likeliest."""
    from scipy.optimize import minimize_scalar  # slow to import, and not needed by most

    found = minimize_scalar(
        lambda log_unit: value(math.exp(log_unit) * scores),
        bounds=(-UNITS, UNITS),
        method="bounded",
        options={"xatol": 1e-8},
    )
    return math.exp(float(found.x))
