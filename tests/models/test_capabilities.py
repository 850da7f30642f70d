"""What every model says it can do is true of it."""

import math
from dataclasses import replace

import numpy as np
import pytest
from model_cases import CODES, SMOOTH, fitted_to_some_class, make, orders_alone, some_class

import naive
from peerage import DataError, Feedback, MethodError

every_method = pytest.mark.parametrize("code", CODES)
CLASSES = {
    "orders": orders_alone(some_class()),
    "pairs": orders_alone(some_class(length=2, ties=False)),
    "scores": replace(some_class(), ordered_by="score"),
    "orders and scores": some_class(),
    "a long list": Feedback.from_orders([("ada", [f"item {k:02}" for k in range(19)])]),
}


@every_method
def test_a_method_suits_exactly_the_feedback_that_it_can_be_fitted_to(code):
    for name, feedback in CLASSES.items():
        estimator = make(code)
        if estimator.suits(feedback):
            assert estimator.fit(feedback).converged_, name
        else:
            with pytest.raises((DataError, MethodError)):
                estimator.fit(feedback)


@every_method
def test_a_scale_is_that_of_the_scores(code):
    fitted = fitted_to_some_class(code)
    given, middle = fitted.feedback_.scores, float(np.mean(fitted.scores_))

    assert fitted.needs_scores == (fitted.score_scale == "grading")
    if fitted.score_scale == "grading":
        assert np.nanmin(given) < middle < np.nanmax(given)
    else:
        assert middle == pytest.approx(0, abs=1e-7)
    if fitted.score_scale == "rank":
        assert (2 * fitted.scores_ == np.round(2 * fitted.scores_)).all()


def test_the_chance_of_winning_is_the_likelihood_of_a_list_of_two():
    gaps, far = np.array([-2.0, 0.0, 0.7, 3.0]), np.array([[-1e6, -800.0], [800.0, 1e6]])
    order = naive.orders_of(Feedback.from_orders([("ada", ["x", "y"])]))[0]

    assert [code for code in CODES if make(code).score_scale == "latent"] == SMOOTH
    assert [code for code in CODES if make(code).predicts_wins] == SMOOTH
    for code in SMOOTH:
        likelihood = naive.LIKELIHOODS[code.removesuffix("+G")]
        for reliability in (1.0, 0.3, 4.0):
            expected = [math.exp(likelihood(order, [gap, 0.0], reliability)) for gap in gaps]
            chances = make(code).win_probability(gaps, reliability)
            np.testing.assert_allclose(chances, expected, rtol=1e-12, err_msg=code)
        assert make(code).win_probability(far).tolist() == [[0.0, 0.0], [1.0, 1.0]], code


@pytest.mark.parametrize(("code", "why"), [("MAL", "places in a ranking"), ("NCS", "on the graders' scale")])
def test_a_method_without_chances_says_why(code, why):
    with pytest.raises(MethodError, match=f"has no chance of winning: .*{why}.* Use PL"):
        make(code).win_probability(np.zeros(1))


def test_a_likelihood_counts_pairs_where_it_is_a_product_over_them():
    scores = [0.9, 0.2, -0.4]
    whole, *pairs = naive.orders_of(
        Feedback.from_orders([("a", list("xyz")), ("b", list("xy")), ("c", list("xz")), ("d", list("yz"))])
    )

    def is_product(code):
        likelihood = naive.LIKELIHOODS[code.removesuffix("+G")]
        product = sum(likelihood(pair, scores, 1.0) for pair in pairs)
        return product == pytest.approx(likelihood(whole, scores, 1.0))

    counting = [code for code in CODES if make(code).counts_pairs]
    assert counting == [code for code in SMOOTH if is_product(code)] == ["BT", "BT+G", "THUR", "THUR+G"]
