from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peerage import DataError, Feedback, MethodError, next_reviews
from peerage.allocation.allocate import allocate
from peerage.allocation.pool import as_pool
from peerage.simulation.reviews import rank_all

NAMES = [f"s{number:02d}" for number in range(30)]


def a_class(seed=0, **columns):
    """A class after its first lists of three, as feedback and roster."""
    roster = as_pool({"student": NAMES, **columns})
    allocation = allocate(roster, 3, seed=seed)
    rng = np.random.default_rng(seed)
    feedback = rank_all(allocation.graders, allocation.items, allocation.items / 5 + rng.gumbel(size=90), 30)
    return replace(feedback, grader_labels=roster.graders, item_labels=roster.items), roster


@settings(max_examples=15)
@given(st.integers(0, 20), st.integers(1, 8), st.sampled_from(["boundaries", "uniform"]), st.booleans())
def test_items_are_new_allowed_and_distinct(seed, k, aim, close_pairs):
    feedback, roster = a_class(seed, group=[name[:2] for name in NAMES])

    chosen = next_reviews(feedback, "s07", k, roster=roster, aim=aim, close_pairs=close_pairs)

    number = feedback.grader_number("s07")
    seen = feedback.item_labels.gather(feedback.items[feedback.entry_graders == number]).to_list()
    assert len(set(chosen)) == k
    assert not set(chosen) & set(seen)
    assert not [name for name in chosen if name.startswith("s0")]


def test_items_nobody_has_seen_come_first():
    feedback = Feedback.from_orders([("s01", ["s02", "s03", "s04"]), ("s02", ["s03", "s04", "s01"])])
    roster = as_pool({"student": NAMES[:7]})

    assert set(next_reviews(feedback, "s01", 3, roster=roster, slack=0)) == {"s00", "s05", "s06"}


def test_reviews_given_out_count_for_the_balance():
    feedback, roster = a_class()
    free = next_reviews(feedback, "s00", 26, roster=roster)

    pending = dict.fromkeys(free[:20], 5)
    chosen = next_reviews(feedback, "s00", 3, roster=roster, pending=pending)

    assert set(chosen) <= set(free[20:])


def test_novices_are_spared_pairs_too_close_to_call():
    feedback, roster = a_class()
    labels = feedback.item_labels.to_list()
    scores = np.linspace(-1.5, 1.5, 30)

    chosen = next_reviews(feedback, "s00", 3, roster=roster, scores=scores, aim="uniform")
    allowed = next_reviews(feedback, "s00", 3, roster=roster, scores=scores, aim="uniform", close_pairs=True)

    def closest(names):
        return np.diff(sorted(scores[labels.index(name)] for name in names)).min()

    assert closest(chosen) > 0.4 > closest(allowed)


def test_boundaries_draw_items_near_them():
    feedback, roster = a_class()
    scores = np.linspace(-9, 9, 30)

    chosen = next_reviews(
        feedback, "s00", 2, roster=roster, scores=scores, boundaries=[0.5], close_pairs=True, slack=9
    )

    assert set(chosen) <= set(NAMES[11:19])


def test_fewer_items_come_back_where_no_more_are_left():
    feedback = Feedback.from_orders([("a", ["b", "c"]), ("b", ["a", "c"])])

    assert next_reviews(feedback, "a", 5, roster=as_pool({"student": ["a", "b", "c"]})) == []
    assert next_reviews(feedback, "new", 2) != next_reviews(feedback, "a", 2) == ["a"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"aim": "fun"}, MethodError, "aim='fun'"),
        ({"boundaries": [50]}, DataError, "shares between 0 and 1"),
        ({"roster": as_pool({"student": ["x"]})}, DataError, "'a' is not on the roster"),
    ],
)
def test_wrong_questions_are_refused(options, error, message):
    feedback = Feedback.from_orders([("a", ["b", "c"])])

    with pytest.raises(error, match=message):
        next_reviews(feedback, "a", 1, **options)
