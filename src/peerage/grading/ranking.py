"""Ranks within tasks, of the estimate and of draws."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from peerage.models import dense_ranks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback import Feedback


def ranks(feedback: Feedback, scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """The rank of every item within its task, 1 the best; tied items share the smallest."""
    level = dense_ranks(feedback, scores)
    place = np.searchsorted(np.sort(level), level)  # levels rise from task to task
    return np.asarray(place - feedback.task_starts[feedback.item_tasks] + 1)


def reading_order(feedback: Feedback, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Item numbers best first within each task, ties by label: the rows of every table of grades."""
    return np.lexsort((np.arange(feedback.n_items), ranks, feedback.item_tasks))


def mean_displacement(
    draws: NDArray[np.floating], ranks: NDArray[np.int64], task_starts: NDArray[np.int64]
) -> NDArray[np.float64]:
    """How many places each item is from its rank, on average over draws (one class per row)."""
    total = np.zeros(draws.shape[1])
    for low, high in itertools.pairwise(task_starts):
        place = np.empty(high - low, dtype=np.int64)
        for draw in draws[:, low:high]:
            place[np.argsort(-draw, kind="stable")] = np.arange(1, high - low + 1)
            total[low:high] += np.abs(place - ranks[low:high])
    return total / max(len(draws), 1)
