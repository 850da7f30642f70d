"""The Mallows model against its definition."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from scipy.optimize import minimize_scalar

import naive
from peerage import Feedback, Mallows, MethodError
from peerage.models.mallows import greedy as greedy_steps
from peerage.models.mallows import mallows
from peerage.models.mallows.index import make_index
from peerage.models.mallows.normaliser import log_normaliser, normaliser_derivatives
from peerage.models.mallows.ranking import borda, centred_scores, greedy, kemenize
from peerage.models.solver import parallel
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


@pytest.mark.parametrize("variant", VARIANTS)
@given(feedback=RANKINGS)
def test_ranking_is_the_literal_one(variant, feedback):
    fitted = Mallows(**variant).fit(feedback)

    np.testing.assert_allclose(fitted.scores_, naive_scores(feedback, np.ones(feedback.n_graders), **variant))


@pytest.mark.parametrize("variant", VARIANTS)
@given(feedback=RANKINGS)
def test_ranking_is_the_literal_one_with_unequal_reliabilities(variant, feedback):
    eta = some_reliabilities(feedback)

    np.testing.assert_allclose(scores_for(feedback, eta, variant), naive_scores(feedback, eta, **variant))


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


@pytest.mark.parametrize(("equal", "few_items"), [(True, 1000), (True, 0), (False, 0)])
@pytest.mark.parametrize("variant", VARIANTS)
def test_ranking_of_a_class_is_the_literal_one(variant, equal, few_items, monkeypatch):
    monkeypatch.setattr(greedy_steps, "FEW_ITEMS", few_items)
    feedback = a_class(n_items=160, n_lists=140, length=7)
    eta = np.ones(feedback.n_graders) if equal else 0.5 + np.arange(feedback.n_graders) % 7 / 8

    np.testing.assert_allclose(scores_for(feedback, eta, variant), naive_scores(feedback, eta, **variant))


@pytest.mark.parametrize("variant", VARIANTS)
def test_threads_change_nothing(variant, monkeypatch):
    feedback = a_class(n_items=60, n_lists=90, length=5)
    alone = Mallows(reliability=True, **variant).fit(feedback)
    monkeypatch.setattr(parallel, "SMALL", 10)
    monkeypatch.setattr(mallows, "SMALL", 10)

    together = Mallows(reliability=True, **variant).fit(feedback)

    assert together.scores_.tolist() == alone.scores_.tolist()
    assert together.reliabilities_.tolist() == alone.reliabilities_.tolist()
    assert together.objective_ == pytest.approx(alone.objective_, rel=1e-12)


def test_many_comparisons_of_an_item_need_wider_sums(monkeypatch):
    monkeypatch.setattr(greedy_steps, "FEW_ITEMS", 0)
    few, many = (
        Feedback.from_orders([*[("x", ["a", "b", "c"])] * times, *[("y", ["b", "a"])] * times * 2])
        for times in (3, 3000)
    )

    assert Mallows().fit(many).scores_.tolist() == Mallows().fit(few).scores_.tolist() == [0.0, 1.0, -1.0]


@pytest.mark.parametrize("variant", VARIANTS)
@given(feedback=RANKINGS)
def test_objective_is_the_naive_one(variant, feedback):
    fitted = Mallows(**variant).fit(feedback)

    assert fitted.objective_ == pytest.approx(naive.objective("MAL", feedback, fitted.scores_), abs=1e-9)


@pytest.mark.parametrize("variant", VARIANTS)
@given(feedback=RANKINGS)
def test_objective_with_reliability_is_the_naive_one_at_its_minimum(variant, feedback):
    fitted = Mallows(reliability=True, **variant).fit(feedback)
    eta = fitted.reliabilities_

    def objective(point):
        return naive.objective("MAL", feedback, fitted.scores_, point)

    assert fitted.objective_ == pytest.approx(objective(eta), rel=1e-12)
    np.testing.assert_allclose(naive.gradient(objective, eta, step=1e-3), 0, atol=1e-6)


@given(feedback=RANKINGS_OF_ONE_TASK)
def test_no_ranking_beats_the_exhaustive_search(feedback):
    fitted = Mallows(kemenize=True).fit(feedback)

    if feedback.n_items <= 5:
        assert fitted.objective_ >= naive.best_mallows_objective(feedback) - 1e-9


@given(feedback=RANKINGS)
def test_kemenizing_never_costs_likelihood(feedback):
    plain, kemenized = Mallows().fit(feedback), Mallows(kemenize=True).fit(feedback)

    assert kemenized.objective_ <= plain.objective_ + 1e-9


@given(feedback=RANKINGS_OF_ONE_TASK)
def test_kemenized_neighbours_do_not_want_to_swap(feedback):
    ones = np.ones(feedback.n_graders)
    scores = Mallows(borda=True, kemenize=True).fit(feedback).scores_
    known = naive.compared_items(feedback, 0)

    line = [[i for i in known if scores[i] == level] for level in sorted({scores[i] for i in known})]

    for worse, better in pairwise(line):
        assert naive.majority(feedback, ones, worse, better) <= 0


@pytest.mark.parametrize("reliability", [False, True])
def test_agreement_is_ranked_as_agreed(reliability):
    feedback = Feedback.from_orders([(g, ["c", "a", "b"]) for g in "xyz"])

    fitted = Mallows(reliability=reliability).fit(feedback)

    assert fitted.scores_.tolist() == [0.0, -1.0, 1.0]


def test_total_disagreement_is_all_ties():
    feedback = Feedback.from_orders([("x", ["a", "b", "c"]), ("y", ["c", "b", "a"])])

    assert Mallows(kemenize=True, reliability=True).fit(feedback).scores_.tolist() == [0.0, 0.0, 0.0]


def test_sums_of_reliabilities_in_any_order_are_tied():
    """As floats, 0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1; the sums of a and d must still be equal."""
    orders = [("1", ["a", "b"]), ("2", ["a", "b"]), ("3", ["a", "b"])]
    orders += [("3", ["d", "e"]), ("2", ["d", "e"]), ("1", ["d", "e"])]
    feedback = Feedback.from_orders(orders)
    index = make_index(feedback, np.array([0.1, 0.2, 0.3]))

    assert greedy(index, feedback).tolist() == [0, 1, 0, 1]


def test_equal_reliabilities_of_any_size_rank_like_ones():
    feedback = Feedback.from_orders([("x", ["a", "b", "c"]), ("y", ["b", "c", "a"]), ("z", ["b", "a"])])
    rankings = {
        tuple(greedy(make_index(feedback, np.full(3, eta)), feedback)) for eta in (1e-6, 0.3, 1.0, 1e3)
    }

    assert rankings == {(1, 0, 1)}


def test_an_item_nobody_compared_stays_in_the_middle():
    feedback = Feedback.from_orders([("x", ["a", "b"]), ("y", ["z"])]).with_items(["new"])

    fitted = Mallows().fit(feedback)

    grades = fitted.grades()
    assert dict(zip(grades["item"], grades["score"], strict=True)) == {"a": 0.5, "b": -0.5, "new": 0, "z": 0}


def test_a_grader_who_says_nothing_keeps_the_prior_mode():
    feedback = Feedback.from_orders([("silent", [["a", "b"]]), ("single", ["a"]), ("x", ["a", "b"])])

    fitted = Mallows(reliability=True).fit(feedback)

    np.testing.assert_allclose(fitted.reliabilities_[:2], 0.9, rtol=1e-12)


def test_the_grader_against_all_others_is_the_least_reliable():
    orders = [(g, list("abcde")) for g in "pqrst"]
    feedback = Feedback.from_orders([*orders, ("contrary", list("edcba"))])

    reliabilities = Mallows(reliability=True).fit(feedback).reliabilities_

    assert reliabilities[0] < 0.6 < 1.0 < reliabilities[1:].min()


@given(feedback=RANKINGS)
def test_weights_are_replication(feedback):
    again = np.repeat(np.arange(feedback.n_lists), feedback.list_weights.astype(int))
    repeated = feedback.take_lists(again)
    object.__setattr__(repeated, "weights", None)

    one, many = (Mallows(reliability=True, kemenize=True).fit(f) for f in (feedback, repeated))

    np.testing.assert_array_equal(one.scores_, many.scores_)
    np.testing.assert_allclose(one.reliabilities_, many.reliabilities_, rtol=1e-10)


def test_pair_bags_may_contradict_themselves():
    pairs = [("g", ["a", "b"])] * 3 + [("g", ["b", "a"]), ("g", ["b", "c"]), ("g", ["c", "a"])]

    fitted = Mallows().fit(Feedback.from_orders(pairs))

    assert fitted.scores_.tolist() == [1.0, 0.0, -1.0]
    assert fitted.objective_ == pytest.approx(2 + 6 * math.log1p(math.exp(-1)))


@pytest.mark.parametrize("k", [1, 2, 5, 7])
@pytest.mark.parametrize("eta", [1e-6, 1e-3, 0.1, 0.499, 0.501, 3.0, 40.0, 1e3])
def test_log_normaliser_and_its_derivatives(k, eta):
    sums = np.zeros(k * (k - 1) // 2 + 1)
    sums[0] = 1
    for i in range(2, k + 1):  # number of orders with 0, 1, 2, ... inversions
        sums = np.convolve(sums, np.ones(i))[: len(sums)]
    distance = np.arange(len(sums))
    share = sums * np.exp(-eta * distance)
    mean, square = (share @ distance**p / share.sum() for p in (1, 2))

    value = log_normaliser(eta, np.ones(k + 1), k)
    first, second = normaliser_derivatives(eta, np.ones(k + 1), k)

    assert value == pytest.approx(math.log(share.sum()), abs=1e-13)
    assert first == pytest.approx(-mean, rel=1e-12)
    assert second == pytest.approx(square - mean**2, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("wrong", [0, 3, 10])
def test_reliability_step_finds_the_minimum(wrong):
    right, bad = [("g", ["a", "b"])] * (10 - wrong), [("g", ["b", "a"])] * wrong
    others = [(f"h{i}", ["a", "b"]) for i in range(30)]
    feedback = Feedback.from_orders(right + bad + others)

    eta = (
        Mallows(reliability=True, reliability_shape=3.0, reliability_rate=2.0).fit(feedback).reliabilities_[0]
    )

    def cost(x):
        return x * (wrong + 2) - 2 * math.log(x) + 10 * math.log1p(math.exp(-x))

    best = minimize_scalar(cost, bounds=(1e-3, 50), method="bounded", options={"xatol": 1e-10}).x
    assert eta == pytest.approx(best, rel=1e-6)


def test_reliability_stops_at_its_limits():
    feedback = Feedback.from_orders([("g", ["a", "b"])])

    fitted = Mallows(reliability=True, reliability_shape=1.0, reliability_rate=9.0).fit(feedback)

    assert fitted.reliabilities_[0] == pytest.approx(1e-6)


def test_a_shape_below_one_is_refused():
    feedback = Feedback.from_orders([("g", ["a", "b"])])

    with pytest.raises(MethodError, match=r"reliability_shape must be 1 or more.*0\.5"):
        Mallows(reliability=True, reliability_shape=0.5).fit(feedback)


def test_two_fits_are_the_same_bits():
    rng = np.random.default_rng(3)
    orders = [(f"g{i}", [str(d) for d in rng.permutation(30)[:6]]) for i in range(60)]
    feedback = Feedback.from_orders(orders)

    one, two = (Mallows(reliability=True).fit(feedback) for _ in range(2))

    assert one.scores_.tobytes() == two.scores_.tobytes()
    assert one.reliabilities_.tobytes() == two.reliabilities_.tobytes()


def test_reliabilities_lower_the_objective_of_the_ranking_without_them():
    rng = np.random.default_rng(5)
    orders = [(f"g{i:02}", [f"{d:02}" for d in rng.permutation(12)[:5]]) for i in range(30)]
    feedback = Feedback.from_orders(orders)

    once = Mallows().fit(feedback)
    both = Mallows(reliability=True).fit(feedback)

    assert both.converged_
    assert both.objective_ <= naive.objective("MAL", feedback, once.scores_, np.ones(30))
