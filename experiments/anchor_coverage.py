"""Do intervals of points hold staff grades that nobody showed, and are chances of letters right?

    python experiments/anchor_coverage.py            # writes experiments/results/anchor_*.csv, a few minutes
    python experiments/anchor_coverage.py 40 PL+G    # one method; the rows of others stay
    python experiments/anchor_coverage.py real       # real sets: writes experiments/results/anchor_real.csv
    python experiments/anchor_coverage.py real potatoes

Simulated classes with a staff grade of every item. Of those 3, 6, 12 or 20 are given, as to `peerage.grade`;
the others are held against the intervals and the letters' chances. In three kinds 60 items have 150 graders
with six reviews each: what peers agree on is not what staff think (`taste`), and staff grades are unsteady
(`noise`); classes differ in how good they are, and staff in how strict. Two kinds are the presets of
`peerage simulate`, where peers and staff agree less (a correlation of .45). A class is fitted once, and its
scores go with the staff grades through the steps of `peerage.grade` that follow.

The real sets are cut into classes as in `calibration.py`, with the truth in the place of staff grades, and
letters for its quarters. They are not part of the project; PEERAGE_DATASETS says where they are.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

import peerage
from peerage.grading.fitting import estimate_uncertainty, fit_method
from peerage.grading.items import compute_points
from peerage.grading.letters import Letters, letter_probabilities, parse_letters
from peerage.grading.misfit import STREAM, measure_misfit
from peerage.grading.points import Scale
from peerage.grading.staff.anchors import read_anchors
from peerage.grading.staff.validity import validate
from peerage.models.base import Estimator
from peerage.simulation.classes import PRESETS
from peerage.uncertainty.posterior import Posterior

FOLDER = Path(__file__).parent / "results"
LEVEL = 0.9
CLASSES = 10
CHOICES = 1  # of staff grades in every class
ITEMS, GRADERS, EACH = 60, 150, 6
MEAN, CLASSES_DIFFER, STAFF_DIFFER = 7.5, 0.7, 0.6  # of the items; its sd, and that of staff's strictness
LETTERS = "A>=8.5,B>=7.5,C>=6.5,D"
BINS = np.linspace(0.0, 1.0, 11)


METHODS, ANCHORS = ("NCS+G", "PL+G"), (3, 6, 12, 20)
REAL = {"cities": 4, "dots30": 4, "gcse_scripts": 4, "mifei_mooc": 1, "potatoes": 4}  # classes of each task
FEWEST, TRIALS = 8, 20  # items left to hold against; choices of staff grades in every class
GAPS = {"close": (0.3, 0.4), "usual": (0.6, 0.6), "apart": (0.8, 1.0)}  # taste and noise
KINDS = (*GAPS, "posters", "reports")
PRESET_LETTERS = "A>=8.5,B>=7,C>=6,D"


class Held(NamedTuple):
    """One class: whether each hidden staff grade is inside, how wide intervals are, chances and outcomes."""

    inside: np.ndarray
    width: float
    gap: float
    coverage: float  # as the result itself says, from the staff grades it was given
    chances: np.ndarray  # hidden items x letters
    outcomes: np.ndarray


def simulated(kind: str, seed: int) -> peerage.SimulatedClass:
    if kind not in GAPS:
        return peerage.simulate(**PRESETS[kind], seed=100 + seed)
    (taste, noise), seed = GAPS[kind], 10_000 * KINDS.index(kind) + seed
    better, strict = np.random.default_rng([seed, 1]).normal(size=2) * (CLASSES_DIFFER, STAFF_DIFFER)
    return peerage.simulate(
        items=ITEMS, graders=GRADERS, per_grader=EACH, scale=(-20.0, 30.0), step=0.01, mean=MEAN + better,
        sd=1.2, taste=taste, noise=1.2, leniency=0.5, staff=(peerage.Staff("TA", strict, noise),), seed=seed,
    )  # fmt: skip


def held(method: str, kind: str, seed: int) -> dict[int, list[Held]]:
    """One class with few and with many staff grades; those that are not given are the truth."""
    made = simulated(kind, seed)
    posterior = posterior_of(feedback(method, made), seed)
    staff = made.staff.filter(pl.col("source") == made.staff["source"][0]).select("item", "score")
    return with_few_and_many(kind, posterior, staff, seed)


def posterior_of(feedback: peerage.Feedback, seed: int) -> Posterior:
    """As `peerage.grade` has it."""
    _, fitted = fit_method(feedback, None, {})
    posterior = estimate_uncertainty(fitted, bootstrap=0, seed=seed, on_step=lambda step: None)
    widening = measure_misfit(posterior.at_mean(), posterior).widening
    return posterior.widened(widening, np.random.default_rng(STREAM))


def with_few_and_many(
    kind: str, posterior: Posterior, staff: pl.DataFrame, seed: int
) -> dict[int, list[Held]]:
    """Staff grades that are all the same are refused, and left out here."""
    rule, scale = parse_letters(LETTERS if kind in GAPS else PRESET_LETTERS), Scale(0.0, 10.0)
    found: dict[int, list[Held]] = {anchors: [] for anchors in ANCHORS}
    for anchors, k in product(ANCHORS, range(CHOICES)):
        with suppress(peerage.DataError):
            found[anchors].append(
                anchored(
                    posterior.at_mean(), posterior, staff, staff.sample(anchors, seed=CHOICES * seed + k),
                    CHOICES * seed + k, rule, None if kind in GAPS else scale,
                )
            )  # fmt: skip
    return found


def anchored(
    fitted: Estimator,
    posterior: Posterior,
    staff: pl.DataFrame,
    given: pl.DataFrame,
    seed: int,
    rule: Letters,
    scale: Scale | None = None,
) -> Held:
    """The class as it is graded with these of the staff grades."""
    seen = read_anchors(given, fitted.feedback_)
    validity = validate(fitted, posterior.score_se, seen, level=LEVEL, scale=scale, peer_scale=scale)
    graded = compute_points(
        "staff grades", fitted, posterior, scale, None, None, validity, np.random.default_rng(seed),
        as_evidence=False, interval=LEVEL,
    )  # fmt: skip
    low, high = np.quantile(graded.draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    labels = fitted.feedback_.item_labels
    rest = staff.join(given, on="item", how="anti")["item"]
    hidden = np.flatnonzero(labels.is_in(rest.implode()).to_numpy())
    grades = dict(staff.select("item", "score").iter_rows())
    graded_by_staff = np.array([grades[labels[int(item)]] for item in hidden])
    chances = letter_probabilities(rule, graded.draws, fitted.feedback_.task_starts)[hidden]
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


def real(*names: str) -> None:
    """Classes cut from real sets: whether intervals hold the truth of other items, and letters' chances."""
    from calibration import CUTS, classes, truth_of

    rows = []
    for name, repeats in ((name, REAL[name]) for name in names or REAL):
        found: dict[tuple[str, bool, int], list[Held]] = {}
        for which, one in enumerate(classes(name, CUTS[name]._replace(repeats=repeats))):
            used, fitted = fit_method(one, None, {})
            posterior = estimate_uncertainty(fitted, bootstrap=0, seed=which, on_step=lambda step: None)
            fitted = posterior.at_mean()
            truth = truth_of(name, fitted.feedback_)
            staff = pl.DataFrame({"item": fitted.feedback_.item_labels, "score": truth}).drop_nans()
            rule, scale = quarters(staff["score"]), whole_scale(fitted.feedback_, truth)
            for anchors, stated in product(ANCHORS, (False, True)):
                if anchors > len(staff) - FEWEST or (not stated and fitted.score_scale == "grading"):
                    continue
                mine = found.setdefault((used.code, stated, anchors), [])
                for k in range(TRIALS):
                    with suppress(peerage.DataError):  # equal staff grades are refused
                        given = staff.sample(anchors, seed=k)
                        mine.append(
                            anchored(fitted, posterior, staff, given, k, rule, scale if stated else None)
                        )
        for (code, stated, anchors), mine in sorted(found.items()):
            facts = {"dataset": name, "method": code, "scale_stated": stated, "anchors": anchors}
            rows.append(real_row(facts, mine))
            print(*rows[-1].values(), flush=True)
    write(pl.DataFrame(rows), "anchor_real.csv", ["dataset", "method", "scale_stated", "anchors"])


def whole_scale(feedback: peerage.Feedback, truth: np.ndarray) -> Scale:
    """From the least to the most of the truth, and of the scores of peers where they are on its scale."""
    there = truth if feedback.scores is None else np.concatenate([truth, feedback.scores])
    return Scale(float(np.nanmin(there)), float(np.nanmax(there)))


def quarters(truth: pl.Series) -> Letters:
    """A letter for each quarter, or nearly; cut-points between two values."""
    values = truth.unique().sort().to_numpy()
    at = np.searchsorted(values, np.quantile(truth.to_numpy(), [0.75, 0.5, 0.25], method="higher"))
    cuts = [(values[k - 1] + values[k]) / 2 for k in sorted(set(at.tolist()), reverse=True) if k > 0]
    names = "ABCD"[: len(cuts) + 1]
    return Letters(tuple(names), cuts=tuple(float(cut) for cut in cuts))


def real_row(facts: dict[str, object], found: list[Held]) -> dict[str, object]:
    chance = np.concatenate([one.chances.ravel() for one in found])
    came = np.concatenate([one.outcomes.ravel() for one in found])
    likely = chance > 0.5
    return {
        **facts, "trials": len(found),
        "cases": sum(len(one.inside) for one in found),
        "coverage": round(float(np.mean(np.concatenate([one.inside for one in found]))), 4),
        "likely": int(likely.sum()),
        "stated": round(float(chance[likely].mean()), 4), "came": round(float(came[likely].mean()), 4),
        "log_loss": round(float(-np.log(np.maximum(chance[came], 1e-3)).mean()), 4),
    }  # fmt: skip


def row_of(facts: dict[str, object], found: list[Held]) -> dict[str, object]:
    shares = np.array([one.inside.mean() for one in found])
    likely = np.concatenate([one.chances.ravel() for one in found]) > 0.5
    over = np.concatenate([(one.chances - one.outcomes).ravel() for one in found])[likely]
    by_class = [(one.chances - one.outcomes)[one.chances > 0.5].sum() for one in found]
    return {
        **facts, "classes": len(found), "level": LEVEL, "cases": sum(len(one.inside) for one in found),
        "coverage": round(float(shares.mean()), 4),
        "standard_error": round(float(shares.std(ddof=1)) / len(shares) ** 0.5, 4),
        "likely": int(likely.sum()),
        "too_high": round(float(over.mean()), 4) if likely.any() else None,
        "too_high_error": round(float(np.std(by_class) * len(found) ** 0.5 / max(likely.sum(), 1)), 4),
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
    if classes == "real":
        real(*methods)
        return
    rows, bins = [], []
    for method in methods or METHODS:
        together: dict[int, list[Held]] = {anchors: [] for anchors in ANCHORS}
        for kind in KINDS:
            found = [held(method, kind, seed) for seed in range(int(classes))]
            for anchors in ANCHORS:
                mine = [one for graded in found for one in graded[anchors]]
                rows.append(row_of({"method": method, "anchors": anchors, "kind": kind}, mine))
                print(*rows[-1].values(), flush=True)
                together[anchors] += mine
        for anchors in ANCHORS:
            rows.append(row_of({"method": method, "anchors": anchors, "kind": "all"}, together[anchors]))
            bins += bins_of(method, anchors, together[anchors])
    off = pl.DataFrame(bins).with_columns(off=pl.col("stated") - pl.col("came"))
    print(off.filter(pl.col("cases") >= 500).sort(pl.col("off").abs(), descending=True).head(10))
    if int(classes) == CLASSES:
        write(pl.DataFrame(rows), "anchor_coverage.csv", ["method", "anchors", "kind"])
        write(pl.DataFrame(bins), "anchor_letters.csv", ["method", "anchors", "low"])


def write(rows: pl.DataFrame, name: str, order: list[str]) -> None:
    """Put these rows in the place of those of the same methods, or data sets."""
    by = order[0]
    if (FOLDER / name).exists():
        before = pl.read_csv(FOLDER / name, schema=rows.schema)
        rows = pl.concat([before.filter(~pl.col(by).is_in(rows[by].implode())), rows])
    rows.sort(order).write_csv(FOLDER / name)


if __name__ == "__main__":
    main(*sys.argv[1:])
