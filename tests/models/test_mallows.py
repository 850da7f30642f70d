"""The Mallows model against its definition."""

import math

import numpy as np
import pytest
from hypothesis import given
from model_cases import some_class

import naive
from peerage import Feedback, Mallows, MethodError
from peerage.models import thresholds
from peerage.models.mallows import ranking
from peerage.models.mallows.index import make_index
from peerage.models.mallows.normaliser import log_normaliser, normaliser_derivatives
from peerage.models.mallows.ranking import borda, centred_scores, greedy, kemenize
from strategies import feedbacks

RANKINGS = feedbacks(kinds=("rank",))
VARIANTS = [{"borda": borda, "kemenize": kemenize} for borda in (False, True) for kemenize in (False, True)]


def naive_scores(feedback, reliabilities, *, borda, kemenize):
    scores = np.zeros(feedback.n_items)
    for task in range(feedback.n_tasks):
        ranking = (naive.borda if borda else naive.algorithm_2)(feedback, reliabilities, task)
        if kemenize:
            ranking = naive.kemenize(feedback, reliabilities, ranking, task)
        scores += naive.scores_of(ranking, feedback.n_items)
    return scores


def scores_for(feedback, reliabilities, variant):
    """The ranking step alone, as scores."""
    index = make_index(feedback, reliabilities)
    weights = reliabilities[feedback.list_graders] * feedback.list_weights
    group = borda(feedback, weights) if variant["borda"] else greedy(index, feedback)
    group = kemenize(index, group) if variant["kemenize"] else group
    return centred_scores(group, feedback.item_tasks, feedback.n_tasks)


@given(feedback=RANKINGS)
def test_ranking_is_the_literal_one(feedback):
    ones = np.ones(feedback.n_graders)
    unequal = 0.5 + np.arange(feedback.n_graders) / 8  # equal sums of binary fractions are equal to the bit

    for variant in VARIANTS:
        fitted = Mallows(**variant).fit(feedback)
        np.testing.assert_allclose(fitted.scores_, naive_scores(feedback, ones, **variant))
        found = scores_for(feedback, unequal, variant)
        np.testing.assert_allclose(found, naive_scores(feedback, unequal, **variant))
        assert fitted.objective_ == pytest.approx(naive.objective("MAL", feedback, fitted.scores_), abs=1e-9)


@pytest.mark.parametrize("equal", [True, False])
@pytest.mark.parametrize("variant", VARIANTS)
def test_ranking_of_a_class_is_the_literal_one(variant, equal, monkeypatch):
    feedback = some_class(items=160, graders=140, length=7)  # the heap of Algorithm 2 has many levels
    eta = np.ones(feedback.n_graders) if equal else 0.5 + np.arange(feedback.n_graders) % 7 / 8
    literal = naive_scores(feedback, eta, **variant)

    for few_items in (1000, 0) if equal else (0,):
        monkeypatch.setattr(ranking, "FEW_ITEMS", few_items)
        np.testing.assert_allclose(scores_for(feedback, eta, variant), literal)


@pytest.mark.parametrize("variant", VARIANTS)
def test_threads_change_nothing(variant, monkeypatch):
    feedback = some_class(items=60, graders=90, length=5)
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
    distance = naive.inversions_of_all_orders(k)

    for eta in (1e-6, 1e-3, 0.1, 0.499, 0.501, 3.0, 40.0, 1e3):
        share = np.exp(-eta * distance)
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
