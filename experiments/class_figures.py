"""Do separation and split-half reliability say how near the scores are to the truth?

    python experiments/class_figures.py   # writes experiments/results/class_figures.csv, a minute or two

Both promise the squared correlation of scores and truth. Simulated classes, graded by the default method;
90 % intervals are held against the squared correlation of their own class.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import polars as pl

import peerage
from peerage.grading.class_figures import separation, split_half
from peerage.grading.fitting import estimate_uncertainty, fit_method

RESULTS = Path(__file__).parent / "results" / "class_figures.csv"
PAGE = Path(__file__).parent.parent / "docs" / "explanation" / "grades.md"
KINDS = (
    ("pl", 40, 40, 5, 1.7),
    ("pl", 100, 100, 6, 1.0),
    ("bt", 60, 60, 4, 1.7),
    ("normal", 40, 40, 5, 1.2),
    ("normal", 42, 148, 7, 0.9),
    ("normal", 100, 100, 4, 0.6),
)


def one_class(model: str, items: int, graders: int, reviews: int, sd: float, seed: int) -> list[float]:
    """The true figure, then both estimates with their intervals."""
    made = peerage.simulate(
        model=model, items=items, graders=graders, per_grader=reviews, sd=sd, seed=20_000 + seed
    )
    feedback = made.feedback()
    _, fitted = fit_method(feedback, None, {})
    posterior = estimate_uncertainty(fitted, bootstrap=0, seed=0, on_step=lambda step: None)
    truth = dict(made.truth.iter_rows())
    true = np.corrcoef(fitted.scores_, [truth[item] for item in feedback.item_labels])[0, 1] ** 2
    return [true, *separation(fitted, posterior, 0.9), *split_half(fitted, 0.9)]


def measured(kind: tuple[str, int, int, int, float], classes: int) -> dict[str, object]:
    rows = np.array([one_class(*kind, seed) for seed in range(classes)])
    true, found, low, high, half, half_low, half_high = rows.T
    return {
        "model": kind[0],
        "items": kind[1],
        "graders": kind[2],
        "reviews": kind[3],
        "classes": classes,
        "squared_correlation": round(true.mean(), 3),
        "separation": round(found.mean(), 3),
        "separation_covers": round(((low <= true) & (true <= high)).mean(), 3),
        "split_half": round(half.mean(), 3),
        "split_half_covers": round(((half_low <= true) & (true <= half_high)).mean(), 3),
    }


def table(frame: pl.DataFrame) -> str:
    lines = [
        "| class | items × graders, each | squared correlation with the truth | separation"
        " | its 90 % intervals hold it | split-half | its intervals |",
        "|---|---|---|---|---|---|---|",
    ]
    names = {"pl": "orders", "bt": "pairs", "normal": "scores"}
    lines += [
        f"| {names[row['model']]} | {row['items']} × {row['graders']}, {row['reviews']}"
        f" | {row['squared_correlation']:.2f} | {row['separation']:.2f}"
        f" | {100 * row['separation_covers']:.0f} % | {row['split_half']:.2f}"
        f" | {100 * row['split_half_covers']:.0f} % |"
        for row in frame.iter_rows(named=True)
    ]
    return "\n".join(lines)


def main() -> None:
    classes = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    frame = pl.DataFrame([measured(kind, classes) for kind in KINDS])
    frame.write_csv(RESULTS)
    before, _, rest = PAGE.read_text(encoding="utf-8").partition("<!-- class_figures -->")
    after = rest.partition("<!-- /class_figures -->")[2]
    marks = f"<!-- class_figures -->\n{table(frame)}\n<!-- /class_figures -->"
    PAGE.write_text(f"{before}{marks}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
