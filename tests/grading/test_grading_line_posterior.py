"""What a few staff grades tell of level, slope and gap."""

import numpy as np
import pytest
from scipy.stats import t as student

from peerage.grading.staff.line_posterior import GradePrior, line_posterior


@pytest.fixture
def rng():
    return np.random.default_rng(8)


def test_with_a_given_slope_and_scores_known_exactly_it_is_students_t(rng):
    scores = rng.normal(size=5)
    grades = 3 + scores + rng.normal(size=5)

    known = line_posterior(scores, grades, np.zeros(5), 1.0, slope=1.0)

    for i in range(5):
        rest = np.delete(grades - scores, i)
        scale = rest.std(ddof=1) * np.sqrt(1 + 1 / 4)
        expected = student(3, rest.mean(), scale).cdf(grades[i] - scores[i])
        assert known.predicted[i] == pytest.approx(scores[i] + rest.mean(), abs=1e-6)
        assert known.below[i] == pytest.approx(expected, abs=2e-3)


def test_leaving_out_is_fitting_without(rng):
    scores, noise = rng.normal(size=9), rng.uniform(0.05, 0.3, size=9)
    grades = 50 + 8 * scores + 5 * rng.normal(size=9)

    known = line_posterior(scores, grades, noise, 1.0)

    for i in range(9):
        others = line_posterior(*(np.delete(a, i) for a in (scores, grades, noise)), 1.0)
        intercept, slope = others.coefficients
        without = intercept + slope * scores[i]
        assert known.predicted[i] == pytest.approx(without, abs=0.1)  # 1 % of their spread


def test_the_gap_is_never_nothing():
    scores = np.array([1.0, 2.0, 3.0])

    known = line_posterior(scores, scores + 2, np.full(3, 0.04), 1.0, slope=1.0)

    assert known.gap_quantile(0.05) > 0.01


def test_many_grades_find_the_truth(rng):
    scores = rng.normal(size=3000)
    truth = scores + 0.4 * rng.normal(size=3000)
    grades = 60 + 7 * truth + 3 * rng.normal(size=3000)

    known = line_posterior(scores, grades, np.full(3000, 0.16), 1.0)

    intercept, slope = known.coefficients
    assert (intercept, slope) == (pytest.approx(60, abs=0.3), pytest.approx(7, abs=0.3))
    assert known.gap_quantile(0.5) == pytest.approx(3, abs=0.2)
    assert known.gap_quantile(0.95) - known.gap_quantile(0.05) < 0.5


def test_with_expectations_it_is_the_posterior_by_sampling():
    """A second route: importance sampling from the prior, level and all."""
    scores, grades, noise = np.array([-1.0, 0.3, 1.4]), np.array([5.5, 7.5, 7.0]), np.full(3, 0.1)

    known = line_posterior(scores, grades, noise, 1.2, prior=GradePrior(1.5, 7.0, 0.2, 0.6, "peers"))

    rng, n = np.random.default_rng(2), 400_000
    size, share = 1.5 * np.exp(0.5 * rng.normal(size=n)), rng.beta(1.0, 3.0, size=n)
    slope, v = np.sqrt(share) * size / 1.2, (1 - share) * size**2
    far = np.where(rng.random(n) < 0.2, 3.0, 0.6)
    middle = 7.0 + far * size * rng.normal(size=n)
    off = grades[:, None] - middle - slope * (scores[:, None] - 0.2)
    # where peers' uncertainty alone is more than v, v is what it is, as in the grid
    weight = np.exp(-0.5 * (off**2 / v).sum(axis=0) - 1.5 * np.log(v))
    weight /= weight.sum()
    assert known.coefficients[1] == pytest.approx(weight @ slope, rel=0.02)
    assert known.coefficients[0] == pytest.approx(weight @ (middle - 0.2 * slope), rel=0.01)


def test_grades_that_happen_to_be_alike_do_not_promise_that_all_are_and_staff_far_from_peers_are_believed():
    scores, noise, alike = np.array([-1.0, 0.0, 1.0]), np.full(3, 0.1), np.array([7.0, 7.0, 7.05])

    blind = line_posterior(scores, alike, noise, 1.2)
    known = line_posterior(scores, alike, noise, 1.2, prior=GradePrior(1.5, 7.0, 0.0, 0.6, "peers"))
    far = line_posterior(scores, scores + 2, noise, 1.2, prior=GradePrior(1.5, 8.0, 0.0, 0.6, "peers"))

    assert blind.gap_quantile(0.5) < 0.1
    assert known.gap_quantile(0.5) > 0.3
    assert far.coefficients[0] == pytest.approx(2.0, abs=0.5)


@pytest.mark.parametrize("slope", [None, 1.0])
def test_new_grades_are_held_by_intervals_even_with_three(slope):
    """300 classes, so that chance moves the share by about 2 points."""
    rng = np.random.default_rng(1)
    inside = []
    for _ in range(300):
        truth = rng.normal(size=13)
        scores = 0.86 * (truth + 0.4 * rng.normal(size=13))
        grades = 5 + truth + rng.normal(size=13)
        noise = np.full(13, 0.138)
        known = line_posterior(scores[:3], grades[:3], noise[:3], 0.93, slope=slope)
        level, slopes, gap = known.draw(400, rng)
        looks = scores[3:] + np.sqrt(noise[3:]) * rng.normal(size=(400, 10)) - known.centre
        draws = level[:, None] + slopes[:, None] * looks + gap[:, None] * rng.normal(size=(400, 10))
        low, high = np.quantile(draws, [0.05, 0.95], axis=0)
        inside.append(np.mean((low <= grades[3:]) & (grades[3:] <= high)))
    assert 0.86 < np.mean(inside) < 0.95
