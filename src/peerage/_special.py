"""Two distribution functions, for those who need no more of scipy.special than these.

Importing scipy.special takes longer than all a small class otherwise asks for after its fit.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._numba import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MOST_STEPS = 100_000  # of the fraction; it takes about the root of a + b
SMALLEST = 1e-300  # instead of a zero that would be divided by


def normal_cdf(x: Floats) -> Floats:
    """P(Z <= x) for a standard normal Z."""
    return np.reshape(_normal(np.ravel(x)), np.shape(x))


def beta_cdf(x: Floats, a: Floats, b: Floats) -> Floats:
    """P(B <= x) for B from Beta(a, b), entry by entry; x from 0 to 1, a and b above 0."""
    return _beta(*(np.ascontiguousarray(part, dtype=np.float64) for part in (x, a, b)))


@kernel
def _normal(x: Any) -> Floats:
    out = np.empty(len(x))
    for i in range(len(x)):
        out[i] = 0.5 * math.erfc(-x[i] * math.sqrt(0.5))
    return out


@kernel
def _beta(x: Any, a: Any, b: Any) -> Floats:
    out = np.empty(len(x))
    for i in range(len(x)):
        if x[i] * (a[i] + b[i]) <= a[i]:  # below the mean the fraction settles soon; above, mirror
            out[i] = _lower_tail(x[i], a[i], b[i])
        else:
            out[i] = 1.0 - _lower_tail(1.0 - x[i], b[i], a[i])
    return out


@kernel
def _lower_tail(x: float, a: float, b: float) -> float:
    """The incomplete beta function over the complete one: a power series' front times a continued fraction.

    With steps 1 / (1 + d_1 / (1 + d_2 / (1 + ...))), d_2m = m (b - m) x / ((a + 2m - 1) (a + 2m)) and
    d_2m+1 = -(a + m) (a + b + m) x / ((a + 2m) (a + 2m + 1)), worked out from the front: each step multiplies
    by the ratio of two neighbouring convergents (DLMF 8.17.22).
    """
    if x <= 0.0:
        return 0.0
    front = a * math.log(x) + b * math.log1p(-x) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    above, below = 1.0, 1.0 / (1.0 - (a + b) * x / (a + 1.0))
    value = below
    for step in range(2, MOST_STEPS):
        m = step // 2
        if step % 2 == 0:
            d = m * (b - m) * x / ((a + step - 1.0) * (a + step))
        else:
            d = -(a + m) * (a + b + m) * x / ((a + step - 1.0) * (a + step))
        below = 1.0 + d * below
        above = 1.0 + d / above
        below = 1.0 / (below if below != 0.0 else SMALLEST)
        above = above if above != 0.0 else SMALLEST
        value *= above * below
        if abs(above * below - 1.0) < 1e-15:
            break
    return math.exp(front) * value / a
