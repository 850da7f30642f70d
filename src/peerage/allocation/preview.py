"""The preview: how good an allocation will be, beside a random one, before anybody is sent anything.

Trial runs show what the estimator would make of it in simulated classes whose truth is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage.allocation.allocate import Allocation, allocate
from peerage.allocation.solver import Bottleneck, Instance, solve
from peerage.simulation.reviews import simulate_rankings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.allocation.quality import Quality
    from peerage.feedback.container import Feedback
    from peerage.models.smooth.objective import ListObjective

LARGE = 200_000  # reviews above which a few trial runs must do
DENSE_ITEMS = 1500  # up to here the Hessian is inverted
NORMAL_95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Forecast:
    """Quality of one allocation and the mean (and standard error) of its trial runs."""

    quality: Quality
    tau_error: float
    tau_error_se: float
    interval_width: float


@dataclass(frozen=True, slots=True)
class AllocationPreview:
    """An allocation beside a random one for the same roster and workload."""

    this: Forecast
    random: Forecast
    design: str
    repeats: int

    def table(self) -> pl.DataFrame:
        """One row per figure: what it is, here, random."""
        rows = zip(_figures(self.this), _figures(self.random), strict=True)
        columns = [(name, here, there) for (name, here), (_, there) in rows]
        return pl.DataFrame(columns, schema=["figure", self.design, "random allocation"], orient="row")


def _figures(forecast: Forecast) -> list[tuple[str, str]]:
    q = forecast.quality
    return [
        ("reviews per item", _histogram(q.loads)),
        ("reviews per grader", _histogram(q.lists)),
        ("separate parts (1 = connected)", str(q.components)),
        ("pairs of items together more than once", str(q.repeated_pairs)),
        ("most often together", str(q.most_together)),
        ("pairs of items compared directly", f"{100 * q.covered_pairs:.1f} %"),
        ("spectral gap (larger is better)", f"{q.spectral_gap:.3f}"),
        (
            "expected tau error (0 perfect, 50 random)",
            f"{forecast.tau_error:.2f} ± {forecast.tau_error_se:.2f}",
        ),
        ("expected width of 95 % intervals (score sd)", f"{forecast.interval_width:.2f}"),
    ]


def _histogram(counts: dict[int, int]) -> str:
    """For example "5 × 12, 6 × 30": twelve items with 5 reviews, thirty with 6."""
    shown = [f"{value} × {number}" for value, number in sorted(counts.items())]
    return ", ".join(shown[:6]) + (f" … {shown[-1]}" if len(shown) > 6 else "")


def preview(
    allocation: Allocation,
    *,
    repeats: int = 20,
    seed: int = 0,
    method: str = "pl",
    sd: float = 1.0,
    reliability_shape: float = 10.0,
) -> AllocationPreview:
    """Quality and expected error of an allocation, and of a random one for the same roster and workload.

    Every trial run draws true scores (normal, standard deviation ``sd``) and graders' reliabilities (Gamma,
    mean 1), lets everybody rank by the Plackett-Luce model, fits ``method`` and compares with the truth. Both
    allocations see the same classes. A class of more than 200,000 reviews gets at most three runs.
    """
    if len(allocation.items) > LARGE:
        repeats = min(repeats, 3)
    model = {"method": method, "sd": sd, "reliability_shape": reliability_shape}
    return AllocationPreview(
        this=_forecast(allocation, repeats, seed, model),
        random=_forecast(random_like(allocation, seed), repeats, seed, model),
        design=allocation.design,
        repeats=repeats,
    )


def _forecast(allocation: Allocation, repeats: int, seed: int, model: dict[str, Any]) -> Forecast:
    trials = [run_trial(allocation, np.random.default_rng([seed, run]), **model) for run in range(repeats)]
    errors: NDArray[np.float64] = np.array([trial.tau_error for trial in trials])
    return Forecast(
        quality=allocation.quality,
        tau_error=float(errors.mean()),
        tau_error_se=float(errors.std(ddof=1) / np.sqrt(repeats)) if repeats > 1 else float("nan"),
        interval_width=float(np.mean([trial.interval_width for trial in trials])),
    )


def random_like(allocation: Allocation, seed: int = 0) -> Allocation:
    """A random balanced allocation for the same roster and workload."""
    if allocation.options:
        return allocate(allocation.pool, design="random", seed=seed, **allocation.options)
    pool = allocation.pool
    numbers = np.bincount(allocation.graders, minlength=pool.n_graders)
    barred = pool.barred_starts, pool.barred
    everybody, everything = np.arange(pool.n_graders), np.arange(pool.n_items)
    solution = solve(Instance.restrict(barred, everybody, everything, numbers), np.random.default_rng(seed))
    if isinstance(solution, Bottleneck):  # a repaired allocation need not be balanced; then there is no other
        return allocation
    return Allocation(
        pool,
        solution.owner.astype(np.int64),
        solution.items.astype(np.int64),
        np.zeros(len(solution.items), np.int64),
    )


# -- trial runs -----------------------------------------------------------------------------------


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
    simulation = simulate_rankings(
        allocation.graders,
        allocation.items,
        n_graders=pool.n_graders,
        n_items=pool.n_items,
        sd=sd,
        reliability_shape=reliability_shape,
        rng=rng,
    )
    feedback, scores = simulation.feedback, simulation.scores
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
