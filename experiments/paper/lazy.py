"""Experiments 6 and 7 of the paper: lazy graders join a class. Are they found, and what harm do they do?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from experiments.paper.data import DataSource
from experiments.paper.experiment import Experiment, Row, tau
from experiments.paper.methods import (
    MethodEstimate,
    has_reliability,
    run_method,
    without_reliability,
)
from peerage.feedback.container import Feedback
from peerage.metrics.lazy import lazy_auc, lazy_auc_equal_evidence, lazy_detection_rate

PREFIX = "added lazy grader "


def add_lazy(feedback: Feedback, number: int, rng: np.random.Generator, *, rounded: bool = False) -> Feedback:
    """The feedback and `number` more graders, who each get the items of a random grader.

    Where there are scores, theirs are normal with the mean and spread of the class's, and their order
    follows from them. As in the paper they are not on the grading scale, so that a lazy grader never ties
    two items; `rounded` moves them to the nearest score that somebody gave. Without scores they submit the
    other grader's list with the items shuffled, so that they have as many ties as anybody.
    """
    if number == 0:
        return feedback
    rows = feedback.to_frame()
    copied = rng.integers(feedback.n_graders, size=number)
    added = [
        _lazy_rows(feedback, rows, int(grader), f"{PREFIX}{place:04d}", rng, rounded)
        for place, grader in enumerate(copied, 1)
    ]
    everything = pl.concat([rows, *added])
    if feedback.ordered_by == "score":
        everything = everything.drop("rank")
    return _with_all_items(Feedback.from_columns(**everything.to_dict()), feedback)


def _with_all_items(after: Feedback, before: Feedback) -> Feedback:
    """The items nobody has reviewed, too: results are compared item by item."""
    for task in before.task_labels.to_list():
        labels, reviewed = before.for_task(task).item_labels, after.for_task(task).item_labels
        after = after.with_items(labels.filter(~labels.is_in(reviewed.implode())).to_list(), task=task)
    return after


def is_added(feedback: Feedback) -> NDArray[np.bool_]:
    """Which graders were added."""
    return feedback.grader_labels.str.starts_with(PREFIX).to_numpy()


def _lazy_rows(
    feedback: Feedback, rows: pl.DataFrame, grader: int, name: str, rng: np.random.Generator, rounded: bool
) -> pl.DataFrame:
    entries = np.flatnonzero(feedback.entry_graders == grader)
    mine = rows[entries].with_columns(grader=pl.lit(name))
    if "list" in mine.columns:
        mine = mine.with_columns(list=pl.format("{} {}", pl.lit(name), "list"))
    lists = feedback.entry_lists[entries]
    shuffled = np.lexsort((rng.random(len(entries)), lists))
    mine = mine.with_columns(mine["item"].gather(shuffled))
    if feedback.scores is None:
        return mine
    return mine.with_columns(score=pl.Series(_lazy_scores(feedback.scores, entries, rng, rounded)))


def _lazy_scores(
    scores: NDArray[np.float64], entries: NDArray[np.int64], rng: np.random.Generator, rounded: bool
) -> NDArray[np.float64]:
    present = scores[~np.isnan(scores)]
    draws = rng.normal(present.mean(), present.std(), len(entries))
    if rounded:
        levels = np.unique(present)
        draws = levels[np.abs(draws[:, None] - levels[None, :]).argmin(axis=1)]
    return np.where(np.isnan(scores[entries]), np.nan, draws)


# -- 6. Are lazy graders found? -------------------------------------------------------------------------

ADDED, LOWEST = 10, 20
RELIABILITY, HEURISTIC = "reliability", "heuristic"
NORMAL, ON_SCALE = "normal", "on the scale"  # scores of lazy graders: as in the paper, or rounded
LAZY_METRICS = ("found", "auc", "auc_equal_evidence")


def lazy_replicate(
    source: DataSource, number: int, methods: Sequence[str], rng: np.random.Generator
) -> Iterator[Row]:
    """Ten lazy graders are added; how many are among the twenty that look least reliable?"""
    data = source.load(rng)
    classes = {
        NORMAL: add_lazy(data.feedback, ADDED, rng),
        ON_SCALE: add_lazy(data.feedback, ADDED, rng, rounded=True),
    }
    if data.feedback.scores is None:
        del classes[ON_SCALE]
    for name in methods:
        for lazy, feedback in classes.items():
            for by, values in _apparent_reliabilities(name, feedback).items():
                yield {"method": name, "lazy": lazy, "by": by, **_detection(feedback, values, data.lazy)}


def _apparent_reliabilities(name: str, feedback: Feedback) -> dict[str, NDArray[np.float64] | None]:
    """How reliable every grader looks: by the method, and by the paper's baseline."""
    estimate, plain = run_method(name, feedback), without_reliability(name)
    by = {RELIABILITY: estimate.reliabilities if estimate else None}
    if plain is not None:
        by[HEURISTIC] = _agreement(run_method(plain, feedback))
    return by


def _agreement(estimate: MethodEstimate | None) -> NDArray[np.float64] | None:
    """The paper's baseline: how well graders agree with the estimate that trusts everybody alike."""
    return estimate.agreement() if estimate and estimate.agreement else None


def _detection(
    feedback: Feedback, reliabilities: NDArray[np.float64] | None, own: NDArray[np.bool_] | None
) -> dict[str, float | None]:
    if reliabilities is None:
        return dict.fromkeys(LAZY_METRICS)
    values, added = np.round(reliabilities, 9), is_added(feedback)
    others = np.ones(len(values), dtype=bool)
    if own is not None:  # a simulated class has lazy graders of its own: neither hits nor misses
        others[~added] = ~own
    evidence = feedback.grader_strict_pairs[others]
    return {
        "found": lazy_detection_rate(values, added, lowest=min(LOWEST, len(values))),
        "auc": lazy_auc(values[others], added[others]),
        "auc_equal_evidence": lazy_auc_equal_evidence(values[others], added[others], evidence),
    }


LAZY = Experiment(
    name="lazy",
    question="How many of ten lazy graders are among the twenty that look least reliable?",
    replicate=lazy_replicate,
    metrics=LAZY_METRICS,
    repeats=50,
    suitable=lambda methods: [name for name in methods if has_reliability(name)],
    data=("simulated", "printed", "alike"),
)

# -- 7. What do lazy graders do to the grades? ----------------------------------------------------------

NUMBERS_ADDED = (0, 10, 50, 100)


def robustness_replicate(
    source: DataSource, number: int, methods: Sequence[str], rng: np.random.Generator
) -> Iterator[Row]:
    """The class with 0, 10, 50 and 100 lazy graders more."""
    data = source.load(rng)
    classes = [(added, add_lazy(data.feedback, added, rng)) for added in NUMBERS_ADDED]
    for name in methods:
        before: float | None = None
        for added, feedback in classes:
            error = tau(data, data.truth, run_method(name, feedback))
            before = error if added == 0 else before
            change = None if error is None or before is None else error - before
            yield {"method": name, "added": added, "tau_error": error, "change": change}


ROBUSTNESS = Experiment(
    name="robustness",
    question="How much worse do grades get when lazy graders join?",
    replicate=robustness_replicate,
    metrics=("tau_error", "change"),
    repeats=20,
    data=("simulated",),
)
