"""Do intervals of points hold staff grades that nobody showed, and are chances of letters right?

    python experiments/anchor_coverage.py            # writes experiments/results/anchor_*.csv, a few minutes
    python experiments/anchor_coverage.py 40 PL+G    # one method; the rows of others stay

Simulated classes of 60 items, 150 graders with six reviews each, and a staff grade of every item. Of those
3, 6, 20 or 40 are given, as to `peerage.grade`; the others are held against the intervals and the letters'
chances. What peers agree on is not what staff think (`taste`), staff grades are unsteady (`noise`), and both
differ from row to row. A class is fitted once, and its scores go with every choice of staff grades through
the steps of `peerage.grade` that follow.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

import peerage
from peerage.grading import fit_method, parse_letters, read_anchors
from peerage.grading.fitting import known
from peerage.grading.items import pointed
from peerage.grading.letters import probabilities
from peerage.grading.staff import validate
from peerage.models import Estimator

FOLDER = Path(__file__).parent / "results"
LEVEL = 0.9
CLASSES = 40
CHOICES = 3  # of staff grades in every class
ITEMS, GRADERS, EACH = 60, 150, 6
LETTERS = "A>=8.5,B>=7.5,C>=6.5,D"
BINS = np.linspace(0.0, 1.0, 11)


class Kind(NamedTuple):
    method: str
    anchors: int
    taste: float
    noise: float


METHODS, ANCHORS = ("NCS+G", "PL+G"), (3, 6, 20, 40)
GAPS = ((0.3, 0.4), (0.6, 0.6), (0.8, 1.0))


class Held(NamedTuple):
    """One class: whether each hidden staff grade is inside, how wide intervals are, chances and outcomes."""

    inside: np.ndarray
    width: float
    gap: float
    coverage: float  # as the result itself says, from the staff grades it was given
    chances: np.ndarray  # hidden items x letters
    outcomes: np.ndarray


def held(method: str, taste: float, noise: float, seed: int) -> dict[int, list[Held]]:
    """One class with few and with many staff grades; those that are not given are the truth."""
    made = peerage.simulate(
        items=ITEMS, graders=GRADERS, per_grader=EACH, scale=(-20.0, 30.0), step=0.01, mean=7.5, sd=1.2,
        taste=taste, noise=1.2, leniency=0.5, staff=(peerage.Staff("TA", 0.0, noise),), seed=seed,
    )  # fmt: skip
    _, fitted = fit_method(feedback(method, made), None, {})
    posterior = known(fitted, bootstrap=0, seed=seed, on_step=lambda step: None)
    return {
        anchors: [anchored(fitted, posterior, made, anchors, CHOICES * seed + k) for k in range(CHOICES)]
        for anchors in ANCHORS
    }


def anchored(
    fitted: Estimator, posterior: peerage.Posterior, made: peerage.SimulatedClass, anchors: int, seed: int
) -> Held:
    """The class as it is graded with so many staff grades."""
    rule = parse_letters(LETTERS)
    given = made.staff.sample(anchors, seed=seed)
    validity = validate(fitted, posterior.score_se, read_anchors(given, fitted.feedback_), level=LEVEL)
    graded = pointed(
        fitted, posterior.draws, None, None, validity, np.random.default_rng(seed), as_evidence=False
    )
    low, high = np.quantile(graded.draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    labels = fitted.feedback_.item_labels
    hidden = np.flatnonzero(~labels.is_in(given["item"].implode()).to_numpy())
    grades = dict(made.staff.select("item", "score").iter_rows())
    graded_by_staff = np.array([grades[labels[int(item)]] for item in hidden])
    chances = probabilities(rule, graded.draws, fitted.feedback_.task_starts)[hidden]
    got = rule.by_points(graded_by_staff)
    return Held(
        (low[hidden] <= graded_by_staff) & (graded_by_staff <= high[hidden]),
        float((high - low)[hidden].mean()),
        validity.gap,
        validity.coverage,
        chances,
        got[:, None] == np.arange(chances.shape[1]),
    )


def feedback(method: str, made: peerage.SimulatedClass) -> peerage.Feedback:
    """The scores, or the orders that they make."""
    rows = made.rows
    if method == "NCS+G":
        return peerage.Feedback.from_columns(rows["grader"], rows["item"], score=rows["score"])
    ranks = rows.select(pl.col("score").rank("min", descending=True).over("grader")).to_series()
    return peerage.Feedback.from_columns(rows["grader"], rows["item"], rank=ranks)


def row_of(facts: dict[str, object], found: list[Held]) -> dict[str, object]:
    shares = np.array([one.inside.mean() for one in found])
    classes = shares.reshape(-1, CHOICES).mean(axis=1)  # choices of one class are not independent
    return {
        **facts, "classes": len(classes), "level": LEVEL, "cases": sum(len(one.inside) for one in found),
        "coverage": round(float(shares.mean()), 4),
        "standard_error": round(float(classes.std(ddof=1)) / len(classes) ** 0.5, 4),
        "stated_coverage": round(float(np.mean([one.coverage for one in found])), 4),
        "width": round(float(np.median([one.width for one in found])), 3),
        "median_gap": round(float(np.median([one.gap for one in found])), 3),
        "least_gap": round(min(one.gap for one in found), 4),
    }  # fmt: skip


def bins_of(method: str, anchors: int, found: list[Held]) -> list[dict[str, object]]:
    """Chances of letters beside how often staff gave the letter."""
    chance = np.concatenate([one.chances.ravel() for one in found])
    came = np.concatenate([one.outcomes.ravel() for one in found])
    which = np.clip(np.digitize(chance, BINS) - 1, 0, len(BINS) - 2)
    return [
        {
            "method": method, "anchors": anchors, "low": round(BINS[k], 1), "high": round(BINS[k + 1], 1),
            "cases": int((which == k).sum()), "stated": round(float(chance[which == k].mean()), 4),
            "came": round(float(came[which == k].mean()), 4),
        }
        for k in range(len(BINS) - 1)
        if (which == k).any()
    ]  # fmt: skip


def main(classes: str = str(CLASSES), *methods: str) -> None:
    """All kinds of classes; with another number of classes nothing is written."""
    rows, bins = [], []
    for method in methods or METHODS:
        together: dict[int, list[Held]] = {anchors: [] for anchors in ANCHORS}
        for which, (taste, noise) in enumerate(GAPS):
            found = [held(method, taste, noise, 10_000 * which + seed) for seed in range(int(classes))]
            for anchors in ANCHORS:
                mine = [one for graded in found for one in graded[anchors]]
                facts = {"method": method, "anchors": anchors, "taste": taste, "noise": noise}
                rows.append(row_of(facts, mine))
                print(*rows[-1].values(), flush=True)
                together[anchors] += mine
        for anchors in ANCHORS:
            bins += bins_of(method, anchors, together[anchors])
    off = pl.DataFrame(bins).with_columns(off=pl.col("stated") - pl.col("came"))
    print(off.filter(pl.col("cases") >= 500).sort(pl.col("off").abs(), descending=True).head(10))
    if int(classes) == CLASSES:
        write(pl.DataFrame(rows), "anchor_coverage.csv", ["method", "anchors", "taste"])
        write(pl.DataFrame(bins), "anchor_letters.csv", ["method", "anchors", "low"])


def write(rows: pl.DataFrame, name: str, order: list[str]) -> None:
    """Put these rows in the place of those of the same methods."""
    if (FOLDER / name).exists():
        before = pl.read_csv(FOLDER / name, schema=rows.schema)
        rows = pl.concat([before.filter(~pl.col("method").is_in(rows["method"].implode())), rows])
    rows.sort(order).write_csv(FOLDER / name)


if __name__ == "__main__":
    main(*sys.argv[1:])
