"""The tau error E_K: how many of the target's strict pairs a prediction turns round."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from peerage._numba import kernel
from peerage.metrics._inputs import defined_mean, macro_average, same_length, targets, vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from peerage.feedback import Feedback


class PairCounts(NamedTuple):
    """The pairs that are strict in the target, by what the prediction makes of them."""

    agreed: int
    reversed: int
    tied: int

    @property
    def strict(self) -> int:
        """All pairs that are strict in the target."""
        return self.agreed + self.reversed + self.tied


def tau_error(target: ArrayLike, predicted: ArrayLike) -> float:
    """100 * (reversed + tied / 2) / strict, over the pairs that are strict in the target.

    0 is perfect, 50 is random, 100 is upside down. A pair that is tied only in the prediction is half
    an error; a pair that is tied in the target does not count.

    Parameters
    ----------
    target : one array of scores, or a sequence of them, larger is better
        NaN marks an item that is not in that target. Several targets are macro-averaged: each weighs the
        same, however many pairs it has.
    predicted : array of scores, larger is better
        One per item. NaN is an error: a method has to place every item.

    Returns
    -------
    float
        NaN where no target has a strict pair; targets without one are left out of the average.

    >>> tau_error([3, 2, 1], [0.9, 0.1, 0.5])
    33.333333333333336
    >>> tau_error([[3, 2, 1], [1, 2, None]], [0.9, 0.5, 0.1])
    50.0
    """
    return macro_average(_tau_error, target, predicted)


def tau_error_by_task(tasks: Feedback | ArrayLike, target: ArrayLike, predicted: ArrayLike) -> float:
    """The tau error within each task, averaged over the tasks that have a strict pair.

    ``tasks`` is a :class:`peerage.Feedback` or the task number of every item. Pairs of items from
    different tasks are never compared.

    >>> tau_error_by_task([0, 0, 1, 1], [2, 1, 1, 2], [4, 3, 2, 1])
    50.0
    """
    return defined_mean(task_tau_errors(tasks, target, predicted).tolist())


def task_tau_errors(
    tasks: Feedback | ArrayLike, target: ArrayLike, predicted: ArrayLike
) -> NDArray[np.float64]:
    """The tau error of every task, in the order of the task numbers; NaN where a task has no strict pair.

    >>> task_tau_errors([0, 0, 1, 1], [2, 1, 1, 2], [4, 3, 2, 1])
    array([  0., 100.])
    """
    rows, prediction = targets(target), vector("predicted", predicted)
    item_tasks: Any = getattr(tasks, "item_tasks", tasks)
    numbers = vector("tasks", item_tasks)
    same_length(tasks=numbers, target=rows, predicted=prediction)
    order = np.argsort(numbers, kind="stable")
    edges = np.flatnonzero(numbers[order][1:] != numbers[order][:-1]) + 1
    groups = np.split(order, edges) if len(order) > 0 else []
    return np.array([tau_error(rows[:, group], prediction[group]) for group in groups])


def count_pairs(target: ArrayLike, predicted: ArrayLike) -> PairCounts:
    """The strict pairs of one target, by what the prediction makes of them, in O(n log n).

    Unlike :func:`tau_error` it takes one target, without NaN.

    >>> count_pairs([3, 2, 1, 1], [5, 5, 7, 4])
    PairCounts(agreed=2, reversed=2, tied=1)
    """
    truth, prediction = vector("target", target), vector("predicted", predicted)
    same_length(target=truth, predicted=prediction)
    return _count(truth, prediction)


def _tau_error(target: NDArray[np.float64], predicted: NDArray[np.float64]) -> float:
    counts = _count(target, predicted)
    wrong = 2 * counts.reversed + counts.tied
    return 100 * wrong / (2 * counts.strict) if counts.strict > 0 else math.nan


def _count(target: NDArray[np.float64], predicted: NDArray[np.float64]) -> PairCounts:
    # Items tied in the target are sorted by the prediction, so that no pair among them is an inversion.
    order = np.lexsort((predicted, target))
    truth, guess = target[order], predicted[order]
    new_truth = truth[1:] != truth[:-1]
    tied_both = _pairs_in_runs(new_truth | (guess[1:] != guess[:-1]))
    strict = _pairs(len(truth)) - _pairs_in_runs(new_truth)
    inversions = _sort_and_count(guess, np.empty_like(guess))
    tied = _pairs_in_runs(guess[1:] != guess[:-1]) - tied_both
    return PairCounts(strict - inversions - tied, inversions, tied)


def _pairs(n: int) -> int:
    return n * (n - 1) // 2


def _pairs_in_runs(changes: NDArray[np.bool_]) -> int:
    """Pairs of equal values in a sorted array that takes a new value after each mark."""
    edges = np.concatenate(([-1], np.flatnonzero(changes), [len(changes)]))
    lengths = np.diff(edges)
    return int((lengths * (lengths - 1) // 2).sum())


@kernel
def _sort_and_count(values: NDArray[np.float64], spare: NDArray[np.float64]) -> int:
    """Merge-sort ``values`` in place; return how many pairs stood strictly in the wrong order.

    Both arrays float64[n]; ``spare`` is overwritten.
    """
    n, inversions, width = len(values), 0, 1
    while width < n:
        for low in range(0, n, 2 * width):
            middle, high = min(low + width, n), min(low + 2 * width, n)
            left, right = low, middle
            for place in range(low, high):
                if right >= high or (left < middle and values[left] <= values[right]):
                    spare[place] = values[left]
                    left += 1
                else:
                    spare[place] = values[right]
                    right += 1
                    inversions += middle - left  # every value still waiting on the left is larger
        values[:] = spare
        width *= 2
    return inversions
