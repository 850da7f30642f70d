"""What large classes are told by formula, against the draws that smaller ones are told by."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr

import peerage
from peerage.uncertainty import laplace as module
from peerage.uncertainty.laplace import laplace
from peerage.uncertainty.posterior import RankDistribution, mean_displacement
from peerage.uncertainty.precision import ImplicitPrecision, posterior_precision


def class_of(items=700, model="pl"):
    return peerage.simulate(items=items, graders=items, per_grader=8, model=model, sd=1.0, seed=3).feedback()


@pytest.fixture(scope="module")
def fitted():
    return peerage.fit(class_of(), "pl+g", identified=True)


@pytest.fixture(scope="module")
def exact(fitted):
    """Errors from the matrix, ranks from joint draws."""
    return laplace(fitted, draws=4000)


@pytest.fixture
def as_large(monkeypatch):
    monkeypatch.setattr(module, "JOINT_ITEMS", 100)


@pytest.fixture
def known(as_large, fitted):
    return laplace(fitted)


@pytest.mark.parametrize(
    ("code", "model"), [("PL+G", "pl"), ("PL", "pl"), ("BT+G", "pl"), ("THUR", "pl"), ("NCS+G", "normal")]
)
def test_products_are_those_of_the_matrix(code, model):
    feedback = class_of(60, model)
    scale_is_free = {"identified": True} if code.endswith("+G") and model == "pl" else {}
    mode = peerage.fit(feedback, code, **scale_is_free).mode()
    columns = np.random.default_rng(1).standard_normal((60, 4)).astype(np.float32)

    matrix, implicit = posterior_precision(mode, tempered=True), ImplicitPrecision(mode)

    assert implicit.overlap == pytest.approx(matrix.overlap)
    np.testing.assert_allclose(implicit.diagonal(), matrix.diagonal(), rtol=1e-6)
    np.testing.assert_allclose(implicit.times(columns), matrix.times(columns), rtol=1e-3, atol=2e-3)


def test_standard_errors_and_chances_of_pairs_are_those_of_the_matrix(exact, known):
    assert known.by_item
    assert known.covariance is None
    assert known.reliability_draws is None
    assert "independent of each other" in known.note
    ratio = known.score_se / exact.score_se
    assert abs(ratio.mean() - 1) < 0.01
    assert np.abs(ratio - 1).max() < 0.15
    np.testing.assert_allclose(known.log_reliability[1], exact.log_reliability[1], rtol=0.1)
    np.testing.assert_allclose(known.draws.std(axis=0), known.score_se, rtol=0.25)
    one, other = np.random.default_rng(2).integers(0, 700, (2, 400))
    assert np.abs(known.above(one, other) - exact.above(one, other)).max() < 0.05


def test_rank_intervals_and_displacements_are_those_of_joint_draws(fitted, exact, known):
    known = replace(known, location=exact.location, score_se=exact.score_se)
    spread = np.subtract(*exact.rank_interval(0.9)[::-1])
    ranks = np.empty(len(exact.location), dtype=np.int64)
    ranks[np.argsort(-exact.location, kind="stable")] = np.arange(1, len(ranks) + 1)

    drawn = mean_displacement(exact.draws, ranks, fitted.feedback_.task_starts)

    for mine, theirs in zip(known.rank_interval(0.9), exact.rank_interval(0.9), strict=True):
        off = np.abs(mine - theirs)
        assert off.mean() < 0.05 * spread.mean()
        assert (off <= 3 + 0.15 * spread).all()
    assert np.abs(known.displacement(ranks) - drawn).mean() < 0.04 * drawn.mean()


def test_expected_numbers_above_are_plain_sums():
    rng = np.random.default_rng(5)
    centre, error = rng.standard_normal(400), rng.uniform(0.1, 0.6, 400)

    def rank(i, deviation):
        t = centre[i] + deviation * error[i]
        above = ndtr((centre - t) / error)
        return 1 + above.sum() - above[i]

    ranks = RankDistribution(centre, error)

    for deviation in (-1.6, 0.0, 0.7):
        expected = [rank(i, deviation) for i in range(400)]
        np.testing.assert_allclose(ranks.expected(deviation), expected, atol=0.4)


@pytest.mark.usefixtures("as_large")
def test_small_tasks_of_a_large_class_keep_joint_draws():
    known = laplace(peerage.fit(class_of(120), "pl"))

    assert not known.by_item
    assert len(known.draws) == module.DENSE_DRAWS


@pytest.mark.usefixtures("as_large")
def test_the_same_seed_gives_the_same(fitted):
    first, again, other = (laplace(fitted, seed=seed) for seed in (1, 1, 2))

    np.testing.assert_array_equal(first.draws, again.draws)
    np.testing.assert_array_equal(first.score_se, again.score_se)
    assert (first.draws != other.draws).any()


def test_grades_of_a_large_class_say_how_they_came_about(monkeypatch):
    feedback = class_of()
    usual = peerage.grade(feedback, method="pl+g", scale=(0, 100), curve=(70, 9))
    monkeypatch.setattr(module, "JOINT_ITEMS", 100)
    large = peerage.grade(feedback, method="pl+g", scale=(0, 100), curve=(70, 9))

    assert "items one by one" in large.sentences["uncertainty"]
    assert large.items["item"].to_list() == usual.items["item"].to_list()
    for end in ("points_low", "points_high"):
        assert np.abs(large.items[end].to_numpy() - usual.items[end].to_numpy()).mean() < 1.0
    assert set(large.staff_list["item"]) & set(usual.staff_list["item"])
