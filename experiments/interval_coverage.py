"""Do 90 % intervals hold the truth 90 times in 100? Simulated classes in which the model is true.

    python experiments/interval_coverage.py   # writes experiments/results/coverage.csv, a few minutes

Scores are drawn from their prior, reliabilities from theirs, lists from the model; the same priors go into
the fit. One row of the table is one kind of class, one source of intervals and one kind of quantity.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

import peerage
from peerage.uncertainty.laplace import laplace

RESULTS = Path(__file__).parent / "results" / "coverage.csv"
LEVEL = 0.9
ITEMS_WANTED = 1200  # over all classes of a kind, so that coverage is known to about one point


class Kind(NamedTuple):
    method: str
    source: str
    items: int
    graders: int
    per_grader: int
    variance: float
    shape: float


SIZES = ((40, 40, 4), (40, 120, 6), (100, 100, 5), (200, 200, 6), (400, 400, 5))
PRIORS = ((3.0, 5.0), (9.0, 10.0))
KINDS = [
    *(Kind("PL+G", "laplace", *size, *prior) for size in SIZES for prior in PRIORS),
    *(Kind("PL+G", "mode", *size, *prior) for size in SIZES[:3] for prior in PRIORS),
    *(Kind("PL", "laplace", *size, 3.0, 5.0) for size in SIZES[:3]),
    *(Kind("BT+G", "laplace", *size, 3.0, 5.0) for size in SIZES[:4]),
    *(Kind("NCS+G", "laplace", *size, 3.0, 5.0) for size in SIZES),
    *(Kind("PL+G", "sampler", *size, 3.0, 5.0) for size in SIZES[:1]),
    *(Kind("PL+G", "bootstrap", *size, 3.0, 5.0) for size in SIZES[:2]),
]


class Class(NamedTuple):
    """Feedback and the truth behind it, in the feedback's numbering."""

    feedback: peerage.Feedback
    scores: np.ndarray
    reliabilities: np.ndarray


def simulated(kind: Kind, seed: int) -> Class:
    ordinal = {"PL": "pl", "BT": "bt", "NCS": "pl"}[kind.method.removesuffix("+G")]
    made = peerage.simulate(
        items=kind.items,
        graders=kind.graders,
        per_grader=kind.per_grader,
        model=ordinal,
        sd=kind.variance**0.5,
        reliability_shape=kind.shape if kind.method.endswith("+G") else 1e6,
        seed=seed,
    )
    if kind.method.startswith("NCS"):
        return with_scores(made, seed)
    return numbered(made.feedback(), made)


def numbered(feedback: peerage.Feedback, made: peerage.SimulatedClass) -> Class:
    truth = dict(made.truth.iter_rows())
    graders = dict(made.graders.select("grader", "reliability").iter_rows())
    return Class(
        feedback,
        np.array([truth[label] for label in feedback.item_labels]),
        np.array([graders[label] for label in feedback.grader_labels]),
    )


def with_scores(made: peerage.SimulatedClass, seed: int) -> Class:
    """The same reviews with scores of the normal model: score + bias + noise / sqrt(reliability)."""
    rng = np.random.default_rng([seed, 1])
    rows = made.rows.join(made.truth.rename({"score": "true"}), on="item").join(made.graders, on="grader")
    biases = {grader: rng.normal() for grader in made.graders["grader"]}
    bias = np.array([biases[grader] for grader in rows["grader"]])
    noise = rng.normal(size=len(rows)) / np.sqrt(rows["reliability"].to_numpy())
    scores = rows["true"].to_numpy() + bias + noise
    feedback = peerage.Feedback.from_columns(rows["grader"], rows["item"], score=scores)
    return numbered(feedback, made)


def fitted(kind: Kind, feedback: peerage.Feedback) -> peerage.models.base.Estimator:
    priors = {
        "score_variance": kind.variance,
        "reliability_shape": kind.shape,
        "reliability_rate": kind.shape,
    }
    if kind.method.startswith("NCS"):
        priors["prior_mean"] = 0.0
    return peerage.fit(feedback, kind.method, **priors)


def posterior(kind: Kind, model: peerage.models.base.Estimator, seed: int) -> peerage.Posterior:
    """By the kind's source; "mode" is plain Laplace, nothing averaged."""
    if kind.source == "mode":
        return laplace(model, seed=seed, average=False)
    return peerage.posterior(model, source=kind.source, seed=seed)


def covered(kind: Kind, seed: int) -> dict[str, np.ndarray]:
    """For every quantity of one class, whether its interval holds the truth."""
    made = simulated(kind, seed)
    known = posterior(kind, fitted(kind, made.feedback), seed)
    truth = made.scores if kind.method.startswith("NCS") else made.scores - made.scores.mean()
    ranks = np.argsort(np.argsort(-truth)) + 1
    hits = {
        "score": inside(truth, *known.score_interval(LEVEL)),
        "rank": inside(ranks, *known.rank_interval(LEVEL)),
    }
    if kind.method.endswith("+G"):
        hits["reliability"] = inside(made.reliabilities, *known.reliability_interval(LEVEL))
    return hits


def inside(truth: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return (low <= truth) & (truth <= high)


def rows_of(kind: Kind) -> list[dict[str, object]]:
    classes = max(3, ITEMS_WANTED // kind.items)
    found = [covered(kind, seed) for seed in range(classes)]
    rows = []
    for quantity in found[0]:
        shares = np.array([hits[quantity].mean() for hits in found])
        cases = sum(len(hits[quantity]) for hits in found)
        error = shares.std(ddof=1) / classes**0.5
        rows.append(
            {**kind._asdict(), "classes": classes, "quantity": quantity, "level": LEVEL, "cases": cases,
             "coverage": round(float(shares.mean()), 4), "standard_error": round(float(error), 4)}
        )  # fmt: skip
    return rows


def main(only: str = "") -> None:
    """All kinds of classes, or those whose method and source contain a word, without writing."""
    rows = []
    for kind in KINDS:
        if only in f"{kind.method} {kind.source}":
            new = rows_of(kind)
            print(*kind, *(f"{row['quantity']} {row['coverage']:.3f}" for row in new), flush=True)
            rows += new
    if not only:
        RESULTS.parent.mkdir(exist_ok=True)
        pl.DataFrame(rows).write_csv(RESULTS)


if __name__ == "__main__":
    main(*sys.argv[1:])
