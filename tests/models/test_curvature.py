"""Second derivatives list by list: of any lists, of long ones, and of more than are fetched together.

test_stationarity.py compares those of every variant of every model with differences.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_cases import make, some_class

import naive
from peerage import Feedback
from peerage.models.lists import count_pairs
from peerage.models.smooth.curvature import ByChoices, Curvature
from peerage.models.smooth.off_diagonal import worth_storing
from strategies import feedbacks

# -- lists as runs of choices -----------------------------------------------------------------------------


@pytest.mark.parametrize("ties", ["indifferent", "model"])
@given(
    feedback=feedbacks(kinds=("rank",), tasks=1),
    spread=st.sampled_from([1.0, 8.0, 50.0]),  # 50: too far apart for plain exponentials
    seed=st.integers(0, 2**32 - 1),
)
def test_value_is_that_of_the_choices_one_by_one(ties, feedback, spread, seed):
    objective, n = make("PL", ties=ties).objective(feedback), feedback.n_items
    objective.precision = 0.0  # the lists alone
    random = np.random.default_rng(seed)
    scores, scales = spread * random.normal(size=n), random.uniform(0.5, 2.0, feedback.n_graders)

    def naive_value(point):
        return -sum(
            order.weight * naive.plackett_luce(order, point[:n], point[n + order.grader], ties=ties)
            for order in naive.orders_of(feedback)
        )

    def gradients(point):
        objective.evaluate(point[:n], point[n:])
        return np.concatenate([objective.gradient(), objective.scale_derivatives()[0]])

    here = np.concatenate([scores, scales])
    slopes, changes = naive.gradient(naive_value, here), naive.gradient(gradients, here)
    assert objective.evaluate(scores, scales) == pytest.approx(naive_value(here), rel=1e-12, abs=1e-12)
    matrix, direction = objective.hessian(), random.normal(size=n)
    np.testing.assert_allclose(gradients(here), slopes, atol=1e-6 * spread)
    np.testing.assert_allclose(matrix, changes[:n, :n], atol=1e-6 * spread)
    np.testing.assert_allclose(objective.mixed_matrix(), changes[:n, n:], atol=1e-6 * spread**2)
    np.testing.assert_allclose(objective.hessian_product(direction), matrix @ direction, atol=1e-11)
    np.testing.assert_allclose(objective.exact_diagonal(), np.diag(matrix), rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("ties", ["indifferent", "model"])
def test_many_columns_at_once_are_one_after_the_other_and_a_common_shift_is_nothing(ties):
    objective = make("PL", ties=ties).objective(some_class())
    objective.precision = 0.0
    random = np.random.default_rng(4)
    columns = random.normal(size=(8, 5)).astype(np.float32)
    objective.evaluate(random.normal(size=8), random.uniform(0.5, 2.0, 10))
    expected = objective.hessian() @ columns

    for stores_pairs in (True, False):
        objective.curvature = ByChoices(objective.likelihood, stores_pairs=stores_pairs)
        np.testing.assert_allclose(objective.hessian_products(columns), expected, atol=1e-5)
    np.testing.assert_array_equal(objective.hessian_product(np.full(8, 1e6 / 3)), 0.0)


def test_products_of_thousands_of_unlikely_choices_do_not_vanish():
    feedback = Feedback.from_orders([("ada", [f"i{number:04d}" for number in range(3_000)])])
    objective = make("PL").objective(feedback)
    scores = np.random.default_rng(7).normal(size=3_000)

    objective.precision = 0.0
    value = objective.evaluate(scores, np.ones(1))

    assert math.isfinite(value)
    later = np.logaddexp.accumulate(scores[feedback.items][::-1])[::-1]
    assert value == pytest.approx(float((later - scores[feedback.items]).sum()), rel=1e-12)


# -- many and long lists ----------------------------------------------------------------------------------

NAMES = [f"i{number:04d}" for number in range(2_500)]
RANDOM = np.random.default_rng(5)
MANY_LISTS = [
    (f"g{grader}", RANDOM.permutation(NAMES[:50])[: 1 + grader % 9].tolist()) for grader in range(900)
]
A_LONG_LIST = [("ada", NAMES[:7]), ("bob", NAMES), ("cyd", NAMES[::-1][:3])]


@pytest.mark.parametrize(
    ("code", "lists"),
    [("PL", MANY_LISTS), ("BT", MANY_LISTS), ("PL", A_LONG_LIST)],
    ids=["PL-many", "BT-many", "PL-long"],
)
def test_more_than_is_fetched_together_changes_nothing(code, lists):
    objective = make(code).objective(Feedback.from_orders(lists))
    random = np.random.default_rng(6)
    objective.evaluate(random.normal(size=objective.n_items), random.uniform(0.5, 2.0, objective.n_graders))
    direction = random.normal(size=objective.n_items)

    product = objective.hessian_product(direction)

    np.testing.assert_allclose(product, objective.hessian() @ direction, rtol=1e-10, atol=1e-10)


def test_pairs_of_long_lists_are_not_stored():
    def stored(lists, length):
        return worth_storing(count_pairs(np.arange(lists + 1) * length), lists * length)

    assert stored(200_000, 10)
    assert stored(3, 500)
    assert not stored(2_000, 500)


def test_kernels_of_a_subclass_come_first():
    likelihood = make("BT").likelihood()

    assert isinstance(make("PL").likelihood().curvature(1, 2), ByChoices)
    assert not isinstance(likelihood._replace(is_choices=True).curvature(1, 2), ByChoices)
    assert type(likelihood._replace(off_diagonal=None).curvature(1, 2)) is Curvature
