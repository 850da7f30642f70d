import numpy as np
import pytest

import naive
from peerage import PlackettLuce
from peerage.allocation.allocate import Allocation, allocate
from peerage.allocation.preview import posterior_sd, preview, random_like, rough_variance, run_trial
from peerage.simulation.reviews import rank_all


def students(size):
    return {"student": list(map(str, range(size)))}


def test_a_preview_shows_the_allocation_beside_a_random_one_and_is_reproducible():
    allocation = allocate(students(20), 3)

    shown = preview(allocation, repeats=4)

    assert shown.this.quality.repeated_pairs < shown.random.quality.repeated_pairs
    assert 0 < shown.this.tau_error < 50
    assert shown.table()["figure"].to_list()[0] == "reviews per item"
    assert shown.table()["spread"].to_list()[0] == "3 × 20"
    assert preview(allocation, repeats=4) == shown


def test_more_reviews_mean_smaller_error_and_narrower_intervals():
    few, many = (preview(allocate(students(30), number), repeats=10).this for number in (2, 10))

    assert many.tau_error < few.tau_error
    assert many.interval_width < few.interval_width


def test_an_allocation_from_elsewhere_is_compared_with_its_own_workload():
    made = allocate(students(12), 3)
    given = Allocation(made.pool, made.graders, made.items, made.slots)

    other = random_like(given)

    np.testing.assert_array_equal(np.bincount(other.graders), np.bincount(given.graders))


def test_the_posterior_deviation_is_the_curvature_of_the_objective():
    allocation = allocate(students(6), 3)
    rng = np.random.default_rng(0)
    feedback = rank_all(allocation.graders, allocation.items, rng.random(18), 6)
    fitted = PlackettLuce(score_variance=2.0).fit(feedback)

    at, ones = fitted.scores_, np.ones(6)

    def gradient(scores):
        return naive.gradient(lambda s: naive.objective("PL", feedback, s, score_variance=2.0), scores)

    hessian = naive.gradient(gradient, at, step=1e-3)
    sd = np.sqrt(np.diag(np.linalg.inv(hessian)))
    np.testing.assert_allclose(posterior_sd(feedback, at, ones, 2.0), sd, rtol=1e-4)
    np.testing.assert_allclose(rough_variance(feedback, at, ones, 2.0), 1 / np.diag(hessian), rtol=1e-4)


def test_intervals_of_large_classes_come_from_the_errors(monkeypatch):
    allocation = allocate(students(30), 4)
    model = {"method": "pl", "sd": 1.0, "reliability_shape": 10.0}
    exact = run_trial(allocation, np.random.default_rng(0), **model)

    monkeypatch.setattr("peerage.allocation.preview.DENSE_ITEMS", 5)
    rough = run_trial(allocation, np.random.default_rng(0), **model)

    assert rough.tau_error == exact.tau_error
    assert rough.interval_width == pytest.approx(exact.interval_width, rel=0.5)
