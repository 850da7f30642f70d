import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peerage.simulation.reviews import assign, list_lengths, rank_all, simulate_rankings


def check_lists(graders, items, lengths, own, n_items):
    assert np.bincount(graders, minlength=len(lengths)).tolist() == lengths.tolist()
    assert len(set(zip(graders.tolist(), items.tolist(), strict=True))) == len(items)
    assert not (own[graders] == items).any()
    assert ((items >= 0) & (items < n_items)).all()


@given(st.integers(2, 12), st.integers(1, 15), st.data())
def test_nobody_gets_an_item_twice_or_their_own(n_items, n_graders, data):
    pairs = st.tuples(st.integers(1, n_items - 1), st.integers(-1, n_items - 1))
    lengths, own = np.array(data.draw(st.lists(pairs, min_size=n_graders, max_size=n_graders))).T

    graders, items = assign(np.random.default_rng(1), lengths, own, n_items)

    check_lists(graders, items, lengths, own, n_items)


def test_items_are_reviewed_about_equally_often():
    own = np.arange(300) % 100

    _, items = assign(np.random.default_rng(1), np.full(300, 5), own, 100)

    assert set(np.bincount(items).tolist()) == {15}


def test_any_two_items_may_meet():
    graders, items = assign(np.random.default_rng(1), np.full(400, 5), np.full(400, -1), 12)

    seen = np.zeros((12, 12), dtype=bool)
    for grader in range(400):
        mine = items[graders == grader]
        seen[np.ix_(mine, mine)] = True
    assert seen.all()


def test_what_swapping_cannot_solve_is_drawn_anew(monkeypatch):
    monkeypatch.setattr("peerage.simulation.reviews.SWAPS", 0)
    lengths, own = np.full(50, 4), np.arange(50) % 8

    graders, items = assign(np.random.default_rng(1), lengths, own, 8)

    check_lists(graders, items, lengths, own, 8)


@pytest.mark.parametrize(("mean", "sd"), [(1, 0), (1, 3), (6.73, 0.9), (9, 5)])
def test_lengths_add_up_and_stay_in_bounds(mean, sd):
    lengths = list_lengths(np.random.default_rng(1), 148, mean, sd, 9)

    assert lengths.sum() == round(148 * mean)
    assert (lengths.min() >= 1, lengths.max() <= 9) == (True, True)


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
