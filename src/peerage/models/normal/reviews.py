"""Reported scores as flat arrays by grader, and the passes over them that the cardinal models share.

For a grader with reviews y of items with latent scores s, write u = y - slope * s. With noise variance
1 / eta and bias variance B, the best bias is b = B eta sum(w u) / (1 + n B eta), n the weight of its reviews;
everything below has the bias eliminated that way, so a grader costs one number, eta. B = 0 means no bias.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from peerage._numba import kernel
from peerage.models import thresholds
from peerage.models.solver.threads import runs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback


class Reviews(NamedTuple):
    """Grader g gave y[starts[g]:starts[g + 1]] to items[...]; each counts w times, weight[g] in all."""

    starts: NDArray[np.int64]
    items: NDArray[np.int32]
    y: NDArray[np.float64]
    w: NDArray[np.float64]
    weight: NDArray[np.float64]

    def weighted(self, eta: NDArray[np.float64]) -> Reviews:
        """The same reviews, each counting its grader's eta times as much."""
        return self._replace(w=self.w * np.repeat(eta, np.diff(self.starts)), weight=self.weight * eta)

    def counted(self, times: NDArray[np.float64]) -> Reviews:
        """The same reviews, each counting so many times as often."""
        graders = np.repeat(np.arange(len(self.weight)), np.diff(self.starts))
        return self._replace(w=self.w * times, weight=sums(graders, self.w * times, len(self.weight)))

    def moved(self, shift: NDArray[np.float64], scale: float) -> Reviews:
        """The same reviews with y less the item's shift, over a scale."""
        y = np.empty_like(self.y)
        _move(self.items, self.y, shift, scale, y)
        return self._replace(y=y)


def sums(groups: NDArray[Any], values: NDArray[np.float64], n_groups: int) -> NDArray[np.float64]:
    """The values added up by group."""
    return np.asarray(np.bincount(groups, values, n_groups), dtype=np.float64)


def reviews_of(feedback: Feedback, scores: NDArray[np.float64]) -> Reviews:
    """The reviews that carry a score, in order of grader."""
    in_order = not (np.diff(feedback.list_graders) < 0).any()  # several tasks: lists may not be
    lists = np.arange(feedback.n_lists) if in_order else np.argsort(feedback.list_graders, kind="stable")
    n_scored = int(np.count_nonzero(~np.isnan(scores)))
    starts, weight = np.zeros(feedback.n_graders + 1, dtype=np.int64), np.zeros(feedback.n_graders)
    items, y, w = np.empty(n_scored, dtype=np.int32), np.empty(n_scored), np.empty(n_scored)
    _gather(
        (feedback.items, scores, feedback.list_starts, feedback.list_graders, feedback.list_weights),
        lists, starts, items, y, w, weight,
    )  # fmt: skip
    return Reviews(np.cumsum(starts), items, y, w, weight)


@kernel
def _gather(given: Any, lists: Any, starts: Any, items: Any, y: Any, w: Any, weight: Any) -> None:
    """Scored reviews, list after list; starts counts them by grader, one further on."""
    all_items, scores, list_starts, graders, weights = given
    at = 0
    for which in lists:
        grader, first = graders[which], at
        for e in range(list_starts[which], list_starts[which + 1]):
            if not math.isnan(scores[e]):
                items[at], y[at], w[at] = all_items[e], scores[e], weights[which]
                weight[grader] += weights[which]
                at += 1
        starts[grader + 1] += at - first


@kernel
def _move(items: Any, y: Any, shift: Any, scale: float, out: Any) -> None:
    for e in range(len(items)):
        out[e] = (y[e] - shift[items[e]]) / scale


def runs_of(reviews: Reviews, n_runs: int = thresholds.SCORE_RUNS) -> list[tuple[int, int]]:
    """Graders in runs of about equal work, from the data alone."""
    return runs(reviews.starts, len(reviews.y), n_runs)


@kernel
def residuals(
    reviews: Any, low: int, high: int, scores: Any, slope: float, u: Any, mean: Any, within: Any
) -> None:
    """u by review; its mean by grader, and the sum of w (u - mean)^2."""
    for g in range(low, high):
        total, within[g] = 0.0, 0.0
        for e in range(reviews.starts[g], reviews.starts[g + 1]):
            u[e] = reviews.y[e] - slope * scores[reviews.items[e]]
            total += reviews.w[e] * u[e]
        mean[g] = total / reviews.weight[g] if reviews.weight[g] > 0.0 else 0.0
        for e in range(reviews.starts[g], reviews.starts[g + 1]):
            within[g] += reviews.w[e] * (u[e] - mean[g]) ** 2


@kernel
def eliminate_biases(
    reviews: Any, low: int, high: int, u: Any, mean: Any, bias_variance: float, eta: Any,
    bias: Any, sums: Any, squares: Any,
) -> float:  # fmt: skip
    """Best biases for given eta, sum of w r and w r^2 by grader (r = u - b); the value of these graders."""
    value = 0.0
    for g in range(low, high):
        weight = reviews.weight[g]
        pull = eta[g] * weight * mean[g] / (1.0 + weight * bias_variance * eta[g])
        bias[g], sums[g], squares[g] = bias_variance * pull, 0.0, 0.0
        for e in range(reviews.starts[g], reviews.starts[g + 1]):
            r = u[e] - bias[g]
            sums[g] += reviews.w[e] * r
            squares[g] += reviews.w[e] * r * r
        value += 0.5 * (eta[g] * squares[g] + bias[g] * pull - weight * math.log(eta[g]))
    return value


@kernel
def gradient(
    reviews: Any, low: int, high: int, u: Any, slope: float, eta: Any, bias: Any, by_item: Any
) -> None:
    """Gradient of the value in the scores."""
    for g in range(low, high):
        for e in range(reviews.starts[g], reviews.starts[g + 1]):
            by_item[reviews.items[e]] -= slope * reviews.w[e] * eta[g] * (u[e] - bias[g])


@kernel
def mixed_terms(
    reviews: Any, low: int, high: int, u: Any, slope: float, bias_variance: float, eta: Any,
    bias: Any, sums: Any, mixed: Any,
) -> None:  # fmt: skip
    """Mixed derivative in the item's score and the grader's eta, by review."""
    for g in range(low, high):
        give = bias_variance * eta[g] * sums[g] / (1.0 + reviews.weight[g] * bias_variance * eta[g])
        for e in range(reviews.starts[g], reviews.starts[g + 1]):
            mixed[e] = -slope * reviews.w[e] * (u[e] - bias[g] - give)


@kernel
def hessian_product(
    reviews: Any, low: int, high: int, slope: float, bias_variance: float, eta: Any,
    mixed: Any, inverse: Any, pairs: Any,
) -> None:  # fmt: skip
    """Hessian in the scores times a direction; eta follows, `inverse` being 1 / its curvature (0: it stays).

    By item, pairs holds the direction and takes the result: side by side, they cost one trip to memory.
    """
    for g in range(low, high):
        total, inner = 0.0, 0.0
        for e in range(reviews.starts[g], reviews.starts[g + 1]):
            v = pairs[reviews.items[e], 0]
            total += reviews.w[e] * v
            inner += mixed[e] * v
        give = bias_variance * eta[g] * total / (1.0 + reviews.weight[g] * bias_variance * eta[g])
        own, response = slope * slope * eta[g], inverse[g] * inner
        for e in range(reviews.starts[g], reviews.starts[g + 1]):
            item = reviews.items[e]
            pairs[item, 1] += own * reviews.w[e] * (pairs[item, 0] - give) - mixed[e] * response


@kernel
def diagonal(
    reviews: Any, low: int, high: int, slope: float, bias_variance: float, eta: Any, by_item: Any
) -> None:
    """The diagonal of the Hessian at fixed eta."""
    for g in range(low, high):
        give = bias_variance * eta[g] / (1.0 + reviews.weight[g] * bias_variance * eta[g])
        for e in range(reviews.starts[g], reviews.starts[g + 1]):
            w = reviews.w[e]
            by_item[reviews.items[e]] += slope * slope * eta[g] * w * (1.0 - give * w)


@kernel
def sums_by_grader(reviews: Any, low: int, high: int, entry: Any, direction: Any, by_grader: Any) -> None:
    """Sum of entry * direction by grader."""
    for g in range(low, high):
        for e in range(reviews.starts[g], reviews.starts[g + 1]):
            by_grader[g] += entry[e] * direction[reviews.items[e]]


@kernel
def sums_by_item(reviews: Any, low: int, high: int, entry: Any, moves: Any, by_item: Any) -> None:
    """Sum of entry * moves by item."""
    for g in range(low, high):
        for e in range(reviews.starts[g], reviews.starts[g + 1]):
            by_item[reviews.items[e]] += entry[e] * moves[g]
