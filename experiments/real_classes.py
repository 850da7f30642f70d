"""The default of `grade` beside plain methods in classes cut from real data sets with a known truth.

    python experiments/real_classes.py            # writes results/real_classes.csv
    python experiments/real_classes.py --table    # prints the table of the file

The sets and how they become classes are those of `calibration.py` (PEERAGE_DATASETS says where they are).
"- PL", "- BT" and "- averages" are the tau error of the default less that of the plain method on the same
class, in points. Log loss is that of comparisons which nobody fitted: a fifth of the lists is left out, and
the chance that their grader puts one item above another is predicted from the rest, over draws of the
posterior by the default and from the estimate by the plain methods. "loss - PL" and "loss - BT" are
differences per comparison. Sets with scores have none: their default predicts scores. Errors are standard
errors over classes, as if they were independent; classes of one set share graders and items.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np
import polars as pl

import peerage
from experiments.calibration import CUTS, classes, truth_of
from peerage import Feedback, metrics

RESULTS = Path(__file__).parent / "results" / "real_classes.csv"
COLUMNS = ("- PL", "- BT", "- averages", "loss - PL", "loss - BT")
MOST_CLASSES = 4  # of a set, unless they are as small as this
TINY = 5  # items
LEFT_OUT = 0.2


def measured(feedback: Feedback, truth: np.ndarray, rng: np.random.Generator) -> dict[str, float | None]:
    averages = "malbc" if feedback.scores is None else "scavg"
    error = metrics.tau_error(truth, peerage.grade(feedback).posterior.location)
    found: dict[str, float | None] = {
        f"- {name}": error - metrics.tau_error(truth, peerage.fit(feedback, code).scores_)
        for name, code in (("PL", "pl"), ("BT", "bt"), ("averages", averages))
    }
    if feedback.scores is None:
        out = rng.permutation(feedback.n_lists) < max(1, round(LEFT_OUT * feedback.n_lists))
        rest, held = (feedback.take_lists(np.flatnonzero(which)) for which in (~out, out))
        default = _loss_of_default(rest, held)
        for name, code in (("PL", "pl"), ("BT", "bt")):
            fitted = peerage.fit(rest, code)
            draws = fitted.scores_[None], np.ones((1, rest.n_graders))
            found[f"loss - {name}"] = default - _loss(fitted, *draws, held)
    return found


def _loss_of_default(rest: Feedback, held: Feedback) -> float:
    known = peerage.grade(rest).posterior
    eta = known.reliability_draws
    return _loss(known.estimator, known.draws, np.ones((1, rest.n_graders)) if eta is None else eta, held)


def _loss(fitted: peerage.models.base.Estimator, draws: np.ndarray, eta: np.ndarray, held: Feedback) -> float:
    """Per strict comparison, in nats; items and graders that nobody fitted are left to chance."""
    rest = fitted.feedback_
    item = {label: number for number, label in enumerate(rest.item_labels)}
    grader = {label: number for number, label in enumerate(rest.grader_labels)}
    items = np.array([item.get(label, -1) for label in held.item_labels])
    graders = np.array([grader.get(label, -1) for label in held.grader_labels])
    losses = []
    for number, (first, last) in enumerate(zip(held.list_starts[:-1], held.list_starts[1:], strict=True)):
        own, bucket = items[held.items[first:last]], np.cumsum(held.bucket_starts[first:last])
        above, below = np.nonzero(bucket[:, None] < bucket)
        known = (own[above] >= 0) & (own[below] >= 0)
        above, below, who = own[above[known]], own[below[known]], graders[held.list_graders[number]]
        scale = np.ones((1, 1)) if who < 0 else eta[:, [who]]
        chance = fitted.win_probability(draws[:, above] - draws[:, below], scale)
        losses.append(-np.log(np.clip(np.mean(chance, axis=0), 1e-9, 1.0)))
    return float(np.concatenate(losses).mean())


def run() -> pl.DataFrame:
    rows = []
    for name, cut in CUTS.items():
        for number, feedback in enumerate(classes(name, cut)):
            if number >= MOST_CLASSES and feedback.n_items > TINY:
                break
            truth = truth_of(name, feedback)
            rng = np.random.default_rng([number, 33])
            rows.append({"set": name, "class": number, **measured(feedback, truth, rng)})
            print(*rows[-1].values(), flush=True)
    return pl.DataFrame(rows, infer_schema_length=None)


def table(frame: pl.DataFrame) -> str:
    """Means and standard errors over the classes of a set, and over sets."""
    lines = [f"| set | classes | {' | '.join(COLUMNS)} |", "|" + "---|" * (len(COLUMNS) + 2)]
    sets = [frame.filter(pl.col("set") == name) for name in frame["set"].unique(maintain_order=True)]
    for own in sets:
        cells = [_cell(own[name].drop_nulls().to_numpy(), name) for name in COLUMNS]
        lines.append(f"| {own['set'][0]} | {len(own)} | {' | '.join(cells)} |")
    means = [np.array([own[name].mean() for own in sets if own[name].count()]) for name in COLUMNS]
    cells = [_cell(values.astype(float), name) for values, name in zip(means, COLUMNS, strict=True)]
    return "\n".join([*lines, f"| **mean of the sets** | {len(frame)} | {' | '.join(cells)} |"])


def _cell(values: np.ndarray, name: str) -> str:
    if not len(values):
        return ""
    digits = 3 if name.startswith("loss") else 2
    error = values.std(ddof=1) / len(values) ** 0.5 if len(values) > 1 else np.nan
    return f"{values.mean():+.{digits}f}" + ("" if np.isnan(error) else f" ± {error:.{digits}f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--table", action="store_true")
    if not parser.parse_args().table:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", peerage.ConvergenceWarning)
            run().write_csv(RESULTS)
    print(table(pl.read_csv(RESULTS)))
