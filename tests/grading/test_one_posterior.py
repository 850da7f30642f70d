"""Every number of a result comes from one posterior: its mean, not the joint mode with reliabilities."""

from functools import cache

import numpy as np

import peerage
from peerage.grading.items import item_ranks


@cache
def few_judges():
    """Three equal judges who order all of 60 items: the joint mode believes one of them."""
    rng = np.random.default_rng(5)
    truth = rng.normal(size=60)
    orders = [np.argsort(-(truth + rng.gumbel(size=60))) for _ in range(3)]
    feedback = peerage.Feedback.from_lists([[f"i{i:02}" for i in order] for order in orders], graders="abc")
    return peerage.grade(feedback, scale="0:10", curve="6:1.5", letters="A:25%,B:75%")


def test_scores_ranks_points_and_steps_are_those_of_the_mean():
    graded = few_judges()
    order, mean = graded.order, graded.posterior.location

    np.testing.assert_allclose(graded.items["score"], mean[order])
    np.testing.assert_array_equal(graded.items["rank"], item_ranks(graded.feedback, mean)[order])
    assert (np.diff(graded.items["points"]) <= 1e-12).all()
    assert (np.diff(graded.items["step"]) >= 0).all()
    assert peerage.explain(graded, graded.items["item"][0]).score == graded.items["score"][0]


def test_the_mean_is_that_of_draws_from_the_posterior_itself():
    graded = few_judges()
    sampled = peerage.posterior(graded.fitted, source="sampler", draws=1000)

    mean_off = np.abs(graded.posterior.location - sampled.location).mean()
    mode_off = np.abs(graded.fitted.scores_ - sampled.location).mean()

    assert mean_off < 0.15 * graded.posterior.score_se.mean()
    assert mean_off < 0.5 * mode_off


def test_reported_reliabilities_are_means_and_lie_inside_their_intervals():
    graders = few_judges().graders
    drawn = few_judges().posterior.reliability_draws

    np.testing.assert_allclose(graders["reliability"], drawn.mean(axis=0), rtol=0.05)
    assert (graders["reliability_low"] < graders["reliability"]).all()
    assert (graders["reliability"] < graders["reliability_high"]).all()


def test_only_a_chosen_method_averages_over_equal_graders():
    judged = few_judges().feedback

    named = peerage.grade(judged, method="PL+G", prior="learn")

    assert "equally reliable has a probability" in few_judges().sentences["uncertainty"]
    assert "equally reliable has a probability" not in named.sentences["uncertainty"]
