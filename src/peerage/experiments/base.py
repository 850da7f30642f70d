"""What an experiment is, and what all of them share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from peerage.metrics.accuracy import tau_error_by_task

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.experiments.data import DataSet, Source
    from peerage.experiments.methods import Estimate
    from peerage.feedback.container import Feedback

Row: TypeAlias = Mapping[str, float | int | str | None]
Replicate: TypeAlias = Callable[["Source", int, Sequence[str], np.random.Generator], Iterator[Row]]


def no_trouble(data: DataSet) -> str | None:
    """Any data set with a truth will do."""
    return None


def keep_all(methods: Sequence[str]) -> list[str]:
    """Any method will do."""
    return list(methods)


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
    suitable: Callable[[Sequence[str]], list[str]] = keep_all
    trouble: Callable[[DataSet], str | None] = no_trouble
    resamples: bool = False
    starts_whole: bool = False


def bootstrap(source: Source, number: int, data: DataSet, rng: np.random.Generator) -> Feedback:
    """Graders drawn with replacement; not where the class itself is new, and not in replicate 0."""
    graders = data.feedback.n_graders
    draws = rng.integers(graders, size=graders)
    return data.feedback if source.varies or number == 0 else data.feedback.resample(draws)


def tau(data: DataSet, target: NDArray[np.float64], found: Estimate | None) -> float | None:
    """The tau error within tasks, averaged; None where there is no estimate."""
    return None if found is None else tau_error_by_task(data.feedback, target, found.scores)
