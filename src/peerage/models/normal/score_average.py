"""Averaged scores: the simple baseline for cardinal feedback."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from peerage.models.base import Estimator
from peerage.models.normal.reported import item_totals, reported_scores, squared_deviations, task_means

if TYPE_CHECKING:
    from peerage.feedback import Feedback


class ScoreAverage(Estimator):
    """Score average: an item's score is the mean of the scores that its graders gave, lists by their weights.

    Reviews without a score are passed over. An item without any gets the mean of its task, of
    all reviews where the task has none either.

    Attributes
    ----------
    scores_ : ndarray of shape (n_items,)
        Mean reported scores, on the grading scale.
    reliabilities_ : ndarray of shape (n_graders,)
        Ones.
    objective_ : float
        Half the weighted sum of squared deviations from the means, which they minimise.

    Examples
    --------
    >>> from peerage import Feedback, ScoreAverage
    >>> feedback = Feedback.from_columns(["ada", "bob", "bob"], ["x", "x", "y"], score=[8.0, 6.0, 5.0])
    >>> ScoreAverage().fit(feedback).scores_.tolist()
    [7.0, 5.0]
    """

    score_scale = "grading"
    needs_scores = True

    def __init__(self) -> None:
        pass

    def _fit(self, feedback: Feedback) -> None:
        reported = reported_scores(feedback, "SCAVG")
        weight, total = item_totals(feedback, reported)
        scores = task_means(feedback, weight, total)
        np.divide(total, weight, out=scores, where=weight > 0)
        self.scores_ = scores
        self.reliabilities_ = np.ones(feedback.n_graders)
        self.objective_ = 0.5 * squared_deviations(feedback, reported, scores)
        self.converged_, self.n_iter_ = True, 1
