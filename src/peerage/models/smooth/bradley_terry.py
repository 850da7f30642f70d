"""The Bradley-Terry model."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._numba import kernel
from peerage.models.lists import bucket_end, exponentials, longest_of
from peerage.models.smooth.model import Pairs, SmoothModel, Ties, logistic, smooth_model

if TYPE_CHECKING:
    from numpy.typing import NDArray

HUGE = 1e150  # products of odds are logged before they overflow


@kernel
def upset(gap: float) -> float:
    """1 / (1 + exp(gap)): the chance that the worse item wins."""
    tail = math.exp(-abs(gap))
    return tail / (1.0 + tail) if gap > 0 else 1.0 / (1.0 + tail)


@kernel
def log_win(gap: float) -> float:
    """-log(1 + exp(-gap)), without overflow."""
    return min(gap, 0.0) - math.log1p(math.exp(-abs(gap)))


@kernel
def _strict_gradient(power: Any, first: int, start: int, end: int, stop: int, grad: Any) -> float:
    """A bucket against all entries from its end to stop, from exponentials."""
    value, product = 0.0, 1.0
    for e in range(start, end):
        mine, won = power[e - first], 0.0
        inverse = 1.0 / mine
        for f in range(end, stop):
            both = mine + power[f - first]
            lost = power[f - first] / both
            product *= both * inverse  # one log for many pairs
            if product > HUGE:
                value -= math.log(product)
                product = 1.0
            won += lost
            grad[f] -= lost
        grad[e] += won
    return value - math.log(product)


@kernel
def _strict_product(power: Any, first: int, start: int, end: int, stop: int, v: Any, out: Any) -> None:
    for e in range(start, end):
        mine, along, own = power[e - first], v[e], 0.0
        for f in range(end, stop):
            other = power[f - first]
            share = 1.0 / (mine + other)
            part = mine * other * share * share * (along - v[f])
            own += part
            out[f] += part
        out[e] -= own


@kernel
def _wide_gradient(x: Any, start: int, end: int, stop: int, grad: Any) -> float:
    """The same pair by pair, for lists too far apart for plain exponentials."""
    value = 0.0
    for e in range(start, end):
        for f in range(end, stop):
            value += log_win(x[e] - x[f])
            lost = upset(x[e] - x[f])
            grad[e] += lost
            grad[f] -= lost
    return value


@kernel
def _wide_product(x: Any, start: int, end: int, stop: int, v: Any, out: Any) -> None:
    for e in range(start, end):
        for f in range(end, stop):
            lost = upset(x[e] - x[f])
            part = lost * (1.0 - lost) * (v[e] - v[f])
            out[e] -= part
            out[f] += part


@kernel
def three_way(gap: float) -> tuple[float, float, float]:
    """log(e^gap + 1 + e^-gap), and the chances of a win and a loss when ties may happen."""
    size = abs(gap)
    one, two = math.exp(-size), math.exp(-2.0 * size)
    total = 1.0 + one + two
    more, less = 1.0 / total, two / total
    return size + math.log(total), (more if gap > 0 else less), (less if gap > 0 else more)


@kernel
def _tied_gradient(x: Any, start: int, end: int, stop: int, grad: Any) -> float:
    """The same with ties modelled: a bucket against itself and against what follows, to stop."""
    value = 0.0
    for e in range(start, end):
        for f in range(e + 1, stop):
            gap, strict = x[e] - x[f], f >= end
            log_total, win, loss = three_way(gap)
            value += (gap if strict else 0.0) - log_total
            push = (1.0 if strict else 0.0) - (win - loss)
            grad[e] += push
            grad[f] -= push
    return value


@kernel
def _tied_product(x: Any, start: int, end: int, stop: int, v: Any, out: Any) -> None:
    for e in range(start, end):
        for f in range(e + 1, stop):
            _, win, loss = three_way(x[e] - x[f])
            part = (win + loss - (win - loss) ** 2) * (v[e] - v[f])
            out[e] -= part
            out[f] += part


@kernel
def value_and_gradient(
    x: Any, t: Any, bucket_starts: Any, starts: Any, options: Any, value: Any, grad: Any, grad_t: Any
) -> None:
    """Log-likelihood of every list, and its gradient in x."""
    model_ties, adjacent = options
    power = np.empty(longest_of(starts))
    grad[:] = 0.0
    for which in range(len(starts) - 1):
        start, last = starts[which], starts[which + 1]
        narrow = not model_ties and exponentials(x, start, last, power)
        first = start
        value[which] = 0.0
        while start < last:
            end = bucket_end(bucket_starts, start, last)
            stop = bucket_end(bucket_starts, end, last) if adjacent and end < last else last
            if model_ties:
                value[which] += _tied_gradient(x, start, end, stop, grad)
            elif narrow:
                value[which] += _strict_gradient(power, first, start, end, stop, grad)
            else:
                value[which] += _wide_gradient(x, start, end, stop, grad)
            start = end


@kernel
def hessian_product(
    x: Any, t: Any, bucket_starts: Any, starts: Any, options: Any, v: Any, v_t: Any, out: Any, out_t: Any
) -> None:
    """Hessian of every list's log-likelihood in x, times v."""
    model_ties, adjacent = options
    power = np.empty(longest_of(starts))
    out[:] = 0.0
    for which in range(len(starts) - 1):
        start, last = starts[which], starts[which + 1]
        narrow = not model_ties and exponentials(x, start, last, power)
        first = start
        while start < last:
            end = bucket_end(bucket_starts, start, last)
            stop = bucket_end(bucket_starts, end, last) if adjacent and end < last else last
            if model_ties:
                _tied_product(x, start, end, stop, v, out)
            elif narrow:
                _strict_product(power, first, start, end, stop, v, out)
            else:
                _wide_product(x, start, end, stop, v, out)
            start = end


@kernel
def _pair_curvature(x: Any, e: int, f: int, strict: bool, model_ties: bool) -> float:
    if not model_ties:
        lost = upset(x[e] - x[f])
        return lost * (1.0 - lost) if strict else 0.0
    _, win, loss = three_way(x[e] - x[f])
    return float(win + loss - (win - loss) ** 2)


@kernel
def off_diagonal(x: Any, t: Any, bucket_starts: Any, starts: Any, options: Any, out: Any) -> None:
    """Hessian of every list's log-likelihood in x, beside the diagonal."""
    model_ties, adjacent = options
    power = np.empty(longest_of(starts))
    at = 0
    for which in range(len(starts) - 1):
        first, last = starts[which], starts[which + 1]
        narrow = not model_ties and exponentials(x, first, last, power)
        for e in range(first, last):
            end = bucket_end(bucket_starts, e, last)
            stop = bucket_end(bucket_starts, end, last) if adjacent and end < last else last
            row, mine = at - e - 1, power[e - first]
            for f in range(e + 1, end):
                out[row + f] = _pair_curvature(x, e, f, False, model_ties)
            if narrow:
                for f in range(end, stop):
                    both = mine + power[f - first]
                    out[row + f] = mine * power[f - first] / (both * both)
            else:
                for f in range(end, stop):
                    out[row + f] = _pair_curvature(x, e, f, True, model_ties)
            for f in range(stop, last):
                out[row + f] = 0.0
            at += last - e - 1


@smooth_model
class BradleyTerry(SmoothModel):
    """Bradley-Terry model: P(i over j) = 1 / (1 + exp(-eta (s_i - s_j))) for every pair of a list.

    Parameters
    ----------
    ties : {"indifferent", "model"}, default="indifferent"
        Leave tied pairs out, or give the tie its own chance beside win and loss,
        1 / (e^d + 1 + e^-d) with d = eta (s_i - s_j).
    $PAIRS
    $MARGIN
    $PARAMETERS

    Attributes
    ----------
    $ATTRIBUTES

    References
    ----------
    Raman & Joachims, Methods for Ordinal Peer Grading, KDD 2014, section 4.2 and its tie variant.

    Examples
    --------
    >>> from peerage import BradleyTerry, Feedback
    >>> feedback = Feedback.from_orders([("ada", ["x", "y"]), ("bob", ["x", "y"]), ("cyd", ["y", "x"])])
    >>> BradleyTerry().fit(feedback).scores_.round(3)
    array([ 0.32, -0.32])
    """

    inverse_link = staticmethod(logistic)
    counts_pairs = True

    def win_probability(
        self, gap: NDArray[np.float64], reliability: float = 1.0
    ) -> NDArray[np.float64] | None:
        """The chance of being put first; a tie that has a chance of its own counts half."""
        if self.ties != "model":
            return super().win_probability(gap, reliability)
        odds = np.exp(-np.abs(reliability * gap))  # of a tie to a win of the better one; cannot overflow
        better = (1.0 + 0.5 * odds) / (1.0 + odds + odds**2)
        return np.asarray(np.where(gap >= 0, better, 1.0 - better))

    value_and_gradient = staticmethod(value_and_gradient)
    hessian_product = staticmethod(hessian_product)
    off_diagonal = staticmethod(off_diagonal)

    ties: Ties = "indifferent"
    pairs: Pairs = "all"
    margin: bool = False

    def options(self) -> tuple[Any, ...]:
        """What the kernels are told: whether ties are modelled, and whether only adjacent buckets count."""
        return (self.ties == "model", self.pairs == "adjacent")
