"""What the models of reported scores share: finding the scores, and the mean of each task."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from peerage._numba import kernel
from peerage.errors import DataError, Problem
from peerage.models.normal.reviews import sums
from peerage.models.solver.parallel import each, runs, total

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.source import Source


N_RUNS = 2  # of large data: each needs sums by item of its own
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


def largest_score(feedback: Feedback, n_runs: int = N_RUNS) -> float:
    """The largest size of a score, NaN where there is none."""
    starts, scores = feedback.list_starts, cast("NDArray[np.float64]", feedback.scores)

    def work(run: tuple[int, int]) -> float:
        part = scores[starts[run[0]] : starts[run[1]]]
        return float(np.fmax(np.fmax.reduce(part), -np.fmin.reduce(part))) if len(part) else math.nan

    return float(np.fmax.reduce(list(each(work, _runs(feedback, n_runs)))))


def item_totals(
    feedback: Feedback, scores: NDArray[np.float64], n_runs: int = N_RUNS
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weight of each item's scored reviews, and their weighted sum."""
    given = feedback.items, scores, feedback.list_starts, feedback.list_weights

    def work(run: tuple[int, int]) -> NDArray[np.float64]:
        totals = np.zeros((feedback.n_items, 2))
        _add_scores(given, *run, totals)
        return totals

    totals = total(each(work, _runs(feedback, n_runs)))
    return totals[:, 0], totals[:, 1]


def squared_deviations(
    feedback: Feedback, scores: NDArray[np.float64], means: NDArray[np.float64], n_runs: int = N_RUNS
) -> float:
    """The weighted sum of squared differences between reported scores and the item's mean."""
    given = feedback.items, scores, feedback.list_starts, feedback.list_weights
    return sum(each(lambda run: _add_squares(given, *run, means), _runs(feedback, n_runs)))


def _runs(feedback: Feedback, n_runs: int) -> list[tuple[int, int]]:
    return runs(feedback.list_starts, feedback.n_entries, n_runs)


@kernel
def _add_squares(given: Any, low: int, high: int, means: Any) -> float:
    items, scores, starts, weights = given
    value = 0.0
    for which in range(low, high):
        mine = 0.0
        for e in range(starts[which], starts[which + 1]):
            if not math.isnan(scores[e]):
                mine += (scores[e] - means[items[e]]) ** 2
        value += weights[which] * mine
    return value


@kernel
def _add_scores(given: Any, low: int, high: int, totals: Any) -> None:
    """Weight and weighted score by item: side by side, they cost one trip to memory."""
    items, scores, starts, weights = given
    for which in range(low, high):
        for e in range(starts[which], starts[which + 1]):
            if not math.isnan(scores[e]):
                totals[items[e], 0] += weights[which]
                totals[items[e], 1] += weights[which] * scores[e]


def task_means(
    of: Feedback | Source, weight: NDArray[np.float64], total: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The mean reported score of each item's task; of all tasks where a task has none."""
    weights = sums(of.item_tasks, weight, of.n_tasks)
    totals = sums(of.item_tasks, total, of.n_tasks)
    means = np.full(of.n_tasks, total.sum() / weight.sum())
    np.divide(totals, weights, out=means, where=weights > 0)
    return means[of.item_tasks]
