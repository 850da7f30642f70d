"""The preview: how good an allocation will be, beside a random one, before anybody is sent anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from peerage.allocation.instance import Bottleneck, Instance, solve
from peerage.allocation.plan import allocate
from peerage.allocation.result import Allocation
from peerage.allocation.trial import Trial, run_trial

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.allocation.measures import Quality

LARGE = 200_000  # reviews above which a few trial runs must do


@dataclass(frozen=True, slots=True)
class Forecast:
    """Quality of one allocation and the mean (and standard error) of its trial runs."""

    quality: Quality
    tau_error: float
    tau_error_se: float
    interval_width: float


@dataclass(frozen=True, slots=True)
class Preview:
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
) -> Preview:
    """Quality and expected error of an allocation, and of a random one for the same roster and workload.

    Every trial run draws true scores (normal, standard deviation ``sd``) and graders' reliabilities (Gamma,
    mean 1), lets everybody rank by the Plackett-Luce model, fits ``method`` and compares with the truth. Both
    allocations see the same classes. A class of more than 200,000 reviews gets at most three runs.
    """
    if len(allocation.items) > LARGE:
        repeats = min(repeats, 3)
    model = {"method": method, "sd": sd, "reliability_shape": reliability_shape}
    return Preview(
        this=_forecast(allocation, repeats, seed, model),
        random=_forecast(random_like(allocation, seed), repeats, seed, model),
        design=allocation.design,
        repeats=repeats,
    )


def _forecast(allocation: Allocation, repeats: int, seed: int, model: dict[str, object]) -> Forecast:
    trials = [_trial(allocation, [seed, run], model) for run in range(repeats)]
    errors: NDArray[np.float64] = np.array([trial.tau_error for trial in trials])
    return Forecast(
        quality=allocation.quality,
        tau_error=float(errors.mean()),
        tau_error_se=float(errors.std(ddof=1) / np.sqrt(repeats)) if repeats > 1 else float("nan"),
        interval_width=float(np.mean([trial.interval_width for trial in trials])),
    )


def _trial(allocation: Allocation, seed: list[int], model: dict[str, object]) -> Trial:
    return run_trial(allocation, np.random.default_rng(seed), **model)  # type: ignore[arg-type]


def random_like(allocation: Allocation, seed: int = 0) -> Allocation:
    """A random balanced allocation for the same roster and workload."""
    if allocation.options:
        return allocate(allocation.pool, design="random", seed=seed, **allocation.options)
    pool = allocation.pool
    numbers = np.bincount(allocation.graders, minlength=pool.n_graders)
    barred = pool.barred_starts, pool.barred
    everybody, everything = np.arange(pool.n_graders), np.arange(pool.n_items)
    solved = solve(Instance.cut(barred, everybody, everything, numbers), np.random.default_rng(seed))
    if isinstance(solved, Bottleneck):  # a repaired allocation need not be balanced; then there is no other
        return allocation
    return Allocation(
        pool,
        solved.owner.astype(np.int64),
        solved.items.astype(np.int64),
        np.zeros(len(solved.items), np.int64),
    )
