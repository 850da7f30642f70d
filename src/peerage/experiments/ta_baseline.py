"""Experiment 3: how far are assistants from the truth, and from each other?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from peerage.experiments.base import Experiment, Row
from peerage.experiments.data import DataSet, Source
from peerage.metrics.accuracy import tau_error

TA_TRUTH, TA_TA = "one TA per item, against the truth", "one TA against the others"


def replicate(source: Source, number: int, methods: Sequence[str], rng: np.random.Generator) -> Iterator[Row]:
    """A random assistant's grade for every item against the truth; then one assistant against the others."""
    data = source.load(rng)
    grades = one_each(data.staff, rng)
    left_out = int(rng.integers(len(data.staff)))
    others = one_each(np.delete(data.staff, left_out, axis=0), rng)
    both = ~np.isnan(others) & ~np.isnan(data.staff[left_out])
    yield {"method": TA_TRUTH, "tau_error": _error(data.truth, grades)}
    yield {"method": TA_TA, "tau_error": _error(data.staff[left_out], others, both)}


def one_each(staff: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """A random one of the grades of every item; NaN where it has none."""
    ticket = np.where(np.isnan(staff), -1.0, rng.random(staff.shape))
    return np.asarray(staff[ticket.argmax(axis=0), np.arange(staff.shape[1])])


def _error(
    target: NDArray[np.float64], grades: NDArray[np.float64], keep: NDArray[np.bool_] | None = None
) -> float | None:
    keep = ~np.isnan(grades) if keep is None else keep
    error = tau_error(target[keep], grades[keep]) if keep.sum() > 1 else np.nan
    return None if np.isnan(error) else error


def too_few(data: DataSet) -> str | None:
    """Needs two assistants."""
    return "it has no grades by at least two assistants" if len(data.staff) < 2 else None


EXPERIMENT = Experiment(
    name="ta-baseline",
    question="How far are assistants' grades from the truth, and from each other's?",
    replicate=replicate,
    metrics=("tau_error",),
    resamples=True,
    repeats=5000,
    small=200,
    methods=(),
    trouble=too_few,
)
