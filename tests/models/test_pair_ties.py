"""Ties with a parameter of their own (Davidson; Rao and Kupper), and the advantage of being seen first."""

import math

import numpy as np
import pytest
from model_cases import some_class
from scipy.optimize import minimize

import naive
from peerage import BradleyTerry, DataError, Feedback, MethodError, fit, learn_priors, posterior, read, write
from peerage.models.leave_out import scores_without

# Davidson 1970, example 2: brands i and j, preferences for i, for j, and for neither.
PUDDINGS = [
    (1, 2, 19, 22, 16), (1, 3, 16, 19, 12), (2, 3, 19, 19, 10), (1, 4, 18, 23, 13), (2, 4, 23, 19, 9),
    (3, 4, 19, 20, 15), (1, 5, 13, 19, 18), (2, 5, 16, 20, 12), (3, 5, 16, 15, 17), (4, 5, 17, 14, 16),
    (1, 6, 18, 21, 12), (2, 6, 22, 20, 12), (3, 6, 13, 18, 10), (4, 6, 14, 19, 18), (5, 6, 11, 21, 12),
]  # fmt: skip
WIDE = 1e8  # a prior so wide that it is none
both = pytest.mark.parametrize("ties", ["davidson", "rao-kupper"])


def puddings() -> Feedback:
    lists, weights = [], []
    for i, j, *counts in PUDDINGS:
        lists += [(i, j), (j, i), [{i, j}]]
        weights += counts
    return Feedback.from_lists(lists, weights=weights)


def chances(ties: str, gap: float, parameter: float) -> tuple[float, float, float]:
    """Win, tie and loss as their authors write them, from strengths p and q."""
    p, q = math.exp(gap), 1.0
    if ties == "davidson":
        total = p + q + parameter * math.sqrt(p * q)
        return p / total, parameter * math.sqrt(p * q) / total, q / total
    first, second = p + parameter * q, parameter * p + q
    return p / first, (parameter**2 - 1) * p * q / (first * second), q / second


def naive_cost(ties, feedback, scores, parameter, reliabilities=None, order_effect=0.0, variance=9.0):
    cost = float(scores @ scores) / (2 * variance) + order_effect**2 / (2 * variance)
    for which, (low, high) in enumerate(zip(feedback.list_starts, feedback.list_starts[1:], strict=False)):
        i, j = feedback.items[low:high]
        gap = scores[i] - scores[j]
        if feedback.positions is not None:
            first, second = feedback.positions[low:high]
            gap += order_effect * (int(first == 1) - int(second == 1))
        eta = 1.0 if reliabilities is None else reliabilities[feedback.list_graders[which]]
        win, tie, _ = chances(ties, eta * gap, parameter)
        cost -= feedback.list_weights[which] * math.log(win if feedback.bucket_starts[low + 1] else tie)
    return cost


def some_pairs() -> Feedback:
    rng = np.random.default_rng(3)
    lists, shown = [], []
    for _ in range(120):
        i, j = sorted(rng.choice(6, 2, replace=False).tolist())
        lists.append([{i, j}] if rng.random() < 0.25 else ([i, j] if rng.random() < 0.65 else [j, i]))
        shown.append(rng.permutation([i, j]).tolist())
    return Feedback.from_lists(lists, graders=rng.integers(8, size=120).tolist(), shown=shown)


# -- published numbers ------------------------------------------------------------------------------------


def test_puddings_of_davidson_are_those_that_plackett_luce_publishes():
    fitted = BradleyTerry(ties="davidson", score_variance=WIDE).fit(puddings())

    # the vignette of R's PlackettLuce stops after 7 steps, as Davidson did, a little before the optimum
    relative = fitted.scores_ - fitted.scores_[0]
    np.testing.assert_allclose(relative, [0, 0.2202, 0.1530, 0.1753, 0.1339, 0.3771], atol=2e-4)
    assert fitted.tie_parameter_ == pytest.approx(0.7468, abs=5e-5)
    worth = np.exp(fitted.scores_) / np.exp(fitted.scores_).sum()
    published = [0.1388005, 0.1729985, 0.1617420, 0.1653930, 0.1586805, 0.2023855]
    np.testing.assert_allclose(worth, published, atol=4e-5)
    assert -2 * fitted.log_likelihood_ == pytest.approx(1619.4, abs=0.05)
    assert fitted.n_parameters_ == 6
    assert fitted.aic_ == pytest.approx(1631.4, abs=0.05)


# -- against the definitions -------------------------------------------------------------------------------


@both
@pytest.mark.parametrize("gap", [-800.0, -3.0, 0.0, 0.4, 5.0, 800.0])
def test_chances_are_those_of_the_authors(ties, gap):
    fitted = BradleyTerry(ties=ties, tie_parameter=1.7).fit(puddings())

    outcome = fitted._outcomes(np.array([gap]))[0]

    assert outcome.sum() == pytest.approx(1.0)
    if abs(gap) < 100:
        np.testing.assert_allclose(outcome, chances(ties, gap, 1.7), rtol=1e-12)
    assert fitted.win_probability(np.array([gap]))[0] == pytest.approx(outcome[0] + outcome[1] / 2)


@both
def test_value_gradient_and_hessian_are_the_numerical_ones(ties):
    feedback = some_pairs()
    objective = BradleyTerry(ties=ties, tie_parameter=1.3).objective(feedback)
    rng = np.random.default_rng(5)
    scores, scales = rng.normal(size=feedback.n_items), rng.uniform(0.5, 1.5, feedback.n_graders)

    def cost(scores, scales):
        return naive_cost(ties, feedback, scores, 1.3, scales)

    def gradient(point):
        objective.evaluate(point, scales)
        return objective.gradient()

    changes = naive.gradient(gradient, scores)
    assert objective.evaluate(scores, scales) == pytest.approx(cost(scores, scales), rel=1e-12)
    by_score, by_scale = objective.gradient(), objective.scale_gradient()
    np.testing.assert_allclose(by_score, naive.gradient(lambda s: cost(s, scales), scores), atol=1e-6)
    np.testing.assert_allclose(by_scale, naive.gradient(lambda a: cost(scores, a), scales), atol=1e-6)
    np.testing.assert_allclose(objective.hessian(), changes, atol=1e-6)


@both
@pytest.mark.parametrize("order_effect", [False, True])
def test_the_estimate_is_the_optimum_that_scipy_finds(ties, order_effect):
    feedback = some_pairs()
    n, shift = feedback.n_items, 1.0 if ties == "rao-kupper" else 0.0

    def cost(point):
        parameter = math.exp(point[n]) + shift
        return naive_cost(ties, feedback, point[:n], parameter, order_effect=point[n + 1] * order_effect)

    best = minimize(cost, np.zeros(n + 2), method="BFGS", options={"gtol": 1e-7})
    fitted = BradleyTerry(ties=ties, order_effect=order_effect).fit(feedback)

    assert fitted.converged_
    np.testing.assert_allclose(fitted.scores_, best.x[:n], atol=1e-5)
    assert fitted.tie_parameter_ == pytest.approx(math.exp(best.x[n]) + shift, abs=1e-5)
    assert fitted.objective_ == pytest.approx(best.fun, rel=1e-9)
    if order_effect:
        assert fitted.order_effect_ == pytest.approx(best.x[n + 1], abs=1e-5)
    without_prior = {"order_effect": best.x[n + 1] * order_effect, "variance": math.inf}
    cost = naive_cost(ties, feedback, fitted.scores_, fitted.tie_parameter_, **without_prior)
    assert -fitted.log_likelihood_ == pytest.approx(cost, rel=1e-6)


@both
def test_without_ties_it_is_the_plain_model(ties):
    pairs = some_class(items=6, graders=30, length=2, ties=False)

    plain, fitted = BradleyTerry().fit(pairs), BradleyTerry(ties=ties).fit(pairs)

    np.testing.assert_allclose(plain.scores_, fitted.scores_, atol=1e-6)
    assert fitted.tie_parameter_ == (1.0 if ties == "rao-kupper" else 0.0)


# -- the rest of the library -----------------------------------------------------------------------------


@both
def test_the_rest_of_the_library_takes_it(ties):
    feedback = some_pairs()
    fitted = BradleyTerry(ties=ties, reliability=True).fit(feedback)
    given = BradleyTerry(ties=ties, reliability=True, tie_parameter=1.4).fit(feedback)

    assert fitted.converged_
    assert np.ptp(fitted.reliabilities_) > 0.01
    for factor in (1.02, 1 / 1.02):
        parameter = fitted.tie_parameter_ * factor
        nearby = BradleyTerry(ties=ties, reliability=True, tie_parameter=parameter).fit(feedback)
        assert nearby.objective_ > fitted.objective_
    assert np.isfinite(scores_without(given)).all()
    assert learn_priors(feedback, BradleyTerry(ties=ties)).tie_parameter_ > 0
    for source in ("laplace", "bootstrap", "sampler"):
        sure = posterior(BradleyTerry(ties=ties).fit(feedback), source=source, draws=30, seed=1)
        assert (sure.score_se > 0).all(), source


def test_positions_are_kept_by_tables_files_and_parts(tmp_path, monkeypatch):
    feedback = some_pairs()
    table = feedback.to_frame()
    whole = BradleyTerry(order_effect=True).fit(feedback)
    for name in ("pairs.csv", "pairs.parquet"):
        write(feedback, tmp_path / name)
        assert read(tmp_path / name).equals(feedback)
    with pytest.raises(DataError, match="pgf cannot hold the order in which items were shown"):
        write(feedback, tmp_path / "pairs.pgf")

    monkeypatch.setattr("peerage.models.thresholds.ONE_PART", 50)

    assert Feedback.from_columns(**table.to_dict()).equals(feedback)
    assert feedback[10:20].to_frame().equals(table[20:40])
    assert feedback.merge(feedback[:5]).positions.tolist().count(1) == 125
    parts = BradleyTerry(order_effect=True).fit(feedback)
    assert parts.order_effect_ == pytest.approx(whole.order_effect_, abs=1e-7)
    halves = sum(whole.log_likelihood(half) for half in (feedback[:60], feedback[60:]))
    assert halves == pytest.approx(whole.log_likelihood_)


# -- refusals ---------------------------------------------------------------------------------------------

AT_LEAST = "tie_parameter must be a finite number of at least"
TIES_ALONE = Feedback.from_lists([[{"x", "y"}], [{"y", "z"}]])


@pytest.mark.parametrize(
    ("options", "feedback", "message"),
    [
        ({"ties": "davidson"}, some_class(), "is for pairs, and a list here has 4 items"),
        ({"ties": "rao-kupper"}, some_class(), "is for pairs, and a list here has 4 items"),
        ({"ties": "davidson"}, TIES_ALONE, "every pair is tied"),
        ({"ties": "rao-kupper"}, TIES_ALONE, "every pair is tied"),
        ({"ties": "davidson", "tie_parameter": -0.1}, None, AT_LEAST),
        ({"ties": "rao-kupper", "tie_parameter": 0.9}, None, AT_LEAST),
        ({"ties": "davidson", "tie_parameter": math.nan}, None, "tie_parameter must be a finite number"),
        ({"ties": "model", "tie_parameter": 1.0}, None, "tie_parameter goes with"),
        ({"order_effect": True}, None, "which item of a pair was seen first"),
        ({"order_effect": True}, some_class(), "order_effect is for pairs"),
    ],
)
def test_what_the_parameters_are_not_for_is_refused(options, feedback, message):
    with pytest.raises(MethodError, match=message):
        BradleyTerry(**options).fit(feedback or puddings())


def test_in_parts_it_is_refused_in_words(tmp_path, monkeypatch):
    monkeypatch.setattr("peerage.models.thresholds.ONE_PART", 50)
    obstacle = BradleyTerry(ties="davidson").obstacle_in_parts()

    assert "estimates a parameter from all pairs at once: fit it on one machine" in obstacle
    given = {"ties": "davidson", "tie_parameter": 1.0}
    with pytest.raises(MethodError, match="is for pairs, and a list here has 4 items"):
        fit(some_class(graders=40), "bt", checkpoint=tmp_path / "fit.npz", **given)
