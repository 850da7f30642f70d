"""How sure the estimate is: one interface, whatever it was computed from."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.special import ndtr

from peerage.errors import DataError, MethodError
from peerage.models.solver.scales import HIGHEST, LOWEST
from peerage.uncertainty._marginals import Ranks
from peerage.uncertainty.groups import groups_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.base import Estimator

    Floats = NDArray[np.float64]

Source = Literal["laplace", "bootstrap", "sampler"]
COVERS = "It says how well the peers' judgement is known, not how well the peers judge."


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Posterior:
    """What is known about scores, ranks and reliabilities, and how well.

    Made by :func:`peerage.posterior`. Where only differences of scores mean anything (all methods for
    orders), every draw and every standard error is relative to the mean of the item's task.

    Attributes
    ----------
    estimator : the fitted estimator it belongs to
    source : "laplace", "bootstrap" or "sampler"
    note : how it was computed, and what it covers
    location : float64[n_items], the centre: the estimate itself, or the mean of the sampler's draws
    score_se : float64[n_items], standard errors of the scores
    draws : float[n_draws, n_items], joint draws of the scores
    reliability_draws : float[n_draws, n_graders] that go with them; None without reliabilities
    log_reliability : centre and standard error of log reliabilities (Laplace only)
    covariance : float64[n_items, n_items] of the scores; None where it was not computed as a matrix
    by_item : whether every item is drawn by itself, and ranks come from these distributions (large classes)
    diagnostics : of the sampler, rhat and ess; of the bootstrap, resamples and failures
    """

    estimator: Estimator
    source: Source
    note: str
    location: Floats
    score_se: Floats
    draws: NDArray[np.floating[Any]]
    reliability_draws: NDArray[np.floating[Any]] | None = None
    log_reliability: tuple[Floats, Floats] | None = None
    covariance: Floats | None = None
    diagnostics: dict[str, Any] = field(default_factory=dict)
    by_item: bool = False

    def __repr__(self) -> str:
        return f"<Posterior: {self.source}, {len(self.draws)} draws of {self.draws.shape[1]} scores>"

    @property
    def feedback(self) -> Feedback:
        """What it was learned from."""
        return self.estimator.feedback_

    # -- intervals --------------------------------------------------------------------------------

    def score_interval(self, level: float = 0.9) -> tuple[Floats, Floats]:
        """Lowest and highest score of every item at this level."""
        tail = _tail(level)
        if self.source == "laplace":
            reach = NormalDist().inv_cdf(1 - tail) * self.score_se
            return self.location - reach, self.location + reach
        return _quantiles(self.draws, tail)

    def rank_interval(self, level: float = 0.9) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Best and worst rank of every item within its task at this level; 1 is best.

        The narrowest ranks that hold this share of the draws: equal tails of whole ranks would hold more.
        """
        _tail(level)
        starts = self.feedback.task_starts
        low, high = np.ones((2, len(self.location)), dtype=np.int64)
        for first, last in pairwise(starts):
            if self.by_item:
                low[first:last], high[first:last] = self._ranks(first, last).interval(level)
                continue
            ranks = np.sort(_average_ranks(-self.draws[:, first:last]), axis=0)
            low[first:last], high[first:last] = _narrowest(ranks, level)
        return low, high

    def displacement(self, ranks: NDArray[np.int64]) -> Floats:
        """How many places each item is from its rank within its task, on average."""
        if not self.by_item:
            return mean_displacement(self.draws, ranks, self.feedback.task_starts)
        found = np.zeros(len(ranks))
        for first, last in pairwise(self.feedback.task_starts):
            found[first:last] = self._ranks(first, last).displacement(ranks[first:last])
        return found

    def _ranks(self, first: int, last: int) -> Ranks:
        return Ranks(self.location[first:last], self.score_se[first:last])

    def reliability_interval(self, level: float = 0.9) -> tuple[Floats, Floats]:
        """Lowest and highest reliability of every grader at this level; ones without reliabilities."""
        tail = _tail(level)
        if self.log_reliability is not None:
            centre, error = self.log_reliability
            reach = NormalDist().inv_cdf(1 - tail) * error
            return from_log(centre - reach), from_log(centre + reach)
        if self.reliability_draws is not None:
            return _quantiles(self.reliability_draws, tail)
        ones = np.ones(self.feedback.n_graders)
        return ones, ones.copy()

    # -- comparisons ------------------------------------------------------------------------------

    def above(self, i: ArrayLike, j: ArrayLike) -> Any:
        """P(item i above item j), both numbers of items of one task; arrays give arrays.

        From draws it is the share of draws, ties half, kept off 0 and 1 by half a draw.
        """
        one, other = np.broadcast_arrays(np.asarray(i), np.asarray(j))
        tasks = self.feedback.item_tasks
        if (tasks[one] != tasks[other]).any():
            raise DataError(
                "items can only be compared within their task, and these belong to different ones"
            )
        chance = self._normal_above(one, other) if self.source == "laplace" else self._counted(one, other)
        return float(chance) if chance.ndim == 0 else chance

    def above_matrix(self, task: str | int = 0) -> Floats:
        """P(i above j) for all items of a task, as a matrix in order of item; a half on the diagonal."""
        number = self.feedback.task_number(task) if isinstance(task, str) else task
        first, last = (int(edge) for edge in self.feedback.task_starts[number : number + 2])
        items = np.arange(first, last)
        return np.stack([np.asarray(self.above(np.full(len(items), item), items)) for item in items])

    def groups(self, level: float = 0.9) -> list[NDArray[np.int64]]:
        """Runs of items, best first and task by task, that cannot be told apart at this level.

        A run goes on until its first item is above the next one with at least this probability.
        """
        _tail(level)
        return groups_of(self.estimator.scores_, self.feedback.task_starts, self.above, level)

    def _normal_above(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> Floats:
        gap = self.location[one] - self.location[other]
        together = self._covariance(one, other)
        variance = self.score_se[one] ** 2 + self.score_se[other] ** 2 - 2 * together
        deviation = np.sqrt(np.maximum(variance, 1e-300))
        return np.where(one == other, 0.5, ndtr(gap / deviation))

    def _covariance(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> Floats:
        if self.by_item:
            return np.zeros(len(one))
        if self.covariance is not None:
            return np.asarray(self.covariance[one, other])
        left, right = self.draws[:, one], self.draws[:, other]
        product = (left - left.mean(axis=0)) * (right - right.mean(axis=0))
        return np.asarray(product.mean(axis=0, dtype=np.float64))

    def _counted(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> Floats:
        left, right = self.draws[:, one], self.draws[:, other]
        wins = (left > right).sum(axis=0) + 0.5 * (left == right).sum(axis=0)
        return np.asarray((wins + 0.5) / (len(self.draws) + 1.0))


def mean_displacement(
    draws: NDArray[np.floating[Any]], ranks: NDArray[np.int64], task_starts: NDArray[np.int64]
) -> Floats:
    """How many places each item is from its rank, on average over draws (one class per row)."""
    total = np.zeros(draws.shape[1])
    for low, high in pairwise(task_starts):
        place = np.empty(high - low, dtype=np.int64)
        for draw in draws[:, low:high]:
            place[np.argsort(-draw, kind="stable")] = np.arange(1, high - low + 1)
            total[low:high] += np.abs(place - ranks[low:high])
    return total / max(len(draws), 1)


def _tail(level: float) -> float:
    if not 0 < level < 1:
        msg = f"level must be between 0 and 1, such as 0.9, not {level!r}"
        raise MethodError(msg)
    return (1 - level) / 2


def _quantiles(draws: NDArray[np.floating[Any]], tail: float) -> tuple[Floats, Floats]:
    low, high = np.quantile(draws, [tail, 1 - tail], axis=0)
    return np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)


def _average_ranks(values: NDArray[np.floating[Any]]) -> Floats:
    """Ranks of each row, 1 the smallest, ties averaged; scipy.stats would cost half a second to import."""
    ranks = np.empty(values.shape)
    for row, numbers in zip(ranks, values, strict=True):
        rising = np.sort(numbers)
        row[:] = np.searchsorted(rising, numbers) + np.searchsorted(rising, numbers, side="right") + 1
    return ranks / 2.0


def _narrowest(ranks: Floats, level: float) -> tuple[Floats, Floats]:
    """Ends of the narrowest run of sorted ranks, by column, with this share of them; the middle of equals."""
    size = min(math.ceil(level * len(ranks) - 1e-9), len(ranks))
    starts = np.arange(len(ranks) - size + 1)
    widths = ranks[size - 1 :] - ranks[: len(starts)]
    off_centre = np.abs(starts - 0.5 * starts[-1])[:, None] / (2.0 * len(ranks))
    best = np.argmin(np.floor(2.0 * widths) + off_centre, axis=0)
    columns = np.arange(ranks.shape[1])
    return np.floor(ranks[best, columns]), np.ceil(ranks[best + size - 1, columns])


def from_log(log: Floats) -> Floats:
    """Reliabilities from their logarithms, kept where the models keep them."""
    return np.exp(np.clip(log, np.log(LOWEST), np.log(HIGHEST)))
