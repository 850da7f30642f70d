"""What the models of reported scores share: finding the scores, and the mean of each task."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from peerage.errors import DataError, Problem
from peerage.models._normal_reviews import sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback import Feedback


LARGEST = 1e15  # beyond, squares of scores drown everything else


def reported_scores(feedback: Feedback, method: str) -> NDArray[np.float64]:
    """The scores that graders gave, NaN where a review has none; refuses feedback without any."""
    if feedback.scores is None or bool(np.isnan(feedback.scores).all()):
        raise DataError(
            Problem(
                f"{method} works on the scores that graders gave, and this feedback has none",
                column="score",
                fix="add that column, or choose a method for orders, such as PL+G",
            )
        )
    largest = float(np.nanmax(np.abs(feedback.scores)))
    if largest > LARGEST:
        rule = f"is too large for {method}, which squares scores: they must lie within {LARGEST:g} of 0"
        raise DataError(
            Problem(rule, column="score", value=f"{largest:g}", fix="divide all by the same number")
        )
    return feedback.scores


def item_totals(
    feedback: Feedback, scores: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weight of each item's scored reviews, and their weighted sum."""
    scored = ~np.isnan(scores)
    items = feedback.items[scored]
    w = np.repeat(feedback.list_weights, feedback.list_lengths)[scored]
    totals = sums(items, w, feedback.n_items)
    return totals, sums(items, w * scores[scored], feedback.n_items)


def task_means(
    feedback: Feedback, weight: NDArray[np.float64], total: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The mean reported score of each item's task; of all tasks where a task has none."""
    weights = sums(feedback.item_tasks, weight, feedback.n_tasks)
    totals = sums(feedback.item_tasks, total, feedback.n_tasks)
    means = np.full(feedback.n_tasks, total.sum() / weight.sum())
    np.divide(totals, weights, out=means, where=weights > 0)
    return means[feedback.item_tasks]
