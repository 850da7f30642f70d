"""Scores and orders together, against the objective written out."""

import numpy as np
import polars as pl
import pytest
from cardinal import cardinal, score_frame, score_objective
from model_cases import feedback_of
from scipy.optimize import minimize

import naive
from peerage import Combined, Feedback, MethodError, NormalScores, PlackettLuce, method
from peerage.metrics.accuracy import tau_error_by_task
from peerage.models.combined import SumObjective
from peerage.models.normal.objective import ScoreObjective
from peerage.models.normal.reviews import reviews_of

UNEVEN = {"seed": 1, "tasks": 2, "gaps": True, "weights": True}
CASES = [
    ({}, "indifferent", True), ({}, "model", False), ({"seed": 2, "scale": 100.0}, "indifferent", True),
    *[(UNEVEN, ties, reliability) for ties in ("indifferent", "model") for reliability in (False, True)],
]  # fmt: skip


def joint_objective(fitted, feedback, theta, b, eta, sharpness, ties="indifferent"):
    """As documented; theta is the item's score on the grading scale."""
    variances = fitted.item_variance_, fitted.bias_variance_, fitted.noise_variance_
    means = fitted.prior_means_
    total = score_objective(feedback, theta, b, eta, means, variances, graders=fitted.reliability)
    s = sharpness * (theta - means)
    for order in naive.orders_of(feedback):
        total -= order.weight * naive.plackett_luce(order, s, eta[order.grader], ties=ties)
    return total + np.log(sharpness**2 * fitted.item_variance_ / fitted.score_variance) ** 2 / 8


@pytest.mark.parametrize(("options", "ties", "reliability"), CASES)
def test_objective_is_the_one_documented_and_stationary(options, ties, reliability):
    feedback = feedback_of(score_frame(**options))
    fitted = Combined(reliability=reliability, ties=ties).fit(feedback)
    n, m = feedback.n_items, feedback.n_graders
    point = np.concatenate(
        [fitted.scores_, [np.log(fitted.sharpness_)], fitted.biases_, fitted.reliabilities_]
    )

    def joint(p):
        b, eta = p[n + 1 : n + 1 + m], p[n + 1 + m :]
        return joint_objective(fitted, feedback, p[:n], b, eta, np.exp(p[n]), ties)

    gradient = np.delete(naive.gradient(joint, point), n)[: None if reliability else n]  # sharpness given

    assert fitted.objective_ == pytest.approx(joint(point), rel=1e-10)
    assert np.abs(gradient).max() <= 1e-5
    assert fitted.converged_


def minus_log_evidence(fitted, feedback, sharpness):
    """By Laplace's method in scores in units of their deviation, biases and log reliabilities."""
    n, m = feedback.n_items, feedback.n_graders
    unit = fitted.item_variance_**0.5

    def joint(p):
        theta = fitted.prior_means_ + unit * p[:n]
        return joint_objective(fitted, feedback, theta, p[n : n + m], np.exp(p[n + m :]), sharpness)

    near = (fitted.scores_ - fitted.prior_means_) / unit, fitted.biases_, np.log(fitted.reliabilities_)
    found = minimize(joint, np.concatenate(near), method="BFGS", options={"gtol": 1e-5})
    steps = 1e-3 * np.eye(n + 2 * m)
    slopes = [naive.gradient(joint, found.x + step) - naive.gradient(joint, found.x - step) for step in steps]
    return found.fun + 0.5 * np.linalg.slogdet(np.array(slopes) / 2e-3)[1]


def test_the_sharpness_has_the_largest_evidence():
    feedback = feedback_of(score_frame(seed=3, items=5, graders=4, length=3))
    fitted = Combined(reliability=True).fit(feedback)
    moves = (-0.3, 0.0, 0.3)

    left, middle, right = (
        minus_log_evidence(fitted, feedback, fitted.sharpness_ * np.exp(move)) for move in moves
    )

    assert 0.5 * (left - right) / (left - 2 * middle + right) * 0.3 == pytest.approx(0.0, abs=0.04)


def test_a_sum_is_the_sum_of_its_parts():
    feedback = feedback_of(score_frame(seed=4, gaps=True))
    orders = PlackettLuce().objective(feedback)
    scores = ScoreObjective(
        reviews_of(feedback, feedback.scores), feedback.n_items, precision=0.0, bias_variance=0.5
    )
    both = SumObjective(orders, scores)
    s, eta = np.linspace(-1, 1, feedback.n_items), np.linspace(0.5, 2, feedback.n_graders)

    value = both.evaluate(s, eta)

    assert value == pytest.approx(orders.evaluate(s, eta) + scores.evaluate(s, eta))
    np.testing.assert_allclose(both.gradient(), naive.gradient(lambda p: both.evaluate(p, eta), s), rtol=1e-6)
    both.evaluate(s, eta)
    both.scale_derivatives()
    moves = np.linspace(-1, 1, feedback.n_graders)
    np.testing.assert_allclose(both.hessian() @ s, both.hessian_product(s), rtol=1e-9)
    np.testing.assert_allclose(both.mixed_matrix() @ moves, both.mixed_by_item(moves), rtol=1e-9)


@pytest.mark.parametrize("reliability", [False, True])
def test_extremes_converge(reliability):
    for score in ([7.0] * 4, [9.0, 1.0, 9.0, 1.0], [1.0, 9.0, 1.0, 9.0], [1000.0, 0.0, 3.0, 2.0]):
        feedback = Feedback.from_columns(list("aabb"), list("xyxy"), rank=[1, 2, 1, 2], score=score)

        fitted = Combined(reliability=reliability).fit(feedback)

        assert np.all(np.isfinite(fitted.scores_)), score
        assert 0 < fitted.sharpness_ < np.inf, score


def test_scores_alone_are_refused():
    with pytest.raises(MethodError, match="the order only follows from the scores: use NormalScores"):
        Combined().fit(cardinal())


def test_together_is_better_than_either_alone_on_real_data(datasets):
    table = pl.read_csv(datasets / "dots30" / "feedback.csv", infer_schema_length=None)
    feedback = Feedback.from_columns(
        **{name: table[name] for name in ("grader", "item", "task", "score", "rank")}
    )
    known = pl.read_csv(datasets / "dots30" / "truth.csv").select(
        "task", pl.col("item").cast(pl.String), "score"
    )
    items = {"task": feedback.task_labels.gather(feedback.item_tasks), "item": feedback.item_labels}
    truth = pl.DataFrame(items).join(known, on=["task", "item"], how="left", maintain_order="left")["score"]
    learned = NormalScores(reliability=True, variances="learn")

    both, learned, normal, average, orders = (
        tau_error_by_task(feedback, truth.cast(pl.Float64).to_numpy(), model.fit(feedback).scores_)
        for model in (Combined(reliability=True), learned, method("NCS+G"), method("SCAVG"), method("PL+G"))
    )

    assert both < learned < min(normal, orders)
    assert normal < average
