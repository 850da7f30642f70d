"""Whether reviewers agree more than chance would."""

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
    for _ in range(items):
        seen = rng.choice(items, length, replace=False)
        order = seen[np.argsort(-(truth[seen] + rng.gumbel(size=length)))]
        orders.append([f"i{item}" for item in order])
    return Feedback.from_lists(orders, graders=range(items))


def test_the_share_of_chance_is_that_of_all_orders():
    lists = [list("abc"), list("abc"), list("bac"), list("acb")]

    def statistic(orders):
        above = {item: sum(1 - order.index(item) for order in orders) for item in "abc"}
        return sum(value**2 for value in above.values())

    everything = [statistic(orders) for orders in product(permutations("abc"), repeat=4)]
    exact = np.mean([value >= statistic(lists) for value in everything])
    [found] = agreement_by_chance(Feedback.from_lists(lists))

    assert found.as_good == pytest.approx(exact, abs=0.05)
    assert not found.no_better  # too small a class to say so


def test_classes_of_chance_are_told_from_weak_ones():
    found = {
        spread: [next(agreement_by_chance(ranked_class(spread, n))) for n in range(classes)]
        for spread, classes in ((0.0, 20), (0.7, 40), (1.5, 20))
    }
    lost = {spread: np.mean([test.no_better for test in tests]) for spread, tests in found.items()}
    likely = {spread: [test.probability for test in tests] for spread, tests in found.items()}

    assert lost[0.0] > 0.65  # 84 of 100 in another run
    assert lost[0.7] <= 0.05  # 0.02 is the aim: 40 classes have two more seldom than once in twenty
    assert min(likely[0.0]) > 0.1
    assert np.median(likely[0.0]) > 0.95
    assert np.median(likely[0.7]) < 0.05
    assert max(likely[1.5]) == 0.0


def test_large_classes_need_few_draws(monkeypatch):
    monkeypatch.setattr(chance, "REVIEWS", 240 * 20)

    assert next(agreement_by_chance(ranked_class(0.0, 3))).no_better
    assert not next(agreement_by_chance(ranked_class(1.0, 3))).no_better


def test_one_review_of_each_item_cannot_tell_chance_from_agreement():
    orders = [[f"i{n}{k}" for k in range(6)] for n in range(20)]

    assert next(agreement_by_chance(Feedback.from_lists(orders))).probability == 0.0


def test_what_a_large_class_of_chance_said_stays_the_best_guess():
    feedback = ranked_class(0.0, 3, items=200)
    assert next(agreement_by_chance(feedback)).probability == 0.99

    graded = peerage.grade(feedback, method="pl", scale=(0, 100), curve=(70, 10))
    fitted = peerage.fit(feedback, "pl")

    assert graded.items["rank"].max() > 100
    assert graded.items["points"].std() == pytest.approx(10, abs=1)
    best = feedback.item_values.gather(np.argsort(-fitted.scores_, kind="stable")[:3])
    assert graded.items.sort("points", descending=True)["item"].head(3).to_list() == best.to_list()


def test_an_explanation_speaks_of_scores_and_points_as_they_were_handed_out():
    feedback = ranked_class(0.0, 0)
    graded = peerage.grade(feedback, method="pl", prior="given", scale=(0, 100), curve=(70, 10))
    p = next(agreement_by_chance(feedback)).probability
    plain, found = (peerage.explain(of, "i7").lists for of in (graded.fitted, graded))
    one_point = graded.items["score"].std() / graded.items["points"].std()

    assert 0.1 < p <= 0.99
    np.testing.assert_allclose(found["score_change"], (1 - p) * plain["score_change"])
    np.testing.assert_allclose(found["points_change"], found["score_change"] / one_point)
    assert found["rank_change"].to_list() == plain["rank_change"].to_list()


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


def test_a_task_whose_reviewers_agree_is_not_mixed_with_the_next():
    rows = [(task, f"g{n}", f"i{(n + k) % 6}", k + 1) for task in "ab" for n in range(6) for k in range(4)]
    task, grader, item, rank = zip(*rows, strict=True)
    feedback = Feedback.from_columns(grader, item, rank=rank, task=task)
    known = peerage.posterior(peerage.fit(feedback, "pl"), draws=100)

    mixed = known.allowing_for_chance(np.array([0.0, 0.5]), np.random.default_rng(0))

    for name in ("location", "score_se"):
        np.testing.assert_array_equal(getattr(mixed, name)[:6], getattr(known, name)[:6])
    np.testing.assert_array_equal(mixed.draws[:, :6], known.draws[:, :6])
    assert "in 1 of 2 tasks: with a probability of 50 %" in mixed.note


def test_scores_are_tested_as_orders_are():
    rng = np.random.default_rng(0)
    graders, items = np.repeat(np.arange(60), 6), np.concatenate([rng.permutation(60) for _ in range(6)])
    noise = rng.normal(7.0, 1.0, 360)

    of_noise, of_quality = (
        next(agreement_by_chance(Feedback.from_columns(graders.astype(str), items.astype(str), score=score)))
        for score in (noise, noise + np.sin(items))
    )

    assert of_noise.no_better
    assert not of_quality.no_better


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
