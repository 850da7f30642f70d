"""Experiments 1 to 5 and 8 of the paper: how accurate the methods are, with how much data, how fast."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from experiments.paper.data import DataSet, DataSource
from experiments.paper.experiment import Experiment, Row, bootstrap, tau
from experiments.paper.methods import run_method
from peerage.feedback.container import Feedback
from peerage.metrics.accuracy import tau_error, tau_error_by_task

# -- 1. How far is each method from the truth? ----------------------------------------------------------


def accuracy_replicate(
    source: DataSource, number: int, methods: Sequence[str], rng: np.random.Generator
) -> Iterator[Row]:
    """The class as it is (number 0, or a new class), or with its graders drawn with replacement."""
    data = source.load(rng)
    feedback = bootstrap(source, number, data, rng)
    for name in methods:
        yield {"method": name, "tau_error": tau(data, data.truth, run_method(name, feedback))}


ACCURACY = Experiment(
    name="accuracy",
    question="How far is each method's ranking from the truth?",
    replicate=accuracy_replicate,
    metrics=("tau_error",),
    resamples=True,
    starts_whole=True,
    repeats=100,
    data=("simulated",),
)

# -- 2. How far is each method from what assistants gave? -----------------------------------------------


def ta_agreement_replicate(
    source: DataSource, number: int, methods: Sequence[str], rng: np.random.Generator
) -> Iterator[Row]:
    """As in `accuracy`, with every assistant's grades as one target; their mean counts."""
    data = source.load(rng)
    feedback = bootstrap(source, number, data, rng)
    for name in methods:
        yield {"method": name, "tau_error": tau(data, data.staff, run_method(name, feedback))}


def _no_staff(data: DataSet) -> str | None:
    return "it has no grades by assistants" if data.staff.size == 0 else None


TA_AGREEMENT = Experiment(
    name="ta-agreement",
    question="How far is each method's ranking from the assistants' own grades?",
    replicate=ta_agreement_replicate,
    metrics=("tau_error",),
    resamples=True,
    starts_whole=True,
    repeats=50,
    trouble=_no_staff,
)

# -- 3. How far are assistants from the truth, and from each other? -------------------------------------

TA_TRUTH, TA_TA = "one TA per item, against the truth", "one TA against the others"


def ta_baseline_replicate(
    source: DataSource, number: int, methods: Sequence[str], rng: np.random.Generator
) -> Iterator[Row]:
    """A random assistant's grade for every item against the truth; then one assistant against the others."""
    data = source.load(rng)
    grades = one_grade_each(data.staff, rng)
    left_out = int(rng.integers(len(data.staff)))
    others = one_grade_each(np.delete(data.staff, left_out, axis=0), rng)
    both = ~np.isnan(others) & ~np.isnan(data.staff[left_out])
    yield {"method": TA_TRUTH, "tau_error": _tau_over(~np.isnan(grades), data.truth, grades)}
    yield {"method": TA_TA, "tau_error": _tau_over(both, data.staff[left_out], others)}


def one_grade_each(staff: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """A random one of the grades of every item; NaN where it has none."""
    ticket = np.where(np.isnan(staff), -1.0, rng.random(staff.shape))
    return np.asarray(staff[ticket.argmax(axis=0), np.arange(staff.shape[1])])


def _tau_over(
    items: NDArray[np.bool_], target: NDArray[np.float64], grades: NDArray[np.float64]
) -> float | None:
    error = tau_error(target[items], grades[items]) if items.sum() > 1 else np.nan
    return None if np.isnan(error) else error


def _too_few_staff(data: DataSet) -> str | None:
    return "it has no grades by at least two assistants" if len(data.staff) < 2 else None


TA_BASELINE = Experiment(
    name="ta-baseline",
    question="How far are assistants' grades from the truth, and from each other's?",
    replicate=ta_baseline_replicate,
    metrics=("tau_error",),
    resamples=True,
    repeats=5000,
    small=200,
    methods=(),
    trouble=_too_few_staff,
)

# -- 4. Would another half of the class have said the same? ---------------------------------------------


def self_consistency_replicate(
    source: DataSource, number: int, methods: Sequence[str], rng: np.random.Generator
) -> Iterator[Row]:
    """Graders split in two halves at random; the tau error between the two rankings."""
    data = source.load(rng)
    order = rng.permutation(data.feedback.n_graders)
    halves = [data.feedback.for_graders(half) for half in np.array_split(order, 2)]
    tickets = rng.random(data.feedback.n_items), rng.random(data.feedback.n_items)
    for name in methods:
        first, second = (run_method(name, half) for half in halves)
        error = None
        if first is not None and second is not None:
            ranks = _untied(first.scores, tickets[0]), _untied(second.scores, tickets[1])
            error = tau_error_by_task(data.feedback, *ranks)
        yield {"method": name, "tau_error": error}


def _untied(scores: NDArray[np.float64], ticket: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks with ties broken at random, as the paper does, so that a method gains nothing by tying."""
    rank = np.empty(len(scores))
    rank[np.lexsort((ticket, scores))] = np.arange(len(scores))
    return rank


SELF_CONSISTENCY = Experiment(
    name="self-consistency",
    question="How different are the rankings that two halves of the class give?",
    replicate=self_consistency_replicate,
    metrics=("tau_error",),
    resamples=True,
    repeats=20,
)

# -- 5. How does accuracy grow with graders, and with items per grader? ---------------------------------

SHARES = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
MOST_ITEMS = 8


def scale_replicate(
    source: DataSource, number: int, methods: Sequence[str], rng: np.random.Generator
) -> Iterator[Row]:
    """The class with fewer graders, and with fewer items per grader; each part holds the smaller ones."""
    data = source.load(rng)
    smaller = [*_fewer_graders(data.feedback, rng), *_fewer_items(data.feedback, rng)]
    for name in methods:
        for axis, amount, feedback in smaller:
            error = tau(data, data.truth, run_method(name, feedback))
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


SCALE = Experiment(
    name="scale",
    question="How does accuracy grow with the number of graders, and with items per grader?",
    replicate=scale_replicate,
    metrics=("tau_error",),
    resamples=True,
    repeats=20,
)

# -- 8. How long does each method take? -----------------------------------------------------------------


def runtime_replicate(
    source: DataSource, number: int, methods: Sequence[str], rng: np.random.Generator
) -> Iterator[Row]:
    """CPU seconds of one fit; the first, which may compile or load, is not counted."""
    data = source.load(rng)
    for name in methods:
        usable = run_method(name, data.feedback) is not None
        started = time.process_time()
        run_method(name, data.feedback)
        yield {"method": name, "seconds": time.process_time() - started if usable else None}


RUNTIME = Experiment(
    name="runtime",
    question="How many CPU seconds does a fit take?",
    replicate=runtime_replicate,
    metrics=("seconds",),
    repeats=10,
    methods=("all",),
)
