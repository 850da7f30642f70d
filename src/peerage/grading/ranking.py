"""Ranks within tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from peerage.models.tables import dense_ranks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback


def ranks(feedback: Feedback, scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """The rank of every item within its task, 1 the best; tied items share the smallest."""
    level = dense_ranks(feedback, scores)
    place = np.searchsorted(np.sort(level), level)  # levels rise from task to task
    return np.asarray(place - feedback.task_starts[feedback.item_tasks] + 1)


def reading_order(feedback: Feedback, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Item numbers best first within each task, ties by label: the rows of every table of grades."""
    return np.lexsort((np.arange(feedback.n_items), ranks, feedback.item_tasks))
