"""Priors learned from the data."""

import math

import numpy as np
import pytest
from uncertainty_cases import ranked, scored

import peerage
from peerage.uncertainty import evidence as module
from peerage.uncertainty.evidence import equal_reliabilities, learn_priors, log_evidence
from peerage.uncertainty.variational import evidence_bound, fit_normal


def test_evidence_of_two_items_is_nearly_the_integral():
    lists = [("ada", ["x", "y"])] * 3 + [("bob", ["y", "x"])] * 2
    fitted = peerage.fit(peerage.Feedback.from_orders(lists), "PL", score_variance=1.0)
    gap = np.linspace(-12, 12, 4001)
    likelihood = np.exp(-3 * np.logaddexp(0, -gap) - 2 * np.logaddexp(0, gap))
    prior = np.exp(-(gap**2) / 4) / np.sqrt(4 * np.pi)  # of a gap of two scores of variance 1

    exact = np.log(np.sum(likelihood * prior) * (gap[1] - gap[0]))

    assert log_evidence(fitted) == pytest.approx(exact, abs=0.03)


def test_evidence_of_reliabilities_is_nearly_the_integral():
    lists = [("ada", ["x", "y"])] * 4 + [("ada", ["y", "x"])] * 2
    fitted = peerage.fit(peerage.Feedback.from_orders(lists), "PL+G", score_variance=1.0)
    gap, u = np.linspace(-12, 12, 1201)[:, None], np.linspace(-3, 2.5, 1101)[None, :]
    eta = np.exp(u)
    log = -4 * np.logaddexp(0, -eta * gap) - 2 * np.logaddexp(0, eta * gap) - gap**2 / 4
    density = 10 * np.log(10) - np.log(362880.0) + 10 * u - 10 * eta  # Gamma(10, 10), in log eta
    cell = 0.02 * 0.005 / np.sqrt(4 * np.pi)

    assert log_evidence(fitted) == pytest.approx(np.log(np.exp(log + density).sum() * cell), abs=0.06)


@pytest.mark.parametrize("shape", [5.0, 50.0])
def test_the_bound_of_the_evidence_is_just_below_the_integral(shape):
    lists = [("ada", ["x", "y"])] * 7 + [("ada", ["y", "x"])]
    lists += [("bob", ["x", "y"])] * 5 + [("bob", ["y", "x"])] * 3
    prior = {"score_variance": 1.0, "reliability_shape": shape, "reliability_rate": shape}
    mode = peerage.fit(peerage.Feedback.from_orders(lists), "PL+G", identified=True, **prior).mode()
    gap, u = np.linspace(-12, 12, 1201)[:, None], np.linspace(-4, 4, 1601)[None, :]  # u: log of the ratio
    ada, bob = 2 / (1 + np.exp(-u)), 2 / (1 + np.exp(u))
    log = -7 * np.logaddexp(0, -ada * gap) - np.logaddexp(0, ada * gap) - gap**2 / 4
    log += -5 * np.logaddexp(0, -bob * gap) - 3 * np.logaddexp(0, bob * gap)
    share = math.lgamma(2 * shape) - 2 * math.lgamma(shape) + shape * (np.log(ada / 2) + np.log(bob / 2))
    exact = np.log(np.exp(log + share).sum() * 0.02 * 0.005 / np.sqrt(4 * np.pi))

    bound = evidence_bound(mode, fit_normal(mode, np.random.default_rng(0)), np.random.default_rng(1))

    assert exact - 0.02 < bound < exact


@pytest.mark.parametrize(("reliability", "likely"), [([1, 1, 1], True), ([1.3, 1.3, 1.3, 0.1], False)])
def test_judges_with_long_lists_show_whether_they_are_alike(reliability, likely):
    rng = np.random.default_rng(8)
    truth = rng.normal(0, 1.7, 40)
    lists = [np.argsort(-(eta * truth + rng.gumbel(size=40))) for eta in reliability]
    judged = peerage.Feedback.from_lists([row.tolist() for row in lists])
    differ = peerage.method("PL+G", identified=True, reliability_shape=5.0, reliability_rate=5.0)

    _, probability = equal_reliabilities(learn_priors(judged, differ))

    assert probability > 0.6 if likely else probability < 0.05


@pytest.mark.parametrize("spread", [0.5, 2.0])
def test_the_variance_behind_a_class_is_found(spread):
    made = peerage.simulate(items=60, graders=200, per_grader=6, model="pl", sd=spread, seed=3)
    truth = made.truth["score"].to_numpy().var()

    learned = learn_priors(made.feedback(), peerage.method("PL+G"))

    assert np.log(learned.score_variance / truth) == pytest.approx(0, abs=0.5)


def test_a_large_class_has_the_same_evidence_by_random_signs(monkeypatch):
    made = peerage.simulate(items=300, graders=300, per_grader=6, model="pl", sd=1.5, seed=3).feedback()
    near, far = (peerage.fit(made, "PL", score_variance=v) for v in (2.0, 0.2))
    exact = log_evidence(near) - log_evidence(far)
    monkeypatch.setattr(module, "DENSE_ITEMS", 10)

    assert log_evidence(near) - log_evidence(far) == pytest.approx(exact, rel=0.05)


def test_methods_learn_what_they_have_and_come_back_fitted():
    given = peerage.fit(ranked(), "PL+G")
    scores = learn_priors(scored(), peerage.method("NCS+G"))

    assert peerage.posterior(given, prior="learn", draws=10).estimator.score_variance != 9.0
    assert given.score_variance == 9.0
    assert scores.variances == "learn"
    assert scores.score_variance_ != 9.0
    assert learn_priors(scored(), peerage.method("SCAVG")).converged_
    with pytest.raises(peerage.MethodError, match="no prior that the evidence"):
        log_evidence(peerage.fit(scored(), "NCS"))
