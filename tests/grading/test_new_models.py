"""Models that nobody has heard of go through everything: they only say what they can do."""

import json

import numpy as np
import pytest

import peerage
from peerage import Feedback, posterior
from peerage.grading.comparison import compare_methods
from peerage.grading.explanation import explain
from peerage.grading.items import item_ranks, reading_order
from peerage.grading.output.results_json import record
from peerage.models.base import Estimator
from peerage.models.smooth import bradley_terry
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


class Newcomer(SmoothModel):
    """Bradley-Terry's likelihood under another name, with a chance of winning of its own."""

    value_and_gradient = staticmethod(bradley_terry.value_and_gradient)
    hessian_product = staticmethod(bradley_terry.hessian_product)
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

    def options(self):
        return (False, False, peerage.BradleyTerry()._tie_options())


MODELS = {
    "MEDIANSCORE": (MedianScore(), "on the graders' own scale: what the class as a whole would give."),
    "COPELAND": (Copeland(), "has no unit: only differences count, and 0 is the middle of the task."),
    "NEWCOMER": (Newcomer(), "put first by a typical reviewer 88 times in 100."),
    # its typical reliability is 0.95, not 1
    "NEWCOMER+G": (Newcomer(reliability=True), "put first by a typical reviewer 87 times in 100."),
}


@pytest.fixture(scope="module")
def feedback() -> Feedback:
    return simulate(items=10, graders=14, per_grader=5, seed=2).feedback()


@pytest.mark.parametrize("code", MODELS)
def test_it_grades_a_class_and_the_report_shows_it(code, feedback):
    model, words = MODELS[code]

    result = peerage.grade(
        feedback, method=model, scale="0:10", curve="6:1.5", letters="A:30%,B:70%", bootstrap=12
    )

    best = result.items.row(0, named=True)
    assert result.method.code == code
    assert result.sentences["method"].startswith(f"{code}, as asked for")
    assert best["points_low"] <= best["points"] <= best["points_high"]
    assert f"Other methods beside {code}" in report_html(result)
    assert ("bias" in result.graders.columns) == (model.score_scale == "grading")
    json.dumps(record(result), allow_nan=False)
    assert peerage.grade(feedback, method=model).sentences["score"].endswith(words)


@pytest.mark.parametrize("code", MODELS)
def test_it_explains_an_item_and_stands_beside_other_methods(code, feedback):
    model, _ = MODELS[code]
    fitted = type(model)(**model.get_params()).fit(feedback)
    item = feedback.item_labels[0]

    found = explain(fitted, item)
    order = reading_order(feedback, item_ranks(feedback, fitted.scores_))
    beside = compare_methods(fitted, code, order, ["NCS+G", "PL"], lambda step: None)

    assert f"{item} is number {found.rank} of 10" in found.sentences()[0]
    assert beside.codes == (code, "NCS+G", "PL")


@pytest.mark.parametrize("source", ["laplace", "sampler", "bootstrap"])
def test_a_smooth_one_has_its_optimum_and_every_source_of_uncertainty(source, feedback):
    own, twin = (model().fit(feedback) for model in (Newcomer, peerage.BradleyTerry))

    known, expected = (posterior(fitted, source=source, draws=12, jobs=1) for fitted in (own, twin))

    np.testing.assert_allclose(own.scores_, twin.scores_, atol=1e-6)
    np.testing.assert_allclose(known.score_se, expected.score_se, rtol=1e-5)
    np.testing.assert_allclose(known.draws, expected.draws, atol=1e-4)
    assert known.source == expected.source == source


def test_the_source_is_that_which_the_model_can_have(feedback):
    assert posterior(Newcomer(reliability=True).fit(feedback)).source == "laplace"
    assert posterior(Copeland().fit(feedback)).source == "bootstrap"


def test_priors_of_a_smooth_one_can_be_learned(feedback):
    learned = peerage.grade(feedback, method=Newcomer(), prior="learn").method
    neither = peerage.grade(feedback, method=Copeland(), prior="learn").method

    assert learned.params["score_variance"] != 9.0
    assert "learned from this class" in learned.reason
    assert "learned" not in neither.reason
