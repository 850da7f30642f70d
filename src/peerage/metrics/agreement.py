"""How well a predicted order agrees with the target: over pairs, over ranks, and at either end."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from peerage.errors import DataError
from peerage.metrics._inputs import macro_average, numbers
from peerage.metrics.tau import tau_error

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


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


def edge_shares(scores: NDArray[np.float64], places: int) -> NDArray[np.float64]:
    """How much of one of the ``places`` highest places each score holds: 1, 0, or a share at the edge."""
    edge = _edge(scores, places)
    above, at_edge = scores > edge, scores == edge
    return np.asarray(np.where(at_edge, (places - above.sum()) / at_edge.sum(), above))


def _edge(scores: NDArray[np.float64], places: int) -> np.float64:
    """The lowest score that still has one of the ``places`` highest places, or a share of one."""
    return np.float64(np.partition(scores, len(scores) - places)[len(scores) - places])


def _top_agreement(target: NDArray[np.float64], predicted: NDArray[np.float64], share: float) -> float:
    if len(target) == 0 or target.min() == target.max():
        return math.nan
    places = max(1, math.floor(len(target) * share + 0.5))
    edge, held = _edge(target, places), edge_shares(predicted, places)
    above = target > edge
    agreed = held[above].sum() + min(places - above.sum(), held[target == edge].sum())
    return min(1.0, float(agreed) / places)


def _spearman(target: NDArray[np.float64], predicted: NDArray[np.float64]) -> float:
    x, y = _centred_ranks(target), _centred_ranks(predicted)
    size = math.sqrt(float(x @ x) * float(y @ y))
    return max(-1.0, min(1.0, float(x @ y) / size)) if size > 0 else math.nan


def _centred_ranks(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean ranks less their mean, (n + 1) / 2; exact, for they are multiples of a half."""
    _, group, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    return np.asarray((last - (sizes - 1) / 2)[group] - (len(scores) + 1) / 2)


def _check_share(share: float) -> None:
    value = float(numbers("share", share))
    if not 0 < value <= 0.5:
        raise DataError(f"share must be above 0 and at most 0.5, not {value:g}")
