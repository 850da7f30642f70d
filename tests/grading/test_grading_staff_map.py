import numpy as np
import pytest

from peerage.grading.staff.line_posterior import prior_by_peers
from peerage.grading.staff.staff_map import fit_staff_map

X = np.linspace(0.0, 10.0, 25)


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def test_peers_who_are_lenient_by_a_constant_are_moved_by_it(rng):
    found = fit_staff_map(X, X - 2 + 0.3 * rng.normal(size=25), prior=prior_by_peers(X, np.zeros(25)))

    assert found.shape == "line"
    assert (found.intercept, found.slope) == pytest.approx((-2, 1), abs=0.2)


def test_a_bend_gives_a_rising_curve(rng):
    found = fit_staff_map(X, 50 * np.tanh(X - 5) + rng.normal(size=25))

    assert found.shape == "curve"
    assert (np.diff(found(np.linspace(-5, 15, 100))) >= 0).all()


def test_few_staff_grades_give_a_line_and_it_never_falls():
    found = fit_staff_map(X, -X)

    assert [fit_staff_map(X[:n], np.exp(X[:n])).shape for n in (3, 19)] == ["line", "line"]
    assert (np.diff(found(X)) >= 0).all()


def test_the_error_is_that_of_items_left_out(rng):
    x, y = X[:8], 3 * X[:8] + rng.normal(size=8)

    found = fit_staff_map(x, y)

    rest = [(np.delete(x, i), np.delete(y, i)) for i in range(8)]
    without = [fit_staff_map(*one, spread=x.std()) for one in rest]
    left_out = np.array([float(other(x[i])) for i, other in enumerate(without)])
    np.testing.assert_allclose(found.predicted, left_out, atol=0.03)
    assert found.error == pytest.approx(np.sqrt(np.mean((left_out - y) ** 2)), rel=0.01)


def test_noise_alone_is_not_taken_for_skill():
    rng = np.random.default_rng(0)
    wins = 0
    for _ in range(20):
        x, y = rng.normal(size=(2, 25))
        found = fit_staff_map(x, y, prior=prior_by_peers(x, np.zeros(25)))
        wins += found.error < 0.95 * y.std()
    assert wins <= 2
