"""The smooth models: derivatives by differences, and fits that are optima of the naive objective.

Every variant is tried: with and without reliability, ties left out or modelled, all pairs or adjacent ones,
with and without margin, always with weights, ties, two tasks and graders with several lists.
"""

from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pytest
from model_cases import SMOOTH, make, orders_alone, some_class

import naive
from peerage.models import thresholds
from peerage.models.feedback_parts import FeedbackParts
from peerage.models.smooth import blocks
from peerage.models.smooth.curvature import Curvature
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


def weighted_class(**shape):
    return some_class(**{"items": 5, "graders": 6, "length": 4, "tasks": 2, "weights": True} | shape)


# How far apart scores are, and the reliability of all graders; at 50, plain exponentials would overflow.
POINTS = {
    "near": (1.0, None),
    "far": (50.0, None),
    "doubted": (50.0, 1e-6),
    "trusted": (50.0, 1e3),
    "alike": (1e-6, 1.0),
}


def somewhere(objective, spread=1.0, seed=4):
    """A point off the optimum: scores and scales."""
    rng = np.random.default_rng(seed)
    return spread * rng.normal(size=objective.n_items), rng.uniform(0.4, 1.8, objective.n_graders)


# -- derivatives ------------------------------------------------------------------------------------------


@every_variant
@pytest.mark.parametrize("point", POINTS)
def test_value_is_the_naive_one_and_gradients_are_the_numerical_ones(code, options, point):
    feedback, model = weighted_class(), make(code, **options)
    objective = model.objective(feedback)
    spread, reliability = POINTS[point]
    scores, scales = somewhere(objective, spread)
    if reliability is not None:
        scales[:] = reliability ** (1 / model.power)

    value = objective.evaluate(scores, scales) + model.prior().value(scales)
    by_score, by_scale = objective.gradient(), objective.scale_derivatives()[0]
    curvature = [objective.hessian(), objective.mixed_matrix(), objective.scale_derivatives()[1]]

    reference = naive.objective(code, feedback, scores, scales**model.power, **options)
    assert value == pytest.approx(reference, rel=1e-12)
    assert all(np.isfinite(part).all() for part in curvature)
    for slopes, function, here, step in (
        (by_score, lambda s: objective.evaluate(s, scales), scores, 1e-3),
        (by_scale, lambda a: objective.evaluate(scores, a), scales, 1e-3 / max(1.0, spread)),
    ):
        rounding = 1e-13 * abs(value) / step
        numerical = naive.gradient(function, here, step)
        np.testing.assert_allclose(slopes, numerical, rtol=1e-6, atol=1e-8 + rounding)


@every_variant
@pytest.mark.parametrize("spread", [1.0, 50.0])
def test_second_derivatives_are_the_numerical_ones_in_every_way(code, options, spread):
    objective = make(code, **options).objective(weighted_class())
    scores, scales = somewhere(objective, spread)
    (direction, moves), n = somewhere(objective, seed=6), len(scores)
    objective.evaluate(-scores, scales)
    objective.hessian()  # what is kept of another point must be forgotten

    def gradients(s, a):
        objective.evaluate(s, a)
        return np.append(objective.gradient(), objective.scale_derivatives()[0])

    by_score = naive.gradient(lambda s: gradients(s, scales), scores, step=1e-3)
    by_scale = naive.gradient(lambda a: gradients(scores, a), scales, step=1e-3 / spread)
    gradients(scores, scales)
    mixed, second = objective.mixed_matrix(), objective.scale_derivatives()[1]
    np.testing.assert_allclose(by_score[:, n:], mixed, atol=1e-7 * spread)
    np.testing.assert_allclose(by_scale[:, n:], np.diag(second), atol=1e-7 * spread**2)
    np.testing.assert_allclose(objective.mixed_by_grader(direction), mixed.T @ direction, atol=1e-12 * spread)
    np.testing.assert_allclose(objective.mixed_by_item(moves), mixed @ moves, atol=1e-12 * spread)
    for curvature in ways(objective):
        objective.curvature = curvature
        objective.evaluate(scores, scales)
        matrix = objective.hessian()
        np.testing.assert_allclose(matrix, by_score[:, :n], atol=1e-7 * spread)
        np.testing.assert_allclose(objective.hessian_product(direction), matrix @ direction, atol=1e-11)
        np.testing.assert_allclose(objective.exact_diagonal(), np.diag(matrix), rtol=1e-12)


def ways(objective):
    """To second derivatives: the one that suits the class, and the model's own product where it has one."""
    own = objective.likelihood.hessian_product is not None
    return [objective.curvature, *([Curvature(objective.likelihood)] if own else [])]


@every_variant
def test_hessian_with_reliabilities_at_their_best_is_the_numerical_one(code, options):
    model = make(f"{code}+G", **options)
    profile = BestScales(model.objective(weighted_class()), model.prior())
    scores, start = somewhere(profile.objective)

    def gradient(point):
        profile.evaluate(point, start)
        return profile.gradient()

    numerical = naive.gradient(gradient, scores, step=1e-3)
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
