"""Averaged scores."""

from __future__ import annotations

import numpy as np
import pytest
from cardinal import build, cardinal, means_of

from peerage import DataError, Feedback, ScoreAverage


def test_scores_are_the_means_by_hand():
    feedback = Feedback.from_columns(
        ["a", "b", "b", "c"], ["x", "x", "y", "y"], score=[8, 6, 5, 1], weight=[3, 1, 1, 2]
    )

    fitted = ScoreAverage().fit(feedback)

    np.testing.assert_allclose(fitted.scores_, [7.5, 7 / 3])
    assert fitted.objective_ == pytest.approx((3 * 0.5**2 + 1.5**2 + (8 / 3) ** 2 + 2 * (4 / 3) ** 2) / 2)
    assert (fitted.converged_, fitted.n_iter_) == (True, 1)
    assert fitted.reliabilities_.tolist() == [1.0, 1.0, 1.0]


def test_items_without_scores_get_their_task_s_mean():
    feedback = cardinal(tasks=2, gaps=True, weights=True).with_items(["new"], task=1)

    fitted = ScoreAverage().fit(feedback)

    new = feedback.item_labels.to_list().index("new")
    assert fitted.scores_[new] == pytest.approx(means_of(feedback)[new])
    assert fitted.grades().filter(item="new")["reviews"].to_list() == [0]


def test_missing_scores_are_passed_over():
    columns = {"grader": ["a", "b"], "item": ["x", "x"], "rank": [1, 1], "score": [4.0, None]}

    assert ScoreAverage().fit(build(columns)).scores_.tolist() == [4.0]


def test_orders_alone_are_refused_by_naming_the_column():
    with pytest.raises(DataError, match="column 'score': SCAVG works on the scores"):
        ScoreAverage().fit(Feedback.from_orders([("a", ["x", "y"])]))


def test_absurd_scores_are_refused():
    with pytest.raises(DataError, match=r"'1e\+300' is too large for SCAVG"):
        ScoreAverage().fit(Feedback.from_columns(["a", "b"], ["x", "x"], score=[1e300, 1.0]))
