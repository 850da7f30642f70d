"""Experiment 6: are lazy graders found?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from peerage.experiments.base import Experiment, Row
from peerage.experiments.data import Source
from peerage.experiments.lazy_graders import add_lazy, is_added
from peerage.experiments.methods import Estimate, estimate, has_reliability, without_reliability
from peerage.feedback.container import Feedback
from peerage.metrics.lazy import lazy_auc, lazy_auc_equal_evidence, lazy_detection_rate

ADDED, LOWEST = 10, 20
RELIABILITY, HEURISTIC = "reliability", "heuristic"
PAPER, ROUNDED = "normal", "on the scale"  # scores of lazy graders


def replicate(source: Source, number: int, methods: Sequence[str], rng: np.random.Generator) -> Iterator[Row]:
    """Ten lazy graders are added; how many are among the twenty that look least reliable?"""
    data = source.load(rng)
    classes = {
        PAPER: add_lazy(data.feedback, ADDED, rng),
        ROUNDED: add_lazy(data.feedback, ADDED, rng, rounded=True),
    }
    if data.feedback.scores is None:
        del classes[ROUNDED]
    for name in methods:
        for lazy, feedback in classes.items():
            for by, values in _looks(name, feedback).items():
                yield {"method": name, "lazy": lazy, "by": by, **_figures(feedback, values, data.lazy)}


def _looks(name: str, feedback: Feedback) -> dict[str, NDArray[np.float64] | None]:
    """How reliable every grader looks: by the method, and by the paper's baseline."""
    found, plain = estimate(name, feedback), without_reliability(name)
    looks = {RELIABILITY: found.reliabilities if found else None}
    if plain is not None:
        looks[HEURISTIC] = _agreement(estimate(plain, feedback))
    return looks


def _agreement(found: Estimate | None) -> NDArray[np.float64] | None:
    """The paper's baseline: how well graders agree with the estimate that trusts everybody alike."""
    return found.agreement() if found and found.agreement else None


def _figures(
    feedback: Feedback, looks: NDArray[np.float64] | None, own: NDArray[np.bool_] | None
) -> dict[str, float | None]:
    if looks is None:
        return dict.fromkeys(METRICS)
    values, added = np.round(looks, 9), is_added(feedback)
    others = np.ones(len(values), dtype=bool)
    if own is not None:  # a simulated class has lazy graders of its own: neither hits nor misses
        others[~added] = ~own
    evidence = feedback.grader_strict_pairs[others]
    return {
        "found": lazy_detection_rate(values, added, lowest=min(LOWEST, len(values))),
        "auc": lazy_auc(values[others], added[others]),
        "auc_equal_evidence": lazy_auc_equal_evidence(values[others], added[others], evidence),
    }


def with_reliability(methods: Sequence[str]) -> list[str]:
    """Only methods that estimate reliability can find anybody."""
    return [name for name in methods if has_reliability(name)]


METRICS = ("found", "auc", "auc_equal_evidence")
EXPERIMENT = Experiment(
    name="lazy",
    question="How many of ten lazy graders are among the twenty that look least reliable?",
    replicate=replicate,
    metrics=METRICS,
    repeats=50,
    suitable=with_reliability,
    data=("simulated", "printed", "alike"),
)
