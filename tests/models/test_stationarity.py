"""The smooth models: derivatives by differences, and fits that are optima of the naive objective.

Every variant is tried: with and without reliability, ties left out or modelled, all pairs or adjacent ones,
with and without margin, always with weights, ties, two tasks and graders with several lists.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pytest
from model_cases import SMOOTH, make, orders_alone, some_class

import naive
from peerage.models import thresholds
from peerage.models.feedback_parts import FeedbackParts
from peerage.models.smooth import blocks
from peerage.models.solver import newton
from peerage.models.solver import threads as threads_module
from peerage.models.solver.scales import BestScales

CHOICES = {
    "BT": {"ties": ("indifferent", "half", "model"), "pairs": ("all", "adjacent"), "margin": (False, True)},
    "THUR": {"ties": ("indifferent", "model"), "pairs": ("all", "adjacent"), "margin": (False, True)},
    "PL": {"ties": ("indifferent", "model"), "margin": (False, True)},
    "MALS": {},
}
VARIANTS = [
    pytest.param(code, dict(zip(choices, values, strict=True)), id="-".join(map(str, [code, *values])))
    for code, choices in CHOICES.items()
    for values in product(*choices.values())
]
every_variant = pytest.mark.parametrize(("code", "options"), VARIANTS)
# pairs and margin are no other search: for SciPy, which is slow, the ways to take ties are enough


def weighted_class(**shape):
    return some_class(**{"items": 5, "graders": 6, "length": 4, "tasks": 2, "weights": True} | shape)


def somewhere(objective, seed=4):
    """A point off the optimum: scores and scales."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=objective.n_items), rng.uniform(0.4, 1.8, objective.n_graders)


def jacobian(gradient, point, step=1e-3):
    """Row i is the change of the gradient with part i of the point."""

    def row(move):
        near, far = (gradient(point + h * move) - gradient(point - h * move) for h in (step, 2 * step))
        return (8 * near - far) / (12 * step)

    return np.array([row(move) for move in np.eye(len(point))])


# -- derivatives ------------------------------------------------------------------------------------------


@every_variant
def test_value_is_the_naive_one_and_gradients_are_the_numerical_ones(code, options):
    feedback, model = weighted_class(), make(code, **options)
    objective = model.objective(feedback)
    scores, scales = somewhere(objective)

    value = objective.evaluate(scores, scales) + model.prior().value(scales)
    by_score, by_scale = objective.gradient(), objective.scale_derivatives()[0]

    reference = naive.objective(code, feedback, scores, scales**model.power, **options)
    assert value == pytest.approx(reference, rel=1e-12)
    numerical = naive.gradient(lambda s: objective.evaluate(s, scales), scores, step=1e-3)
    np.testing.assert_allclose(by_score, numerical, atol=1e-8)
    numerical = naive.gradient(lambda a: objective.evaluate(scores, a), scales, step=1e-3)
    np.testing.assert_allclose(by_scale, numerical, atol=1e-8)


@every_variant
def test_hessian_is_the_numerical_one(code, options):
    objective = make(code, **options).objective(weighted_class())
    scores, scales = somewhere(objective)

    def gradient(point):
        objective.evaluate(point, scales)
        return objective.gradient()

    numerical = jacobian(gradient, scores)
    objective.evaluate(scores, scales)
    np.testing.assert_allclose(objective.hessian(), numerical, atol=1e-7)
    np.testing.assert_allclose(objective.exact_diagonal(), np.diag(objective.hessian()), rtol=1e-12)
    direction = np.random.default_rng(5).normal(size=len(scores))
    np.testing.assert_allclose(objective.hessian_product(direction), numerical @ direction, atol=1e-7)


@every_variant
def test_mixed_and_scale_curvature_are_the_numerical_ones(code, options):
    objective = make(code, **options).objective(weighted_class())
    scores, scales = somewhere(objective)

    def gradient(point):
        objective.evaluate(scores, point)
        return np.append(objective.gradient(), objective.scale_derivatives()[0])

    numerical = jacobian(gradient, scales)
    gradient(scales)
    _, second = objective.scale_derivatives()
    np.testing.assert_allclose(numerical[:, len(scores) :], np.diag(second), atol=1e-7)
    matrix = objective.mixed_matrix()
    np.testing.assert_allclose(numerical[:, : len(scores)].T, matrix, atol=1e-7)
    direction, moves = somewhere(objective, seed=6)
    np.testing.assert_allclose(objective.mixed_by_grader(direction), matrix.T @ direction, atol=1e-12)
    np.testing.assert_allclose(objective.mixed_by_item(moves), matrix @ moves, atol=1e-12)


@every_variant
def test_hessian_with_reliabilities_at_their_best_is_the_numerical_one(code, options):
    model = make(f"{code}+G", **options)
    profile = BestScales(model.objective(weighted_class()), model.prior())
    scores, start = somewhere(profile.objective)

    def gradient(point):
        profile.evaluate(point, start)
        return profile.gradient()

    numerical = jacobian(gradient, scores)
    profile.evaluate(scores, start)
    np.testing.assert_allclose(profile.hessian(), numerical, atol=1e-5)
    np.testing.assert_allclose(profile.hessian_product(scores), profile.hessian() @ scores, atol=1e-10)


# -- the returned point ---------------------------------------------------------------------------------


@every_variant
@pytest.mark.parametrize("gee", ["", "+G"], ids=["plain", "+G"])
def test_the_fit_is_stationary_under_the_naive_objective(code, options, gee):
    feedback = weighted_class()
    fitted = make(code + gee, **options).fit(feedback)
    scores, eta = fitted.scores_, fitted.reliabilities_ if gee else None

    def value(scores, eta):
        return naive.objective(code, feedback, scores, eta, **options)

    by_score = naive.gradient(lambda s: value(s, eta), scores, step=1e-3)

    assert fitted.objective_ == pytest.approx(value(scores, eta), rel=1e-12)
    np.testing.assert_allclose(by_score, 0, atol=1e-5)
    if gee:
        by_eta = naive.gradient(lambda e: value(scores, e), eta, step=1e-3)
        np.testing.assert_allclose(by_eta, 0, atol=1e-5)


@pytest.mark.parametrize("code", CHOICES)
def test_reliabilities_of_one_are_no_reliabilities(code):
    """A prior that holds every eta at one: rate and shape - 1 both huge."""
    feedback, firm = weighted_class(), {"reliability_shape": 1e10 + 1, "reliability_rate": 1e10}

    held, plain = make(f"{code}+G", **firm).fit(feedback), make(code).fit(feedback)

    np.testing.assert_allclose(held.reliabilities_, 1, atol=1e-7)
    np.testing.assert_allclose(held.scores_, plain.scores_, atol=1e-5)


@pytest.mark.parametrize("code", SMOOTH)
def test_a_search_from_the_estimate_stays_there(code):
    fitted = make(code).fit(weighted_class())
    profile = fitted.profile(fitted.feedback_)

    again = newton.minimise(profile, fitted.scores_, tol=fitted.tol, max_iter=5)

    assert again.n_iter == 0
    assert again.value == pytest.approx(fitted.objective_, rel=1e-13)
    np.testing.assert_allclose(profile.by_grader()[0] ** fitted.power, fitted.reliabilities_, rtol=1e-9)


@pytest.mark.parametrize("code", ["BT", "THUR", "PL"])
def test_the_start_does_not_matter(code, monkeypatch):
    feedback, usual, astray = weighted_class(), make(code), make(code)
    monkeypatch.setattr(astray, "start_of", lambda met, lost: np.linspace(30, -30, len(met)))

    usual.fit(feedback), astray.fit(feedback)

    np.testing.assert_allclose(astray.scores_, usual.scores_, atol=1e-6)


# -- two ways to one answer -------------------------------------------------------------------------------


@pytest.mark.parametrize("code", SMOOTH)
def test_dense_and_matrix_free_steps_over_one_block_and_several_agree(code, monkeypatch):
    feedback = weighted_class(items=20, graders=40)
    usual = make(code).fit(feedback)
    for limit in ("DENSE_ITEMS", "ONE_PART"):
        with monkeypatch.context() as patch:
            patch.setattr(thresholds, limit, 0)
            other = make(code).fit(feedback)
            assert (len(blocks.cut(feedback, None)) == thresholds.RUNS) == (limit == "ONE_PART")
            assert (len(FeedbackParts.of(feedback).parts) == thresholds.RUNS) == (limit == "ONE_PART")

        np.testing.assert_allclose(other.scores_, usual.scores_, atol=1e-6)
        np.testing.assert_allclose(other.reliabilities_, usual.reliabilities_, atol=1e-6)
        assert other.objective_ == pytest.approx(usual.objective_, rel=1e-11)


@pytest.mark.parametrize("code", SMOOTH)
def test_the_number_of_threads_changes_no_bit(code, monkeypatch):
    feedback, bits = orders_alone(weighted_class(items=20, graders=40)), set()
    monkeypatch.setattr(thresholds, "ONE_PART", 0)
    monkeypatch.setattr(thresholds, "DENSE_ITEMS", 0)

    for threads in (1, 2, 5):
        with ThreadPoolExecutor(threads) as pool:
            monkeypatch.setattr(threads_module, "_threads", lambda pool=pool: pool)
            fitted = make(code).fit(feedback)
        bits.add(fitted.scores_.tobytes() + fitted.reliabilities_.tobytes())

    assert len(bits) == 1


@pytest.mark.parametrize("gee", ["", "+G"])
def test_pairs_make_three_models_one(gee):
    pairs = orders_alone(some_class(items=6, graders=30, length=2, ties=False))

    bt, pl, mals = (make(code + gee).fit(pairs) for code in ("BT", "PL", "MALS"))

    for other in (pl, mals):
        np.testing.assert_allclose(other.scores_, bt.scores_, atol=1e-6)
        np.testing.assert_allclose(other.reliabilities_, bt.reliabilities_, atol=1e-6)
        assert other.objective_ == pytest.approx(bt.objective_)
