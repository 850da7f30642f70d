"""Reliabilities whose mean is held at 1: the optimum, its derivatives, and who is held with whom."""

from itertools import product

import numpy as np
import pytest
from model_cases import SMOOTH, count_calls, orders_and_scores, some_class
from scipy.optimize import minimize

import peerage
from peerage.models.feedback_parts import FeedbackParts
from peerage.models.smooth.list_parts import ListParts
from peerage.models.solver.mean_constraint import ReliabilityConstraint, Tangent

CODES = [code for code in SMOOTH if code.endswith("+G")]
PRIORS = {"score_variance": 3.0, "reliability_shape": 5.0, "reliability_rate": 5.0}
PASSES = 14  # over the data, for all reliabilities at once, from wherever the search begins
FAR_OFF = 80  # the same at scores that no fit comes to, where multipliers are found by halving


def held(code, **params):
    return peerage.method(code, identified=True, **{**PRIORS, **params})


def weighted_means(feedback, reliabilities, groups):
    pairs = np.zeros(feedback.n_graders)
    np.add.at(pairs, feedback.list_graders, feedback.list_strict_pairs * feedback.list_weights)
    return np.bincount(groups, pairs * reliabilities) / np.bincount(groups, pairs)


def reference(model, feedback):
    """The same optimum by a general solver, over scores and log reliabilities."""
    objective, prior, n = model.objective(feedback), model.prior(), feedback.n_items
    one_group = np.zeros(feedback.n_graders, dtype=int)

    def cost(point):
        scales = np.exp(point[n:] / model.power)
        return objective.evaluate(point[:n], scales) + prior.value(scales)

    mean = {"type": "eq", "fun": lambda point: weighted_means(feedback, np.exp(point[n:]), one_group) - 1.0}
    start = np.zeros(n + feedback.n_graders)
    options = {"maxiter": 2000, "ftol": 1e-14}
    return minimize(cost, start, method="SLSQP", constraints=mean, options=options)


@pytest.mark.parametrize("code", CODES)
def test_the_constrained_optimum_is_found(code):
    feedback = some_class(items=7, graders=5, weights=True)
    fitted = held(code).fit(feedback)

    slow = reference(held(code), feedback)

    assert fitted.objective_ <= slow.fun + 1e-9
    np.testing.assert_allclose(fitted.scores_, slow.x[: feedback.n_items], atol=1e-4)
    np.testing.assert_allclose(fitted.reliabilities_, np.exp(slow.x[feedback.n_items :]), atol=1e-4)


@pytest.mark.parametrize("code", CODES)
def test_derivatives_agree_with_differences(code):
    feedback = some_class(items=6, graders=8, tasks=2, weights=True)
    model = held(code)
    profile = model.profile(feedback)
    rng = np.random.default_rng(3)
    (here, direction), step = rng.normal(size=(2, feedback.n_items)), 1e-5

    def at(scores):
        profile.set_inner_tolerance(1e-10)
        profile.evaluate(scores)
        return profile.evaluate(scores), profile.gradient()

    ahead, behind = at(here + step * direction), at(here - step * direction)
    _, gradient = at(here)

    assert gradient @ direction == pytest.approx((ahead[0] - behind[0]) / (2 * step), rel=1e-6)
    product = profile.hessian_product(direction)
    np.testing.assert_allclose(product, (ahead[1] - behind[1]) / (2 * step), atol=1e-6)
    np.testing.assert_allclose(profile.hessian() @ direction, product, atol=1e-10)


@pytest.mark.parametrize("code", ["BT+G", "PL+G", "THUR+G"])
def test_reliabilities_are_found_in_few_passes(code, monkeypatch):
    model = held(code)
    for (spread, most), guess in product(((0.01, PASSES), (1.0, PASSES), (20.0, FAR_OFF)), (0.1, 1.0, 30.0)):
        profile = model.profile(some_class(items=20, graders=40), np.full(40, guess))
        profile.set_inner_tolerance(1e-6)
        with monkeypatch.context() as patch:
            counts = count_calls(patch, "evaluate")
            profile.evaluate(np.random.default_rng(0).normal(0, spread, 20))

        assert counts["evaluate"] <= most, (spread, guess)


@pytest.mark.parametrize("code", CODES)
def test_graders_who_share_nothing_are_held_apart(code):
    here = [("ada", ["x", "y", "z"]), ("bob", ["y", "x", "z"])]
    there = [("cyd", ["u", "v"]), ("dan", ["u", "w", "v"]), ("eve", ["v", "u"]), ("fay", [{"x", "u"}])]
    feedback = peerage.Feedback.from_orders(here + there)

    fitted = held(code).fit(feedback)

    groups = np.array([0, 0, 1, 1, 1, 1])
    means = weighted_means(feedback, fitted.reliabilities_, groups)  # of whom the last has no pair
    np.testing.assert_allclose(means, 1.0, rtol=1e-9)
    assert fitted.reliabilities_[5] == pytest.approx(0.8)  # the mode of the prior


def test_a_grader_links_the_tasks_that_they_grade():
    one = orders_and_scores([("ada", list("xy")), ("bob", list("yx"))])
    feedback = one.merge(orders_and_scores([("ada", list("uv")), ("cyd", list("uv"))], task="2"))

    groups = ListParts(held("PL+G"), FeedbackParts.of(feedback), reliability=True).groups

    assert len(groups.evidence) == 1


def test_where_nobody_says_anything_there_is_nothing_to_hold():
    feedback = peerage.Feedback.from_orders([("ada", [{"x", "y"}]), ("bob", ["x"])])

    fitted = held("BT+G").fit(feedback)

    assert fitted.reliabilities_.tolist() == pytest.approx([0.8, 0.8])


def test_the_scale_is_free_unless_a_margin_or_a_threshold_gives_one():
    assert [code for code in CODES if not peerage.method(code).scale_is_free] == []
    assert not peerage.BradleyTerry(reliability=False).scale_is_free
    assert not peerage.BradleyTerry(reliability=True, margin=True).scale_is_free
    assert not peerage.Thurstone(reliability=True, ties="model").scale_is_free


def test_the_inverse_on_free_moves_is_that_of_the_bordered_matrix():
    rng = np.random.default_rng(1)
    groups = np.array([0, 0, 1, 1, 1])
    evidence = rng.uniform(1, 9, 5)
    weights = evidence / np.bincount(groups, evidence)[groups]
    means = ReliabilityConstraint(weights, groups, np.zeros(3, dtype=int), 2)
    curvature, gradient = rng.uniform(1, 3, 5), means.weights * rng.uniform(0.5, 2, 5)
    borders = np.stack([np.where(groups == group, gradient, 0.0) for group in (0, 1)])
    whole = np.block([[np.diag(curvature), borders.T], [borders, np.zeros((2, 2))]])
    inverse = np.linalg.inv(whole)[:5, :5]
    tangent = Tangent(means, gradient, curvature)

    np.testing.assert_allclose(tangent.solve(np.eye(5)), inverse, atol=1e-12)
    np.testing.assert_allclose(tangent.variance(), np.diag(inverse), atol=1e-12)
    moves = tangent.project(rng.standard_normal((20_000, 5)))
    np.testing.assert_allclose(moves @ borders.T, 0.0, atol=1e-12)
    np.testing.assert_allclose(np.cov(moves.T), inverse, atol=0.03)
