"""Sections and weakly linked parts have levels of their own."""

import numpy as np
import pytest

import peerage
from peerage import Feedback
from peerage.feedback.weak_links import weakly_linked_parts
from peerage.uncertainty import levels
from peerage.uncertainty.laplace import laplace

PARTS = np.repeat([0, 1, 2], [3, 4, 2])
VARIANCE = 1.7


def normal_class():
    """A normal likelihood of nine scores: its precision, and what it says."""
    rng = np.random.default_rng(2)
    factor = rng.normal(size=(9, 7))
    return factor @ factor.T, factor @ rng.normal(size=7)


def directly(t):
    """Mean, covariance and log evidence with levels in the prior from the beginning."""
    precision, pull = normal_class()
    prior = VARIANCE * np.eye(9) + t * (PARTS[:, None] == PARTS)
    covariance = np.linalg.inv(precision + np.linalg.inv(prior))
    mean = covariance @ pull
    logs = [np.linalg.slogdet(matrix)[1] for matrix in (covariance, prior)]
    return mean, covariance, 0.5 * (logs[0] - logs[1] + pull @ mean)


def test_levels_are_those_of_a_prior_that_has_them(monkeypatch):
    ratios = np.array([0.4, 1.3])
    monkeypatch.setattr(levels, "RATIOS", ratios)
    plain, covariance, _ = directly(0.0)

    added = levels.add_levels(plain, covariance, PARTS, VARIANCE)

    means, covariances, evidence = zip(*(directly(VARIANCE * ratio**2) for ratio in ratios), strict=True)
    share = np.exp(np.array(evidence) - max(evidence)) / (1 + (ratios / levels.USUAL) ** 2)
    share /= share.sum()
    mean = share @ np.array(means)
    apart = np.array(means) - mean
    expected = sum(s * (c + np.outer(a, a)) for s, c, a in zip(share, covariances, apart, strict=True))
    np.testing.assert_allclose(plain + added.shift, mean)
    np.testing.assert_allclose(covariance + added.columns @ added.columns.T, expected)


def sections(seed=0, mixed=1):
    """Two sections of 20 a standard deviation apart, with one mixed list each."""
    rng = np.random.default_rng([seed, 9])
    truth = rng.normal(0.0, 1.5, 40) + np.repeat([0.0, 1.5], 20)
    orders = []
    for grader in range(40):
        own = np.arange(20) + 20 * (grader // 20)
        seen = rng.choice(np.arange(40) if grader % 20 < mixed else own, 6, replace=False)
        order = seen[np.argsort(-(truth[seen] + rng.gumbel(size=6)))]
        orders.append((f"s{grader:02}", [f"p{item:02}" for item in order]))
    return Feedback.from_orders(orders)


def test_parts_with_few_reviews_across_are_found_and_others_are_one():
    assert weakly_linked_parts(sections()).tolist() == np.repeat([0, 1], 20).tolist()
    assert weakly_linked_parts(sections(mixed=8)).max() == 0
    two_tasks = Feedback.from_columns(list("aabb"), list("xyxy"), rank=[1, 2] * 2, task=list("1122"))
    assert weakly_linked_parts(two_tasks).tolist() == [0, 0, 1, 1]


def test_ranks_across_parts_are_less_sure_and_those_within_as_sure_as_before():
    fitted = peerage.fit(sections(), "PL", score_variance=2.5)
    one_stock, apart = (laplace(fitted, parts=parts) for parts in (np.zeros(40, dtype=np.int64), None))

    def gap_error(known, i, j):
        c = known.covariance
        return np.sqrt(c[i, i] + c[j, j] - 2 * c[i, j])

    assert gap_error(apart, 0, 30) > 1.1 * gap_error(one_stock, 0, 30)
    assert gap_error(apart, 0, 10) == pytest.approx(gap_error(one_stock, 0, 10), rel=0.03)
    np.testing.assert_allclose(apart.draws.std(axis=0), apart.score_se, rtol=0.12)


def test_sections_of_the_roster_name_what_few_reviews_compare():
    roster = {
        "student": [f"s{n:02}" for n in range(40)],
        "item": [f"p{n:02}" for n in range(40)],
        "section": ["A"] * 20 + ["B"] * 20,
    }

    finding = peerage.check(sections(), roster, self_reviews="keep").finding("weak-links")

    assert finding.found == "The class falls into 2 parts that few reviews compare."
    assert finding.examples() == ["section A and section B are compared through 12 reviews"]
    graded = peerage.grade(sections(), owners=roster, self_reviews="keep")
    assert graded.preflight.finding("weak-links") is not None
    assert peerage.check(sections(mixed=8)).finding("weak-links") is None
