"""Do all ranks of a class hold at once? Rank sets and rank intervals in classes simulated from the model.

python experiments/rank_sets.py --classes 40   # writes experiments/results/rank_sets.csv, some minutes
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import polars as pl

import peerage

RESULTS = Path(__file__).parent / "results" / "rank_sets.csv"
KINDS = {  # model, items, graders, reviews by grader
    "orders, 40 × 40, 6 each": ("pl", 40, 40, 6),
    "orders, 20 × 60, 7 each": ("pl", 20, 60, 7),
    "scores, 40 × 40, 6 each": ("normal", 40, 40, 6),
    "orders, 120 × 120, 6 each": ("pl", 120, 120, 6),
}


def one_class(kind: tuple[str, int, int, int], seed: int) -> tuple[bool, bool, bool, bool, int]:
    """Whether all sets hold, all intervals; whether the best is among the candidates of each; how many."""
    model, items, graders, each = kind
    made = peerage.simulate(
        items=items, graders=graders, per_grader=each, model=model,
        sd=1.2 if model == "normal" else 1.7, seed=40_000 + seed,
    )  # fmt: skip
    table = peerage.grade(made.feedback()).items.join(made.truth.rename({"score": "truth"}), on="item")
    truth = table["truth"].rank("ordinal", descending=True).to_numpy()
    held = []
    for name in ("rank_set", "rank"):
        low, high = (table[f"{name}_{end}"].to_numpy() for end in ("low", "high"))
        held.append(bool(((low <= truth) & (truth <= high)).all()))
    best = table["may_be_best"].to_numpy() == 1
    return (
        *held,
        bool(best[truth == 1][0]),
        bool(table["rank_low"].to_numpy()[truth == 1][0] == 1),
        best.sum(),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--classes", type=int, default=100)
    classes = parser.parse_args().classes
    rows = []
    for name, kind in KINDS.items():
        table = np.array([one_class(kind, seed) for seed in range(classes)], dtype=float)
        columns = ("sets_hold", "intervals_hold", "best_in_sets", "best_in_intervals", "candidates")
        means = dict(zip(columns, table.mean(axis=0).round(3).tolist(), strict=True))
        rows.append({"class": name, "classes": classes, **means})
        print(rows[-1], flush=True)
        pl.DataFrame(rows).write_csv(RESULTS)


if __name__ == "__main__":
    main()
