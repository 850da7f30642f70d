"""Trial runs: what the estimator would make of an allocation in a class whose truth is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from peerage.feedback import Feedback

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.allocation.result import Allocation
    from peerage.models import ListObjective

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
    from peerage.models import fit

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
    objective = _plackett_luce(feedback, scores, reliabilities, score_variance)
    return np.asarray(np.sqrt(np.diag(np.linalg.inv(objective.hessian()))))


def rough_variance(
    feedback: Feedback,
    scores: NDArray[np.float64],
    reliabilities: NDArray[np.float64],
    score_variance: float,
) -> NDArray[np.float64]:
    """Variance of every score as if all others were known: cheap, and enough to tell items apart."""
    return 1 / _plackett_luce(feedback, scores, reliabilities, score_variance).exact_diagonal()


def _plackett_luce(
    feedback: Feedback,
    scores: NDArray[np.float64],
    reliabilities: NDArray[np.float64],
    score_variance: float,
) -> ListObjective:
    """The engine's own posterior at these scores; ties in the lists say nothing."""
    from peerage.models import PlackettLuce

    objective = PlackettLuce(score_variance=score_variance).objective(feedback)
    objective.evaluate(np.asarray(scores, dtype=np.float64), np.asarray(reliabilities, dtype=np.float64))
    return objective
