"""Whether reviewers agree more than chance would."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

import peerage
from peerage import Feedback
from peerage.uncertainty import chance
from peerage.uncertainty.chance import agreement_by_chance


def ranked_class(spread, seed, items=40, length=6):
    """As many graders as items."""
    rng = np.random.default_rng([seed, 7])
    truth = rng.normal(0.0, spread, items)
    orders = []
    for number in range(items):
        seen = rng.choice(items, length, replace=False)
        order = seen[np.argsort(-(truth[seen] + rng.gumbel(size=length)))]
        orders.append((f"g{number}", [f"i{item}" for item in order]))
    return Feedback.from_orders(orders)


def test_the_share_of_chance_is_that_of_all_orders():
    lists = [list("abc"), list("abc"), list("bac"), list("acb")]

    def statistic(orders):
        above = {item: sum(1 - order.index(item) for order in orders) for item in "abc"}
        return sum(value**2 for value in above.values())

    everything = [statistic(orders) for orders in product(permutations("abc"), repeat=4)]
    exact = np.mean([value >= statistic(lists) for value in everything])
    [found] = agreement_by_chance(Feedback.from_orders([(f"g{n}", order) for n, order in enumerate(lists)]))

    assert found.as_good == pytest.approx(exact, abs=0.05)
    assert not found.no_better  # too small a class to say so


def test_classes_of_chance_are_told_from_weak_ones():
    lost = {
        spread: [next(agreement_by_chance(ranked_class(spread, n))).no_better for n in range(40)]
        for spread in (0.0, 0.7)
    }

    assert np.mean(lost[0.0]) > 0.65  # 84 of 100 in another run
    assert np.mean(lost[0.7]) <= 0.05  # 0.02 is the aim: 40 classes have two more seldom than once in twenty


def test_chance_is_likely_where_there_is_no_agreement_and_ruled_out_where_it_is_plain():
    likely = {
        spread: [next(agreement_by_chance(ranked_class(spread, n))).probability for n in range(20)]
        for spread in (0.0, 0.7, 1.5)
    }

    assert min(likely[0.0]) > 0.1
    assert np.median(likely[0.0]) > 0.95
    assert np.median(likely[0.7]) < 0.05
    assert max(likely[1.5]) == 0.0


def test_one_review_of_each_item_cannot_tell_chance_from_agreement():
    orders = [(f"g{n}", [f"i{n}{k}" for k in range(6)]) for n in range(20)]

    assert next(agreement_by_chance(Feedback.from_orders(orders))).probability == 0.0


def test_where_chance_is_possible_the_posterior_is_a_mixture_with_any_order():
    known = peerage.posterior(peerage.fit(ranked_class(1.0, 3, items=4, length=3), "pl"), draws=4000)
    p, a, cov = 0.4, known.location - known.location.mean(), known.covariance
    any_order = np.mean(
        [(cov + np.outer(a, a))[np.ix_(order, order)] for order in map(list, permutations(range(4)))], axis=0
    )

    mixed = known.allowing_for_chance(np.array([p]), np.random.default_rng(0))

    expected = (1 - p) * (cov + p * np.outer(a, a)) + p * any_order
    np.testing.assert_allclose(mixed.covariance, expected, atol=1e-12)
    np.testing.assert_allclose(mixed.score_se**2, np.diag(expected))
    np.testing.assert_allclose(np.cov(mixed.draws, rowvar=False), expected, atol=0.2)
    np.testing.assert_allclose(mixed.location, (1 - p) * a, atol=1e-12)
    assert "with a probability of 40 % their reviews say nothing" in mixed.note
    assert known.allowing_for_chance(np.zeros(1), np.random.default_rng(0)) is known


def test_scores_are_tested_as_orders_are():
    rng = np.random.default_rng(0)
    graders, items = np.repeat(np.arange(60), 6), np.concatenate([rng.permutation(60) for _ in range(6)])
    noise = rng.normal(7.0, 1.0, 360)

    tests = [
        agreement_by_chance(
            Feedback.from_columns([f"g{g}" for g in graders], [f"i{i}" for i in items], score=score)
        )
        for score in (noise, noise + np.sin(items))
    ]

    assert [test.no_better for [test] in tests] == [True, False]


def test_large_classes_need_few_draws(monkeypatch):
    monkeypatch.setattr(chance, "REVIEWS", 240 * 20)

    assert next(agreement_by_chance(ranked_class(0.0, 3))).no_better
    assert not next(agreement_by_chance(ranked_class(1.0, 3))).no_better


def test_a_class_of_chance_has_one_step_and_its_first_sentence_says_so():
    graded = peerage.grade(ranked_class(0.0, 3), letters="A:25%,B:75%")

    assert next(iter(graded.sentences)) == "chance"
    assert graded.sentences["chance"].startswith(
        "The reviewers agree no more than chance would: if everybody"
    )
    assert graded.items["step"].n_unique() == 1
    width = (graded.items["rank_high"] - graded.items["rank_low"] + 1) / len(graded.items)
    assert width.mean() > 0.85
    assert "chance" not in peerage.grade(ranked_class(1.0, 3)).sentences
