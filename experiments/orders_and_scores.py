"""Where graders give ranks beside scores: both, scores alone, or what the class itself chooses?

    python experiments/orders_and_scores.py                # writes results/orders_and_scores.csv
    python experiments/orders_and_scores.py --classes 5    # fewer of each kind; writes nothing

Simulated classes have 40 items and 40 graders of five, and ranks that are a second judgement ("second"), the
scores written down again with slips ("copied"), half or all about something else ("half", "other"), or thrown
("random"). Classes of `dots30` are cut from the real set of that name (PEERAGE_DATASETS). Figures are tau
errors in per cent, with the standard error over classes of the difference to the better of the two.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

import peerage
from experiments.paper.data import parse
from peerage.metrics.accuracy import tau_error_by_task
from peerage.models.held_out import orders_help

RESULTS = Path(__file__).parent / "results" / "orders_and_scores.csv"
CLASSES = 20
ITEMS, GRADERS, EACH = 40, 40, 5
ITEM_SD, BIAS_SD, NOISE_SD, SHAPE, SHARPNESS, SLIPS = 1.2, 0.5, 1.2, 5.0, 1.7, 0.3
RANKS = ("second", "copied", "half", "other", "random")
REAL = ("dots30:graders=0.25x", "dots30:graders=0.5x", "dots30:graders=1x")


def simulated(ranks: str, seed: int) -> tuple[peerage.Feedback, np.ndarray]:
    """Feedback and the true scores of its items."""
    rng = np.random.default_rng([seed, 3])
    quality, something_else = rng.normal(size=(2, ITEMS))
    deck = np.concatenate([rng.permutation(ITEMS) for _ in range(GRADERS * EACH // ITEMS)])
    items = deck.reshape(GRADERS, EACH)
    eta = rng.gamma(SHAPE, 1 / SHAPE, (GRADERS, 1))
    bias = rng.normal(0.0, BIAS_SD, (GRADERS, 1))
    scores = 7 + ITEM_SD * quality[items] + bias + NOISE_SD / np.sqrt(eta) * rng.normal(size=items.shape)
    worth = {
        "second": SHARPNESS * ITEM_SD * quality[items] * eta + rng.gumbel(size=items.shape),
        "copied": scores + SLIPS * NOISE_SD * rng.normal(size=items.shape),
        "half": SHARPNESS * (quality + something_else)[items] / 2**0.5 + rng.gumbel(size=items.shape),
        "other": SHARPNESS * something_else[items] + rng.gumbel(size=items.shape),
        "random": rng.normal(size=items.shape),
    }[ranks]
    feedback = peerage.Feedback.from_columns(
        np.repeat([f"g{g:02}" for g in range(GRADERS)], EACH),
        [f"i{i:02}" for i in items.ravel()],
        rank=(1 + (worth[:, :, None] < worth[:, None, :]).sum(axis=2)).ravel(),
        score=(np.round(2 * scores) / 2).ravel(),
    )
    return feedback, quality[[int(label[1:]) for label in feedback.item_labels]]


def real(name: str, seed: int) -> tuple[peerage.Feedback, np.ndarray]:
    data = parse(name).load(np.random.default_rng([seed, 7]))
    return data.feedback, data.truth


def measured(
    kind: str, draw: Callable[[str, int], tuple[peerage.Feedback, np.ndarray]], classes: int
) -> dict[str, object]:
    errors, with_orders = [], 0
    for seed in range(classes):
        feedback, truth = draw(kind, seed)
        fits = [peerage.fit(feedback, "ncs+g", variances="learn"), peerage.fit(feedback, "combined+g")]
        both = orders_help(fits[1])
        with_orders += both
        errors.append([tau_error_by_task(feedback, truth, fit.scores_) for fit in (*fits, fits[both])])
    alone, combined, chosen = np.array(errors).T
    better = alone if alone.mean() < combined.mean() else combined
    return {
        "kind": kind,
        "classes": classes,
        "scores_alone": round(float(alone.mean()), 2),
        "combined": round(float(combined.mean()), 2),
        "chosen": round(float(chosen.mean()), 2),
        "with_orders": round(with_orders / classes, 2),
        "behind_better": round(float((chosen - better).mean()), 2),
        "standard_error": round(float((chosen - better).std(ddof=1)) / classes**0.5, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--classes", type=int, default=CLASSES)
    classes = parser.parse_args().classes
    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", peerage.ConvergenceWarning)
        for kind in (*RANKS, *REAL):
            rows.append(measured(kind, simulated if kind in RANKS else real, classes))
            print(*rows[-1].values(), flush=True)
    if classes == CLASSES:
        pl.DataFrame(rows).write_csv(RESULTS)


if __name__ == "__main__":
    main()
