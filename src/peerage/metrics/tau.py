"""The tau error E_K: how many of the target's strict pairs a prediction turns round."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from peerage._numba import kernel
from peerage.metrics._inputs import defined_mean, macro_average, same_length, targets, vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from peerage.feedback.container import Feedback


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
    if len(target) < 2:
        return PairCounts(0, 0, 0)
    truth, guess = _dense_ranks(target), _dense_ranks(predicted)
    # One number per item, by target and then by prediction: sorting plain integers is fast, and items
    # tied in the target stand in the order of the prediction, so that no pair among them is an inversion.
    levels = int(guess.max()) + 1
    keys = np.sort(truth * levels + guess)
    inversions = _inversions(keys % levels, levels)
    strict = len(keys) * (len(keys) - 1) // 2 - _tied_pairs(np.bincount(truth))
    tied = _tied_pairs(np.bincount(guess)) - _tied_pairs(np.bincount(_numbered(keys)))
    return PairCounts(strict - inversions - tied, inversions, tied)


def _dense_ranks(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """0 for the lowest score, 1 for the next lowest, …; equal scores share a rank."""
    order = np.argsort(scores)
    ranks = np.empty(len(scores), dtype=np.int64)
    ranks[order] = _numbered(scores[order])
    return ranks


def _numbered(ascending: NDArray[Any]) -> NDArray[np.int64]:
    """0, 1, 2, … for the distinct values of a sorted array that is not empty."""
    return np.append(0, np.cumsum(ascending[1:] != ascending[:-1]))


def _tied_pairs(sizes: NDArray[np.int64]) -> int:
    return int((sizes * (sizes - 1) // 2).sum())


@kernel
def _inversions(ranks: NDArray[np.int64], levels: int) -> int:
    """How many pairs of ``ranks``, int64[n] from 0 to levels - 1, stand strictly in falling order.

    A Fenwick tree counts the ranks seen so far: cell i holds those from i - lowbit(i) + 1 to i.
    """
    tree = np.zeros(levels + 1, dtype=np.int64)
    inversions = 0
    for seen in range(len(ranks)):
        cell, not_above = ranks[seen] + 1, 0
        while cell > 0:
            not_above += tree[cell]
            cell &= cell - 1
        inversions += seen - not_above
        cell = ranks[seen] + 1
        while cell <= levels:
            tree[cell] += 1
            cell += cell & -cell
    return inversions
