"""Lists as runs of choices: every derivative must be that of the likelihood as it is written down."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_cases import make

from peerage import Feedback
from peerage.models.smooth import ListObjective
from peerage.models.smooth.curvature import ByChoices, Curvature

LISTS = [
    ("ada", ["a", {"b", "c"}, "d"]),
    ("bob", ["d", "a"]),
    ("cyd", [{"a", "b"}, {"c", "d", "e"}, "f"]),
    ("dee", ["e"]),
    ("eva", [{"a", "f"}]),
    ("fay", ["f", "e", "d", "c", "b", "a"]),
]
WEIGHTS = np.array([1.0, 2.0, 0.5, 1.0, 3.0, 1.5])
either_way = pytest.mark.parametrize("ties", ["indifferent", "model"])
any_spread = pytest.mark.parametrize("spread", [1.0, 8.0, 50.0])  # 50: too far apart for plain exponentials


def evaluated(ties: str, spread: float, lists=LISTS) -> ListObjective:
    feedback = Feedback.from_orders(lists)
    if lists is LISTS:
        feedback = replace(feedback, weights=WEIGHTS)
    objective = make("PL", ties=ties).objective(feedback)
    random = np.random.default_rng(3)
    scores = spread * random.normal(size=feedback.n_items)
    objective.evaluate(scores, random.uniform(0.5, 2.0, feedback.n_graders))
    return objective


def log_likelihood(feedback: Feedback, scores: np.ndarray, scales: np.ndarray, ties: str) -> float:
    """As the model states it: the chance of every choice, among those that were still there."""
    value = 0.0
    for which in range(feedback.n_lists):
        entries = range(feedback.list_starts[which], feedback.list_starts[which + 1])
        scale = scales[feedback.list_graders[which]]
        x = {e: scale * scores[feedback.items[e]] for e in entries}
        bucket = {e: int(np.cumsum(feedback.opens[entries.start : e + 1])[-1]) for e in entries}
        for e in entries:
            rivals = [f for f in entries if bucket[f] > bucket[e] or f == e]
            if ties == "model":
                rivals = [f for f in entries if bucket[f] >= bucket[e]]
            high = max(x[f] for f in rivals)
            total = math.log(sum(math.exp(x[f] - high) for f in rivals))
            value += feedback.list_weights[which] * (x[e] - high - total)
    return value


@either_way
@any_spread
def test_value_is_that_of_the_choices_one_by_one(ties, spread):
    objective = evaluated(ties, spread)
    lists = objective.lists

    value = objective.lists.evaluate(lists.scores, lists.scales)

    expected = -log_likelihood(lists.feedback, lists.scores, lists.scales, ties)
    assert value == pytest.approx(expected, rel=1e-12)


@either_way
@any_spread
def test_gradients_are_differences_of_values(ties, spread):
    lists = evaluated(ties, spread).lists
    scores, scales, step = lists.scores.copy(), lists.scales.copy(), 1e-6
    gradient, scale_gradient = lists.gradient(), lists.scale_gradient()

    def slope(of_scores: np.ndarray, of_scales: np.ndarray) -> float:
        ahead = log_likelihood(lists.feedback, scores + of_scores, scales + of_scales, ties)
        behind = log_likelihood(lists.feedback, scores - of_scores, scales - of_scales, ties)
        return (behind - ahead) / (2 * step)

    by_item = [slope(unit, 0 * scales) for unit in step * np.eye(len(scores))]
    by_grader = [slope(0 * scores, unit) for unit in step * np.eye(len(scales))]
    np.testing.assert_allclose(gradient, by_item, atol=1e-6 * spread)
    np.testing.assert_allclose(scale_gradient, by_grader, atol=1e-6 * spread)


@either_way
@any_spread
def test_hessians_are_differences_of_gradients(ties, spread):
    objective = evaluated(ties, spread)
    lists, step = objective.lists, 1e-6
    scores, scales = lists.scores.copy(), lists.scales.copy()
    matrix = np.zeros((len(scores), len(scores)))
    lists.add_hessian(matrix)
    _, second = lists.scale_derivatives()
    mixed = lists.mixed_matrix()

    def slopes(units: np.ndarray, *, of_scores: bool) -> list[np.ndarray]:
        found = []
        for unit in units:
            sides = []
            for sign in (1, -1):
                lists.evaluate(scores + sign * unit * of_scores, scales + sign * unit * (not of_scores))
                sides.append(np.concatenate([lists.gradient(), lists.scale_gradient()]))
            found.append((sides[0] - sides[1]) / (2 * step))
        return found

    by_item = np.array(slopes(step * np.eye(len(scores)), of_scores=True))
    by_grader = np.array(slopes(step * np.eye(len(scales)), of_scores=False))
    np.testing.assert_allclose(matrix, by_item[:, : len(scores)], atol=1e-7 * spread)
    np.testing.assert_allclose(mixed, by_item[:, len(scores) :], atol=1e-6 * spread**2)
    np.testing.assert_allclose(second, np.diag(by_grader[:, len(scores) :]), atol=1e-6 * spread**2)


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


@either_way
def test_many_columns_of_long_lists_go_one_by_one(ties):
    objective = evaluated(ties, 1.0)
    columns = np.random.default_rng(4).normal(size=(6, 5)).astype(np.float32)
    at_once = objective.hessian_products(columns)

    objective.lists.curvature = ByChoices(objective.lists.likelihood, stores_pairs=False)

    np.testing.assert_allclose(objective.hessian_products(columns), at_once, atol=1e-5)


@either_way
@any_spread
def test_what_moves_all_items_alike_changes_nothing(ties, spread):
    lists = evaluated(ties, spread).lists

    product = lists.hessian_product(np.full(6, 1e6 / 3))

    np.testing.assert_array_equal(product, 0.0)


def test_kept_numbers_follow_the_scores():
    objective = evaluated("indifferent", 1.0)
    before = objective.hessian()

    objective.evaluate(np.arange(6.0), np.ones(6))

    assert np.abs(objective.hessian() - before).max() > 0.1


def test_more_lists_than_are_fetched_together_change_nothing():
    names = [f"i{number:03d}" for number in range(50)]
    random = np.random.default_rng(5)
    lists = [(f"g{grader}", random.permutation(names)[: 1 + grader % 9].tolist()) for grader in range(900)]
    objective = evaluated("indifferent", 1.0, lists)
    direction = random.normal(size=50)

    np.testing.assert_allclose(
        objective.hessian_product(direction), objective.hessian() @ direction, rtol=1e-10
    )


def test_a_list_longer_than_the_room_is_fetched_alone():
    names = [f"i{number:04d}" for number in range(2_500)]
    random = np.random.default_rng(6)
    objective = evaluated("indifferent", 1.0, [("ada", names[:7]), ("bob", names), ("cyd", names[::-1][:3])])
    direction = random.normal(size=len(names))

    np.testing.assert_allclose(
        objective.hessian_product(direction), objective.hessian() @ direction, atol=1e-10
    )


def test_products_of_thousands_of_unlikely_choices_do_not_vanish():
    names = [f"i{number:04d}" for number in range(3_000)]
    feedback = Feedback.from_orders([("ada", names)])
    objective = make("PL").objective(feedback)
    scores = np.random.default_rng(7).normal(size=3_000)

    value = objective.lists.evaluate(scores, np.ones(1))

    assert math.isfinite(value)
    later = np.logaddexp.accumulate(scores[feedback.items][::-1])[::-1]
    assert value == pytest.approx(float((later - scores[feedback.items]).sum()), rel=1e-12)


def test_kernels_of_a_subclass_come_first():
    likelihood = make("BT").likelihood()

    assert isinstance(make("PL").likelihood().curvature(1, 2), ByChoices)
    assert not isinstance(replace(likelihood, is_choices=True).curvature(1, 2), ByChoices)
    assert type(replace(likelihood, off_diagonal=None).curvature(1, 2)) is Curvature


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

    value = objective.lists.evaluate(scores, scales)

    assert value == pytest.approx(-log_likelihood(feedback, scores, scales, ties), rel=1e-12, abs=1e-12)
    matrix = objective.hessian()
    np.testing.assert_allclose(objective.hessian_product(direction), matrix @ direction, atol=1e-11)
    np.testing.assert_allclose(objective.exact_diagonal(), np.diag(matrix), rtol=1e-11)
    step = 1e-5
    objective.lists.evaluate(scores + step * direction, scales)
    ahead = objective.lists.gradient()
    objective.lists.evaluate(scores - step * direction, scales)
    change = (ahead - objective.lists.gradient()) / (2 * step) + objective.precision * direction
    np.testing.assert_allclose(matrix @ direction, change, atol=1e-6)
