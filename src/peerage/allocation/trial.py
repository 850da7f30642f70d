"""Trial runs: what the estimator would make of an allocation in a class whose truth is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from peerage._numba import kernel
from peerage.feedback import Feedback

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.allocation.result import Allocation

DENSE_ITEMS = 1500
NORMAL_95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Trial:
    """Tau error (0 perfect, 50 random), and mean width of the 95 % intervals over the scores' spread."""

    tau_error: float
    interval_width: float


def rank_all(
    graders: NDArray[np.int64], items: NDArray[np.int64], utility: NDArray[np.float64], n_items: int
) -> Feedback:
    """Everybody ranks their items by how much they like them, without ties; rows may come in any order."""
    order = np.lexsort((-utility, graders))
    people, first = np.unique(graders[order], return_index=True)
    starts = np.append(first, len(items)).astype(np.int64)
    return Feedback(
        items=items[order].astype(np.int32),
        opens=np.ones(len(items), dtype=bool),
        list_starts=starts,
        list_graders=np.arange(len(people), dtype=np.int32),
        list_tasks=np.zeros(len(people), dtype=np.int32),
        item_tasks=np.zeros(n_items, dtype=np.int32),
        item_labels=_labels("i", np.arange(n_items)),
        grader_labels=_labels("g", people),
        task_labels=pl.Series(["1"]),
    )


def _labels(letter: str, numbers: NDArray[np.int64]) -> pl.Series:
    """Labels whose alphabetical order is the order of the numbers."""
    return (
        pl.Series(numbers).cast(pl.String).str.zfill(9).map_elements(letter.__add__, return_dtype=pl.String)
    )


def run_trial(
    allocation: Allocation, rng: np.random.Generator, *, method: str, sd: float, reliability_shape: float
) -> Trial:
    """One simulated class on this allocation, fitted and held against the truth."""
    from peerage.metrics import tau_error
    from peerage.models.registry import fit

    roster = allocation.roster
    scores = sd * rng.standard_normal(roster.n_items)
    reliabilities = rng.gamma(reliability_shape, 1 / reliability_shape, size=roster.n_graders)
    graders, items = allocation.graders, allocation.items
    utility = reliabilities[graders] * scores[items] + rng.gumbel(size=len(items))  # Plackett-Luce
    feedback = rank_all(graders, items, utility, roster.n_items)
    fitted = fit(feedback, method, score_variance=sd**2)
    error = fitted.scores_ - (scores - scores.mean())
    deviations = posterior_sd(feedback, fitted.scores_, fitted.reliabilities_, sd**2)
    typical = deviations.mean() if deviations is not None else np.sqrt(np.mean(error**2))
    return Trial(float(tau_error(scores, fitted.scores_)), float(2 * NORMAL_95 * typical / sd))


def posterior_sd(
    feedback: Feedback,
    scores: NDArray[np.float64],
    reliabilities: NDArray[np.float64],
    score_variance: float,
) -> NDArray[np.float64] | None:
    """Standard deviation of every score by Laplace's method; None where there are too many items for it."""
    if feedback.n_items > DENSE_ITEMS:
        return None
    curvature = np.eye(feedback.n_items) / score_variance
    strength = reliabilities[feedback.list_graders]
    _add_curvature(curvature, feedback.items, feedback.list_starts, scores, strength)
    return np.asarray(np.sqrt(np.diag(np.linalg.inv(curvature))))


def rough_variance(
    feedback: Feedback,
    scores: NDArray[np.float64],
    reliabilities: NDArray[np.float64],
    score_variance: float,
) -> NDArray[np.float64]:
    """Variance of every score as if all others were known: cheap, and enough to tell items apart."""
    diagonal = np.full(feedback.n_items, 1 / score_variance)
    strength = reliabilities[feedback.list_graders]
    _add_diagonal(diagonal, feedback.items, feedback.list_starts, scores, strength)
    return np.asarray(1 / diagonal)


@kernel
def _chances(
    scores: NDArray[np.float64], items: NDArray[np.int32], strength: float, out: NDArray[np.float64]
) -> None:
    """Chance of each of these items to be placed first, by the Plackett-Luce model."""
    top, total = -np.inf, 0.0
    for e in range(len(items)):
        top = max(top, strength * scores[items[e]])
    for e in range(len(items)):
        out[e] = np.exp(strength * scores[items[e]] - top)
        total += out[e]
    for e in range(len(items)):
        out[e] /= total


@kernel
def _add_curvature(
    curvature: NDArray[np.float64],
    items: NDArray[np.int32],
    starts: NDArray[np.int64],
    scores: NDArray[np.float64],
    strength: NDArray[np.float64],
) -> None:
    """Minus the second derivative of the log-likelihood: one choice per place of every list."""
    chance = np.empty(np.diff(starts).max())
    for r in range(len(strength)):
        for first in range(starts[r], starts[r + 1] - 1):
            rest = items[first : starts[r + 1]]
            _chances(scores, rest, strength[r], chance)
            for e in range(len(rest)):
                curvature[rest[e], rest[e]] += strength[r] ** 2 * chance[e]
                for f in range(len(rest)):
                    curvature[rest[e], rest[f]] -= strength[r] ** 2 * chance[e] * chance[f]


@kernel
def _add_diagonal(
    diagonal: NDArray[np.float64],
    items: NDArray[np.int32],
    starts: NDArray[np.int64],
    scores: NDArray[np.float64],
    strength: NDArray[np.float64],
) -> None:
    chance = np.empty(np.diff(starts).max())
    for r in range(len(strength)):
        for first in range(starts[r], starts[r + 1] - 1):
            rest = items[first : starts[r + 1]]
            _chances(scores, rest, strength[r], chance)
            for e in range(len(rest)):
                diagonal[rest[e]] += strength[r] ** 2 * chance[e] * (1 - chance[e])
