"""Models that nobody has heard of go through everything: they only say what they can do."""

from __future__ import annotations

import json

import numpy as np
import pytest

import peerage
from peerage import Feedback, posterior
from peerage._numba import kernel
from peerage.grading.comparison import compare_methods
from peerage.grading.explanation import explain
from peerage.grading.items import item_ranks, reading_order
from peerage.grading.output.results_json import record
from peerage.models.base import Estimator
from peerage.models.smooth.model import SmoothModel
from peerage.report import report_html
from peerage.simulation.classes import simulate


class MedianScore(Estimator):
    """The median of the scores that an item got."""

    score_scale = "grading"
    needs_scores = True

    def __init__(self) -> None:
        pass

    def _fit(self, feedback):
        scores = [feedback.scores[feedback.items == item] for item in range(feedback.n_items)]
        everywhere = np.median(feedback.scores)
        self.scores_ = np.array([np.median(one) if len(one) else everywhere for one in scores])
        self.reliabilities_ = np.ones(feedback.n_graders)
        self.objective_, self.converged_, self.n_iter_ = 0.0, True, 1


class Copeland(Estimator):
    """Comparisons won less comparisons lost: an order without any chances."""

    def __init__(self, *, wins: float = 1.0) -> None:
        self.wins = wins

    def _fit(self, feedback):
        self.scores_ = np.zeros(feedback.n_items)
        for low, high in zip(feedback.list_starts[:-1], feedback.list_starts[1:], strict=True):
            place = np.cumsum(feedback.bucket_starts[low:high])
            leads = np.sign(place - place[:, None])
            self.scores_[feedback.items[low:high]] += self.wins * leads.sum(axis=1)
        self.reliabilities_ = np.ones(feedback.n_graders)
        self.objective_, self.converged_, self.n_iter_ = 0.0, True, 1


@kernel
def steep_value_and_gradient(x, t, bucket_starts, starts, options, value, grad, grad_t):
    grad[:] = 0.0
    for which in range(len(starts) - 1):
        value[which] = 0.0
        for e in range(starts[which], starts[which + 1]):
            bucket_open = False
            for f in range(e + 1, starts[which + 1]):
                bucket_open = bucket_open or bucket_starts[f]
                if bucket_open:
                    lost = 1.0 / (1.0 + np.exp(2.0 * (x[e] - x[f])))
                    value[which] += np.log(1.0 - lost)
                    grad[e] += 2.0 * lost
                    grad[f] -= 2.0 * lost


@kernel
def steep_hessian_product(x, t, bucket_starts, starts, options, v, v_t, out, out_t):
    out[:] = 0.0
    for which in range(len(starts) - 1):
        for e in range(starts[which], starts[which + 1]):
            bucket_open = False
            for f in range(e + 1, starts[which + 1]):
                bucket_open = bucket_open or bucket_starts[f]
                if bucket_open:
                    lost = 1.0 / (1.0 + np.exp(2.0 * (x[e] - x[f])))
                    pull = 4.0 * lost * (1.0 - lost) * (v[e] - v[f])
                    out[e] -= pull
                    out[f] += pull


class Steep(SmoothModel):
    """Bradley-Terry on a scale of its own: P(i over j) = 1 / (1 + exp(-2 (s_i - s_j)))."""

    value_and_gradient = staticmethod(steep_value_and_gradient)
    hessian_product = staticmethod(steep_hessian_product)
    counts_pairs = True

    @staticmethod
    def inverse_link(x):
        return 1.0 / (1.0 + np.exp(-2.0 * x))

    def __init__(
        self, *, reliability=False, score_variance=9.0, reliability_shape=10.0, reliability_rate=10.0,
        tol=1e-8, max_iter=200,
    ) -> None:  # fmt: skip
        self.reliability, self.score_variance = reliability, score_variance
        self.reliability_shape, self.reliability_rate = reliability_shape, reliability_rate
        self.tol, self.max_iter = tol, max_iter


MODELS = [MedianScore(), Copeland(), Steep(), Steep(reliability=True)]
CODES = ["MEDIANSCORE", "COPELAND", "STEEP", "STEEP+G"]
WORDS = [
    "A score is on the graders' own scale: what the class as a whole would give.",
    "A score has no unit: only differences count, and 0 is the middle of the task.",
    "put first by a typical reviewer 88 times in 100.",
    "put first by a typical reviewer 87 times in 100.",  # its typical reliability is 0.95, not 1
]
each_model = pytest.mark.parametrize(("model", "code"), list(zip(MODELS, CODES, strict=True)), ids=CODES)


@pytest.fixture(scope="module")
def feedback() -> Feedback:
    made = simulate(items=10, graders=14, per_grader=5, seed=2)
    return made.feedback()


@each_model
def test_it_grades_a_class_and_the_report_shows_it(model, code, feedback):
    result = peerage.grade(
        feedback, method=model, scale="0:10", curve="6:1.5", letters="A:30%,B:70%", bootstrap=12
    )

    best = result.items.row(0, named=True)
    assert result.method.code == code
    assert result.sentences["method"].startswith(f"{code}, as asked for")
    assert best["points_low"] <= best["points"] <= best["points_high"]
    assert f"Other methods beside {code}" in report_html(result)
    json.dumps(record(result), allow_nan=False)


@pytest.mark.parametrize(("model", "words"), list(zip(MODELS, WORDS, strict=True)), ids=CODES)
def test_its_scores_are_explained_by_what_it_says_of_them(model, words, feedback):
    result = peerage.grade(feedback, method=model)

    assert result.sentences["score"].endswith(words)
    assert ("bias" in result.graders.columns) == (model.score_scale == "grading")


@each_model
def test_it_explains_an_item_and_stands_beside_other_methods(model, code, feedback):
    fitted = type(model)(**model.get_params()).fit(feedback)
    item = feedback.item_labels[0]

    found = explain(fitted, item)
    order = reading_order(feedback, item_ranks(feedback, fitted.scores_))
    beside = compare_methods(fitted, code, order, ["NCS+G", "PL"], lambda step: None)

    assert f"{item} is number {found.rank} of 10" in found.sentences()[0]
    assert beside.codes == (code, "NCS+G", "PL")


def test_a_smooth_one_has_its_uncertainty_from_its_own_curvature(feedback):
    fitted = Steep(reliability=True).fit(feedback)

    known = posterior(fitted)

    assert (known.source, posterior(Copeland().fit(feedback)).source) == ("laplace", "bootstrap")
    assert (known.score_se > 0).all()


def test_a_smooth_one_is_fitted_to_its_optimum(feedback):
    """On its scale, Bradley-Terry with four times the variance halved."""
    steep = Steep(score_variance=1.0).fit(feedback)

    other = peerage.BradleyTerry(score_variance=4.0).fit(feedback)

    np.testing.assert_allclose(2 * steep.scores_, other.scores_, atol=1e-6)


def test_priors_of_a_smooth_one_can_be_learned(feedback):
    learned = peerage.grade(feedback, method=Steep(), prior="learn").method
    neither = peerage.grade(feedback, method=Copeland(), prior="learn").method

    assert learned.params["score_variance"] != 9.0
    assert "learned from this class" in learned.reason
    assert "learned" not in neither.reason
