"""Posteriors of methods whose lists tell only reliability times score."""

import numpy as np
import pytest
from uncertainty_cases import few_graders, scored

import peerage
from peerage.uncertainty.evidence import log_evidence
from peerage.uncertainty.precision import posterior_precision


def fitted():
    return peerage.fit(few_graders(), "PL+G", identified=True)


def test_every_draw_keeps_the_mean_reliability():
    pairs = few_graders().grader_strict_pairs

    for source in ("laplace", "sampler", "bootstrap"):
        known = peerage.posterior(fitted(), source=source, draws=24, jobs=1)
        means = known.reliability_draws @ pairs / pairs.sum()
        np.testing.assert_allclose(means, 1.0, rtol=1e-9, err_msg=source)


def test_curvature_by_products_is_the_matrix():
    curvature = posterior_precision(fitted().mode())
    matrix = curvature.dense()

    np.testing.assert_allclose(curvature.times(np.eye(len(matrix))), matrix, atol=1e-12)
    np.testing.assert_allclose(curvature.diagonal(), np.diag(matrix), atol=1e-12)
    np.testing.assert_allclose(matrix, fitted().mode().profile.hessian(), atol=1e-4)


def test_a_paper_fit_is_fitted_again_and_says_so():
    paper = peerage.fit(few_graders(), "PL+G")

    known = peerage.posterior(paper, draws=20)

    assert known.estimator.identified
    assert "mean reliability held at 1" in known.note
    np.testing.assert_allclose(known.location, peerage.posterior(fitted(), draws=20).location)
    assert "held at 1" not in peerage.posterior(fitted(), draws=20).note
    for code in ("NCS+G", "MAL+G"):  # have a scale
        model = peerage.fit(scored(), code)
        assert peerage.posterior(model, draws=20).estimator is model


def test_learned_priors_do_not_change_the_form():
    for held in (False, True):
        learned = peerage.learn_priors(few_graders(), peerage.method("PL+G", identified=held))
        assert learned.identified is held


def test_the_evidence_does_not_switch_the_prior_off():
    shape = {"items": 150, "graders": 8, "per_grader": 60, "model": "bt"}
    made = peerage.simulate(**shape, sd=1.0, reliability_shape=5, seed=3)

    own = peerage.learn_priors(made.feedback(), peerage.method("BT+G", identified=True))

    assert 0.5 < own.score_variance < 2.0
    assert np.isfinite(log_evidence(own))


def test_grade_holds_the_mean():
    feedback = few_graders()

    graded = peerage.grade(feedback, method="PL+G")
    paper = peerage.grade(feedback, method="PL+G", params={"identified": False})

    pairs = feedback.grader_strict_pairs
    assert graded.method.params["identified"] is True
    assert graded.fitted.reliabilities_ @ pairs / pairs.sum() == pytest.approx(1.0, rel=1e-9)
    assert not paper.fitted.identified
