"""The objective as a function of the scores alone: levels, and the search for the best reliabilities."""

from __future__ import annotations

import numpy as np
import pytest
from model_cases import SMOOTH, make, some_class

from peerage.models.solver.profile import HIGHEST, LOWEST, Fixed, Profiled

LOOKS = 11  # at the data, for all reliabilities at once, from wherever the search begins


def landscape_of(model, feedback):
    objective = model.objective(feedback)
    return Profiled(objective, model.prior()) if model.reliability else Fixed(objective)


def two_tasks():
    return some_class(items=6, graders=8, tasks=2, weights=True)


def some_scores(n_items):
    return np.random.default_rng(3).normal(0, 1.5, n_items)


@pytest.mark.parametrize("code", SMOOTH)
def test_along_a_level_there_is_only_the_prior(code):
    landscape = landscape_of(make(code), two_tasks())
    landscape.move(some_scores(12))
    levels = np.repeat([1.0, -3.0], 6)

    np.testing.assert_allclose(landscape.curve(levels), levels / 9, atol=1e-12)


@pytest.mark.parametrize("code", ["BT", "PL+G"])
def test_levels_are_solved_and_the_rest_has_none(code):
    landscape = landscape_of(make(code), two_tasks())
    landscape.move(some_scores(12))
    right = some_scores(12) + np.repeat([1.0, -3.0], 6)

    solution, rest = landscape.levelled(right)

    np.testing.assert_allclose(landscape.curve(solution) + rest, right, atol=1e-12)
    np.testing.assert_allclose(rest.reshape(2, 6).sum(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(landscape.centred(right), rest)


def looks_taken(landscape, scores, guess, monkeypatch):
    """How often the data was looked at to solve all scales at these scores."""
    points, evaluate = [], landscape.objective.evaluate
    monkeypatch.setattr(landscape.objective, "evaluate", lambda *at: points.append(at) or evaluate(*at))
    landscape.move(scores, np.full(landscape.objective.n_graders, guess))
    return len(points)


@pytest.mark.parametrize("guess", [0.1, 1.0, 30.0, HIGHEST])
@pytest.mark.parametrize("spread", [0.01, 1.0, 20.0])
@pytest.mark.parametrize("code", ["BT+G", "PL+G", "THUR+G"])
def test_reliabilities_are_found_in_few_looks(code, spread, guess, monkeypatch):
    landscape = landscape_of(make(code), some_class(items=12, graders=60, length=8))

    looks = looks_taken(landscape, spread * some_scores(12), guess, monkeypatch)

    first = landscape.objective.scale_slopes()[0] + landscape.prior.slope(landscape.scales)
    np.testing.assert_allclose(first / landscape.stiffness / landscape.scales, 0, atol=1e-9)
    assert looks <= LOOKS


@pytest.mark.parametrize("rate", [1e-9, 1e9])
def test_reliabilities_stay_within_their_limits(rate):
    model = make("BT+G", reliability_rate=rate)
    landscape = landscape_of(model, some_class(items=6))

    landscape.move(some_scores(6) * (1 if rate > 1 else 1e-6))

    assert landscape.scales.min() >= LOWEST
    assert landscape.scales.max() <= HIGHEST
    assert np.isinf(landscape.stiffness).all()
