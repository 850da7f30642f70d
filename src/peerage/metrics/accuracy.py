"""How near predicted scores or grades are to the target: over pairs, over ranks, at either end, in points."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from peerage._numba import kernel
from peerage.errors import DataError
from peerage.metrics._inputs import (
    as_numbers,
    as_targets,
    as_vector,
    check_same_length,
    macro_average,
    mean_of_defined,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from peerage.feedback.container import Feedback

    Floats = NDArray[np.float64]

# -- the tau error E_K: how many of the target's strict pairs a prediction turns round --------------------


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
    return mean_of_defined(task_tau_errors(tasks, target, predicted).tolist())


def task_tau_errors(tasks: Feedback | ArrayLike, target: ArrayLike, predicted: ArrayLike) -> Floats:
    """The tau error of every task, in the order of the task numbers; NaN where a task has no strict pair.

    >>> task_tau_errors([0, 0, 1, 1], [2, 1, 1, 2], [4, 3, 2, 1])
    array([  0., 100.])
    """
    rows, prediction = as_targets(target), as_vector("predicted", predicted)
    item_tasks: Any = getattr(tasks, "item_tasks", tasks)
    numbers = as_vector("tasks", item_tasks)
    check_same_length(tasks=numbers, target=rows, predicted=prediction)
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
    truth, prediction = as_vector("target", target), as_vector("predicted", predicted)
    check_same_length(target=truth, predicted=prediction)
    return _count(truth, prediction)


def _tau_error(target: Floats, predicted: Floats) -> float:
    counts = _count(target, predicted)
    wrong = 2 * counts.reversed + counts.tied
    return 100 * wrong / (2 * counts.strict) if counts.strict > 0 else math.nan


def _count(target: Floats, predicted: Floats) -> PairCounts:
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


def _dense_ranks(scores: Floats) -> NDArray[np.int64]:
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


# -- agreement over ranks, and at either end --------------------------------------------------------------


def pairwise_accuracy(target: ArrayLike, predicted: ArrayLike) -> float:
    """Share of the target's strict pairs that the prediction orders the same way; its ties count half.

    1 is perfect, 0.5 is random: 1 - E_K / 100, with the rules of :func:`tau_error`.

    >>> pairwise_accuracy([4, 3, 2, 1], [4, 3, 1, 1])
    0.9166666666666666
    """
    return 1 - tau_error(target, predicted) / 100


def spearman(target: ArrayLike, predicted: ArrayLike) -> float:
    """Spearman's rank correlation: Pearson's between the ranks, where ties share their mean rank.

    1 is the same order, 0 no relation, -1 the reverse; NaN where either side is constant. Several
    targets and NaN in a target are treated as in :func:`tau_error`.

    >>> spearman([4, 3, 2, 1], [4, 3, 1, 2])
    0.8
    """
    return macro_average(_spearman, target, predicted)


def top_agreement(target: ArrayLike, predicted: ArrayLike, *, share: float = 0.25) -> float:
    """Share of the places in the prediction's top quartile that the target agrees with.

    The quartile has k = n * share places, rounded, at least one. Ties are treated as in the tau error:
    items that the prediction ties at the edge share the places left there equally; items that the target
    ties at the edge are equally right, up to the number of places left there. 1 is perfect; a prediction
    that ties everything gets k / n against a target without ties. NaN where the target has no strict pair.

    Parameters
    ----------
    target, predicted : arrays of scores, larger is better
        Several targets and NaN in a target are treated as in :func:`tau_error`.
    share : float, default=0.25
        How much of the class counts as the top; above 0, at most 0.5.

    >>> top_agreement([8, 7, 6, 5, 4, 3, 2, 1], [9, 1, 8, 1, 1, 1, 1, 1])
    0.5
    """
    _check_share(share)
    return macro_average(lambda truth, guess: _top_agreement(truth, guess, share), target, predicted)


def bottom_agreement(target: ArrayLike, predicted: ArrayLike, *, share: float = 0.25) -> float:
    """The same as :func:`top_agreement` for the other end: who is in the lowest quartile.

    >>> bottom_agreement([8, 7, 6, 5, 4, 3, 2, 1], [9, 9, 8, 7, 6, 5, 1, 0])
    1.0
    """
    _check_share(share)
    return macro_average(lambda truth, guess: _top_agreement(-truth, -guess, share), target, predicted)


def edge_shares(scores: Floats, places: int) -> Floats:
    """How much of one of the ``places`` highest places each score holds: 1, 0, or a share at the edge."""
    edge = _edge(scores, places)
    above, at_edge = scores > edge, scores == edge
    return np.asarray(np.where(at_edge, (places - above.sum()) / at_edge.sum(), above))


def _edge(scores: Floats, places: int) -> np.float64:
    """The lowest score that still has one of the ``places`` highest places, or a share of one."""
    return np.float64(np.partition(scores, len(scores) - places)[len(scores) - places])


def _top_agreement(target: Floats, predicted: Floats, share: float) -> float:
    if len(target) == 0 or target.min() == target.max():
        return math.nan
    places = max(1, math.floor(len(target) * share + 0.5))
    edge, held = _edge(target, places), edge_shares(predicted, places)
    above = target > edge
    agreed = held[above].sum() + min(places - above.sum(), held[target == edge].sum())
    return min(1.0, float(agreed) / places)


def _spearman(target: Floats, predicted: Floats) -> float:
    x, y = _centred_ranks(target), _centred_ranks(predicted)
    size = math.sqrt(float(x @ x) * float(y @ y))
    return max(-1.0, min(1.0, float(x @ y) / size)) if size > 0 else math.nan


def _centred_ranks(scores: Floats) -> Floats:
    """Mean ranks less their mean, (n + 1) / 2; exact, for they are multiples of a half."""
    _, group, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    return np.asarray((last - (sizes - 1) / 2)[group] - (len(scores) + 1) / 2)


def _check_share(share: float) -> None:
    value = float(as_numbers("share", share))
    if not 0 < value <= 0.5:
        raise DataError(f"share must be above 0 and at most 0.5, not {value:g}")


# -- grades on a scale ------------------------------------------------------------------------------------


def grade_rmse(target: ArrayLike, predicted: ArrayLike) -> float:
    """Root of the mean squared difference between grades, in points of the scale.

    Several targets and NaN in a target are treated as in :func:`peerage.metrics.tau_error`; a target
    without grades does not count, and grades must be finite.

    >>> grade_rmse([8, 6, 7], [7, 6, 9])
    1.2909944487358058
    """
    return macro_average(_rmse, target, predicted)


def boundary_error(target: ArrayLike, predicted: ArrayLike, boundaries: ArrayLike) -> float:
    """Share of the items that a boundary of the scale separates from their true grade.

    A grade on a boundary is above it: with boundary 5, a 5 passes. 0 is perfect, 1 puts every item into
    a wrong band. Several targets and NaN in a target are treated as in :func:`grade_rmse`.

    Parameters
    ----------
    target, predicted : arrays of grades
    boundaries : increasing grades at which a better band begins

    >>> boundary_error([8, 6, 7, 4], [7, 6, 9, 5], boundaries=[5, 8])
    0.75
    """
    cuts = as_vector("boundaries", boundaries)
    if len(cuts) == 0 or (cuts[1:] <= cuts[:-1]).any():
        raise DataError(f"boundaries must be increasing, at least one; got {cuts.tolist()}")
    return macro_average(lambda truth, guess: _misplaced(truth, guess, cuts), target, predicted)


def _rmse(target: Floats, predicted: Floats) -> float:
    _check_finite(target=target, predicted=predicted)
    # math.dist scales before it squares, so that large and tiny differences survive
    return math.dist(target, predicted) / math.sqrt(len(target)) if len(target) > 0 else math.nan


def _misplaced(target: Floats, predicted: Floats, cuts: Floats) -> float:
    _check_finite(target=target, predicted=predicted)
    wrong = np.searchsorted(cuts, target, side="right") != np.searchsorted(cuts, predicted, side="right")
    return float(wrong.mean()) if len(wrong) > 0 else math.nan


def _check_finite(**grades: Floats) -> None:
    for name, values in grades.items():
        if np.isinf(values).any():
            raise DataError(f"{name} holds an infinite grade; grades must be finite")
