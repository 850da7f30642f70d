"""Experiment 5: how does accuracy grow with graders, and with items per grader?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from peerage.experiments.base import Experiment, Row, tau
from peerage.experiments.data import Source
from peerage.experiments.methods import estimate
from peerage.feedback.container import Feedback

SHARES = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
MOST_ITEMS = 8


def replicate(source: Source, number: int, methods: Sequence[str], rng: np.random.Generator) -> Iterator[Row]:
    """The class with fewer graders, and with fewer items per grader; each part holds the smaller ones."""
    data = source.load(rng)
    smaller = [*_fewer_graders(data.feedback, rng), *_fewer_items(data.feedback, rng)]
    for name in methods:
        for axis, amount, feedback in smaller:
            found = estimate(name, feedback)
            error = tau(data, data.truth, found)
            yield {"method": name, "axis": axis, "amount": amount, "tau_error": error}


def _fewer_graders(feedback: Feedback, rng: np.random.Generator) -> list[tuple[str, int, Feedback]]:
    order = rng.permutation(feedback.n_graders)
    numbers = sorted({max(2, round(share * len(order))) for share in SHARES})
    return [("graders", number, feedback.for_graders(order[:number])) for number in numbers]


def _fewer_items(feedback: Feedback, rng: np.random.Generator) -> list[tuple[str, int, Feedback]]:
    most = min(int(feedback.list_lengths.max()), MOST_ITEMS)
    seed = int(rng.integers(2**31))  # the same draws for every size
    return [
        ("items per grader", number, feedback.downsample(number, seed=seed)) for number in range(2, most + 1)
    ]


EXPERIMENT = Experiment(
    name="scale",
    question="How does accuracy grow with the number of graders, and with items per grader?",
    replicate=replicate,
    metrics=("tau_error",),
    resamples=True,
    repeats=20,
)
