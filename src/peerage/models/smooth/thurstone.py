"""The Thurstone model."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from peerage._numba import kernel
from peerage.models.base import check_positive
from peerage.models.lists import bucket_end
from peerage.models.smooth.model import Pairs, SmoothModel, Ties, normal_cdf, smooth_model

if TYPE_CHECKING:
    from peerage.feedback.container import Feedback

HALF_LOG_TWO_PI = 0.5 * math.log(2.0 * math.pi)
ROOT_HALF = math.sqrt(0.5)
FAR = 6.0  # beyond this many deviations the tail comes from a continued fraction
TERMS = 30  # of that fraction; at 6 deviations it is exact to the last digit


@kernel
def normal(u: float) -> tuple[float, float, float]:
    """log Phi(u), the hazard h = phi(u) / Phi(u), and h + u, which is lost to rounding far in the tail."""
    if u < -FAR:
        fraction = -u
        for term in range(TERMS, 1, -1):
            fraction = -u + term / fraction
        excess = 1.0 / fraction
        hazard = excess - u
        return -0.5 * u * u - HALF_LOG_TWO_PI - math.log(hazard), hazard, excess
    upper = 0.5 * math.erfc(u * ROOT_HALF)  # 1 - Phi(u), exact where Phi(u) is near 1
    log_phi = math.log1p(-upper) if upper < 0.5 else math.log(0.5 * math.erfc(-u * ROOT_HALF))
    hazard = math.exp(-0.5 * u * u - HALF_LOG_TWO_PI - log_phi)
    return log_phi, hazard, hazard + u


@kernel
def between(u: float, t: float) -> tuple[float, float, float]:
    """log of Phi(u + t) - Phi(u - t), and the densities at both ends divided by it."""
    u = abs(u)
    near, _, _ = normal(t - u)
    far, _, _ = normal(-t - u)
    if near > far:
        log_mass = near + math.log(-math.expm1(far - near))
    else:  # t has vanished beside u: the mass is width times density
        log_mass = math.log(2.0 * t) - 0.5 * u * u - HALF_LOG_TWO_PI
    upper = math.exp(-0.5 * (u + t) ** 2 - HALF_LOG_TWO_PI - log_mass)
    lower = math.exp(-0.5 * (u - t) ** 2 - HALF_LOG_TWO_PI - log_mass)
    return log_mass, upper, lower


@kernel
def _strict_pair(gap: float, t: float) -> tuple[float, float, float]:
    """log Phi(gap - t), its first and second derivative; both in gap, and with the other sign in t."""
    log_phi, hazard, excess = normal(gap - t)
    return log_phi, hazard, -hazard * excess


@kernel
def _tied_pair(gap: float, t: float) -> tuple[float, float, float, float, float, float]:
    """log of Phi(gap + t) - Phi(gap - t); derivatives in gap and t; second ones gap-gap, gap-t, t-t."""
    sign = 1.0 if gap >= 0 else -1.0
    u = abs(gap)
    value, upper, lower = between(u, t)
    in_u, in_t = upper - lower, upper + lower
    a, b = (u + t) * upper, (u - t) * lower
    return value, sign * in_u, in_t, b - a - in_u**2, sign * (-a - b - in_u * in_t), b - a - in_t**2


@kernel
def value_and_gradient(
    x: Any, t: Any, bucket_starts: Any, starts: Any, options: Any, value: Any, grad: Any, grad_t: Any
) -> None:
    """Log-likelihood of every list, and its gradient in x and in the threshold t."""
    model_ties, adjacent = options
    grad[:] = 0.0
    grad_t[:] = 0.0
    for which in range(len(starts) - 1):
        start, last = starts[which], starts[which + 1]
        limit = t[which] if model_ties else 0.0
        value[which] = 0.0
        while start < last:
            end = bucket_end(bucket_starts, start, last)
            stop = bucket_end(bucket_starts, end, last) if adjacent and end < last else last
            for e in range(start, end):
                for f in range(e + 1 if model_ties else end, stop):
                    if f >= end:
                        gain, push, _ = _strict_pair(x[e] - x[f], limit)
                        grad_t[which] -= push if model_ties else 0.0
                    else:
                        gain, push, push_t, _, _, _ = _tied_pair(x[e] - x[f], limit)
                        grad_t[which] += push_t
                    value[which] += gain
                    grad[e] += push
                    grad[f] -= push
            start = end


@kernel
def hessian_product(
    x: Any, t: Any, bucket_starts: Any, starts: Any, options: Any, v: Any, v_t: Any, out: Any, out_t: Any
) -> None:
    """Hessian of every list's log-likelihood in x and t, times (v, v_t)."""
    model_ties, adjacent = options
    out[:] = 0.0
    out_t[:] = 0.0
    for which in range(len(starts) - 1):
        start, last = starts[which], starts[which + 1]
        limit = t[which] if model_ties else 0.0
        along_t = v_t[which] if model_ties else 0.0
        while start < last:
            end = bucket_end(bucket_starts, start, last)
            stop = bucket_end(bucket_starts, end, last) if adjacent and end < last else last
            for e in range(start, end):
                for f in range(e + 1 if model_ties else end, stop):
                    along = v[e] - v[f]
                    if f >= end:
                        _, _, curved = _strict_pair(x[e] - x[f], limit)
                        part = curved * (along - along_t)
                        out_t[which] -= part if model_ties else 0.0
                    else:
                        _, _, _, curved, mixed, curved_t = _tied_pair(x[e] - x[f], limit)
                        part = curved * along + mixed * along_t
                        out_t[which] += mixed * along + curved_t * along_t
                    out[e] += part
                    out[f] -= part
            start = end


@kernel
def off_diagonal(x: Any, t: Any, bucket_starts: Any, starts: Any, options: Any, out: Any) -> None:
    """Hessian of every list's log-likelihood in x, beside the diagonal."""
    model_ties, adjacent = options
    at = 0
    for which in range(len(starts) - 1):
        last = starts[which + 1]
        limit = t[which] if model_ties else 0.0
        for e in range(starts[which], last):
            end = bucket_end(bucket_starts, e, last)
            stop = bucket_end(bucket_starts, end, last) if adjacent and end < last else last
            for f in range(e + 1, last):
                curved = 0.0
                if end <= f < stop:
                    _, _, curved = _strict_pair(x[e] - x[f], limit)
                elif f < end and model_ties:
                    _, _, _, curved, _, _ = _tied_pair(x[e] - x[f], limit)
                out[at] = -curved
                at += 1


@smooth_model
class Thurstone(SmoothModel):
    """Thurstone model: P(i over j) = Phi(sqrt(eta) (s_i - s_j)) for every pair of a list.

    Parameters
    ----------
    ties : {"indifferent", "model"}, default="indifferent"
        Leave tied pairs out, or take a tie to say that the perceived gap is below `threshold`:
        strict Phi(sqrt(eta) (d - threshold)), tied the mass between -threshold and threshold around d.
    threshold : float, default=0.5
        The gap too small to see, used with ties="model".
    $PAIRS
    $MARGIN
    $PARAMETERS

    Attributes
    ----------
    $ATTRIBUTES

    References
    ----------
    Raman & Joachims, Methods for Ordinal Peer Grading, KDD 2014, section 4.3 and its tie variant.

    Examples
    --------
    >>> from peerage import Feedback, Thurstone
    >>> feedback = Feedback.from_orders([("ada", ["x", "y"]), ("bob", ["x", "y"]), ("cyd", ["y", "x"])])
    >>> Thurstone().fit(feedback).scores_.round(2)
    array([ 0.21, -0.21])
    """

    inverse_link = staticmethod(normal_cdf)
    counts_pairs = True

    value_and_gradient = staticmethod(value_and_gradient)
    hessian_product = staticmethod(hessian_product)
    off_diagonal = staticmethod(off_diagonal)
    power = 2

    ties: Ties = "indifferent"
    threshold: float = 0.5
    pairs: Pairs = "all"
    margin: bool = False

    @property
    def scale_is_free(self) -> bool:
        """A threshold for ties has the unit of the scores, and tells their scale."""
        return super().scale_is_free and self.ties != "model"

    def options(self) -> tuple[Any, ...]:
        """What the kernels are told: whether ties are modelled, and whether only adjacent buckets count."""
        return (self.ties == "model", self.pairs == "adjacent")

    def _validate(self, feedback: Feedback) -> None:
        super()._validate(feedback)
        check_positive(threshold=self.threshold)
