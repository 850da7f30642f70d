"""Plackett-Luce with modelled ties: good for the order of scores, borrowed for all that means a size."""

import numpy as np
import pytest

import peerage

# Scores in steps of two: a third of the pairs are tied.
TIED = peerage.simulate(items=30, graders=40, per_grader=6, reliability_shape=5, step=2.0, seed=0).feedback()


def fits(feedback):
    return [peerage.fit(feedback, "PL+G", ties=ties, identified=True) for ties in ("indifferent", "model")]


@pytest.fixture(scope="module")
def fitted():
    """With ties left out and modelled."""
    return fits(TIED)


def test_reliabilities_are_those_of_indifferent_ties(fitted):
    plain, tied = fitted

    np.testing.assert_allclose(tied.reliabilities_, plain.reliabilities_, rtol=1e-6)
    assert not np.allclose(tied.scores_, plain.scores_, atol=1e-2)


def test_scores_are_those_of_modelled_ties_in_another_unit(fitted):
    _, tied = fitted
    objective = peerage.method("PL+G", ties="model").objective(TIED)

    unit = 1.0
    for _ in range(60):  # the unit at which the gradient along the scores vanishes
        objective.evaluate(unit * tied.scores_, tied.reliabilities_)
        unit -= objective.gradient() @ tied.scores_ / (tied.scores_ @ objective.hessian_product(tied.scores_))
    objective.evaluate(unit * tied.scores_, tied.reliabilities_)

    assert unit < 0.95
    assert np.abs(objective.gradient()).max() < 1e-5


def test_the_unit_is_the_likeliest_for_strict_pairs(fitted):
    plain, tied = fitted
    objective = plain.objective(TIED)

    values = [objective.evaluate(unit * tied.scores_, tied.reliabilities_) for unit in (0.97, 1.0, 1.03)]

    assert values[1] == min(values)


def test_the_posterior_moves_as_the_scores_do_and_has_the_errors_of_indifferent_ties(fitted):
    plain, tied = fitted

    own, borrowed = (peerage.posterior(model, draws=200) for model in (plain, tied))

    moved, mode = borrowed.location - own.location, plain.scores_
    expected = tied.scores_ * (tied.scores_ @ mode) / (tied.scores_ @ tied.scores_) - mode
    np.testing.assert_allclose(moved, expected, atol=1e-4)
    np.testing.assert_allclose(borrowed.score_se, own.score_se, rtol=1e-5)
    np.testing.assert_allclose(borrowed.reliability_interval()[0], own.reliability_interval()[0], rtol=1e-4)


def test_without_ties_both_are_the_same():
    feedback = peerage.simulate(items=12, graders=20, per_grader=5, model="pl", seed=1).feedback()

    plain, tied = fits(feedback)

    np.testing.assert_array_equal(plain.scores_, tied.scores_)


def test_the_evidence_is_that_of_indifferent_ties():
    plain, tied = (
        peerage.learn_priors(TIED, peerage.method("PL+G", ties=ties, identified=True))
        for ties in ("indifferent", "model")
    )

    assert tied.score_variance == pytest.approx(plain.score_variance, rel=1e-4)
