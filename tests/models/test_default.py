"""The method that Peerage takes by itself."""

from __future__ import annotations

import numpy as np
import pytest

from peerage import Feedback
from peerage.models.default import choose, contradictions


def both(ranks, scores):
    """One list per row."""
    lists, items = np.array(ranks).shape
    grader = np.repeat([f"g{g}" for g in range(lists)], items)
    item = np.tile([f"i{i}" for i in range(items)], lists)
    return Feedback.from_columns(grader, item, rank=np.ravel(ranks), score=np.ravel(scores))


def test_ranks_that_never_contradict_their_scores_carry_no_news():
    feedback = both([[1, 2, 3], [2, 1, 2]], [[9.0, 9.0, 7.0], [5.0, 8.0, 5.0]])

    choice = choose(feedback)

    assert choice.code == "NCS+G"
    assert "never contradict" in choice.reason
    assert choice.estimator().fit(feedback).converged_


def test_one_contradiction_makes_the_ranks_a_second_judgement():
    feedback = both([[1, 2, 3], [2, 1, 3]], [[9.0, 8.0, 7.0], [9.0, 8.0, 7.0]])

    assert contradictions(feedback) == 1
    assert choose(feedback).code == "COMBINED+G"


@pytest.mark.parametrize("scores", [[9.0, np.nan, 7.0], [np.nan] * 3])
def test_scores_that_are_missing_contradict_nothing(scores):
    assert contradictions(both([[1, 2, 3], [1, 2, 3]], [scores, [3.0, 2.0, 1.0]])) == 0


def test_orders_and_pairs_hold_the_mean_reliability():
    orders = Feedback.from_orders([("ada", ["x", "y", "z"]), ("bob", ["y", "x", "z"])])
    pairs = Feedback.from_orders([("ada", ["x", "y"]), ("bob", ["y", "x"])])

    for feedback in (orders, pairs):
        assert choose(feedback).estimator().identified
