"""Averaged scores: the simple baseline for cardinal feedback."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from peerage.models.base import Estimator
from peerage.models.checkpoint import NoCheckpoint
from peerage.models.feedback_parts import FeedbackParts
from peerage.models.normal.score_parts import ScoreParts, reported_scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.checkpoint import Checkpoint

REST = 1e-12  # of all weight: what rounding may leave where nothing is left


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

    def obstacle_in_parts(self) -> str | None:
        """Means are sums."""
        return None

    def _fit(self, feedback: Feedback) -> None:
        self._fit_parts(FeedbackParts.of(feedback), NoCheckpoint())

    def _fit_parts(self, feedback: FeedbackParts, checkpoint: Checkpoint) -> None:
        reported = ScoreParts(feedback, "SCAVG")
        weight, total = reported.totals
        scores = reported.task_means.copy()
        np.divide(total, weight, out=scores, where=weight > 0)
        self.scores_, self.reliabilities_ = scores, np.ones(feedback.n_graders)
        self.objective_ = 0.5 * reported.squared_deviations(scores)
        self.converged_, self.n_iter_ = True, 1

    def exact_scores_without(self) -> NDArray[np.float64]:
        """By entry of the feedback: the mean of the other graders' scores; exact."""
        self._check_fitted()
        feedback = self.feedback_
        reported = reported_scores(feedback, "SCAVG")
        given = ~np.isnan(reported)
        weight = np.where(given, feedback.list_weights[feedback.entry_lists], 0.0)
        parts = np.array([weight, weight * np.where(given, reported, 0.0)])
        graders, items = feedback.entry_graders.astype(np.int64), feedback.items.astype(np.int64)
        mean = np.full(feedback.n_entries, np.nan)
        for place in (items, feedback.item_tasks[items].astype(np.int64), np.zeros_like(items)):
            others = _totals(place, parts) - _totals(place * feedback.n_graders + graders, parts)
            known = np.isnan(mean) & (others[0] > REST * weight.sum())
            mean[known] = others[1, known] / others[0, known]
        return np.where(np.isnan(mean), 0.0, mean)


def _totals(groups: NDArray[np.int64], parts: NDArray[np.float64]) -> NDArray[np.float64]:
    """By entry: the sums over all entries of its group."""
    which = np.unique(groups, return_inverse=True)[1]
    return np.array([np.bincount(which, part)[which] for part in parts])
