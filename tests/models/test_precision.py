"""Scores of +-50 and reliabilities from 1e-6 to 1000, against the definitions in 150 decimal digits."""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from itertools import permutations

import numpy as np
import pytest
from model_cases import make

import naive
from peerage import Feedback

DIGITS = Context(prec=150, Emax=MAX_EMAX, Emin=MIN_EMIN)
STEP = Decimal("1e-40")
HALF_LOG_TWO_PI = Decimal("0.91893853320467274178032973640561763986139747363778341281715154048276569592726")
LISTS = [("g", ["a", ["b", "c"], "d"]), ("g", ["d", ["b", "c"], "a"]), ("h", ["c", "b", "a"])]
SPREADS = {
    "wide": [50.0, -50.0, 49.5, -12.0],
    "tight": [50.0, 50.0 - 2**-20, 50.0 + 2**-20, 50.0],
    "low": [-50.0, -49.0, -50.0, -48.0],
}
VARIANTS = [(c, {"ties": t}) for c in ("BT", "THUR", "PL") for t in ("indifferent", "model")] + [("MALS", {})]


# -- the definitions, for Decimal numbers -------------------------------------------------------------


def log_sum(exponents):
    top = max(exponents)
    return top + sum((e - top).exp() for e in exponents).ln()


def log_phi(u):
    """log of the normal distribution function: a continued fraction in the tail, else a series."""
    if u < -12:
        fraction = -u
        for term in range(400, 0, -1):
            fraction = -u + term / fraction
        return -u * u / 2 - HALF_LOG_TWO_PI - fraction.ln()
    if u > 0:
        return (1 - log_phi(-u).exp()).ln()
    term = total = u
    for k in range(1, 600):
        term *= u * u / (2 * k + 1)
        total += term
    return (Decimal("0.5") + total * (-u * u / 2 - HALF_LOG_TWO_PI).exp()).ln()


def bradley_terry(order, s, eta, ties):
    strict = [eta * (s[i] - s[j]) for i, j in naive.strict_pairs(order.buckets)]
    if ties == "indifferent":
        return -sum(log_sum([Decimal(0), -d]) for d in strict)
    tied = [eta * (s[i] - s[j]) for i, j in naive.tied_pairs(order.buckets)]
    return sum(strict) - sum(log_sum([d, Decimal(0), -d]) for d in strict + tied)


def thurstone(order, s, eta, ties):
    root, beta = eta.sqrt(), Decimal("0.5") if ties == "model" else Decimal(0)
    total = sum(log_phi(root * (s[i] - s[j] - beta)) for i, j in naive.strict_pairs(order.buckets))
    if ties == "model":
        for i, j in naive.tied_pairs(order.buckets):
            d = -abs(s[i] - s[j])
            wide, narrow = log_phi(root * (d + beta)), log_phi(root * (d - beta))
            total += wide + (1 - (narrow - wide).exp()).ln()
    return total


def plackett_luce(order, s, eta, ties):
    total = Decimal(0)
    for rank, bucket in enumerate(order.buckets):
        below = [item for later in order.buckets[rank + 1 :] for item in later]
        for i in bucket:
            rivals = below + [j for j in bucket if ties == "model" and j != i]
            total -= log_sum([Decimal(0)] + [-eta * (s[i] - s[j]) for j in rivals])
    return total


def score_weighted_mallows(order, s, eta):
    def energies(orders):
        return [-eta * sum(s[item] * place for place, item in enumerate(one, 1)) for one in orders]

    return log_sum(energies(naive.agreeing_orders(order.buckets))) - log_sum(
        energies(permutations(order.items))
    )


EXACT = {"BT": bradley_terry, "THUR": thurstone, "PL": plackett_luce, "MALS": score_weighted_mallows}


def exact_value_and_gradients(code, options, feedback, scores, scales, power):
    """Of minus log-likelihood and prior of the scores: the value, its slope by score and by scale."""
    orders = naive.orders_of(feedback)

    def value(s, a):
        likelihoods = (EXACT[code](o, s, a[o.grader] ** power, **options) for o in orders)
        return sum(x * x for x in s) / 18 - sum(likelihoods)

    with localcontext(DIGITS):
        s, a = [Decimal(x) for x in scores], [Decimal(x) for x in scales]
        by_score, by_scale = differences(lambda p: value(p, a), s), differences(lambda p: value(s, p), a)
        return float(value(s, a)), by_score, by_scale


def differences(function, point):
    gradient = []
    for i in range(len(point)):
        ahead, behind = ([*point[:i], point[i] + h, *point[i + 1 :]] for h in (STEP, -STEP))
        gradient.append(float((function(ahead) - function(behind)) / (2 * STEP)))
    return gradient


# -- the library, at the same points -------------------------------------------------------------------


@pytest.mark.parametrize(("code", "options"), VARIANTS)
@pytest.mark.parametrize("spread", SPREADS)
def test_value_and_gradients_are_exact_and_curvature_is_finite(code, options, spread):
    feedback, model, scores = Feedback.from_orders(LISTS), make(code, **options), SPREADS[spread]
    objective = model.objective(feedback)
    for eta in (1e-6, 0.9, 1e3):
        scales = np.full(2, eta ** (1 / model.power))

        value = objective.evaluate(np.array(scores), scales)
        by_score, by_scale = objective.gradient(), objective.scale_derivatives()[0]

        exact = exact_value_and_gradients(code, options, feedback, scores, scales, model.power)
        assert value == pytest.approx(exact[0], rel=1e-12)
        np.testing.assert_allclose(by_score, exact[1], rtol=1e-9, atol=1e-9 * np.abs(exact[1]).max())
        np.testing.assert_allclose(by_scale, exact[2], rtol=1e-9, atol=1e-9)
        matrix = objective.hessian()
        assert np.isfinite(matrix).all()
        assert np.isfinite(objective.scale_derivatives()[1]).all()
        assert np.isfinite(objective.mixed_matrix()).all()
        along = objective.hessian_product(np.array(scores))
        np.testing.assert_allclose(along, matrix @ scores, rtol=1e-9, atol=1e-6)
