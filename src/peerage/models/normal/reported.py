"""What the models of reported scores share: finding the scores, and the mean of each task."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from peerage._numba import kernel
from peerage.errors import DataError, Problem
from peerage.models.normal.reviews import sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.feedback_parts import FeedbackParts


LARGEST = 1e15  # beyond, squares of scores drown everything else


def reported_scores(feedback: Feedback, method: str) -> NDArray[np.float64]:
    """The scores that graders gave, NaN where a review has none; refuses feedback without any."""
    check_largest(math.nan if feedback.scores is None else largest_score(feedback), method)
    return cast("NDArray[np.float64]", feedback.scores)


def check_largest(largest: float, method: str) -> None:
    """Refuse feedback without scores (the largest is NaN then), and scores that are too large."""
    if math.isnan(largest):
        raise DataError(
            Problem(
                f"{method} works on the scores that graders gave, and this feedback has none",
                column="score",
                fix="add that column, or choose a method for orders, such as PL+G",
            )
        )
    if largest > LARGEST:
        rule = f"is too large for {method}, which squares scores: they must lie within {LARGEST:g} of 0"
        raise DataError(
            Problem(rule, column="score", value=f"{largest:g}", fix="divide all by the same number")
        )


def largest_score(feedback: Feedback) -> float:
    """The largest size of a score, NaN where there is none."""
    scores = cast("NDArray[np.float64]", feedback.scores)
    return float(np.fmax(np.fmax.reduce(scores), -np.fmin.reduce(scores))) if len(scores) else math.nan


def item_totals(
    feedback: Feedback, scores: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weight of each item's scored reviews, and their weighted sum."""
    totals = np.zeros((feedback.n_items, 2))
    _add_scores(feedback.items, scores, feedback.list_starts, feedback.list_weights, totals)
    return totals[:, 0], totals[:, 1]


def squared_deviations(feedback: Feedback, scores: NDArray[np.float64], means: NDArray[np.float64]) -> float:
    """The weighted sum of squared differences between reported scores and the item's mean."""
    return float(_add_squares(feedback.items, scores, feedback.list_starts, feedback.list_weights, means))


@kernel
def _add_squares(items: Any, scores: Any, starts: Any, weights: Any, means: Any) -> float:
    value = 0.0
    for which in range(len(starts) - 1):
        mine = 0.0
        for e in range(starts[which], starts[which + 1]):
            if not math.isnan(scores[e]):
                mine += (scores[e] - means[items[e]]) ** 2
        value += weights[which] * mine
    return value


@kernel
def _add_scores(items: Any, scores: Any, starts: Any, weights: Any, totals: Any) -> None:
    """Weight and weighted score by item: side by side, they cost one trip to memory."""
    for which in range(len(starts) - 1):
        for e in range(starts[which], starts[which + 1]):
            if not math.isnan(scores[e]):
                totals[items[e], 0] += weights[which]
                totals[items[e], 1] += weights[which] * scores[e]


def task_means(
    of: Feedback | FeedbackParts, weight: NDArray[np.float64], total: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The mean reported score of each item's task; of all tasks where a task has none."""
    weights = sums(of.item_tasks, weight, of.n_tasks)
    totals = sums(of.item_tasks, total, of.n_tasks)
    means = np.full(of.n_tasks, total.sum() / weight.sum())
    np.divide(totals, weights, out=means, where=weights > 0)
    return means[of.item_tasks]
