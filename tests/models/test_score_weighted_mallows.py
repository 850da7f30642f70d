"""The score-weighted Mallows model list by list, against enumeration."""

from itertools import pairwise

import numpy as np
import pytest

import naive
from peerage import DataError, Feedback, ScoreWeightedMallows
from peerage.models.smooth.score_weighted_mallows import hessian_product, value_and_gradient

SHAPES = [[1], [1, 1], [2], [1, 2, 1], [3, 2], [1, 1, 1, 1, 1], [2, 1, 3]]


def flat(sizes):
    """``bucket_starts`` and ``starts`` of a list given by the sizes of its buckets."""
    bucket_starts = [position == 0 for size in sizes for position in range(size)]
    return np.array(bucket_starts), np.array([0, sum(sizes)])


def run_gradient(x, bucket_starts, starts):
    value, grad, t = np.empty(1), np.empty(len(x)), np.zeros(1)
    value_and_gradient(x, t, bucket_starts, starts, (), value, grad, t)
    return value, grad


def run_product(x, bucket_starts, starts, v):
    out, t = np.empty(len(x)), np.zeros(1)
    hessian_product(x, t, bucket_starts, starts, (), v, t, out, t)
    return out


def order_of(sizes):
    edges = np.append(0, np.cumsum(sizes))
    buckets = [list(range(a, b)) for a, b in pairwise(edges)]
    return naive.Order(0, 1.0, buckets, {})


@pytest.mark.parametrize("sizes", SHAPES)
def test_value_is_the_enumerated_one_and_derivatives_are_the_numerical_ones(sizes):
    shape, order = flat(sizes), order_of(sizes)
    x, v = np.random.default_rng(3).normal(size=(2, sum(sizes)))

    for spread in (1e-6, 1.0, 30.0, 5e4):
        expected = naive.score_weighted_mallows(order, spread * x, 1.0)
        assert run_gradient(spread * x, *shape)[0][0] == pytest.approx(expected, rel=1e-12, abs=1e-12)
    numerical = naive.gradient(lambda p: naive.score_weighted_mallows(order, p, 1.0), x, step=1e-3)
    np.testing.assert_allclose(run_gradient(x, *shape)[1], numerical, atol=1e-9)
    ahead, behind = (run_gradient(x + step * v, *shape)[1] for step in (1e-5, -1e-5))
    np.testing.assert_allclose(run_product(x, *shape, v), (ahead - behind) / 2e-5, atol=1e-8)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_eighteen_items_with_extreme_scores(sign):
    x, shape = sign * np.linspace(5e4, -5e4, 18), flat([1] * 18)

    value, grad = run_gradient(x, *shape)

    positions = np.arange(1, 19)
    worst = float(x @ (positions[::-1] - positions)) if sign < 0 else 0.0
    assert value[0] == pytest.approx(worst)
    np.testing.assert_allclose(grad, positions[::-1] - positions if sign < 0 else np.zeros(18), atol=1e-12)
    assert np.isfinite(run_product(x, *shape, x)).all()


def test_eighteen_equal_items_are_a_fair_shuffle():
    value, grad = run_gradient(np.zeros(18), *flat([1] * 18))

    assert value[0] == pytest.approx(-np.log(np.arange(1, 19)).sum(), rel=1e-14)
    np.testing.assert_allclose(grad, 9.5 - np.arange(1, 19), atol=1e-12)


def test_nineteen_items_are_refused_by_the_graders_name():
    feedback = Feedback.from_orders([("ok", ["a", "b"]), ("keen", [f"{i:02}" for i in range(19)])])

    with pytest.raises(
        DataError, match=r"grader 'keen' ranks 19 items in one list.* at most 18.* use another method"
    ):
        ScoreWeightedMallows().fit(feedback)
