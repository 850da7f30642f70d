"""The objective as a function of the scores alone: deflation, and the search for the best reliabilities."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from model_cases import SMOOTH, make, some_class

from peerage.models.feedback_parts import FeedbackParts
from peerage.models.smooth.list_parts import ListParts
from peerage.models.solver.scales import HIGHEST, LOWEST, BestScales

PASSES = 11  # over the data, for all reliabilities at once, from wherever the search begins


def profile_of(model, feedback):
    lists = ListParts(model, FeedbackParts.of(feedback), reliability=model.reliability)
    return lists.profile() if model.reliability else lists.fixed()


def scales_of(model, feedback):
    return BestScales(model.objective(feedback), model.prior())


def two_tasks():
    return some_class(items=6, graders=8, tasks=2, weights=True)


def some_scores(n_items):
    return np.random.default_rng(3).normal(0, 1.5, n_items)


@pytest.mark.parametrize("code", SMOOTH)
def test_along_the_null_space_there_is_only_the_prior(code):
    profile = profile_of(make(code), two_tasks())
    profile.evaluate(some_scores(12))
    means = np.repeat([1.0, -3.0], 6)

    np.testing.assert_allclose(profile.hessian_product(means), means / 9, atol=1e-12)


@pytest.mark.parametrize("code", ["BT", "PL+G"])
def test_null_space_is_solved_and_the_rest_has_none(code):
    profile = profile_of(make(code), two_tasks())
    profile.evaluate(some_scores(12))
    right = some_scores(12) + np.repeat([1.0, -3.0], 6)

    solution, rest = profile.solve_null_space(right)

    np.testing.assert_allclose(profile.hessian_product(solution) + rest, right, atol=1e-12)
    np.testing.assert_allclose(rest.reshape(2, 6).sum(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(profile.deflated(right), rest)


@pytest.mark.parametrize("code", ["BT+G", "PL+G", "THUR+G"])
def test_reliabilities_are_found_in_few_passes(code, monkeypatch):
    feedback, points = some_class(items=12, graders=60, length=8), []
    for spread, guess in product((0.01, 1.0, 20.0), (0.1, 1.0, 30.0, HIGHEST)):
        profile = scales_of(make(code), feedback)
        evaluate = profile.objective.evaluate
        monkeypatch.setattr(
            profile.objective, "evaluate", lambda *at, evaluate=evaluate: points.append(at) or evaluate(*at)
        )
        points.clear()

        profile.evaluate(spread * some_scores(12), np.full(60, guess))

        assert len(points) <= PASSES, (spread, guess)
        first = profile.objective.scale_derivatives()[0] + profile.prior.gradient(profile.scales)
        np.testing.assert_allclose(first / profile.scale_curvature / profile.scales, 0, atol=1e-9)


@pytest.mark.parametrize("rate", [1e-9, 1e9])
def test_reliabilities_stay_within_their_limits(rate):
    model = make("BT+G", reliability_rate=rate)
    profile = scales_of(model, some_class(items=6))

    profile.evaluate(some_scores(6) * (1 if rate > 1 else 1e-6), np.ones(profile.objective.n_graders))

    assert profile.scales.min() >= LOWEST
    assert profile.scales.max() <= HIGHEST
    assert np.isinf(profile.scale_curvature).all()
