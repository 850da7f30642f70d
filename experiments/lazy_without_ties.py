"""Does a Mallows normaliser that ignores ties explain how many lazy graders the paper found?

    python -m experiments.lazy_without_ties   # writes experiments/results/lazy_without_ties.csv, a minute

Mallows+G as the paper defines it divides by the number of orders that a list with ties leaves open. A program
that forgets this takes tied pairs for agreement: a grader who ties often then looks reliable, and a lazy one,
whose scores are not rounded and never tie, does not. Ranking and reliabilities take turns; ten lazy graders
are added to classes with the deviations that the paper prints, and those among the 20 lowest are counted.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

import peerage
from experiments.paper.lazy import add_lazy, is_added
from experiments.paper.simulated import simulated_class
from peerage.metrics.lazy import lazy_detection_rate

RESULTS = Path(__file__).parent / "results" / "lazy_without_ties.csv"
TURNS = 6
SHAPE = RATE = 10.0
ETAS = np.exp(np.linspace(-5.0, 3.0, 801))


def reversed_pairs(feedback: peerage.Feedback, scores: np.ndarray) -> np.ndarray:
    """By list: strict pairs that the ranking turns round, half where it ties them."""
    rows = zip(feedback.list_starts[:-1], feedback.list_starts[1:], strict=True)
    wrong = np.zeros(feedback.n_lists)
    for which, (low, high) in enumerate(rows):
        bucket, s = np.cumsum(feedback.bucket_starts[low:high]), scores[feedback.items[low:high]]
        above = bucket[:, None] < bucket[None, :]
        wrong[which] = (above & (s[:, None] < s[None, :])).sum() + 0.5 * (above & (s[:, None] == s)).sum()
    return wrong


def best_reliabilities(wrong: np.ndarray, normalisers: np.ndarray) -> np.ndarray:
    """Of every grader, ties ignored: on a fine grid, where the posterior is largest."""
    cost = np.outer(wrong, ETAS) + normalisers + RATE * ETAS - (SHAPE - 1.0) * np.log(ETAS)
    return ETAS[cost.argmin(axis=1)]


def log_z(length: int) -> np.ndarray:
    """log Z(eta, k) on the grid."""
    terms = [np.log(-np.expm1(-ETAS * i)) - np.log(-np.expm1(-ETAS)) for i in range(1, length + 1)]
    return np.sum(terms, axis=0)


def without_ties(feedback: peerage.Feedback) -> np.ndarray:
    """Reliabilities by Mallows whose normaliser knows nothing of ties."""
    eta, normalisers = np.ones(feedback.n_graders), np.zeros((feedback.n_graders, len(ETAS)))
    for grader, length in zip(feedback.list_graders, feedback.list_lengths, strict=True):
        normalisers[grader] += log_z(int(length))
    for _ in range(TURNS):
        weighted = replace(feedback, weights=eta[feedback.list_graders])
        wrong = reversed_pairs(feedback, peerage.fit(weighted, "MAL").scores_)
        by_grader = np.bincount(feedback.list_graders, wrong, feedback.n_graders)
        eta = best_reliabilities(by_grader, normalisers)
    return eta


def main() -> None:
    classes = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    rows = []
    for name in ("printed-posters", "printed-reports", "alike-posters", "alike-reports"):
        found: dict[str, list[float]] = {"MAL+G": [], "MAL+G, ties ignored": []}
        for number in range(classes):
            rng = np.random.default_rng([number, 77])
            feedback = add_lazy(simulated_class(name, 5_000 + number).feedback(), 10, rng)
            looks = {
                "MAL+G": peerage.fit(feedback, "MAL+G").reliabilities_,
                "MAL+G, ties ignored": without_ties(feedback),
            }
            for method, values in looks.items():
                found[method].append(
                    10 * lazy_detection_rate(np.round(values, 6), is_added(feedback), lowest=20)
                )
        for method, counts in found.items():
            error = np.std(counts, ddof=1) / np.sqrt(classes)
            rows.append((name, method, classes, round(float(np.mean(counts)), 2), round(float(error), 2)))
            print(rows[-1], flush=True)
    schema = ["data", "method", "classes", "found_of_10", "standard_error"]
    pl.DataFrame(rows, schema=schema, orient="row").write_csv(RESULTS)


if __name__ == "__main__":
    main()
