"""Experiment 4: would another half of the class have said the same?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from peerage.experiments.base import Experiment, Row
from peerage.experiments.data import Source
from peerage.experiments.methods import estimate
from peerage.metrics.accuracy import tau_error_by_task


def replicate(source: Source, number: int, methods: Sequence[str], rng: np.random.Generator) -> Iterator[Row]:
    """Graders split in two halves at random; the tau error between the two rankings."""
    data = source.load(rng)
    order = rng.permutation(data.feedback.n_graders)
    halves = [data.feedback.for_graders(half) for half in np.array_split(order, 2)]
    tickets = rng.random(data.feedback.n_items), rng.random(data.feedback.n_items)
    for name in methods:
        found = [estimate(name, half) for half in halves]
        if found[0] is None or found[1] is None:
            yield {"method": name, "tau_error": None}
            continue
        first, second = (
            _untied(one.scores, ticket) for one, ticket in zip(found, tickets, strict=True) if one
        )
        yield {"method": name, "tau_error": tau_error_by_task(data.feedback, first, second)}


def _untied(scores: NDArray[np.float64], ticket: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks with ties broken at random, as the paper does, so that a method gains nothing by tying."""
    rank = np.empty(len(scores))
    rank[np.lexsort((ticket, scores))] = np.arange(len(scores))
    return rank


EXPERIMENT = Experiment(
    name="self-consistency",
    question="How different are the rankings that two halves of the class give?",
    replicate=replicate,
    metrics=("tau_error",),
    resamples=True,
    repeats=20,
)
