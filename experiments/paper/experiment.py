"""What an experiment is, and what all of them share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from experiments.paper.data import DataSet, DataSource
from experiments.paper.methods import MethodEstimate
from peerage.feedback.container import Feedback
from peerage.metrics.accuracy import tau_error_by_task

Row: TypeAlias = Mapping[str, float | int | str | None]
Replicate: TypeAlias = Callable[[DataSource, int, Sequence[str], np.random.Generator], Iterator[Row]]


def _any_data(data: DataSet) -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class Experiment:
    """One question, and how a replicate answers it.

    `replicate(source, number, methods, rng)` yields rows; a row names its method, and its setting where a
    replicate has several. It draws from `rng` before it runs any method, so that which methods run does
    not change what they run on.

    Attributes
    ----------
    repeats, small : replicates by default, and for a quick look.
    metrics : the columns that hold results.
    methods, data : what to run by default.
    trouble : why a data set cannot be used, or None.
    suitable : the methods it makes sense for, among those asked.
    resamples : whether replicates of one class are resamples of its graders, whose spread is the error
        of the figure; otherwise the figure is a mean over replicates, and its error that of a mean.
    starts_whole : whether replicate 0 of one class is the class as it is: the figure itself.
    """

    name: str
    question: str
    replicate: Replicate
    metrics: tuple[str, ...]
    repeats: int
    small: int = 3
    methods: tuple[str, ...] = ("paper", "default-orders", "default")
    data: tuple[str, ...] = ("posters", "reports")
    suitable: Callable[[Sequence[str]], list[str]] = list
    trouble: Callable[[DataSet], str | None] = _any_data
    resamples: bool = False
    starts_whole: bool = False


def bootstrap(source: DataSource, number: int, data: DataSet, rng: np.random.Generator) -> Feedback:
    """Graders drawn with replacement; not where the class itself is new, and not in replicate 0."""
    graders = data.feedback.n_graders
    draws = rng.integers(graders, size=graders)
    return data.feedback if source.varies or number == 0 else data.feedback.resample(draws)


def tau(data: DataSet, target: NDArray[np.float64], estimate: MethodEstimate | None) -> float | None:
    """The tau error within tasks, averaged; None where there is no estimate."""
    return None if estimate is None else tau_error_by_task(data.feedback, target, estimate.scores)
