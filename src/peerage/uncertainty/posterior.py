"""How sure the estimate is: one interface, whatever it was computed from."""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
from scipy.special import ndtr, ndtri

from peerage.errors import DataError, MethodError
from peerage.models.solver.scales import HIGHEST, LOWEST
from peerage.uncertainty.cautions import CHANCE_RANKS_HELD, CHANCE_SCORES_HELD, EQUAL_RELIABILITIES_HELD

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.base import Estimator

    Floats = NDArray[np.float64]

Source = Literal["laplace", "bootstrap", "sampler"]
COVERS = "It says how well the peers' judgement is known, not how well the peers judge."
WIDENED = "Scores about which reviews differ more than the method expects have errors widened by their infit."
BY_CHANCE = (
    "Reviewers agree hardly more than chance would{}: with a probability of {:.0f} % their reviews say"
    " nothing. Ranks and chances allow for it, scores only for what reviewers agree about: in simulated"
    f" classes of chance 90 % intervals of ranks held the truth in {CHANCE_RANKS_HELD} %, of scores in"
    f" {CHANCE_SCORES_HELD} %."
)
EQUAL_GRADERS = (
    "That all graders are equally reliable has a probability of {:.0f} % by the evidence in this class:"
    " scores, ranks and chances are averages over both possibilities. Reliabilities are given for graders who"
    " differ: in simulated classes of equal graders, 90 % intervals of reliabilities held the truth in"
    " {} to {} %."
)
AHEAD = 64  # items looked at in one go
# of the ranks in large classes
CELLS = 4096  # of the grid
REACH = 6.0  # standard errors beyond the outermost items
ERRORS = 24  # groups of like standard errors
SPLITS = 33  # ways to share the tails between both ends
QUASI_STEPS = 100  # of the search of quasi-variances; a handful does
NODES = 24  # of means over a normal distribution: equal shares of it


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
    location : float64[n_items], the centre: the mean of the posterior, or (bootstrap) the estimate itself
    score_se : float64[n_items], standard errors of the scores
    draws : float[n_draws, n_items], joint draws of the scores
    reliability_draws : float[n_draws, n_graders] that go with them; None without reliabilities
    log_reliability : centre and standard error of log reliabilities (Laplace only)
    covariance : float64[n_items, n_items] of the scores; None where it was not computed as a matrix
    by_item : whether every item is drawn by itself, and ranks come from these distributions (large classes)
    by_chance : float64[n_tasks], the probability that reviews say nothing, where it was allowed for
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
    by_chance: Floats | None = None

    def __repr__(self) -> str:
        return f"<Posterior: {self.source}, {len(self.draws)} draws of {self.draws.shape[1]} scores>"

    @property
    def feedback(self) -> Feedback:
        return self.estimator.feedback_

    def at_mean(self) -> Estimator:
        """The estimator with the posterior's means as its scores and reliabilities: what grades are made of.

        Scores at the joint mode belong to the reliabilities there, and where few graders have long lists the
        mode makes a dictator of one of them. A ranking has no mean: methods that give one keep theirs.
        """
        reported = copy(self.estimator)
        if self.estimator.score_scale != "rank":
            reported.scores_ = self.location
        reported.reliabilities_ = self.reliabilities
        return reported

    def widened(self, factor: Floats, rng: np.random.Generator) -> Posterior:
        """The same with the variance of every score multiplied by a factor of 1 or more, each by itself."""
        more = (factor - 1.0) * self.score_se**2
        wider = np.flatnonzero(more > 0)
        if not len(wider):
            return self
        draws, covariance = self.draws.copy(), self.covariance
        for first in range(0, len(wider), CELLS):  # some at a time: a large class has much to draw
            items = wider[first : first + CELLS]
            noise = rng.standard_normal((len(draws), len(items))) * np.sqrt(more[items])
            draws[:, items] += noise.astype(draws.dtype)
        if covariance is not None:
            covariance = covariance + np.diag(more)
        return replace(
            self,
            draws=draws,
            covariance=covariance,
            score_se=self.score_se * np.sqrt(factor),
            note=self.note.replace(COVERS, f"{WIDENED} {COVERS}"),
        )

    def averaged(self, other: Posterior, p: float) -> Posterior:
        """The mixture with another Laplace posterior of the same class, which holds with probability p.

        Reliabilities stay as they are: in the other they may be known beforehand.

        Of two normal distributions a distance d apart it has the covariance (1 - p) A + p B + p (1 - p) d d'.
        """
        count, apart = round(p * len(self.draws)), other.location - self.location
        covariance = None
        if self.covariance is not None and other.covariance is not None:
            both = (1.0 - p) * self.covariance + p * other.covariance
            covariance = both + p * (1.0 - p) * np.outer(apart, apart)
        note = EQUAL_GRADERS.format(100 * p, *EQUAL_RELIABILITIES_HELD)
        return replace(
            self,
            location=self.location + p * apart,
            score_se=np.sqrt((1.0 - p) * self.score_se**2 + p * other.score_se**2 + p * (1.0 - p) * apart**2),
            draws=np.concatenate([other.draws[:count], self.draws[count:]]),
            covariance=covariance,
            note=self.note.replace(COVERS, f"{note} {COVERS}"),
        )

    def allowing_for_chance(self, probabilities: Floats, rng: np.random.Generator) -> Posterior:
        """The same where each task's reviews say nothing with this probability: then any order is as likely.

        So many draws have the scores of a task in random order. With C the covariance of a task, a its scores
        less their mean, and R the mean of C + a a' over all orders of its items, the mixture has the
        covariance (1 - p) (C + p a a') + p R.
        """
        if not (probabilities > 0).any():
            return self
        draws, variance = self.draws.copy(), self.score_se**2
        covariance = None if self.covariance is None else self.covariance.copy()
        for (first, last), p in zip(pairwise(self.feedback.task_starts), probabilities, strict=True):
            if p == 0:
                continue
            own, count = slice(first, last), round(float(p) * len(draws))
            draws[:count, own] = rng.permuted(draws[:count, own], axis=1)
            apart = self.location[own] - self.location[own].mean()
            shared = float((variance[own] + apart**2).mean())
            variance[own] = (1.0 - p) * (variance[own] + p * apart**2) + p * shared
            if covariance is not None:
                block, n = covariance[own, own], last - first
                between = (float(block.sum()) - n * shared) / max(n * (n - 1), 1)
                block[:] = (1.0 - p) * (block + p * np.outer(apart, apart)) + p * between
                np.fill_diagonal(block, variance[own])
        concerned = int((probabilities > 0).sum())
        where = "" if len(probabilities) == 1 else f" in {concerned} of {len(probabilities):,} tasks"
        note = BY_CHANCE.format(where, 100 * probabilities.max())
        mixed = replace(
            self,
            draws=draws,
            score_se=np.sqrt(variance),
            covariance=covariance,
            by_chance=probabilities,
            note=self.note.replace(COVERS, f"{note} {COVERS}"),
        )
        return replace(mixed, location=mixed.drawn_in(self.location))

    def drawn_in(self, scores: Floats) -> Floats:
        """Scores of the items as far from the mean of their task as allowing for chance leaves them."""
        if self.by_chance is None:
            return scores
        drawn = scores.copy()
        for (first, last), p in zip(pairwise(self.feedback.task_starts), self.by_chance, strict=True):
            if p > 0:
                middle = scores[first:last].mean()
                drawn[first:last] = middle + (1.0 - p) * (scores[first:last] - middle)
        return drawn

    @property
    def reliabilities(self) -> Floats:
        """The mean of every grader's reliability; ones without reliabilities."""
        if self.log_reliability is not None:
            centre, error = self.log_reliability
            return from_log(centre + 0.5 * error**2)
        if self.reliability_draws is not None:
            return np.asarray(self.reliability_draws.mean(axis=0, dtype=np.float64))
        return self.estimator.reliabilities_

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
        places = np.zeros(len(ranks))
        for first, last in pairwise(self.feedback.task_starts):
            places[first:last] = self._ranks(first, last).displacement(ranks[first:last])
        return places

    def _ranks(self, first: int, last: int) -> RankDistribution:
        return RankDistribution(self.location[first:last], self.score_se[first:last])

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

    def summary(self, *, reference: str | int | None = None, level: float = 0.9) -> pl.DataFrame:
        """One row per item, as in the feedback: task, item, score, se, low and high (ends of the interval).

        With a ``reference`` (a label), scores and standard errors are of the difference to that item, for the
        items of its task alone.
        """
        feedback = self.feedback
        low, high = self.score_interval(level)
        columns = {"score": self.location, "se": self.score_se, "low": low, "high": high}
        rows = pl.DataFrame(
            {
                "task": feedback.task_labels.gather(feedback.item_tasks),
                "item": feedback.item_values,
                **columns,
            }
        )
        if reference is None:
            return rows
        task, number = self._found(reference)
        part = feedback.task_slice(task)
        items = np.arange(part.start, part.stop)
        held = np.full(len(items), number)
        gap = self.location[items] - self.location[number]
        error = np.where(items == number, 0.0, np.sqrt(np.maximum(self._gap_variance(items, held), 0.0)))
        reach = NormalDist().inv_cdf(1 - _tail(level)) * error
        columns = {"score": gap, "se": error, "low": gap - reach, "high": gap + reach}
        if self.source != "laplace":
            columns["low"], columns["high"] = _quantiles(
                self.draws[:, items] - self.draws[:, [number]], _tail(level)
            )
        return rows[part].with_columns(**{name: pl.Series(values) for name, values in columns.items()})

    def _found(self, reference: str | int) -> tuple[int, int]:
        """The task and the number of the one item with a label."""
        numbers = (self.feedback.item_labels == str(reference)).arg_true().to_list()
        if len(numbers) > 1:
            raise DataError(f"{reference!r} is an item of several tasks: take one of them with for_task")
        if not numbers:
            self.feedback.item_number(reference)  # says so, and which label is near
        return int(self.feedback.item_tasks[numbers[0]]), numbers[0]

    def quasi_se(self) -> Floats:
        """Quasi-standard errors: two items differ with the root of the sum of their squares, about.

        Of all such numbers those whose logarithms of variances of differences are nearest (Firth and de
        Menezes, Biometrika 91, 2004). NaN in tasks of fewer than three items, where they are not defined.
        """
        errors = np.full(len(self.location), np.nan)
        for first, last in pairwise(self.feedback.task_starts):
            items = np.arange(first, last)
            if len(items) >= 3:
                variance = np.array([self._gap_variance(np.full(len(items), item), items) for item in items])
                errors[first:last] = np.sqrt(np.maximum(quasi_variances(variance), 0.0))
        return errors

    def _gap_variance(self, first: NDArray[np.int64], second: NDArray[np.int64]) -> Floats:
        together = self._covariance(first, second)
        return np.asarray(self.score_se[first] ** 2 + self.score_se[second] ** 2 - 2 * together)

    def plot(self, ax: Axes | None = None, *, level: float = 0.9, task: str | int = 0) -> Axes:
        """The scores of a task with their intervals, the best at the top; returns the Matplotlib axes."""
        from peerage.plots import plot_scores

        part = self.feedback.task_slice(task)
        low, high = self.score_interval(level)
        labels = self.feedback.item_values[part].to_list()
        name = f"score and {100 * level:g} % interval"
        return plot_scores(labels, self.location[part], (low[part], high[part]), xlabel=name, ax=ax)

    # -- comparisons ------------------------------------------------------------------------------

    def above(self, i: ArrayLike, j: ArrayLike) -> Any:
        """P(item i above item j), items of one task; arrays give arrays.

        Items are labels (texts), or numbers of items as in the feedback. Items that are integers themselves
        are written as texts here: "10". From draws it is the share of draws, ties half, kept off 0 and 1 by
        half a draw.
        """
        first, second = np.broadcast_arrays(self._numbers(i), self._numbers(j))
        tasks = self.feedback.item_tasks
        if (tasks[first] != tasks[second]).any():
            raise DataError(
                "items can only be compared within their task, and these belong to different ones"
            )
        probability_above = self._normal_above if self.source == "laplace" else self._share_of_draws
        chance = probability_above(first, second)
        return float(chance) if chance.ndim == 0 else chance

    def _numbers(self, items: ArrayLike) -> NDArray[np.int64]:
        """Numbers as they are, and those of labels."""
        given = np.asarray(items)
        if given.dtype.kind not in "US":
            return given
        return np.array([self._found(str(label))[1] for label in given.ravel()]).reshape(given.shape)

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
        return _indistinguishable_runs(self.at_mean().scores_, self.feedback.task_starts, self.above, level)

    def _normal_above(self, first: NDArray[np.int64], second: NDArray[np.int64]) -> Floats:
        gap = self.location[first] - self.location[second]
        deviation = np.sqrt(np.maximum(self._gap_variance(first, second), 1e-300))
        return np.where(first == second, 0.5, ndtr(gap / deviation))

    def _covariance(self, first: NDArray[np.int64], second: NDArray[np.int64]) -> Floats:
        if self.by_item:
            return np.zeros(len(first))
        if self.covariance is not None:
            return np.asarray(self.covariance[first, second])
        left, right = self.draws[:, first], self.draws[:, second]
        product = (left - left.mean(axis=0)) * (right - right.mean(axis=0))
        return np.asarray(product.mean(axis=0, dtype=np.float64))

    def _share_of_draws(self, first: NDArray[np.int64], second: NDArray[np.int64]) -> Floats:
        left, right = self.draws[:, first], self.draws[:, second]
        wins = (left > right).sum(axis=0) + 0.5 * (left == right).sum(axis=0)
        return np.asarray((wins + 0.5) / (len(self.draws) + 1.0))


def quasi_variances(variance: Floats) -> Floats:
    """Numbers q with log(q_i + q_j) nearest to the logarithms of the variances of differences.

    Newton's method after Gauss, steps halved while a sum would not be positive.
    """
    n = len(variance)
    others = ~np.eye(n, dtype=bool)
    q = np.full(n, 0.5 * float(np.mean(variance[others])))
    target = np.log(np.where(others, np.maximum(variance, 1e-300), 1.0))

    def cost(at: Floats) -> float:
        sums = at[:, None] + at
        if not (sums[others] > 0).all():
            return math.inf
        return float(((np.log(np.where(others, sums, 1.0)) - target) ** 2).sum())

    value = cost(q)
    for _ in range(QUASI_STEPS):
        share = np.where(others, 1.0 / (q[:, None] + q), 0.0)
        gap = np.where(others, np.log(np.where(others, q[:, None] + q, 1.0)) - target, 0.0)
        matrix = share**2 + np.diag((share**2).sum(axis=1))
        step = np.linalg.solve(matrix, (share * gap).sum(axis=1))
        while (moved := cost(q - step)) > value and float(np.abs(step).max()) > 1e-15 * float(
            np.abs(q).max()
        ):
            step = 0.5 * step
        q, fell, value = q - step, value - moved, moved
        if fell <= 1e-15 * max(value, 1.0):
            break
    return q


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


def _indistinguishable_runs(
    scores: NDArray[np.float64],
    task_starts: NDArray[np.int64],
    above: Callable[[Any, Any], Any],
    level: float,
) -> list[NDArray[np.int64]]:
    """Runs of items by score, each closed by the first item that its leader beats with this probability."""
    runs: list[NDArray[np.int64]] = []
    for first, last in pairwise(task_starts):
        order = first + np.argsort(-scores[first:last], kind="stable")
        while len(order):
            size = _run_length(order, above, level)
            runs.append(order[:size])
            order = order[size:]
    return runs


def _run_length(order: NDArray[np.int64], above: Callable[[Any, Any], Any], level: float) -> int:
    for start in range(1, len(order), AHEAD):
        candidates = order[start : start + AHEAD]
        clear = np.flatnonzero(np.asarray(above(np.full(len(candidates), order[0]), candidates)) >= level)
        if len(clear):
            return start + int(clear[0])
    return len(order)


# -- ranks in large classes -------------------------------------------------------------------------------


class RankDistribution:
    """The ranks of one task's items in a large class, from every item's own normal distribution.

    Given its score t, an item's rank is 1 plus the number of others above t. Of many others that number is
    near its expectation, G(t) = sum over the others of P(score above t), whatever few of them share graders:
    so a rank is G of a normal variable, and a little luck, that of independent others. No class is drawn or
    sorted.

    G is found on a grid: items are counted by score and by standard error, and each group of like errors is
    convolved with its normal distribution.
    """

    def __init__(self, centre: Floats, error: Floats) -> None:
        self.centre, self.error = centre, error
        reach = REACH * float(error.max(initial=0.0))
        self.low = float(centre.min()) - reach
        self.step = max((float(centre.max()) + reach - self.low) / (CELLS - 1), 1e-300)
        self.above, self.luck = self._on_grid()

    def _on_grid(self) -> tuple[Floats, Floats]:
        """At every cell the expected number of items above it, and the variance of that number."""
        above, luck = np.zeros((2, CELLS))
        offsets = self.step * np.arange(-(CELLS - 1), CELLS)
        edges = np.quantile(self.error, np.linspace(0, 1, ERRORS + 1)[1:-1])
        group = np.searchsorted(edges, self.error)
        for number in range(ERRORS):
            mine = np.flatnonzero(group == number)
            if not len(mine):
                continue
            error = max(float(np.sqrt(np.mean(self.error[mine] ** 2))), 1e-9 * self.step)
            below = ndtr(-offsets / error)  # chance of being above a cell that is so far up
            counts = self._counts(self.centre[mine])
            above += _convolve(counts, below)
            luck += _convolve(counts, below * (1.0 - below))
        return above, luck

    def _counts(self, centre: Floats) -> Floats:
        """Items by cell, each shared between its two neighbours."""
        position = (centre - self.low) / self.step
        cell = np.clip(position.astype(np.int64), 0, CELLS - 2)
        part = position - cell
        return np.asarray(np.bincount(cell, 1.0 - part, CELLS) + np.bincount(cell + 1, part, CELLS))

    def _interpolate(self, table: Floats, score: Floats) -> Floats:
        position = np.clip((score - self.low) / self.step, 0.0, CELLS - 1.000001)
        cell = position.astype(np.int64)
        part = position - cell
        return np.asarray(table[cell] * (1.0 - part) + table[cell + 1] * part)

    def expected(self, deviation: float) -> Floats:
        """Everybody's expected rank, were its score so many standard errors above its centre."""
        above = self._interpolate(self.above, self.centre + deviation * self.error)
        rank = 1.0 + above - float(ndtr(-deviation))
        return np.asarray(np.clip(rank, 1.0, len(self.centre)))

    def interval(self, level: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The narrowest ranks that hold this share, of all ways to share the rest between both ends."""
        width = np.full(len(self.centre), np.inf)
        best, worst = np.empty((2, len(self.centre)))
        for tail in (1.0 - level) * (np.arange(SPLITS) + 0.5) / SPLITS:
            upper, lower = (
                self.expected(-float(ndtri(tail))),
                self.expected(float(ndtri(1.0 - level - tail))),
            )
            closer = lower - upper < width
            width = np.where(closer, lower - upper, width)
            best, worst = np.where(closer, upper, best), np.where(closer, lower, worst)
        return self._with_luck(best, worst, float(ndtri(0.5 + level / 2)))

    def _with_luck(
        self, best: Floats, worst: Floats, reach: float
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Both ends moved out by the luck of the others, which adds to the item's own as variances do."""
        middle = self.expected(0.0)
        luck = reach**2 * self._interpolate(self.luck, self.centre)
        best = middle - np.sqrt(np.maximum(middle - best, 0.0) ** 2 + luck)
        worst = middle + np.sqrt(np.maximum(worst - middle, 0.0) ** 2 + luck)
        n = len(self.centre)
        low, high = np.floor(best + 0.5), np.ceil(worst - 0.5)
        return np.clip(low, 1, n).astype(np.int64), np.clip(high, 1, n).astype(np.int64)

    def displacement(self, ranks: NDArray[np.int64]) -> Floats:
        """How many places each item is from a given rank, on average."""
        total = np.zeros(len(ranks))
        for deviation in ndtri((np.arange(NODES) + 0.5) / NODES):
            total += np.abs(self.expected(float(deviation)) - ranks)
        return total / NODES


def _convolve(counts: Floats, table: Floats) -> Floats:
    """At every cell the sum over items of the table at their distance; `table` runs over all distances."""
    size = 4 * CELLS
    product = np.fft.irfft(np.fft.rfft(counts, size) * np.fft.rfft(table, size), size)
    return np.asarray(np.maximum(product[CELLS - 1 : 2 * CELLS - 1], 0.0))
