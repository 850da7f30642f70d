"""Experiment 8: how long does each method take?"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np

from peerage.experiments.base import Experiment, Row
from peerage.experiments.data import Source
from peerage.experiments.methods import estimate


def replicate(source: Source, number: int, methods: Sequence[str], rng: np.random.Generator) -> Iterator[Row]:
    """CPU seconds of one fit; the first, which may compile or load, is not counted."""
    data = source.load(rng)
    for name in methods:
        usable = estimate(name, data.feedback) is not None
        started = time.process_time()
        estimate(name, data.feedback)
        yield {"method": name, "seconds": time.process_time() - started if usable else None}


EXPERIMENT = Experiment(
    name="runtime",
    question="How many CPU seconds does a fit take?",
    replicate=replicate,
    metrics=("seconds",),
    repeats=10,
    methods=("all",),
)
