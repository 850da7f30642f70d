"""The Mallows normaliser log Z(eta, k), and the reliability that suits a grader best.

log Z(eta, k) = sum over i = 1..k of log((1 - e^(-eta i)) / (1 - e^-eta)).

A list of k items in buckets of b costs eta * reversed + log Z(eta, k) - sum over buckets of log Z(eta, b). The
last two together are the logarithm of a Gaussian multinomial coefficient, a polynomial in e^-eta with
non-negative coefficients, hence convex in eta whatever the ties: the reliability step has one solution.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from peerage._numba import kernel

SERIES = 0.5  # below this, differences of poles are summed from their Taylor series


@kernel
def occupancy(t: float, pole: float) -> tuple[float, float]:
    """1/(e^t - 1) - pole/t and its derivative, for t > 0 and pole 0 or 1.

    The pole cancels in log Z. Where eta is small it must be left out beforehand (pole = 1), or nothing else is left.
    """
    if t < SERIES and pole == 1.0:
        s = t * t
        value = -0.5 + t * (
            1 / 12
            + s
            * (-1 / 720 + s * (1 / 30240 + s * (-1 / 1209600 + s * (1 / 47900160 - s * 691 / 1307674368000))))
        )
        slope = 1 / 12 + s * (
            -3 / 720
            + s * (5 / 30240 + s * (-7 / 1209600 + s * (9 / 47900160 - s * 11 * 691 / 1307674368000)))
        )
        return value, slope
    over = 1.0 / math.expm1(t)  # zero where e^t overflows, as it should be
    return over - pole / t, pole / (t * t) - over * (1.0 + over)


@kernel
def log_normaliser(eta: float, counts: Any, largest: int) -> tuple[float, float, float]:
    """Sum over i of counts[i] * log((1 - e^(-eta i)) / (1 - e^-eta)), with first and second derivative in eta.

    ``counts[i] = 1`` for i = 1..k makes it log Z(eta, k).
    """
    pole = 1.0 if eta < SERIES else 0.0
    log_one = math.log(-math.expm1(-eta))
    one, d_one = occupancy(eta, pole)
    value = first = second = 0.0
    for i in range(2, largest + 1):
        if counts[i] != 0.0:
            many, d_many = occupancy(eta * i, pole)
            value += counts[i] * (math.log(-math.expm1(-eta * i)) - log_one)
            first += counts[i] * (i * many - one)
            second += counts[i] * (i * i * d_many - d_one)
    return value, first, second
