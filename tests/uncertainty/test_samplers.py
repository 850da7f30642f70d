"""Samplers against answers that small cases allow to compute outright."""

from itertools import permutations

import numpy as np
import pytest
from uncertainty_cases import orders, ranked, scored

import naive
import peerage
from peerage.uncertainty.sampler import _Target, effective_size, sample, split_rhat


def test_mallows_rankings_have_their_exact_probabilities():
    feedback = peerage.Feedback.from_lists([["x", "y", "z"], ["y", "x", {"z", "w"}], ["w", "z"], ["x", "w"]])
    rankings = [np.array(p, dtype=float) for p in permutations(range(4))]
    weights = np.exp([-naive.objective("MAL", feedback, ranking) for ranking in rankings])
    exact = sum(w * (ranking[:, None] > ranking) for w, ranking in zip(weights, rankings, strict=True))

    known = sample(peerage.fit(feedback, "MAL"), draws=8000, seed=1)

    strict = ~np.eye(4, dtype=bool)
    np.testing.assert_allclose(known.above_matrix()[strict], (exact / weights.sum())[strict], atol=0.02)


def test_mallows_reliabilities_have_their_exact_means():
    """Two items: one grader agrees with each ranking, so both integrals are of one variable."""
    feedback = peerage.Feedback.from_orders([("ada", ["x", "y"]), ("bob", ["x", "y"])])
    eta = np.linspace(1e-4, 8, 4000)
    prior = eta**2 * np.exp(-2 * eta)
    right, wrong = (prior * np.exp(-eta * k) / (1 + np.exp(-eta)) for k in (0, 1))
    chance = right.sum() ** 2 / (right.sum() ** 2 + wrong.sum() ** 2)
    mean = chance * (eta @ right) / right.sum() + (1 - chance) * (eta @ wrong) / wrong.sum()

    model = peerage.Mallows(reliability=True, reliability_shape=3.0, reliability_rate=2.0)
    known = sample(model.fit(feedback), draws=8000, seed=2)

    assert known.above(0, 1) == pytest.approx(chance, abs=0.03)
    assert known.reliability_draws.mean(axis=0) == pytest.approx([mean, mean], rel=0.04)


def grid_of_two_items(wins, losses, reliability):
    """Mean and deviation of the gap of two Plackett-Luce items (one grader), and of log eta, by a grid."""
    gap, u = np.linspace(-25, 25, 1201)[:, None], np.linspace(-2.5, 2, 301)[None, :]
    eta = np.exp(u) if reliability else np.ones((1, 1))
    log = -wins * np.logaddexp(0, -eta * gap) - losses * np.logaddexp(0, eta * gap) - gap**2 / 36
    if reliability:
        log = log + 10 * u - 10 * eta  # the Gamma density of eta, times eta
    weight = np.exp(log - log.max())
    weight /= weight.sum()
    mean = (weight * gap).sum()
    return mean, np.sqrt((weight * (gap - mean) ** 2).sum()), (weight * (u if reliability else 0)).sum()


@pytest.mark.parametrize("code", ["PL", "PL+G"])
def test_scores_of_two_items_have_their_exact_moments(code):
    lists = [("ada", ["x", "y"])] * 3 + [("ada", ["y", "x"])]
    mean, deviation, log_eta = grid_of_two_items(3, 1, code == "PL+G")

    known = sample(peerage.fit(peerage.Feedback.from_orders(lists), code), draws=8000, seed=1)
    gap = known.draws[:, 0] - known.draws[:, 1]

    assert gap.mean() == pytest.approx(mean, abs=0.06)
    assert gap.std() == pytest.approx(deviation, rel=0.05)
    if code == "PL+G":
        assert np.log(known.reliability_draws).mean() == pytest.approx(log_eta, abs=0.03)


@pytest.mark.parametrize("code", ["PL+G", "THUR+G", "MALS+G"])
def test_target_and_gradient_are_those_of_the_naive_posterior(code):
    fitted = peerage.fit(orders(), code)
    target, z = _Target(fitted.mode()), 0.4 * np.random.default_rng(0).standard_normal(5 + 5)

    def value(z):
        point = target.point(z)
        plain = naive.objective(code[:-2], orders(), point[:5], np.exp(point[5:]))
        return plain - point[5:].sum()

    found, gradient = target(z)
    assert found - target(0 * z)[0] == pytest.approx(value(z) - value(0 * z))
    np.testing.assert_allclose(gradient, naive.gradient(value, z), rtol=1e-5, atol=1e-7)


def test_sampler_and_laplace_agree_and_so_do_chains():
    fitted = peerage.fit(ranked(), "PL+G", identified=True)

    drawn, normal = peerage.posterior(fitted, source="sampler"), peerage.posterior(fitted, source="laplace")
    rankings = peerage.posterior(peerage.fit(ranked(), "MAL+G"), source="sampler")

    assert (drawn.score_se / normal.score_se).mean() == pytest.approx(1.0, abs=0.05)
    assert np.abs((drawn.location - normal.location) / normal.score_se).max() < 0.25
    widths = [np.log(np.divide(*known.reliability_interval()[::-1])) for known in (drawn, normal)]
    assert np.mean(widths[0] / widths[1]) == pytest.approx(1.0, abs=0.15)
    for known in (drawn, rankings):
        assert known.diagnostics["scores_rhat"] < 1.05
        assert known.diagnostics["reliabilities_rhat"] < 1.05
        assert known.diagnostics["scores_ess"] > 200


def test_methods_without_a_sampler_are_refused():
    with pytest.raises(peerage.MethodError, match="has no sampler"):
        sample(peerage.fit(scored(), "SCAVG"))


def test_rhat_sees_chains_that_disagree():
    rng = np.random.default_rng(0)
    chains = rng.standard_normal((4, 200, 2))
    chains[0, :, 1] += 3

    good, bad = split_rhat(chains)

    assert good < 1.02
    assert bad > 1.3


def test_effective_size_of_an_autoregressive_chain():
    rng, chains = np.random.default_rng(0), np.zeros((4, 2000, 1))
    for t in range(1, 2000):
        chains[:, t] = 0.8 * chains[:, t - 1] + rng.standard_normal((4, 1))

    assert effective_size(chains)[0] == pytest.approx(8000 * 0.2 / 1.8, rel=0.25)
    assert effective_size(rng.standard_normal((4, 1000, 1)))[0] == pytest.approx(4000, rel=0.2)
