"""Experiment 7: what do lazy graders do to the grades?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from peerage.experiments.base import Experiment, Row, tau
from peerage.experiments.data import Source
from peerage.experiments.lazy_graders import add_lazy
from peerage.experiments.methods import estimate

ADDED = (0, 10, 50, 100)


def replicate(source: Source, number: int, methods: Sequence[str], rng: np.random.Generator) -> Iterator[Row]:
    """The class with 0, 10, 50 and 100 lazy graders more."""
    data = source.load(rng)
    classes = [(added, add_lazy(data.feedback, added, rng)) for added in ADDED]
    for name in methods:
        before: float | None = None
        for added, feedback in classes:
            found = estimate(name, feedback)
            error = tau(data, data.truth, found)
            before = error if added == 0 else before
            change = None if error is None or before is None else error - before
            yield {"method": name, "added": added, "tau_error": error, "change": change}


EXPERIMENT = Experiment(
    name="robustness",
    question="How much worse do grades get when lazy graders join?",
    replicate=replicate,
    metrics=("tau_error", "change"),
    repeats=20,
    data=("simulated",),
)
