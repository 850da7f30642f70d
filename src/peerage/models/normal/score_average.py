"""Averaged scores: the simple baseline for cardinal feedback."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from peerage.models.base import Estimator
from peerage.models.normal.reported import item_totals, reported_scores, squared_deviations, task_means
from peerage.models.source import NoJournal, in_parts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.source import Journal, Source

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

    def _fit_source(self, source: Source, journal: Journal) -> None:
        from peerage.models.normal.score_parts import ScoreParts  # small classes do without

        of_parts = ScoreParts(self, source)
        weight, total = of_parts.totals
        scores = of_parts.task_means.copy()
        np.divide(total, weight, out=scores, where=weight > 0)
        self.scores_, self.reliabilities_ = scores, np.ones(source.n_graders)
        self.objective_ = 0.5 * of_parts.squared_deviations(scores)
        self.converged_, self.n_iter_ = True, 1

    def _fit(self, feedback: Feedback) -> None:
        source = in_parts(feedback) if feedback.scores is not None else None
        if source is not None:
            self._fit_source(source, NoJournal())
            return
        reported = reported_scores(feedback, "SCAVG")
        weight, total = item_totals(feedback, reported)
        scores = task_means(feedback, weight, total)
        np.divide(total, weight, out=scores, where=weight > 0)
        self.scores_ = scores
        self.reliabilities_ = np.ones(feedback.n_graders)
        self.objective_ = 0.5 * squared_deviations(feedback, reported, scores)
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
