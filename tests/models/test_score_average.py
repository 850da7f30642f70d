"""Averaged scores."""

from __future__ import annotations

import numpy as np
import pytest
from cardinal import cardinal, means_of

from peerage import DataError, Feedback, ScoreAverage


def test_scores_are_the_means_by_hand_of_those_given():
    feedback = Feedback.from_columns(
        ["a", "b", "b", "c", "d"], ["x", "x", "y", "y", "y"], rank=[1] * 5, score=[8, 6, 5, 1, None],
        weight=[3, 1, 1, 2, 1],
    )  # fmt: skip

    fitted = ScoreAverage().fit(feedback)

    np.testing.assert_allclose(fitted.scores_, [7.5, 7 / 3])
    assert fitted.objective_ == pytest.approx((3 * 0.5**2 + 1.5**2 + (8 / 3) ** 2 + 2 * (4 / 3) ** 2) / 2)
    assert (fitted.converged_, fitted.n_iter_) == (True, 1)
    assert fitted.reliabilities_.tolist() == [1.0] * 4


def test_items_without_scores_get_their_task_s_mean():
    feedback = cardinal(tasks=2, gaps=True, weights=True).with_items(["new"], task=1)

    fitted = ScoreAverage().fit(feedback)

    new = feedback.item_labels.to_list().index("new")
    assert fitted.scores_[new] == pytest.approx(means_of(feedback)[new])
    assert fitted.grades().filter(item="new")["reviews"].to_list() == [0]


def test_orders_alone_and_absurd_scores_are_refused():
    with pytest.raises(DataError, match="column 'score': SCAVG works on the scores"):
        ScoreAverage().fit(Feedback.from_orders([("a", ["x", "y"])]))
    with pytest.raises(DataError, match=r"'1e\+300' is too large for SCAVG"):
        ScoreAverage().fit(Feedback.from_columns(["a", "b"], ["x", "x"], score=[1e300, 1.0]))
