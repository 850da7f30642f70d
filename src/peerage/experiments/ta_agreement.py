"""Experiment 2: how far is each method from what assistants gave?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from peerage.experiments.base import Experiment, Row, bootstrap, tau
from peerage.experiments.data import DataSet, Source
from peerage.experiments.methods import estimate


def replicate(source: Source, number: int, methods: Sequence[str], rng: np.random.Generator) -> Iterator[Row]:
    """As in `accuracy`, with every assistant's grades as one target; their mean counts."""
    data = source.load(rng)
    feedback = bootstrap(source, number, data, rng)
    for name in methods:
        found = estimate(name, feedback)
        yield {"method": name, "tau_error": tau(data, data.staff, found)}


def no_staff(data: DataSet) -> str | None:
    """Needs grades by staff."""
    return "it has no grades by assistants" if data.staff.size == 0 else None


EXPERIMENT = Experiment(
    name="ta-agreement",
    question="How far is each method's ranking from the assistants' own grades?",
    replicate=replicate,
    metrics=("tau_error",),
    resamples=True,
    starts_whole=True,
    repeats=50,
    trouble=no_staff,
)
