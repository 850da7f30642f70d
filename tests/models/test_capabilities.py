"""What every model says it can do is true of it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from model_cases import CODES, SMOOTH, make, orders_alone, some_class

import naive
from peerage import DataError, Feedback, MethodError
from peerage.models import method

every_method = pytest.mark.parametrize("code", CODES)
LONG = Feedback.from_orders([("ada", [f"item {k:02}" for k in range(19)])])
CLASSES = {
    "orders": orders_alone(some_class()),
    "pairs": orders_alone(some_class(length=2, ties=False)),
    "scores": replace(some_class(), ordered_by="score"),
    "orders and scores": some_class(),
    "a long list": LONG,
}


@every_method
@pytest.mark.parametrize("name", CLASSES)
def test_a_method_suits_exactly_the_feedback_that_it_can_be_fitted_to(code, name):
    estimator = make(code)

    if estimator.suits(CLASSES[name]):
        assert estimator.fit(CLASSES[name]).converged_
    else:
        with pytest.raises((DataError, MethodError)):
            estimator.fit(CLASSES[name])


@every_method
def test_a_scale_is_that_of_the_scores(code):
    fitted = make(code).fit(some_class())
    given, middle = fitted.feedback_.scores, float(np.mean(fitted.scores_))

    assert fitted.needs_scores == (fitted.score_scale == "grading")
    if fitted.score_scale == "grading":
        assert np.nanmin(given) < middle < np.nanmax(given)
    else:
        assert middle == pytest.approx(0, abs=1e-7)
    if fitted.score_scale == "rank":
        assert (2 * fitted.scores_ == np.round(2 * fitted.scores_)).all()


@every_method
@pytest.mark.parametrize("reliability", [1.0, 0.3, 4.0])
def test_the_chance_of_winning_is_the_likelihood_of_a_list_of_two(code, reliability):
    gaps = np.array([-2.0, 0.0, 0.7, 3.0])

    chances = make(code).win_probability(gaps, reliability)

    if make(code).score_scale != "latent":
        assert chances is None
        return
    order = naive.orders_of(Feedback.from_orders([("ada", ["x", "y"])]))[0]
    likelihood = naive.LIKELIHOODS[code.removesuffix("+G")]
    expected = [math.exp(likelihood(order, [gap, 0.0], reliability)) for gap in gaps]
    np.testing.assert_allclose(chances, expected, rtol=1e-12)


@pytest.mark.parametrize("code", ["BT", "THUR", "PL", "MALS"])
def test_chances_keep_to_their_range_however_large_the_gap(code):
    chances = make(code).win_probability(np.array([[-1e6, -800.0], [800.0, 1e6]]))

    assert chances.tolist() == [[0.0, 0.0], [1.0, 1.0]]


@every_method
def test_biases_are_there_after_the_fit_where_the_method_estimates_them(code):
    estimator = make(code)
    assert estimator.biases_ is None

    estimator.fit(some_class())

    estimates = code.removesuffix("+G") in ("NCS", "COMBINED")
    assert (estimator.biases_ is not None) == estimates
    assert not estimates or np.any(estimator.biases_ != 0) == estimator.reliability


@every_method
def test_a_likelihood_counts_pairs_where_it_is_a_product_over_them(code):
    plain = code.removesuffix("+G")
    if code not in SMOOTH:
        assert not make(code).counts_pairs
        return
    scores, likelihood = [0.9, 0.2, -0.4], naive.LIKELIHOODS[plain]
    whole, *pairs = naive.orders_of(
        Feedback.from_orders([("a", list("xyz")), ("b", list("xy")), ("c", list("xz")), ("d", list("yz"))])
    )

    product = sum(likelihood(pair, scores, 1.0) for pair in pairs)

    assert (product == pytest.approx(likelihood(whole, scores, 1.0))) == make(code).counts_pairs


@pytest.mark.parametrize("code", [code for code in CODES if make(code).is_smooth])
def test_smooth_methods_have_priors_that_can_be_learned(code):
    assert make(code).learns_priors
    assert "score_variance" in make(code).get_params()


def test_a_modelled_tie_counts_half():
    gap = np.array([-800.0, -1.0, 0.0, 1.0, 800.0])

    chance = method("bt").set_params(ties="model").win_probability(gap, 2.0)

    win, tie, loss = np.exp(2.0), 1.0, np.exp(-2.0)
    expected = (win + tie / 2) / (win + tie + loss)
    np.testing.assert_allclose(chance, [0.0, 1 - expected, 0.5, expected, 1.0], atol=1e-12)
