"""How well estimated reliabilities tell lazy graders from diligent ones."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from peerage.errors import DataError
from peerage.metrics._inputs import as_booleans, as_vector, check_same_length
from peerage.metrics.accuracy import PairCounts, count_pairs, edge_shares

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def lazy_detection_rate(reliability: ArrayLike, lazy: ArrayLike, *, lowest: int = 20) -> float:
    """Share of the lazy graders that are among the ``lowest`` lowest reliabilities.

    Graders tied at the edge share the places left there equally: the mean over all ways to break the
    tie. NaN where no grader is lazy.

    Parameters
    ----------
    reliability : array, one number per grader, larger is more reliable
    lazy : array of booleans, which graders are known to be lazy
    lowest : int, default=20
        How many graders an instructor would look at; at most the number of graders.

    >>> lazy_detection_rate([0.1, 0.9, 0.2, 0.2], [True, False, True, False], lowest=2)
    0.75
    """
    values, is_lazy = _graders(reliability, lazy)
    if not 1 <= lowest <= len(values):
        raise DataError(f"lowest must be from 1 to the number of graders, {len(values)}, not {lowest}")
    return float(edge_shares(-values, lowest)[is_lazy].mean()) if is_lazy.any() else math.nan


def lazy_auc(reliability: ArrayLike, lazy: ArrayLike) -> float:
    """Chance that a random lazy grader gets a lower reliability than a random diligent one; a tie is half.

    1 is perfect, 0.5 random. NaN unless there are graders of both kinds.

    >>> lazy_auc([0.1, 0.9, 0.5, 0.5], [True, False, True, False])
    0.875
    """
    values, is_lazy = _graders(reliability, lazy)
    return _auc([count_pairs(~is_lazy, values)])


def lazy_auc_equal_evidence(reliability: ArrayLike, lazy: ArrayLike, strict_pairs: ArrayLike) -> float:
    """The AUC over pairs of a lazy and a diligent grader who ordered the same number of strict pairs.

    A grader with little evidence is drawn towards the prior, so the plain AUC also measures who
    reviewed much. Here every pair compared has equal evidence, and each such pair weighs the same.
    NaN where there is none (:func:`equal_evidence_pairs` says how many there are).

    Parameters
    ----------
    reliability, lazy : as in :func:`lazy_auc`
    strict_pairs : array, one number per grader
        Usually ``feedback.grader_strict_pairs``; bin it first where few graders share a number.

    >>> lazy_auc_equal_evidence([0.1, 0.2, 0.9, 0.8], [True, False, True, False], [3, 3, 9, 9])
    0.5
    """
    return _auc(_strata(reliability, lazy, strict_pairs))


def equal_evidence_pairs(lazy: ArrayLike, strict_pairs: ArrayLike) -> int:
    """How many pairs of a lazy and a diligent grader ordered the same number of strict pairs.

    >>> equal_evidence_pairs([True, False, True, False], [3, 3, 9, 9])
    2
    """
    nothing = np.zeros(len(as_booleans("lazy", lazy)))
    return sum(stratum.strict for stratum in _strata(nothing, lazy, strict_pairs))


def _strata(reliability: ArrayLike, lazy: ArrayLike, strict_pairs: ArrayLike) -> list[PairCounts]:
    values, is_lazy = _graders(reliability, lazy)
    evidence = as_vector("strict_pairs", strict_pairs)
    check_same_length(reliability=values, strict_pairs=evidence)
    order = np.argsort(evidence, kind="stable")
    edges = np.flatnonzero(evidence[order][1:] != evidence[order][:-1]) + 1
    return [count_pairs(~is_lazy[group], values[group]) for group in np.split(order, edges)]


def _auc(counts: list[PairCounts]) -> float:
    strict = sum(part.strict for part in counts)
    return sum(2 * part.agreed + part.tied for part in counts) / (2 * strict) if strict > 0 else math.nan


def _graders(reliability: ArrayLike, lazy: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    values, is_lazy = as_vector("reliability", reliability), as_booleans("lazy", lazy)
    check_same_length(reliability=values, lazy=is_lazy)
    return values, is_lazy
