"""Trial runs: what the estimator would make of an allocation in a class whose truth is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from peerage.simulation.reviews import simulate_rankings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.allocation.result import Allocation
    from peerage.feedback.container import Feedback
    from peerage.models.smooth.objective import ListObjective

DENSE_ITEMS = 1500
NORMAL_95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Trial:
    """Tau error (0 perfect, 50 random), and mean width of the 95 % intervals over the scores' spread."""

    tau_error: float
    interval_width: float


def run_trial(
    allocation: Allocation, rng: np.random.Generator, *, method: str, sd: float, reliability_shape: float
) -> Trial:
    """One simulated class on this allocation, fitted and held against the truth."""
    from peerage.metrics.accuracy import tau_error
    from peerage.models.fitting import fit

    pool = allocation.pool
    made = simulate_rankings(
        allocation.graders,
        allocation.items,
        n_graders=pool.n_graders,
        n_items=pool.n_items,
        sd=sd,
        reliability_shape=reliability_shape,
        rng=rng,
    )
    feedback, scores = made.feedback, made.scores
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
    from peerage.models.smooth.plackett_luce import PlackettLuce

    objective = PlackettLuce(score_variance=score_variance).objective(feedback)
    objective.evaluate(np.asarray(scores, dtype=np.float64), np.asarray(reliabilities, dtype=np.float64))
    return objective
