import numpy as np
import pytest

from peerage.simulation.rankings import rank_all, simulate_rankings


def test_everybody_ranks_by_their_opinion():
    graders, items = np.array([1, 0, 1, 0, 1]), np.array([2, 1, 0, 2, 1])

    feedback = rank_all(graders, items, np.array([0.1, 5.0, 0.3, 1.0, 0.2]), 3)

    assert feedback.items.tolist() == [1, 2, 0, 1, 2]
    assert feedback.list_starts.tolist() == [0, 2, 5]


def test_rankings_follow_the_truth():
    graders, items = np.repeat(np.arange(400), 3), np.tile([0, 1, 2], 400)

    made = simulate_rankings(
        graders, items, n_graders=400, n_items=3, sd=3.0, reliability_shape=10.0, rng=np.random.default_rng(1)
    )

    firsts = np.bincount(made.feedback.items[::3], minlength=3) / 400
    chances = np.exp(made.scores) / np.exp(made.scores).sum()
    assert firsts == pytest.approx(chances, abs=0.1)
