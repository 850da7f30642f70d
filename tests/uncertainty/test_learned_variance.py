"""The learned variance of scores: found from the averaged posterior, and known only so well."""

import numpy as np
import pytest
from uncertainty_cases import learned, ranked

import peerage
from peerage.uncertainty.evidence import _with_doubt, mean_square
from peerage.uncertainty.laplace import laplace


def linear_model(log_variance, items=9):
    """Scores and covariance of a normal model that knows differences only, in one task."""
    random = np.random.default_rng(4)
    factor = random.normal(size=(items, 6)) / 2
    factor -= factor.mean(axis=0)
    precision = np.exp(-log_variance)
    covariance = np.linalg.inv(factor @ factor.T + precision * np.eye(items))
    return covariance @ factor @ random.normal(size=6), covariance, precision


def test_the_rate_is_the_derivative_of_the_mean_square():
    tasks, step = np.zeros(9, dtype=np.int32), 1e-4

    def log_square(at):
        scores, covariance, precision = linear_model(at)
        return np.log(scores @ scores + np.trace(covariance) - 1 / precision)

    scores, covariance, precision = linear_model(0.7)
    target, rate = mean_square(scores, covariance, tasks, precision)

    assert rate == pytest.approx((log_square(0.7 + step) - log_square(0.7 - step)) / (2 * step), rel=1e-5)
    assert target == pytest.approx(_with_doubt(log_square(0.7) - np.log(8), 8))


def test_the_weak_prior_matters_only_where_there_are_few_squares():
    assert _with_doubt(3.0, 100_000) == pytest.approx(3.0, abs=1e-3)
    assert np.log(3.0) < _with_doubt(3.0, 3) < 3.0


def test_a_learned_variance_widens_the_intervals_of_scores_along_their_stretch():
    given = peerage.fit(ranked(), "PL+G", identified=True, score_variance=learned().score_variance)

    wide, narrow = laplace(learned()), laplace(given)

    assert (wide.score_se >= narrow.score_se - 1e-6).all()
    furthest = np.argmax(np.abs(narrow.location))
    assert wide.score_se[furthest] > 1.01 * narrow.score_se[furthest]
    np.testing.assert_allclose(wide.draws.std(axis=0), wide.score_se, rtol=0.12)


def test_the_mean_square_is_that_of_the_sampler():
    """Of the posterior itself, not of its approximation."""
    sampled = peerage.posterior(learned(), source="sampler", draws=1000)

    square = (sampled.draws**2).sum(axis=1).mean() / (ranked().n_items - 1)
    assert np.log(square) == pytest.approx(np.log(learned().score_variance), abs=0.25)
