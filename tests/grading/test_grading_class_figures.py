"""The class as a whole: figures against slow definitions and against a truth that is known."""

from collections import defaultdict
from itertools import permutations

import numpy as np
import pytest

import naive
from peerage import Feedback, fit, grade, simulate
from peerage.grading import class_figures as class_figures_module
from peerage.grading.class_figures import figure_sentence, pair_alpha, separation, split_half
from peerage.grading.output.results_json import record
from peerage.metrics.inter_rater import krippendorff_alpha
from peerage.models.base import clone, rough_clone
from peerage.models.normal.normal_scores import NormalScores


def naive_pair_alpha(feedback):
    """From the definition, both ways round: a vote and its mirror image."""
    votes = defaultdict(list)
    for order in naive.orders_of(feedback):
        for above, below in naive.strict_pairs(order.buckets):
            votes[frozenset((above, below))].append(above < below)
    kept = [vs for vs in votes.values() if len(vs) > 1]
    observed = sum(sum(a != b for a, b in permutations(vs, 2)) / (len(vs) - 1) for vs in kept)
    return 1 - observed / (sum(map(len, kept)) / 2)


def a_class(model="pl", **options):
    return simulate(**{"items": 15, "graders": 40, "per_grader": 5, "model": model, "seed": 2, **options})


def test_alpha_of_orders_agrees_with_its_definition_and_its_interval_leaves_out_one_grader_at_a_time():
    feedback = a_class(items=6, graders=10).feedback()
    n = feedback.n_graders

    alpha = pair_alpha(feedback, 0.9)

    lists = [np.flatnonzero(feedback.list_graders != g) for g in range(n)]
    left = np.array([naive_pair_alpha(feedback.take_lists(kept)) for kept in lists])
    reach = 1.8331129 * np.sqrt((n - 1) / n * ((left - left.mean()) ** 2).sum())  # t(9), 95 %
    assert alpha.value == pytest.approx(naive_pair_alpha(feedback))
    assert (alpha.low, alpha.high) == pytest.approx((alpha.value - reach, min(alpha.value + reach, 1)))


def test_graders_who_are_alike_have_all_alpha_and_those_who_share_no_pair_none():
    alike = Feedback.from_orders([(g, ["x", "y", "z"]) for g in "abcde"])
    apart = Feedback.from_orders([("a", ["x", "y"]), ("b", ["u", "v"])])

    assert pair_alpha(alike, 0.9).value == 1.0
    assert np.isnan(pair_alpha(apart, 0.9).value)


@pytest.mark.parametrize(("model", "code"), [("pl", None), ("normal", None), ("normal", "scavg")])
def test_separation_is_the_squared_correlation_with_the_truth(model, code):
    made = a_class(model, items=80, graders=80, per_grader=6, seed=5)
    feedback = made.feedback()
    result = grade(feedback, method=code)
    fitted = result.fitted

    found = separation(fitted, result.posterior, 0.9)

    truth = dict(made.truth.iter_rows())
    true = np.corrcoef(fitted.scores_, [truth[item] for item in feedback.item_labels])[0, 1] ** 2
    assert found.value == pytest.approx(true, abs=0.08)
    assert 0 < found.low < found.value < found.high < 1


def test_halves_are_fitted_apart():
    feedback = a_class(graders=60).feedback()
    fitted = fit(feedback, "pl+g")
    rng, correlations = np.random.default_rng(0), []
    for _ in range(30):
        half = (rng.permutation(60) < 30)[feedback.list_graders]
        one, other = (
            clone(fitted).fit(feedback.take_lists(np.flatnonzero(h))).scores_ for h in (half, ~half)
        )
        correlations.append(np.corrcoef(one, other)[0, 1])
    r = np.mean(correlations)

    found = split_half(fitted, 0.9)

    assert found.value == pytest.approx(2 * r / (1 + r), abs=0.06)
    assert found.low < found.value < found.high


def test_figures_fit_the_feedback():
    names = {
        "pl": ["separation", "split_half", "alpha_pairs"],
        "normal": ["separation", "split_half", "icc_single", "icc_mean", "alpha_interval", "alpha_ordinal"],
    }

    for model, expected in names.items():
        result = grade(a_class(model).feedback())
        assert result.class_figures["name"].to_list() == expected
        assert [row["name"] for row in record(result)["class_figures"]] == expected


def test_alpha_of_scores_is_that_of_the_metric():
    feedback = a_class("normal").feedback()

    row = grade(feedback).class_figures.filter(name="alpha_interval").row(0, named=True)

    alpha = krippendorff_alpha(feedback.items, feedback.scores)
    assert (row["value"], row["low"], row["high"]) == pytest.approx(tuple(alpha))
    assert row["sentence"] == figure_sentence("alpha_interval", alpha)


def test_alpha_of_orders_is_the_same_where_pairs_judged_once_are_not_kept(monkeypatch):
    feedback = a_class(items=60).feedback()
    usual = pair_alpha(feedback, 0.9)
    monkeypatch.setattr(class_figures_module, "ALL_KEPT", 0)

    assert tuple(pair_alpha(feedback, 0.9)) == pytest.approx(tuple(usual), rel=1e-12)
    assert len(class_figures_module._kept_pairs(feedback, 400)[0]) < 400
    monkeypatch.setattr(class_figures_module, "MOST_KEPT", 1)
    assert np.isnan(pair_alpha(feedback, 0.9).value)


@pytest.mark.parametrize(("method", "items"), [("pl+g", 600), ("bt", 120), ("bt+g", 600)])
def test_halves_of_large_classes_are_nearly_those_solved_to_the_end(method, items, monkeypatch):
    fitted = fit(a_class(items=items, graders=items, per_grader=8, sd=1.0).feedback(), method)
    usual = split_half(fitted, 0.9)
    monkeypatch.setattr(class_figures_module, "ROUGH_ENTRIES", 0)

    assert split_half(fitted, 0.9).value == pytest.approx(usual.value, abs=0.002)


def test_halves_of_large_classes_take_over_the_variances_of_the_whole(monkeypatch):
    feedback = a_class("normal", items=300, graders=300, per_grader=8).feedback()
    fitted = NormalScores(reliability=True, variances="learn").fit(feedback)
    usual = split_half(fitted, 0.9)
    monkeypatch.setattr(class_figures_module, "ROUGH_ENTRIES", 0)

    half = rough_clone(fitted, tol=1e-3, max_iter=fitted.rough_steps).fit(feedback)

    assert half.noise_variance_ == fitted.noise_variance_
    assert split_half(fitted, 0.9).value == pytest.approx(usual.value, abs=0.002)


def test_the_sentence_says_that_halves_of_large_classes_were_fitted_roughly(monkeypatch):
    feedback = a_class().feedback()
    usual = grade(feedback).class_figures
    monkeypatch.setattr(class_figures_module, "ROUGH_ENTRIES", 0)

    rough = grade(feedback).class_figures

    plain, said = (figures.filter(name="split_half")["sentence"].item() for figures in (usual, rough))
    assert "steps" not in plain
    assert "fitted apart in a few steps (the class is large" in said
