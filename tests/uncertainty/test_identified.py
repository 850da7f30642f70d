"""Posteriors of methods whose lists tell only reliability times score."""

from __future__ import annotations

import numpy as np
import pytest
from uncertainty_cases import few_graders, ranked, scored

import peerage
from peerage.uncertainty import laplace as laplace_module
from peerage.uncertainty.evidence import log_evidence
from peerage.uncertainty.laplace import laplace
from peerage.uncertainty.precision import posterior_precision


def fitted(code="PL+G", feedback=None, **params):
    return peerage.fit(feedback or few_graders(), code, identified=True, **params)


def mean_of_draws(known):
    pairs = known.feedback.grader_strict_pairs
    return known.reliability_draws @ (pairs / pairs.sum())


def test_every_draw_keeps_the_mean_reliability():
    for source in ("laplace", "sampler", "bootstrap"):
        known = peerage.posterior(fitted(), source=source, draws=24, jobs=1)

        np.testing.assert_allclose(mean_of_draws(known), 1.0, rtol=1e-9, err_msg=source)


@pytest.mark.parametrize("code", ["THUR+G", "MALS+G"])
def test_sampler_and_laplace_agree(code):
    model = fitted(code, ranked(), score_variance=3.0)

    sampled = peerage.posterior(model, source="sampler", draws=1200)
    normal = laplace(model, draws=400)

    assert sampled.diagnostics["accepted"] > 0.5
    np.testing.assert_allclose(sampled.location, normal.location, atol=0.35)
    if not model.counts_pairs:  # whose errors are widened
        assert np.mean(sampled.score_se / normal.score_se) == pytest.approx(1.0, abs=0.12)
    low, high = sampled.reliability_interval()
    other_low, other_high = normal.reliability_interval()
    assert np.mean(np.log(high / low) / np.log(other_high / other_low)) == pytest.approx(1.0, abs=0.15)


def test_large_classes_get_the_same_errors_from_draws(monkeypatch):
    model = fitted()
    exact = laplace(model, average=False)
    monkeypatch.setattr(laplace_module, "DENSE_ITEMS", 1)

    drawn = laplace(model, draws=3000, average=False)

    np.testing.assert_allclose(drawn.score_se, exact.score_se, rtol=0.06)
    np.testing.assert_allclose(drawn.log_reliability[1], exact.log_reliability[1], rtol=0.08)
    np.testing.assert_allclose(mean_of_draws(drawn), 1.0, rtol=1e-5)


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


def test_scores_and_mallows_need_no_second_fit():
    for code in ("NCS+G", "MAL+G"):
        model = peerage.fit(scored(), code)
        assert peerage.posterior(model, draws=20).estimator is model


def test_learned_priors_do_not_change_the_form():
    for held in (False, True):
        learned = peerage.learn_priors(few_graders(), peerage.method("PL+G", identified=held))
        assert learned.identified is held


def test_the_evidence_does_not_switch_the_prior_off():
    made = peerage.simulate(
        items=150, graders=8, per_grader=60, model="bt", sd=1.0, reliability_shape=5, seed=3
    )
    own = peerage.learn_priors(made.feedback(), peerage.method("BT+G", identified=True))

    assert 0.5 < own.score_variance < 2.0
    assert np.isfinite(log_evidence(own))


@pytest.mark.parametrize("code", ["PL+G", "MALS+G"])
def test_grade_holds_the_mean_whatever_the_method(code):
    feedback = few_graders()

    graded = peerage.grade(feedback, method=code)
    paper = peerage.grade(feedback, method=code, params={"identified": False})

    assert graded.fitted.identified
    assert graded.method.params["identified"] is True
    pairs = feedback.grader_strict_pairs
    assert graded.fitted.reliabilities_ @ pairs / pairs.sum() == pytest.approx(1.0, rel=1e-9)
    assert not paper.fitted.identified
