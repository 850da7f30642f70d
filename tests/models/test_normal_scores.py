"""Normal scores against the objective written out, SciPy, and dense mixed models; averages by hand."""

import numpy as np
import pytest
from cardinal import cardinal, means_of, restricted, score_objective
from scipy.optimize import minimize

import naive
from peerage import DataError, Feedback, MethodError, NormalScores, ScoreAverage
from peerage.models import thresholds
from peerage.models.normal import mixed_model, objective, sampled_traces
from peerage.models.normal import reviews as normal_reviews
from peerage.models.normal.mixed_model import ScoredItems
from peerage.models.normal.objective import ScoreObjective
from peerage.models.normal.variances import Variances, by_moments

CLASSES = [
    {},
    {"seed": 1, "tasks": 2, "gaps": True, "weights": True},
    {"seed": 2, "items": 3, "graders": 20, "length": 2},
    {"seed": 3, "scale": 100.0},
]
ALL_MODES = [(r, v) for r in (False, True) for v in ("fixed", "learn")]


def variances_of(fitted):
    return fitted.score_variance_, fitted.bias_variance_, fitted.noise_variance_


def learned(feedback, *, reliability=True, **more):
    model = NormalScores(reliability=reliability, variances="learn", tails="normal", **more)
    return model.fit(feedback)


def joint_objective(fitted):
    """As documented, of scores, biases and logarithms of reliabilities in one vector."""
    feedback, n, m = fitted.feedback_, fitted.feedback_.n_items, fitted.feedback_.n_graders
    fixed = fitted.prior_means_, variances_of(fitted)

    def value(p):
        s, b, eta = p[:n], p[n : n + m], np.exp(p[n + m :])
        return score_objective(feedback, s, b, eta, *fixed, graders=fitted.reliability)

    return value


@pytest.mark.parametrize(("reliability", "variances"), ALL_MODES)
@pytest.mark.parametrize("options", CLASSES)
def test_objective_is_the_one_documented_and_stationary(options, reliability, variances):
    feedback = cardinal(**options)
    fitted = NormalScores(reliability=reliability, variances=variances, tails="normal").fit(feedback)
    joint = joint_objective(fitted)
    point = np.concatenate([fitted.scores_, fitted.biases_, np.log(fitted.reliabilities_)])

    gradient = naive.gradient(joint, point)[: None if reliability else feedback.n_items]

    assert fitted.objective_ == pytest.approx(joint(point), rel=1e-10)
    assert np.abs(gradient).max() <= 1e-5
    assert fitted.converged_


def test_prior_mean_is_the_task_s_mean_unless_given_and_what_an_item_without_scores_gets():
    feedback = cardinal(tasks=2, gaps=True, weights=True).with_items(["new"], task=1)
    new = feedback.item_labels.to_list().index("new")

    np.testing.assert_allclose(NormalScores().fit(feedback).prior_means_, means_of(feedback))
    for model in (NormalScores(reliability=True), ScoreAverage()):
        assert model.fit(feedback).scores_[new] == pytest.approx(means_of(feedback)[new])
    assert NormalScores(prior_mean=2.5).fit(feedback).scores_[new] == 2.5


# -- the parts ------------------------------------------------------------------------------------


def test_gradients_and_hessian_by_finite_differences():
    feedback = cardinal(seed=5, tasks=2, gaps=True, weights=True)
    reviews = normal_reviews.reviews_of(feedback, feedback.scores)
    objective = ScoreObjective(reviews, feedback.n_items, precision=0.3, bias_variance=0.7, slope=1.3)
    n, m = feedback.n_items, feedback.n_graders
    random = np.random.default_rng(0)
    s, eta, v = random.normal(5, 1, n), random.gamma(5, 0.2, m), random.normal(size=n)

    def gradients(s):
        objective.evaluate(s, eta)
        return np.append(objective.gradient(), objective.scale_derivatives()[0])

    changes = naive.gradient(gradients, s)
    by_score, by_scale = np.split(gradients(s), [n])
    matrix, mixed = objective.hessian(), objective.mixed_matrix()
    np.testing.assert_allclose(np.hstack([matrix, mixed]), changes, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(objective.hessian_product(v), matrix @ v, rtol=1e-9)
    np.testing.assert_allclose(objective.mixed_by_grader(v), mixed.T @ v, rtol=1e-9)
    np.testing.assert_allclose(objective.diagonal(), np.diag(matrix), rtol=1e-12)
    np.testing.assert_allclose(by_score, naive.gradient(lambda p: objective.evaluate(p, eta), s), rtol=1e-6)
    np.testing.assert_allclose(by_scale, naive.gradient(lambda p: objective.evaluate(s, p), eta), rtol=1e-6)


def test_many_runs_are_one_run(monkeypatch):
    feedback = cardinal(seed=6, graders=40, tasks=2)
    one = learned(feedback)
    monkeypatch.setattr(thresholds, "ONE_PART", 10)

    many = learned(feedback)

    np.testing.assert_allclose(many.scores_, one.scores_, rtol=1e-9)


def test_the_best_reliability_is_the_best_on_a_fine_grid():
    random = np.random.default_rng(1)
    A, c, k, C = 10 ** random.uniform([-2, -2, -2, 0], [1, 4, 3, 2], (500, 4)).T
    A[0], c[0], k[0], C[0] = 0.1, 60.0, 10.0, 5.0  # three roots
    eta = np.empty(500)

    objective.best_reliabilities(A, c, k, C, eta)

    grid = np.geomspace(1e-8, 1e6, 20_001)[:, None]
    costs = A * grid + c * grid / (1 + k * grid) - C * np.log(grid)
    mine = A * eta + c * eta / (1 + k * eta) - C * np.log(eta)
    assert np.all(mine <= costs.min(axis=0) + 1e-9 * np.abs(mine))


# -- learned variances ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "reliability", "mean"),
    [
        *((options, reliability, None) for options in CLASSES for reliability in (False, True)),
        (CLASSES[1], True, 5.0),
    ],
)
def test_learned_variances_are_those_of_a_dense_mixed_model(options, reliability, mean):
    feedback = cardinal(**options)
    fitted = learned(feedback, reliability=reliability, prior_mean=mean)
    free = [0, 1, 2] if reliability else [0, 2]  # biases are the graders'
    variances = np.array(variances_of(fitted))
    start = np.log(variances[free])

    def criterion(logs):
        variances[free] = np.exp(logs)
        return restricted(feedback, variances, fitted.reliabilities_, mean, bias=reliability)

    found = minimize(criterion, start, method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-10})

    np.testing.assert_allclose(start, found.x, atol=5e-3 if reliability else 1e-4)


def large_class():
    """Where traces are estimated by random signs: the class, its reviews, and their equations at weights."""
    feedback = cardinal(seed=7, items=300, graders=400, length=5, tasks=2)
    reviews = normal_reviews.reviews_of(feedback, feedback.scores)

    def weighted(eta):
        return ScoredItems.of(reviews.weighted(eta), feedback.item_tasks, False, float(len(reviews.y)))

    return reviews, weighted


RATIOS = np.array([0.4, 1.7])
UNEQUAL = np.linspace(0.5, 2.0, 400)


def test_random_signs_come_close_to_exact_traces():
    _, weighted = large_class()
    data = weighted(np.ones(400))

    exact, found = (kind(data).at(RATIOS) for kind in (mixed_model.ExactTraces, sampled_traces.SampledTraces))

    assert found.noise == pytest.approx(exact.noise, rel=1e-8)
    np.testing.assert_allclose(found.gradient, exact.gradient, atol=0.01 * data.n_items)
    np.testing.assert_allclose(found.hessian, exact.hessian, atol=0.01 * data.n_items)


@pytest.mark.parametrize("probed_items", [sampled_traces.PROBED_ITEMS, 300])
def test_sums_item_by_item_are_those_of_runs_of_graders(probed_items, monkeypatch):
    monkeypatch.setattr(sampled_traces, "PROBED_ITEMS", probed_items)
    data = large_class()[1](UNEQUAL)
    usual = sampled_traces.SampledTraces(data).at(RATIOS)
    monkeypatch.setattr(sampled_traces, "GATHERED_ITEMS", 0)

    gathered = sampled_traces.SampledTraces(data).at(RATIOS)

    for one, other in zip(gathered, usual, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9)


@pytest.mark.parametrize("gathered_items", [sampled_traces.GATHERED_ITEMS, 0])
def test_where_equations_begin_changes_nothing_but_the_steps(gathered_items, monkeypatch):
    monkeypatch.setattr(sampled_traces, "GATHERED_ITEMS", gathered_items)
    (_, weighted), warm_start = large_class(), sampled_traces.WarmStart()
    sampled_traces.SampledTraces(weighted(np.ones(400)), warm_start).at(RATIOS)
    data = weighted(UNEQUAL)

    warm, cold = (
        sampled_traces.SampledTraces(data, warm_start).at(RATIOS),
        sampled_traces.SampledTraces(data, None).at(RATIOS),
    )

    assert warm_start.items is not None
    assert (warm_start.by_item is None) == (gathered_items > 0)
    for one, other in zip(warm, cold, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-3, rtol=1e-3)  # as well as equations are solved


def test_reviews_are_sorted_anew_where_they_are_others():
    reviews, _ = large_class()
    known = sampled_traces.ByItem(reviews, 300)

    assert known.is_of(reviews.weighted(np.full(400, 2.0)))
    assert not known.is_of(reviews._replace(items=reviews.items[::-1]))
    assert not known.is_of(reviews._replace(starts=np.append(0, reviews.starts[2:])))


def simulated_reviews(items, graders):
    """Ten reviews by everybody: a variance of 4 between items, 1 between graders, 9 within."""
    random, n = np.random.default_rng(8), 10 * graders
    item, grader = random.integers(0, items, n), np.repeat(np.arange(graders), 10)
    y = random.normal(0, 2, items)[item] + random.normal(0, 1, graders)[grader] + random.normal(0, 3, n)
    one_each = np.unique(grader * items + item, return_index=True)[1]
    feedback = Feedback.from_columns(grader[one_each], item[one_each], score=y[one_each])
    return normal_reviews.reviews_of(feedback, feedback.scores), feedback.item_tasks


@pytest.mark.parametrize("known_mean", [False, True])
def test_moments_are_near_the_most_likely_variances(known_mean):
    found = by_moments(*simulated_reviews(5000, 10_000), known_mean=known_mean)

    np.testing.assert_allclose(found, Variances(4.0, 1.0, 9.0), rtol=0.1)


def test_moments_say_nothing_where_graders_and_noise_cannot_be_told_apart():
    feedback = Feedback.from_columns(
        range(60), [k % 20 for k in range(60)], score=[k * 7 % 11 for k in range(60)]
    )
    reviews = normal_reviews.reviews_of(feedback, feedback.scores)

    assert by_moments(reviews, feedback.item_tasks, known_mean=False) is None


@pytest.mark.parametrize(("tasks", "prior_mean"), [(1, None), (2, 5.0)])
def test_large_classes_begin_elsewhere_and_come_to_the_same(tasks, prior_mean, monkeypatch):
    feedback = cardinal(seed=7, items=600, graders=600, length=8, tasks=tasks)
    usual = learned(feedback, prior_mean=prior_mean)
    monkeypatch.setattr(thresholds, "ROUGH_VARIANCES", 0)
    large = learned(feedback, prior_mean=prior_mean)

    assert large.converged_
    for name in ("score_variance_", "bias_variance_", "noise_variance_"):
        assert getattr(large, name) == pytest.approx(getattr(usual, name), rel=3e-3), name
    np.testing.assert_allclose(large.scores_, usual.scores_, atol=2e-3)


# -- extremes -------------------------------------------------------------------------------------


EXTREMES = {
    "one review": (["a"], ["x"], [3.0]),
    "one grader": (["a"] * 4, list("wxyz"), [1.0, 2.0, 3.0, 4.0]),
    "one item": (list("abcd"), ["x"] * 4, [1.0, 2.0, 3.0, 9.0]),
    "equal scores": (list("aabb"), list("xyxy"), [7.0] * 4),
    "perfect agreement": (list("aaabbb"), list("xyzxyz"), [1.0, 5.0, 9.0] * 2),
    "total disagreement": (list("aaabbb"), list("xyzxyz"), [1.0, 5.0, 9.0, 9.0, 5.0, 1.0]),
    "a wide scale": (list("aaabbbccc"), list("xyz") * 3, [0, 500, 1000, 20, 700, 650, 999, 0, 3]),
    "a huge scale": (list("aabbcc"), list("xyyzzx"), [1e12, -3e12, 4e11, 0, 2.0, 7e12]),
}


@pytest.mark.parametrize(("reliability", "variances"), ALL_MODES)
def test_extremes_stay_finite_within_the_scores(reliability, variances):
    for case, (grader, item, score) in EXTREMES.items():
        fitted = NormalScores(reliability=reliability, variances=variances, tails="normal").fit(
            Feedback.from_columns(grader, item, score=score)
        )

        slack = 1e-9 * max(np.abs(score))
        assert np.all((fitted.scores_ >= min(score) - slack) & (fitted.scores_ <= max(score) + slack)), case
        assert np.all(np.isfinite(fitted.biases_) & (fitted.reliabilities_ > 0)), case
        assert np.isfinite(fitted.objective_), case


def test_fixed_variances_reach_far_on_a_wide_scale():
    truth = np.linspace(0, 90_000, 8)
    y = truth + np.random.default_rng(14).normal(0, 5, (60, 8))
    feedback = Feedback.from_columns(np.repeat(np.arange(60), 8), np.tile(np.arange(8), 60), score=y.ravel())

    fitted = NormalScores(reliability=True, score_variance=1e9).fit(feedback)

    assert fitted.n_iter_ < 50
    np.testing.assert_allclose(fitted.scores_, truth, atol=5)


def test_a_grader_without_scores_keeps_the_prior_mode():
    columns = {"grader": ["a", "a", "b", "b"], "item": list("xyxy"), "rank": [1, 2, 1, 2]}
    feedback = Feedback.from_columns(**columns, score=[5.0, 4.0, None, None])

    fitted = NormalScores(reliability=True).fit(feedback)

    assert fitted.reliabilities_[1] == pytest.approx(0.9)
    assert fitted.biases_[1] == 0.0


# -- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"variances": "guess"}, "variances must be one of 'fixed', 'learn', not 'guess'"),
        ({"bias_variance": 0.0}, "bias_variance must be a finite number greater than 0, not 0.0"),
        ({"prior_mean": float("nan")}, "prior_mean must be a finite number or None, not nan"),
        ({"reliability": True, "reliability_shape": 0.5}, "reliability_shape must be at least 1"),
    ],
)
def test_bad_parameters_are_named(params, message):
    with pytest.raises(MethodError, match=message):
        NormalScores(**params).fit(cardinal())


@pytest.mark.parametrize("weight", [100.0, 1e6])
def test_noise_that_would_collapse_onto_one_grader_is_kept_at_its_equal_reliability_value(weight):
    rng = np.random.default_rng(0)
    items = np.argsort(rng.random((6, 6)), axis=1)[:, :4].ravel()
    scores = rng.integers(1, 10, 24).astype(float)
    feedback = Feedback.from_columns(np.repeat(np.arange(6), 4), items, score=scores, weight=[weight] * 24)

    fitted = learned(feedback)

    assert fitted.converged_
    assert fitted.noise_variance_ > 0.1
    assert np.isfinite(fitted.scores_).all()


# -- averages -------------------------------------------------------------------------------------


def test_averages_are_the_means_by_hand_of_the_scores_given():
    feedback = Feedback.from_columns(
        ["a", "b", "b", "c", "d"], ["x", "x", "y", "y", "y"], rank=[1] * 5, score=[8, 6, 5, 1, None],
        weight=[3, 1, 1, 2, 1],
    )  # fmt: skip

    fitted = ScoreAverage().fit(feedback)

    np.testing.assert_allclose(fitted.scores_, [7.5, 7 / 3])
    assert fitted.objective_ == pytest.approx((3 * 0.5**2 + 1.5**2 + (8 / 3) ** 2 + 2 * (4 / 3) ** 2) / 2)


def test_absurd_scores_have_no_average():
    with pytest.raises(DataError, match=r"'1e\+300' is too large for SCAVG"):
        ScoreAverage().fit(Feedback.from_columns(["a", "b"], ["x", "x"], score=[1e300, 1.0]))
