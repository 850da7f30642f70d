"""Do intervals of points hold staff grades that nobody showed, and are chances of letters right?

    python experiments/anchor_coverage.py   # writes experiments/results/anchor_*.csv, a few minutes

Simulated classes of 60 items, 150 graders with six reviews each, and a staff grade of every item. Of those
3, 6, 20 or 40 are given to `peerage.grade`; the others are held against the intervals and the letters'
chances. What peers agree on is not what staff think (`taste`), staff grades are unsteady (`noise`), and both
differ from row to row.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

import peerage

FOLDER = Path(__file__).parent / "results"
LEVEL = 0.9
CLASSES = 100
ITEMS, GRADERS, EACH = 60, 150, 6
LETTERS = "A>=8.5,B>=7.5,C>=6.5,D"
BINS = np.linspace(0.0, 1.0, 11)


class Kind(NamedTuple):
    method: str
    anchors: int
    taste: float
    noise: float


GAPS = ((0.3, 0.4), (0.6, 0.6), (0.8, 1.0))
KINDS = [
    Kind(method, anchors, *gap) for method in ("NCS+G", "PL+G") for anchors in (3, 6, 20, 40) for gap in GAPS
]


class Held(NamedTuple):
    """One class: whether each hidden staff grade is inside, how wide intervals are, chances and outcomes."""

    inside: np.ndarray
    width: float
    gap: float
    coverage: float  # as the result itself says, from the staff grades it was given
    chances: np.ndarray  # hidden items x letters
    outcomes: np.ndarray


def held(kind: Kind, seed: int) -> Held:
    """Grade one class with a few staff grades; the others are the truth."""
    made = peerage.simulate(
        items=ITEMS, graders=GRADERS, per_grader=EACH, scale=(-20.0, 30.0), step=0.01, mean=7.5, sd=1.2,
        taste=kind.taste, noise=1.2, leniency=0.5, staff=(peerage.Staff("TA", 0.0, kind.noise),), seed=seed,
    )  # fmt: skip
    given = made.staff.sample(kind.anchors, seed=seed)
    result = peerage.grade(feedback(kind, made), anchors=given, letters=LETTERS, seed=seed, interval=LEVEL)
    hidden = made.staff.join(given, on="item", how="anti").select("item", graded="score")
    rows = result.items.with_row_index("row").join(hidden, on="item")
    chances = np.asarray(result.letter_chances)[rows["row"].to_numpy()]
    got = result.letters.by_points(rows["graded"].to_numpy())
    return Held(
        ((rows["points_low"] <= rows["graded"]) & (rows["graded"] <= rows["points_high"])).to_numpy(),
        float((rows["points_high"] - rows["points_low"]).mean()),
        result.validity.gap,
        result.validity.coverage,
        chances,
        got[:, None] == np.arange(chances.shape[1]),
    )


def feedback(kind: Kind, made: peerage.SimulatedClass) -> peerage.Feedback:
    """The scores, or the orders that they make."""
    rows = made.rows
    if kind.method == "NCS+G":
        return peerage.Feedback.from_columns(rows["grader"], rows["item"], score=rows["score"])
    ranks = rows.select(pl.col("score").rank("min", descending=True).over("grader")).to_series()
    return peerage.Feedback.from_columns(rows["grader"], rows["item"], rank=ranks)


def rows_of(kind: Kind, classes: int) -> tuple[dict[str, object], list[Held]]:
    first = 10_000 * KINDS.index(kind)  # classes of their own: chance does not repeat from row to row
    found = [held(kind, first + seed) for seed in range(classes)]
    shares = np.array([one.inside.mean() for one in found])
    row = {
        **kind._asdict(), "classes": classes, "level": LEVEL, "cases": sum(len(one.inside) for one in found),
        "coverage": round(float(shares.mean()), 4),
        "standard_error": round(float(shares.std(ddof=1)) / classes**0.5, 4),
        "stated_coverage": round(float(np.mean([one.coverage for one in found])), 4),
        "width": round(float(np.median([one.width for one in found])), 3),
        "median_gap": round(float(np.median([one.gap for one in found])), 3),
        "least_gap": round(min(one.gap for one in found), 4),
    }  # fmt: skip
    return row, found


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


def main(classes: str = str(CLASSES)) -> None:
    """All kinds of classes; with another number of classes nothing is written."""
    rows, bins = [], []
    for method, anchors in dict.fromkeys((kind.method, kind.anchors) for kind in KINDS):
        together = []
        for kind in KINDS:
            if (kind.method, kind.anchors) == (method, anchors):
                row, found = rows_of(kind, int(classes))
                print(*row.values(), flush=True)
                rows.append(row)
                together += found
        bins += bins_of(method, anchors, together)
    worst = (
        pl.DataFrame(bins)
        .filter(pl.col("cases") >= 500)
        .with_columns(off=(pl.col("stated") - pl.col("came")))
    )
    print(worst.sort(pl.col("off").abs(), descending=True).head(10))
    if int(classes) == CLASSES:
        pl.DataFrame(rows).write_csv(FOLDER / "anchor_coverage.csv")
        pl.DataFrame(bins).write_csv(FOLDER / "anchor_letters.csv")


if __name__ == "__main__":
    main(*sys.argv[1:])
