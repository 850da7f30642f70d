"""The Mallows normaliser log Z(eta, k), and the reliability that suits a grader best.

log Z(eta, k) = sum over i = 1..k of log((1 - e^(-eta i)) / (1 - e^-eta)).

A list of k items in buckets of b costs eta * reversed + log Z(eta, k) - sum over buckets of log Z(eta, b).
The last two together are the logarithm of a Gaussian multinomial coefficient, a polynomial in e^-eta with
non-negative coefficients, hence convex in eta whatever the ties: the reliability step has one solution.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from peerage._numba import kernel
from peerage.models.lists import bucket_end, longest_of
from peerage.models.solver.scales import HIGHEST, LOWEST

STEPS = 100
CLOSE = 1e-9  # relative step after which the error, its square, is below rounding
SERIES = 0.5  # below this, differences of poles are summed from their Taylor series


@kernel
def occupancy(t: float, pole: float) -> tuple[float, float]:
    """1/(e^t - 1) - pole/t and its derivative, for t > 0 and pole 0 or 1.

    The pole cancels in log Z. Where eta is small it must be left out beforehand (pole = 1), or nothing else
    is left.
    """
    if t < SERIES and pole == 1.0:
        s = t * t
        value = -0.5 + t * (
            1 / 12
            + s
            * (-1 / 720 + s * (1 / 30240 + s * (-1 / 1209600 + s * (1 / 47900160 - s * 691 / 1307674368000))))
        )
        derivative = 1 / 12 + s * (
            -3 / 720
            + s * (5 / 30240 + s * (-7 / 1209600 + s * (9 / 47900160 - s * 11 * 691 / 1307674368000)))
        )
        return value, derivative
    over = 1.0 / math.expm1(t)  # zero where e^t overflows, as it should be
    return over - pole / t, pole / (t * t) - over * (1.0 + over)


@kernel
def log_normaliser(eta: float, counts: Any, largest: int) -> float:
    """Sum of counts[i] * log((1 - e^(-eta i)) / (1 - e^-eta)); log Z(eta, k) if counts[1..k] are 1."""
    log_one = math.log(-math.expm1(-eta))
    value = 0.0
    for i in range(2, largest + 1):
        if counts[i] != 0.0:
            value += counts[i] * (math.log(-math.expm1(-eta * i)) - log_one)
    return value


@kernel
def normaliser_derivatives(eta: float, counts: Any, largest: int) -> tuple[float, float]:
    """First and second derivative of ``log_normaliser`` in eta."""
    pole = 1.0 if eta < SERIES else 0.0
    one, d_one = occupancy(eta, pole)
    first = second = 0.0
    for i in range(2, largest + 1):
        if counts[i] != 0.0:
            many, d_many = occupancy(eta * i, pole)
            first += counts[i] * (i * many - one)
            second += counts[i] * (i * i * d_many - d_one)
    return first, second


@kernel
def count_reversed(items: Any, bucket_starts: Any, starts: Any, group: Any, out: Any) -> None:
    """Strict pairs of every list that the ranking reverses; a pair that the ranking ties counts half."""
    mine = np.empty(longest_of(starts), dtype=group.dtype)  # groups by number, or scores
    for which in range(len(starts) - 1):
        first, last = starts[which], starts[which + 1]
        for e in range(first, last):
            mine[e - first] = group[items[e]]
        doubled = 0
        for e in range(first, last):
            for f in range(bucket_end(bucket_starts, e, last), last):
                gap = mine[e - first] - mine[f - first]
                doubled += (gap >= 0) + (gap > 0)
        out[which] = 0.5 * doubled


@kernel
def count_sizes(bucket_starts: Any, first: int, last: int, weight: float, counts: Any) -> None:
    """Add a list to the counts of ``log_normaliser``: its length's Z, less the Z of each bucket."""
    for i in range(2, last - first + 1):
        counts[i] += weight
    tied = 1
    for e in range(first + 1, last):
        tied = 1 if bucket_starts[e] else tied + 1
        if tied > 1:
            counts[tied] -= weight


@kernel
def _solve(wrong: float, counts: Any, largest: int, shape: float, rate: float, eta: float) -> float:
    """The eta with the least eta (wrong + rate) - (shape - 1) log eta + log normaliser."""
    low, high = LOWEST, HIGHEST
    eta = min(max(eta, low), high)
    for _ in range(STEPS):
        first, second = normaliser_derivatives(eta, counts, largest)
        first += wrong + rate - (shape - 1.0) / eta
        second += (shape - 1.0) / (eta * eta)
        if first > 0.0:
            high = eta
        else:
            low = eta
        new = eta - first / second
        settled = abs(new - eta) <= CLOSE * eta  # eta is an end of the bracket, and need not be left
        if not settled and not (low < new < high):
            new = math.sqrt(low * high)
        if abs(new - eta) <= CLOSE * eta:
            return min(max(new, low), high)
        eta = new
    return eta


@kernel
def weigh_graders(
    lists: Any, edges: Any, longest: int, wrong: Any, shape: float, rate: float, solve: bool, eta: Any
) -> float:
    """Minus the log-likelihood of some graders, given the reversed pairs of every list.

    ``edges`` says where the lists of each grader begin in the last of ``lists``. With ``solve``, every
    reliability in ``eta`` is first replaced by its best value, and the prior is added.
    """
    bucket_starts, starts, weights, by_grader = lists
    counts = np.zeros(longest + 1)
    cost = 0.0
    for grader in range(len(eta)):
        largest, mistakes = int(np.int64(1)), 0.0
        for i in range(edges[grader], edges[grader + 1]):
            which = by_grader[i]
            first, last = starts[which], starts[which + 1]
            largest = max(largest, last - first)
            mistakes += weights[which] * wrong[which]
            count_sizes(bucket_starts, first, last, weights[which], counts)
        if solve:
            eta[grader] = _solve(mistakes, counts, largest, shape, rate, eta[grader])
            cost += rate * eta[grader] - (shape - 1.0) * math.log(eta[grader])
        cost += eta[grader] * mistakes + log_normaliser(eta[grader], counts, largest)
        counts[: largest + 1] = 0.0
    return cost
