"""Student's t of scores: against the likelihood written out, and where the class does not ask for it."""

import math

import numpy as np
import pytest
from scipy import stats

import naive
from peerage import Feedback, NormalScores, fit, grade, posterior
from peerage.models.normal import tails


def reviews_of(seed, *, far_out=0.0):
    """Every grader has a bias; a share of the reviews has four times the noise."""
    rng = np.random.default_rng(seed)
    truth, bias = rng.normal(8.5, 1.0, 20), rng.normal(0.0, 0.3, 30)
    grader = np.repeat(np.arange(30), 6)
    item = np.concatenate([rng.permutation(20)[:6] for _ in range(30)])
    noise = rng.normal(0.0, 0.9, 180) * np.where(rng.random(180) < far_out, 4.0, 1.0)
    return grader, item, truth[item] + bias[grader] + noise


def feedback_of(seed, **options):
    grader, item, score = reviews_of(seed, **options)
    return Feedback.from_columns(grader, item, score=score)


def with_one_77():
    """Scores from 6 to 11; one review of the worst item says 77."""
    grader, item, score = reviews_of(1)
    score = np.clip(np.round(score), 6.0, 11.0)
    worst = min(range(20), key=lambda number: score[item == number].mean())
    score[np.flatnonzero(item == worst)[0]] = 77.0
    return Feedback.from_columns(grader, item, score=score), worst


@pytest.mark.parametrize("reliability", [False, True])
def test_scores_and_biases_are_where_the_t_likelihood_is_largest(reliability):
    feedback = feedback_of(0, far_out=0.15)
    fitted = NormalScores(reliability=reliability, variances="learn").fit(feedback)
    n, graders = feedback.n_items, feedback.entry_graders
    scale = np.sqrt(fitted.noise_variance_ / fitted.reliabilities_[graders])

    def cost(point):
        scores, biases = point[:n], point[n:]
        residual = feedback.scores - scores[feedback.items] - biases[graders]
        value = -stats.t.logpdf(residual / scale, fitted.noise_freedom_).sum()
        value += ((scores - fitted.prior_means_) ** 2).sum() / (2 * fitted.score_variance_)
        return value + (biases**2).sum() / (2 * fitted.bias_variance_) if reliability else value

    point = np.concatenate([fitted.scores_, fitted.biases_])
    free = slice(None) if reliability else slice(n)

    assert fitted.noise_freedom_ in tails.FREEDOMS
    assert np.abs(naive.gradient(cost, point)[free]).max() < 0.02
    assert np.abs(naive.gradient(cost, point + 0.1)[free]).max() > 0.5


def test_the_gain_is_that_of_maximum_likelihood_by_scipy():
    residuals = stats.t.rvs(3.0, size=400, random_state=1)
    for freedom in tails.FREEDOMS:
        _, _, scale = stats.t.fit(residuals, fdf=freedom, floc=0.0)
        heavy = stats.t.logpdf(residuals, freedom, scale=scale).sum()
        normal = stats.norm.logpdf(residuals, scale=np.sqrt(np.mean(residuals**2))).sum()

        assert tails.gain(residuals**2, np.ones(400), freedom) == pytest.approx(heavy - normal, abs=1e-3)


@pytest.mark.parametrize("freedom", [1.0, 4.0, math.inf])
def test_moments_of_weighted_squares_by_integration(freedom):
    noise = stats.norm if math.isinf(freedom) else stats.t(freedom)
    z = noise.ppf((np.arange(200_000) + 0.5) / 200_000)
    squares = tails.weights(z**2, freedom) * z**2
    step = 1e-4

    def slope(at):
        return (noise.logpdf(at + step) - noise.logpdf(at - step)) / (2 * step)

    curvature = -(slope(z + step) - slope(z - step)).mean() / (2 * step)

    assert squares.mean() == pytest.approx(1.0, rel=2e-3)
    assert squares.var() == pytest.approx(tails.spread_of_squares(freedom), rel=5e-3)
    assert curvature == pytest.approx(tails.information(freedom), rel=1e-3)
    psi = tails.weights(z**2, freedom) * z
    change = (tails.weights((z + step) ** 2, freedom) * (z + step) ** 2 - squares) / step
    assert 0.5 * (change * psi).mean() == pytest.approx(tails.kept_leverage(freedom), rel=5e-3)


def test_normal_noise_stays_normal_to_the_last_bit():
    for seed in range(10):
        feedback = feedback_of(seed)
        fitted = fit(feedback, "ncs+g", variances="learn")
        plain = fit(feedback, "ncs+g", variances="learn", tails="normal")

        assert math.isinf(fitted.noise_freedom_)
        np.testing.assert_array_equal(fitted.scores_, plain.scores_)


@pytest.mark.parametrize("method", ["ncs", "ncs+g"])
def test_one_score_far_out_does_not_carry_its_item(method):
    feedback, worst = with_one_77()

    fitted = fit(feedback, method, variances="learn")

    assert (fitted.scores_ > fitted.scores_[worst]).sum() >= feedback.n_items - 3
    if method == "ncs":  # the graders of NCS+G have reliabilities
        assert np.argmax(fit(feedback, method, variances="learn", tails="normal").scores_) == worst


def test_the_result_says_which_scores_count_little():
    feedback, worst = with_one_77()

    graded = grade(feedback, method="ncs", params={"variances": "learn"})

    assert graded.sentences["tails"].endswith(f"count less than a quarter: 77 for {worst}.")
    assert "tails" not in grade(feedback_of(0)).sentences


def test_intervals_know_less_than_the_weights_say():
    """A review of a t distribution tells (nu + 1) / (nu + 3) of what a normal one of its scale does."""
    feedback = feedback_of(0, far_out=0.15)
    fitted = fit(feedback, "ncs", variances="learn")
    reviews = fitted._reviews(feedback)
    squares = fitted._squares(reviews, fitted.scores_ - fitted.prior_means_)
    counts = tails.weights(squares, fitted.noise_freedom_)
    told = np.bincount(reviews.items, counts) * tails.information(fitted.noise_freedom_)

    expected = 1.0 / (told / fitted.noise_variance_ + 1.0 / fitted.score_variance_)

    assert posterior(fitted).score_se == pytest.approx(np.sqrt(expected), rel=1e-6)
