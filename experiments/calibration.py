"""Is "i is above j with probability 0.8" true 8 times in 10? Real data sets with a known truth.

    python experiments/calibration.py         # writes experiments/results/calibration*.csv, some minutes
    python experiments/calibration.py plot    # draws docs/images/calibration.png from them

Every data set is cut down to classes of the size of a class: as many graders as items, a few items each. The
same class is fitted with the paper's objective and priors, with Peerage's defaults (the mean reliability held
at 1) and with priors learned from the class itself. The data sets are not part of the project;
PEERAGE_DATASETS says where they are.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

import peerage
from peerage import metrics
from peerage.uncertainty.laplace import laplace

HERE = Path(__file__).parent
DATASETS = Path(os.environ.get("PEERAGE_DATASETS", HERE.parents[1] / "shared" / "datasets"))
RESULTS = HERE / "results"
PLOT = HERE.parent / "docs" / "images" / "calibration.png"

PAPER = {"score_variance": 9.0, "reliability_shape": 10.0, "reliability_rate": 10.0}
TUNED = {"score_variance": 3.0, "reliability_shape": 5.0, "reliability_rate": 5.0}
LINES = {"paper": "paper's priors", "default": "Peerage's defaults", "learned": "learned priors"}
STAFF = ("mifei_mooc", "gcse_scripts")  # truth by judgement; elsewhere it is a fact


class Cut(NamedTuple):
    """How a data set becomes classes: graders (0: as many as items), items per list, share of lists."""

    graders: int = 0
    per_list: int = 5
    lists: float = 1.0
    repeats: int = 4


CUTS = {
    "cities": Cut(per_list=6),
    "dots": Cut(graders=10, repeats=10),
    "dots30": Cut(graders=60, per_list=6),
    "gcse_scripts": Cut(graders=10**6, lists=0.5),
    "lee_orderings": Cut(per_list=4, repeats=2),
    "mifei_mooc": Cut(graders=10**6, per_list=99, repeats=1),
    "potatoes": Cut(graders=12),
    "puzzle": Cut(graders=10, repeats=10),
    "reading_difficulty": Cut(graders=10**6, lists=0.5, repeats=1),
}


def classes(name: str, cut: Cut) -> Iterator[peerage.Feedback]:
    """Classes of one task each."""
    whole = peerage.read(DATASETS / name / "feedback.csv")
    for task in range(whole.n_tasks):
        one = whole.for_task(task)
        for seed in range(cut.repeats):
            yield reduced(one, cut, np.random.default_rng([seed, task]))


def reduced(one: peerage.Feedback, cut: Cut, rng: np.random.Generator) -> peerage.Feedback:
    there = np.unique(one.list_graders)
    number = min(cut.graders or one.n_items, len(there))
    few = one.for_graders(rng.choice(there, number, replace=False))
    few = few.take_lists(np.flatnonzero(rng.random(few.n_lists) < cut.lists))
    return few.downsample(cut.per_list, seed=rng)


def truth_of(name: str, feedback: peerage.Feedback) -> np.ndarray:
    frame = pl.read_csv(
        DATASETS / name / "truth.csv", schema_overrides={"item": pl.String, "task": pl.String}
    )
    frame = frame.filter(pl.col("task") == feedback.task_labels[0])
    known = dict(frame.select("item", pl.col("score").cast(pl.Float64)).iter_rows())
    return np.array([known.get(label, np.nan) for label in feedback.item_labels])


def estimates(feedback: peerage.Feedback) -> Iterator[tuple[str, str, peerage.models.base.Estimator]]:
    """Method, priors, fitted estimator."""
    if feedback.kind == "scores":
        yield "NCS+G", "paper", peerage.fit(feedback, "NCS+G", **PAPER)
        yield "NCS+G", "default", peerage.fit(feedback)
        yield "NCS+G", "learned", peerage.learn_priors(feedback, peerage.method("NCS+G"))
        return
    code, options = ("BT+G", {}) if feedback.kind == "pairs" else ("PL+G", {"ties": "model"})
    yield code, "paper", peerage.fit(feedback, code, **options, **PAPER)
    tuned = peerage.fit(feedback, code, identified=True, **options, **TUNED)
    yield code, "default", tuned
    yield code, "learned", peerage.learn_priors(feedback, tuned)


def forecasts(name: str) -> dict[tuple[str, str], tuple[np.ndarray, np.ndarray]]:
    """P(i above j) and what is true, for every method and prior, over all classes of a data set."""
    found: dict[tuple[str, str], list[tuple[np.ndarray, np.ndarray]]] = {}
    for feedback in classes(name, CUTS[name]):
        truth = truth_of(name, feedback)
        for method, priors, fitted in estimates(feedback):
            known = laplace(fitted) if priors == "paper" else peerage.posterior(fitted)
            above = known.above_matrix()
            found.setdefault((method, priors), []).append(metrics.pair_outcomes(truth, above))
    return {
        key: (np.concatenate([chance for chance, _ in parts]), np.concatenate([came for _, came in parts]))
        for key, parts in found.items()
    }


def figures(chance: np.ndarray, came: np.ndarray) -> dict[str, float]:
    sure = chance >= 0.95
    return {
        "pairs": len(chance) // 2,
        "log_loss": round(metrics.log_loss(chance, came), 4),
        "brier": round(metrics.brier_score(chance, came), 4),
        "calibration_error": round(metrics.expected_calibration_error(chance, came), 4),
        "sure": round(2 * float(sure.mean()), 4),
        "sure_and_right": round(float(came[sure].mean()), 4) if sure.any() else float("nan"),
    }


def run() -> None:
    rows, bins = [], []
    for name in CUTS:
        for (method, priors), (chance, came) in forecasts(name).items():
            rows.append({"dataset": name, "method": method, "priors": priors, **figures(chance, came)})
            print(*rows[-1].values(), flush=True)
            diagram = metrics.reliability_diagram(chance, came)
            bins.append(
                pl.DataFrame(
                    {
                        "dataset": name,
                        "priors": priors,
                        "bin": np.arange(10),
                        "count": diagram.counts,
                        "forecast": diagram.forecast,
                        "observed": diagram.observed,
                    }
                )
            )
    RESULTS.mkdir(exist_ok=True)
    pl.DataFrame(rows).write_csv(RESULTS / "calibration.csv")
    pl.concat(bins).write_csv(RESULTS / "calibration_bins.csv", float_precision=5)


def plot() -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    bins = pl.read_csv(RESULTS / "calibration_bins.csv").filter(pl.col("count") > 0)
    figure, panels = pyplot.subplots(1, 2, figsize=(9, 4.4), sharex=True, sharey=True, layout="constrained")
    parts = (
        ("Truth is a fact (7 data sets)", ~pl.col("dataset").is_in(STAFF)),
        ("Truth is a staff grade (2 data sets)", pl.col("dataset").is_in(STAFF)),
    )
    for panel, (title, chosen) in zip(panels, parts, strict=True):
        panel.plot([0.5, 1], [0.5, 1], color="0.6", linewidth=1, label="perfect")
        for (priors, line), mark in zip(LINES.items(), "os^", strict=True):
            drawn = pooled(bins.filter(chosen & (pl.col("priors") == priors)))
            panel.plot(drawn["forecast"], drawn["observed"], marker=mark, markersize=5, label=line)
        panel.set(title=title, xlabel="stated P(i above j)", xlim=(0.5, 1.0), ylim=(0.45, 1.0))
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("share of pairs where i is above j")
    panels[0].legend(loc="upper left", frameon=False)
    PLOT.parent.mkdir(exist_ok=True)
    figure.savefig(PLOT, dpi=110, metadata={"Software": None})


def pooled(bins: pl.DataFrame) -> pl.DataFrame:
    """Data sets weigh alike, whatever their number of pairs; only P above a half, the rest is its mirror."""
    share = pl.col("count") / pl.col("count").sum().over("dataset")
    return (
        bins.with_columns(weight=share)
        .filter(pl.col("bin") >= 5)
        .group_by("bin")
        .agg(
            forecast=(pl.col("forecast") * pl.col("weight")).sum() / pl.col("weight").sum(),
            observed=(pl.col("observed") * pl.col("weight")).sum() / pl.col("weight").sum(),
        )
        .sort("bin")
    )


if __name__ == "__main__":
    plot() if "plot" in sys.argv[1:] else run()
