"""The Mallows model against its definition."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given

import naive
from peerage import Feedback, Mallows, MethodError
from peerage.models import thresholds
from peerage.models.mallows import ranking
from peerage.models.mallows.index import make_index
from peerage.models.mallows.normaliser import log_normaliser, normaliser_derivatives
from peerage.models.mallows.ranking import borda, centred_scores, greedy, kemenize
from strategies import feedbacks

RANKINGS = feedbacks(kinds=("rank",))
RANKINGS_OF_ONE_TASK = feedbacks(kinds=("rank",), tasks=1)
VARIANTS = [
    {"borda": False, "kemenize": False},
    {"borda": False, "kemenize": True},
    {"borda": True, "kemenize": False},
    {"borda": True, "kemenize": True},
]


def naive_ranking(feedback, reliabilities, *, task=0, borda=False, kemenize=False):
    ranking = (naive.borda if borda else naive.algorithm_2)(feedback, reliabilities, task)
    return naive.kemenize(feedback, reliabilities, ranking, task) if kemenize else ranking


def naive_scores(feedback, reliabilities, **variant):
    rankings = [naive_ranking(feedback, reliabilities, task=t, **variant) for t in range(feedback.n_tasks)]
    return sum(naive.scores_of(ranking, feedback.n_items) for ranking in rankings)


def scores_for(feedback, reliabilities, variant):
    """The ranking step alone, as scores."""
    index = make_index(feedback, reliabilities)
    weights = reliabilities[feedback.list_graders] * feedback.list_weights
    group = borda(feedback, weights) if variant["borda"] else greedy(index, feedback)
    group = kemenize(index, group) if variant["kemenize"] else group
    return centred_scores(group, feedback.item_tasks, feedback.n_tasks)


def some_reliabilities(feedback):
    """Unequal, and binary fractions: where sums of them are equal, they are so without rounding."""
    return 0.5 + np.arange(feedback.n_graders) / 8


@given(feedback=RANKINGS)
def test_ranking_is_the_literal_one(feedback):
    ones, unequal = np.ones(feedback.n_graders), some_reliabilities(feedback)

    for variant in VARIANTS:
        fitted = Mallows(**variant).fit(feedback)
        np.testing.assert_allclose(fitted.scores_, naive_scores(feedback, ones, **variant))
        found = scores_for(feedback, unequal, variant)
        np.testing.assert_allclose(found, naive_scores(feedback, unequal, **variant))
        assert fitted.objective_ == pytest.approx(naive.objective("MAL", feedback, fitted.scores_), abs=1e-9)


def a_class(n_items, n_lists, length, seed=0):
    """Lists with some ties: large enough that the queue of Algorithm 2 has rooms within rooms."""
    random = np.random.default_rng(seed)
    quality = random.normal(size=n_items)
    orders = []
    for grader in range(n_lists):
        seen = random.choice(n_items, length, replace=False)
        order = [[f"{item:03}"] for item in seen[np.argsort(-quality[seen] - random.normal(size=length))]]
        if grader % 3 == 0:
            order[1] += order.pop(2)
        orders.append((f"g{grader:03}", order))
    return Feedback.from_orders(orders)


@pytest.mark.parametrize("equal", [True, False])
@pytest.mark.parametrize("variant", VARIANTS)
def test_ranking_of_a_class_is_the_literal_one(variant, equal, monkeypatch):
    feedback = a_class(n_items=160, n_lists=140, length=7)
    eta = np.ones(feedback.n_graders) if equal else 0.5 + np.arange(feedback.n_graders) % 7 / 8
    literal = naive_scores(feedback, eta, **variant)

    for few_items in (1000, 0) if equal else (0,):
        monkeypatch.setattr(ranking, "FEW_ITEMS", few_items)
        np.testing.assert_allclose(scores_for(feedback, eta, variant), literal)


@pytest.mark.parametrize("variant", VARIANTS)
def test_threads_change_nothing(variant, monkeypatch):
    feedback = a_class(n_items=60, n_lists=90, length=5)
    alone = Mallows(reliability=True, **variant).fit(feedback)
    monkeypatch.setattr(thresholds, "ONE_PART", 10)

    together = Mallows(reliability=True, **variant).fit(feedback)

    assert together.scores_.tolist() == alone.scores_.tolist()
    assert together.reliabilities_.tolist() == alone.reliabilities_.tolist()
    assert together.objective_ == pytest.approx(alone.objective_, rel=1e-12)


def test_many_comparisons_of_an_item_need_wider_sums(monkeypatch):
    monkeypatch.setattr(ranking, "FEW_ITEMS", 0)
    few, many = (
        Feedback.from_orders([*[("x", ["a", "b", "c"])] * times, *[("y", ["b", "a"])] * times * 2])
        for times in (3, 3000)
    )

    assert Mallows().fit(many).scores_.tolist() == Mallows().fit(few).scores_.tolist() == [0.0, 1.0, -1.0]


@pytest.mark.parametrize("variant", [VARIANTS[0], VARIANTS[-1]])
@given(feedback=RANKINGS)
def test_objective_with_reliability_is_the_naive_one_at_its_minimum(variant, feedback):
    fitted = Mallows(reliability=True, **variant).fit(feedback)
    eta = fitted.reliabilities_

    def objective(point):
        return naive.objective("MAL", feedback, fitted.scores_, point)

    assert fitted.objective_ == pytest.approx(objective(eta), rel=1e-12)
    np.testing.assert_allclose(naive.gradient(objective, eta, step=1e-3), 0, atol=1e-6)
    once = Mallows(**variant).fit(feedback).scores_
    assert fitted.objective_ <= naive.objective("MAL", feedback, once, np.ones(len(eta))) + 1e-9


@given(feedback=RANKINGS_OF_ONE_TASK)
def test_kemenizing_never_costs_likelihood_and_leaves_no_neighbours_who_want_to_swap(feedback):
    plain, kemenized, from_borda = (
        Mallows(**params).fit(feedback)
        for params in ({}, {"kemenize": True}, {"borda": True, "kemenize": True})
    )
    scores, known = from_borda.scores_, naive.compared_items(feedback, 0)
    line = [[i for i in known if scores[i] == level] for level in sorted({scores[i] for i in known})]

    assert kemenized.objective_ <= plain.objective_ + 1e-9
    if feedback.n_items <= 5:
        assert kemenized.objective_ >= naive.best_mallows_objective(feedback) - 1e-9
    for worse, better in pairwise(line):
        assert naive.majority(feedback, np.ones(feedback.n_graders), worse, better) <= 0


def test_sums_of_reliabilities_are_tied_in_any_order_and_at_any_size():
    """As floats, 0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1; the sums of a and d must still be equal."""
    orders = [("1", ["a", "b"]), ("2", ["a", "b"]), ("3", ["a", "b"])]
    orders += [("3", ["d", "e"]), ("2", ["d", "e"]), ("1", ["d", "e"])]
    feedback = Feedback.from_orders(orders)
    for size in (1e-6, 1.0, 1e3):
        index = make_index(feedback, size * np.array([0.1, 0.2, 0.3]))

        assert greedy(index, feedback).tolist() == [0, 1, 0, 1], size


@pytest.mark.parametrize("k", [1, 2, 5, 7])
def test_log_normaliser_and_its_derivatives(k):
    sums = np.zeros(k * (k - 1) // 2 + 1)
    sums[0] = 1
    for i in range(2, k + 1):  # number of orders with 0, 1, 2, ... inversions
        sums = np.convolve(sums, np.ones(i))[: len(sums)]
    distance = np.arange(len(sums))

    for eta in (1e-6, 1e-3, 0.1, 0.499, 0.501, 3.0, 40.0, 1e3):
        share = sums * np.exp(-eta * distance)
        mean, square = (share @ distance**p / share.sum() for p in (1, 2))

        value = log_normaliser(eta, np.ones(k + 1), k)
        first, second = normaliser_derivatives(eta, np.ones(k + 1), k)

        assert value == pytest.approx(math.log(share.sum()), abs=1e-13), eta
        assert first == pytest.approx(-mean, rel=1e-12), eta
        assert second == pytest.approx(square - mean**2, rel=1e-9, abs=1e-300), eta


def test_reliability_stops_at_its_limits_and_a_shape_below_one_is_refused():
    feedback = Feedback.from_orders([("g", ["a", "b"])])

    fitted = Mallows(reliability=True, reliability_shape=1.0, reliability_rate=9.0).fit(feedback)

    assert fitted.reliabilities_[0] == pytest.approx(1e-6)
    with pytest.raises(MethodError, match=r"reliability_shape must be 1 or more.*0\.5"):
        Mallows(reliability=True, reliability_shape=0.5).fit(feedback)
