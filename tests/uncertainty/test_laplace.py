"""The Laplace approximation against plain second differences, and its two routes against each other."""

import numpy as np
import pytest
from uncertainty_cases import hessian, orders, pairs, ranked, scored, with_ranks

import naive
import peerage
from peerage.uncertainty import laplace as module
from peerage.uncertainty import variational
from peerage.uncertainty.laplace import laplace
from peerage.uncertainty.precision import posterior_precision

CASES = [("PL+G", orders), ("MALS+G", orders), ("BT+G", pairs), ("THUR+G", pairs)]


@pytest.mark.parametrize(("code", "feedback"), CASES)
def test_covariance_is_the_inverse_of_the_joint_hessian(code, feedback):
    fitted = peerage.fit(feedback(), code)
    n = len(fitted.scores_)

    def posterior(point):
        return naive.objective(code[:-2], fitted.feedback_, point[:n], np.exp(point[n:]))

    curvature = hessian(posterior, np.concatenate([fitted.scores_, np.log(fitted.reliabilities_)]))
    expected, known = np.linalg.inv(curvature), laplace(fitted, average=False)

    centring = np.eye(n) - 1 / n
    centred = centring @ expected[:n, :n] @ centring
    np.testing.assert_allclose(known.covariance, centred, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(known.score_se, np.sqrt(np.diag(known.covariance)))
    np.testing.assert_allclose(known.log_reliability[1], np.sqrt(np.diag(expected)[n:]), rtol=1e-4)


def test_normal_scores_have_the_hessian_with_biases():
    fitted = peerage.fit(scored(), "NCS+G")
    n, g = len(fitted.scores_), scored().n_graders

    def posterior(point):
        s, eta, bias = point[:n], np.exp(point[n : n + g]), point[n + g :]
        fit = -sum(
            naive.normal_scores(order, s, eta[order.grader], bias=bias[order.grader])
            for order in naive.orders_of(scored())
        )
        items = np.sum((s - fitted.prior_means_) ** 2) / 18
        return fit + items + np.sum(bias**2) / 2 + np.sum(10 * eta - 9 * np.log(eta))

    point = np.concatenate([fitted.scores_, np.log(fitted.reliabilities_), fitted.biases_])
    expected, known = np.linalg.inv(hessian(posterior, point, 1e-3)), laplace(fitted)

    np.testing.assert_allclose(known.covariance, expected[:n, :n], rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(known.log_reliability[1], np.sqrt(np.diag(expected)[n : n + g]), rtol=1e-3)


@pytest.mark.parametrize(
    ("code", "held"), [("PL", {}), ("PL+G", {}), ("PL+G", {"identified": True}), ("NCS+G", {})]
)
def test_large_classes_get_the_same_errors_from_draws(code, held, monkeypatch):
    fitted = peerage.fit(scored(), code, **held)
    exact = laplace(fitted, average=False)
    monkeypatch.setattr(module, "DENSE_ITEMS", 3)

    drawn = laplace(fitted, average=False, draws=600)

    np.testing.assert_allclose(drawn.score_se, exact.score_se, rtol=0.04)
    np.testing.assert_allclose(drawn.draws.std(axis=0), exact.score_se, rtol=0.12)
    assert drawn.above(0, 1) == pytest.approx(exact.above(0, 1), abs=0.03)
    if held:
        pairs = drawn.feedback.grader_strict_pairs
        np.testing.assert_allclose(drawn.reliability_draws @ pairs / pairs.sum(), 1.0, rtol=1e-5)


def test_scores_are_relative_to_their_task_and_an_item_nobody_saw_keeps_its_prior():
    feedback = ranked().with_items(["unseen"])

    known = laplace(peerage.fit(feedback, "PL", score_variance=4.0))

    unseen = known.score_se[feedback.item_number("unseen")]
    assert unseen == pytest.approx(2.0 * np.sqrt(1 - 1 / feedback.n_items))
    np.testing.assert_allclose(known.draws.sum(axis=1), 0, atol=1e-9)
    assert known.location.sum() == pytest.approx(0)


def test_an_item_alone_in_its_task_has_no_error():
    """Nothing but the prior knows of it, and only differences count."""
    feedback = peerage.Feedback.from_orders([("ada", ["x"])])

    errors = [laplace(peerage.fit(feedback, "PL+G", score_variance=v)).score_se for v in (0.1, 3.0, 7.0)]

    assert errors == pytest.approx(np.zeros((3, 1)), abs=1e-7)


def test_draws_have_the_covariance_and_the_reliabilities_that_go_with_it():
    known = laplace(peerage.fit(ranked(), "PL+G"), draws=6000)
    centre, error = known.log_reliability

    np.testing.assert_allclose(np.cov(known.draws.T), known.covariance, atol=0.04)
    logs = np.log(known.reliability_draws)
    np.testing.assert_allclose(logs.mean(axis=0), centre, atol=0.02)
    np.testing.assert_allclose(logs.std(axis=0), error, rtol=0.05)


def test_averaging_finds_the_middle_of_a_skew_posterior(monkeypatch):
    """For two items the posterior of the gap is one integral."""
    monkeypatch.setattr(variational, "MOST", 400)
    feedback = peerage.Feedback.from_lists([["x", "y"]] * 3)
    gap = np.linspace(-30, 40, 20_001)
    density = np.exp(-3 * np.logaddexp(0, -gap) - gap**2 / (4 * 2.0))
    mean = (gap * density).sum() / density.sum()

    fitted = peerage.fit(feedback, "PL", score_variance=2.0)
    plain, better = (laplace(fitted, average=flag) for flag in (False, True))

    near, far = (known.location[0] - known.location[1] - mean for known in (better, plain))
    assert abs(near) < 0.06 < 0.25 < abs(far)


def test_pairs_of_one_list_do_not_count_as_independent():
    fitted = peerage.fit(ranked(), "BT")
    known, plackett_luce = laplace(fitted), laplace(peerage.fit(ranked(), "PL"))

    spread = fitted.scores_.std() / plackett_luce.location.std()

    assert "widened" in known.note
    assert known.score_se.mean() / spread == pytest.approx(plackett_luce.score_se.mean(), rel=0.25)


def test_combined_is_surer_than_its_scores_alone():
    combined = laplace(peerage.Combined(reliability=True).fit(with_ranks()))
    scores = laplace(peerage.NormalScores(reliability=True, variances="learn").fit(with_ranks()))

    assert combined.score_se.mean() < scores.score_se.mean()


def test_methods_without_a_likelihood_are_told_what_to_use():
    with pytest.raises(peerage.MethodError, match="source='bootstrap'"):
        laplace(peerage.fit(scored(), "SCAVG"))


def test_a_point_that_is_no_peak_is_said_and_known_no_better_than_the_prior():
    """Six lists and their exact reversals: neither camp can be told right, and either may be."""
    camps = peerage.Feedback.from_lists([list("abcdef"), list("fedcba")] * 6, graders=range(12))
    fitted = peerage.fit(camps, "PL+G", identified=True, reliability_shape=5.0)

    known, graded = laplace(fitted, average=False), peerage.grade(camps)  # NumPy's warnings are errors

    assert np.linalg.eigvalsh(posterior_precision(fitted.mode()).dense()).min() < 0
    assert "no peak" in known.note
    assert np.linalg.eigvalsh(known.covariance).max() == pytest.approx(fitted.score_variance, rel=1e-6)
    assert known.score_se.min() > 0.1
    assert "chance" in graded.sentences
    assert graded.items["se"].min() > 0.0
    assert dict(graded.class_figures.select("name", "value").iter_rows())["separation"] < 0.6


def test_a_grader_who_shares_no_item_is_known_by_the_prior_alone():
    lists = [[f"i{5 * n + k}" for k in range(5)] for n in range(8)]
    fitted = peerage.fit(peerage.Feedback.from_lists(lists), "PL+G", identified=True)

    low, high = laplace(fitted).reliability_interval(0.9)

    drawn = np.random.default_rng(0).gamma(10.0, 0.1, 100_000)  # the prior
    width = np.log(np.divide(*np.quantile(drawn, [0.95, 0.05])))
    np.testing.assert_allclose(np.log(high / low), width, rtol=0.02)
