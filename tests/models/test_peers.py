"""The same numbers as other people's programs, where they estimate the same thing.

choix adds alpha |s|^2, so its prior variance is 1 / (2 alpha): our 9 is its 1/18.
"""

from __future__ import annotations

from itertools import combinations

import choix
import evalica
import numpy as np
import pytest
from model_cases import make, orders_alone, some_class

FAR = 1e7  # a prior so wide that it is none


@pytest.fixture
def strict():
    """A class of strict lists."""
    return orders_alone(some_class(items=12, graders=40, length=5, ties=False))


def rankings(feedback):
    return [tuple(map(int, part)) for part in np.split(feedback.items, feedback.list_starts[1:-1])]


def comparisons(feedback):
    return [pair for ranking in rankings(feedback) for pair in combinations(ranking, 2)]


@pytest.mark.parametrize("variance", [9.0, 1.0])
def test_plackett_luce_is_that_of_choix(strict, variance):
    theirs = choix.opt_rankings(strict.n_items, rankings(strict), alpha=1 / (2 * variance), tol=1e-12)

    ours = make("PL", score_variance=variance).fit(strict).scores_

    np.testing.assert_allclose(ours, theirs, atol=1e-6)


@pytest.mark.parametrize("variance", [9.0, 1.0])
def test_bradley_terry_is_that_of_choix(strict, variance):
    theirs = choix.opt_pairwise(strict.n_items, comparisons(strict), alpha=1 / (2 * variance), tol=1e-12)

    ours = make("BT", score_variance=variance).fit(strict).scores_

    np.testing.assert_allclose(ours, theirs, atol=1e-6)


def test_plackett_luce_without_prior_is_the_spectral_one_of_choix(strict):
    theirs = choix.ilsr_rankings(strict.n_items, rankings(strict), tol=1e-10)

    ours = make("PL", score_variance=FAR).fit(strict).scores_

    np.testing.assert_allclose(ours, theirs - theirs.mean(), atol=1e-5)


def test_bradley_terry_without_prior_is_that_of_evalica(strict):
    better, worse = zip(*comparisons(strict), strict=True)
    wins = [evalica.Winner.X] * len(better)

    result = evalica.bradley_terry(better, worse, wins, tolerance=1e-14, limit=100_000)

    theirs = np.log(result.scores.sort_index().to_numpy())
    ours = make("BT", score_variance=FAR).fit(strict).scores_
    np.testing.assert_allclose(ours, theirs - theirs.mean(), atol=1e-4)


@pytest.mark.parametrize("gee", ["", "+G"])
def test_pairs_make_three_models_one(gee):
    pairs = orders_alone(some_class(items=6, graders=30, length=2, ties=False))

    bt, pl, mals = (make(code + gee).fit(pairs) for code in ("BT", "PL", "MALS"))

    for other in (pl, mals):
        np.testing.assert_allclose(other.scores_, bt.scores_, atol=1e-6)
        np.testing.assert_allclose(other.reliabilities_, bt.reliabilities_, atol=1e-6)
        assert other.objective_ == pytest.approx(bt.objective_)
