"""The score-weighted Mallows model against enumeration."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given

import naive
from peerage import DataError, Feedback, ScoreWeightedMallows
from peerage.models.smooth.score_weighted_mallows import hessian_product, value_and_gradient
from strategies import feedbacks

RANKINGS = feedbacks(kinds=("rank",))
SHAPES = [[1], [1, 1], [2], [1, 2, 1], [3, 2], [1, 1, 1, 1, 1], [2, 1, 3]]


def flat(*shapes):
    """``bucket_starts`` and ``starts`` of lists given by the sizes of their buckets."""
    bucket_starts = np.concatenate(
        [[position == 0 for position in range(size)] for sizes in shapes for size in sizes]
    )
    return bucket_starts, np.append(0, np.cumsum([sum(sizes) for sizes in shapes]))


def run_gradient(x, bucket_starts, starts):
    value, grad, t = np.empty(len(starts) - 1), np.empty(len(x)), np.zeros(len(starts) - 1)
    value_and_gradient(x, t, bucket_starts, starts, (), value, grad, t)
    return value, grad


def run_product(x, bucket_starts, starts, v):
    out, t = np.empty(len(x)), np.zeros(len(starts) - 1)
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


def test_lists_do_not_disturb_each_other():
    x = np.random.default_rng(4).normal(size=9)
    bucket_starts, starts = flat([1, 2, 1], [1, 1, 1, 1, 1])

    value, grad = run_gradient(x, bucket_starts, starts)

    first, second = (
        run_gradient(x[:4], bucket_starts[:4], starts[:2]),
        run_gradient(x[4:], bucket_starts[4:], starts[1:] - 4),
    )
    np.testing.assert_allclose(value, [first[0][0], second[0][0]], rtol=1e-14)
    np.testing.assert_allclose(grad, [*first[1], *second[1]], rtol=1e-12, atol=1e-14)


def test_a_common_shift_changes_nothing():
    x, shape = np.random.default_rng(5).normal(size=6), flat([1, 2, 1, 2])

    here, there = run_gradient(x, *shape), run_gradient(x + 1000.0, *shape)

    np.testing.assert_allclose(here[0], there[0], rtol=1e-10)
    np.testing.assert_allclose(run_product(x, *shape, np.ones(6)), 0, atol=1e-14)


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


@given(feedback=RANKINGS)
def test_fit_is_a_stationary_point_of_the_naive_objective(feedback):
    fitted = ScoreWeightedMallows(reliability=True).fit(feedback)
    scores, eta = fitted.scores_, fitted.reliabilities_

    by_score = naive.gradient(lambda s: naive.objective("MALS", feedback, s, eta), scores, step=1e-3)
    by_eta = naive.gradient(lambda e: naive.objective("MALS", feedback, scores, e), eta, step=1e-3)

    assert fitted.objective_ == pytest.approx(naive.objective("MALS", feedback, scores, eta))
    np.testing.assert_allclose(by_score, 0, atol=1e-5)
    np.testing.assert_allclose(by_eta, 0, atol=1e-5)


def test_nineteen_items_are_refused_by_the_graders_name():
    feedback = Feedback.from_orders([("ok", ["a", "b"]), ("keen", [f"{i:02}" for i in range(19)])])

    with pytest.raises(
        DataError, match=r"grader 'keen' ranks 19 items in one list.* at most 18.* use another method"
    ):
        ScoreWeightedMallows().fit(feedback)
