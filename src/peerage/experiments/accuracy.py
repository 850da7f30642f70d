"""Experiment 1: how far is each method from the truth?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from peerage.experiments.base import Experiment, Row, bootstrap, tau
from peerage.experiments.data import Source
from peerage.experiments.methods import estimate


def replicate(source: Source, number: int, methods: Sequence[str], rng: np.random.Generator) -> Iterator[Row]:
    """The class as it is (number 0, or a new class), or with its graders drawn with replacement."""
    data = source.load(rng)
    feedback = bootstrap(source, number, data, rng)
    for name in methods:
        found = estimate(name, feedback)
        yield {"method": name, "tau_error": tau(data, data.truth, found)}


EXPERIMENT = Experiment(
    name="accuracy",
    question="How far is each method's ranking from the truth?",
    replicate=replicate,
    metrics=("tau_error",),
    resamples=True,
    starts_whole=True,
    repeats=100,
    data=("simulated",),
)
