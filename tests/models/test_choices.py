"""Lists as runs of choices: every derivative must be that of the likelihood as it is written down."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_cases import UNEVEN, make

import naive
from peerage import Feedback
from peerage.models.smooth.curvature import ByChoices, Curvature
from peerage.models.smooth.objective import ListObjective

WEIGHTS = np.array([1.0, 2.0, 0.5, 1.0, 3.0, 1.5])
either_way = pytest.mark.parametrize("ties", ["indifferent", "model"])
any_spread = pytest.mark.parametrize("spread", [1.0, 8.0, 50.0])  # 50: too far apart for plain exponentials


def evaluated(ties: str, spread: float, lists=UNEVEN) -> ListObjective:
    feedback = Feedback.from_orders(lists)
    if lists is UNEVEN:
        feedback = replace(feedback, weights=WEIGHTS)
    objective = make("PL", ties=ties).objective(feedback)
    random = np.random.default_rng(3)
    scores = spread * random.normal(size=feedback.n_items)
    objective.evaluate(scores, random.uniform(0.5, 2.0, feedback.n_graders))
    return objective


def log_likelihood(feedback: Feedback, scores: np.ndarray, scales: np.ndarray, ties: str) -> float:
    """As the model states it: the chance of every choice, among those that were still there."""
    return sum(
        order.weight * naive.plackett_luce(order, scores, scales[order.grader], ties=ties)
        for order in naive.orders_of(feedback)
    )


@either_way
@any_spread
def test_value_is_that_of_the_choices_one_by_one(ties, spread):
    lists = evaluated(ties, spread)
    lists.precision = 0.0  # the lists alone

    value = lists.evaluate(lists.scores, lists.scales)

    expected = -log_likelihood(lists.feedback, lists.scores, lists.scales, ties)
    assert value == pytest.approx(expected, rel=1e-12)


@either_way
@any_spread
def test_gradients_are_differences_of_values_and_hessians_of_gradients(ties, spread):
    lists, step = evaluated(ties, spread), 1e-6
    lists.precision = 0.0  # the lists alone
    scores, scales, n = lists.scores.copy(), lists.scales.copy(), len(lists.scores)
    gradient, (by_scale, second) = lists.gradient(), lists.scale_derivatives()
    matrix, mixed = lists.hessian(), lists.mixed_matrix()

    def value(point):
        return -log_likelihood(lists.feedback, point[:n], point[n:], ties)

    def gradients(point):
        lists.evaluate(point[:n], point[n:])
        return np.concatenate([lists.gradient(), lists.scale_gradient()])

    here, moves = np.concatenate([scores, scales]), step * np.eye(n + len(scales))
    slopes, changes = (
        np.array([(of(here + move) - of(here - move)) / (2 * step) for move in moves])
        for of in (value, gradients)
    )
    np.testing.assert_allclose([*gradient, *by_scale], slopes, atol=1e-6 * spread)
    np.testing.assert_allclose(matrix, changes[:n, :n], atol=1e-7 * spread)
    np.testing.assert_allclose(mixed, changes[:n, n:], atol=1e-6 * spread**2)
    np.testing.assert_allclose(second, np.diag(changes[n:, n:]), atol=1e-6 * spread**2)


@either_way
@any_spread
def test_products_and_diagonal_are_those_of_the_matrix(ties, spread):
    objective = evaluated(ties, spread)
    columns = np.random.default_rng(4).normal(size=(6, 5)).astype(np.float32)

    matrix = objective.hessian()

    direction = columns[:, 0].astype(np.float64)
    np.testing.assert_allclose(objective.hessian_product(direction), matrix @ direction, atol=1e-12)
    np.testing.assert_allclose(objective.hessian_products(columns), matrix @ columns, atol=1e-5)
    np.testing.assert_allclose(objective.exact_diagonal(), np.diag(matrix), rtol=1e-12)
    np.testing.assert_allclose(objective.sparse_hessian().toarray(), matrix, atol=1e-12)
    np.testing.assert_array_equal(objective.diagonal(), objective.exact_diagonal())
    alike = np.full(6, 1e6 / 3)  # what moves all items alike changes nothing
    objective.precision = 0.0
    np.testing.assert_array_equal(objective.hessian_product(alike), 0.0)


@either_way
def test_many_columns_of_long_lists_go_one_by_one(ties):
    objective = evaluated(ties, 1.0)
    columns = np.random.default_rng(4).normal(size=(6, 5)).astype(np.float32)
    at_once = objective.hessian_products(columns)

    objective.curvature = ByChoices(objective.likelihood, stores_pairs=False)

    np.testing.assert_allclose(objective.hessian_products(columns), at_once, atol=1e-5)


def test_kept_numbers_follow_the_scores():
    objective = evaluated("indifferent", 1.0)
    before = objective.hessian()

    objective.evaluate(np.arange(6.0), np.ones(6))

    assert np.abs(objective.hessian() - before).max() > 0.1


NAMES = [f"i{number:04d}" for number in range(2_500)]
RANDOM = np.random.default_rng(5)
MANY_LISTS = [
    (f"g{grader}", RANDOM.permutation(NAMES[:50])[: 1 + grader % 9].tolist()) for grader in range(900)
]
A_LONG_LIST = [("ada", NAMES[:7]), ("bob", NAMES), ("cyd", NAMES[::-1][:3])]


@pytest.mark.parametrize("lists", [MANY_LISTS, A_LONG_LIST], ids=["many", "long"])
def test_more_than_is_fetched_together_changes_nothing(lists):
    objective = evaluated("indifferent", 1.0, lists)
    direction = np.random.default_rng(6).normal(size=objective.n_items)

    product = objective.hessian_product(direction)

    np.testing.assert_allclose(product, objective.hessian() @ direction, rtol=1e-10, atol=1e-10)


def test_products_of_thousands_of_unlikely_choices_do_not_vanish():
    feedback = Feedback.from_orders([("ada", [f"i{number:04d}" for number in range(3_000)])])
    objective = make("PL").objective(feedback)
    scores = np.random.default_rng(7).normal(size=3_000)

    objective.precision = 0.0
    value = objective.evaluate(scores, np.ones(1))

    assert math.isfinite(value)
    later = np.logaddexp.accumulate(scores[feedback.items][::-1])[::-1]
    assert value == pytest.approx(float((later - scores[feedback.items]).sum()), rel=1e-12)


def test_kernels_of_a_subclass_come_first():
    likelihood = make("BT").likelihood()

    assert isinstance(make("PL").likelihood().curvature(1, 2), ByChoices)
    assert not isinstance(likelihood._replace(is_choices=True).curvature(1, 2), ByChoices)
    assert type(likelihood._replace(off_diagonal=None).curvature(1, 2)) is Curvature


@given(
    st.lists(st.permutations(range(7)).flatmap(lambda order: st.integers(1, 7).map(lambda k: order[:k]))),
    st.lists(st.booleans(), min_size=60, max_size=60),
    st.sampled_from(["indifferent", "model"]),
    st.integers(0, 2**32 - 1),
)
def test_random_lists_with_random_ties(orders, joins, ties, seed):
    lists, joins = [], iter(joins * 10)
    for number, order in enumerate(orders or [[0, 1]]):
        buckets: list[set[str]] = []
        for item in order:
            if buckets and next(joins):
                buckets[-1].add(f"i{item}")
            else:
                buckets.append({f"i{item}"})
        lists.append((f"g{number}", buckets))
    feedback = Feedback.from_orders(lists)
    random = np.random.default_rng(seed)
    scores, scales = random.normal(size=feedback.n_items), random.uniform(0.5, 2.0, feedback.n_graders)
    objective = make("PL", ties=ties).objective(feedback)
    direction = random.normal(size=feedback.n_items)

    value = objective.evaluate(scores, scales) - 0.5 * objective.precision * scores @ scores

    assert value == pytest.approx(-log_likelihood(feedback, scores, scales, ties), rel=1e-12, abs=1e-12)
    matrix = objective.hessian()
    np.testing.assert_allclose(objective.hessian_product(direction), matrix @ direction, atol=1e-11)
    np.testing.assert_allclose(objective.exact_diagonal(), np.diag(matrix), rtol=1e-11)
    step = 1e-5
    objective.evaluate(scores + step * direction, scales)
    ahead = objective.gradient()
    objective.evaluate(scores - step * direction, scales)
    change = (ahead - objective.gradient()) / (2 * step)
    np.testing.assert_allclose(matrix @ direction, change, atol=1e-6)
