"""The score-weighted Mallows model list by list, against enumeration."""

import numpy as np
import pytest

import naive
from peerage import DataError, Feedback, ScoreWeightedMallows
from peerage.models.smooth.score_weighted_mallows import hessian_product, value_and_gradient

SHAPES = [[1], [1, 1], [2], [1, 2, 1], [3, 2], [1, 1, 1, 1, 1], [2, 1, 3]]


def evaluate(x, sizes, v):
    """Value, gradient, and Hessian times v, of one list given by the sizes of its buckets."""
    bucket_starts = np.array([place == 0 for size in sizes for place in range(size)])
    shape, (t, by_t) = (bucket_starts, np.array([0, len(x)]), ()), np.zeros((2, 1))
    value, grad, product = np.empty(1), np.empty(len(x)), np.empty(len(x))
    value_and_gradient(x, t, *shape, value, grad, by_t)
    hessian_product(x, t, *shape, v, t, product, by_t)
    return value[0], grad, product


@pytest.mark.parametrize("sizes", SHAPES)
def test_value_is_the_enumerated_one_and_derivatives_are_the_numerical_ones(sizes):
    items = iter(range(sum(sizes)))
    order = naive.Order(0, 1.0, [[next(items) for _ in range(size)] for size in sizes], {})
    x, v = np.random.default_rng(3).normal(size=(2, sum(sizes)))

    for spread in (1e-6, 1.0, 30.0, 5e4):
        expected = naive.score_weighted_mallows(order, spread * x, 1.0)
        assert evaluate(spread * x, sizes, v)[0] == pytest.approx(expected, rel=1e-12, abs=1e-12)
    numerical = naive.gradient(lambda p: naive.score_weighted_mallows(order, p, 1.0), x, step=1e-3)
    _, grad, product = evaluate(x, sizes, v)
    np.testing.assert_allclose(grad, numerical, atol=1e-9)
    ahead, behind = (evaluate(x + step * v, sizes, v)[1] for step in (1e-5, -1e-5))
    np.testing.assert_allclose(product, (ahead - behind) / 2e-5, atol=1e-8)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_eighteen_items_with_extreme_scores(sign):
    x = sign * np.linspace(5e4, -5e4, 18)

    value, grad, product = evaluate(x, [1] * 18, x)

    positions = np.arange(1, 19)
    worst = float(x @ (positions[::-1] - positions)) if sign < 0 else 0.0
    assert value == pytest.approx(worst)
    np.testing.assert_allclose(grad, positions[::-1] - positions if sign < 0 else np.zeros(18), atol=1e-12)
    assert np.isfinite(product).all()


def test_eighteen_equal_items_are_a_fair_shuffle():
    value, grad, _ = evaluate(np.zeros(18), [1] * 18, np.zeros(18))

    assert value == pytest.approx(-np.log(np.arange(1, 19)).sum(), rel=1e-14)
    np.testing.assert_allclose(grad, 9.5 - np.arange(1, 19), atol=1e-12)


def test_nineteen_items_are_refused_by_the_graders_name():
    feedback = Feedback.from_orders([("ok", ["a", "b"]), ("keen", [f"{i:02}" for i in range(19)])])

    with pytest.raises(
        DataError, match=r"grader 'keen' ranks 19 items in one list.* at most 18.* use another method"
    ):
        ScoreWeightedMallows().fit(feedback)
