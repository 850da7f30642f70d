"""The default in the classes that models forget, beside ordinary ones, class by class against plain methods.

    python experiments/kinds_of_classes.py                  # writes kinds_of_classes.csv, prints the table
    python experiments/kinds_of_classes.py --classes 10     # fewer classes of each kind
    python experiments/kinds_of_classes.py --only judges    # only kinds whose name contains a word
    python experiments/kinds_of_classes.py --table          # prints the table of the file
    python experiments/kinds_of_classes.py --small          # scores with few graders: small_score_classes.csv
    python experiments/kinds_of_classes.py --tails          # scores far out: heavy_tails.csv

Every kind is graded by `peerage.grade` as it comes. "- PL", "- BT" and "- averages" are its tau error less
that of plain Plackett-Luce, plain Bradley-Terry and averages (of ranks, or of scores) on the same class:
below 0 the default is better. Ranks, scores and reliabilities are covered by intervals of 90 %. Of chances
above one half and of letters by quota the table has what was said less what was true, in points; "steps" is
the share of classes with more than one step and "chance" that of classes which were said to agree no more
than chance would.

In disputed classes a tenth of the items are: every grader takes one of two sides of each, by a throw of a
coin, and the truth is half-way. Their own table has the area under the curve of infit, the share of disputed
items that are found, how many others are named per class, and how many ranks of disputed items are covered
before and after intervals are widened by it (disputed_items.csv).
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

import peerage
from peerage import Feedback, metrics
from peerage.grading.fitting import estimate_uncertainty, fit_method
from peerage.grading.misfit import STREAM, measure_misfit

RESULTS = Path(__file__).parent / "results" / "kinds_of_classes.csv"
DISPUTED = RESULTS.with_name("disputed_items.csv")
SMALL, SMALL_SIZES, SMALL_CLASSES = (
    RESULTS.with_name("small_score_classes.csv"),
    ((12, 6), (12, 8), (20, 10)),
    60,
)
TAILS = RESULTS.with_name("heavy_tails.csv")
LEVEL, CLASSES = 0.9, 40
LETTERS, SHARES = "A:25%,B:25%,C:25%,D:25%", (0.25, 0.25, 0.25, 0.25)
VARIANCE, SHAPE = 3.0, 5.0


class SimulatedClass(NamedTuple):
    """Feedback and what is true of it, in the feedback's numbering and on the reported scale."""

    feedback: Feedback
    truth: np.ndarray
    disputed: np.ndarray | None = None
    reliabilities: np.ndarray | None = None  # by grader; of scores the precision of what was given


def _dealt(items: int, graders: int, length: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Lists of items, each item in about as many; whole permutations dealt out one after the other."""
    deck = np.concatenate([rng.permutation(items) for _ in range(-(-graders * length // items))])
    lists = [deck[n * length : (n + 1) * length] for n in range(graders)]
    return [row if len(set(row)) == length else rng.choice(items, length, replace=False) for row in lists]


def _orders(
    lists: list[np.ndarray],
    truth: np.ndarray,
    eta: np.ndarray,
    rng: np.random.Generator,
    sides: np.ndarray | None = None,
    each: int = 1,
) -> SimulatedClass:
    """So many lists by each grader."""
    orders = []
    for number, row in enumerate(lists):
        grader = number // each
        seen = truth[row] if sides is None else truth[row] + sides[grader, row]
        best_first = row[np.argsort(-(eta[grader] * seen + rng.gumbel(size=len(row))))]
        orders.append((f"g{grader:04}", [f"i{item:04}" for item in best_first]))
    feedback = Feedback.from_orders(orders)
    pairs = feedback.grader_strict_pairs  # graders are in order: the mean reliability that is held at 1
    scale = float(eta @ pairs) / pairs.sum()
    if not scale:  # everybody throws dice
        return _numbered(feedback, truth - truth.mean(), sides)
    return _numbered(feedback, scale * (truth - truth.mean()), sides, eta / scale)


def _numbered(
    feedback: Feedback,
    truth: np.ndarray,
    sides: np.ndarray | None = None,
    reliabilities: np.ndarray | None = None,
) -> SimulatedClass:
    number = [int(label[1:]) for label in feedback.item_labels]
    disputed = None if sides is None else (sides != 0).any(axis=0)[number]
    return SimulatedClass(feedback, truth[number], disputed, reliabilities)


def _sides(graders: int, items: int, apart: float, rng: np.random.Generator) -> np.ndarray:
    """By how much graders see disputed items, a tenth of all, above or below the truth."""
    sides = np.zeros((graders, items))
    disputed = rng.permutation(items)[: items // 10]
    sides[:, disputed] = apart * rng.choice([-1.0, 1.0], (graders, len(disputed)))
    return sides


# -- kinds ------------------------------------------------------------------------------------------------


def ranked(
    items: int,
    graders: int,
    length: int,
    *,
    equal: bool = False,
    variance: float = VARIANCE,
    apart: float = 0.0,
) -> Kind:
    """Lists by Plackett-Luce; `equal` judges have one reliability; sides of disputed items are `apart`."""

    def simulated(rng: np.random.Generator) -> SimulatedClass:
        truth = rng.normal(0.0, variance**0.5, items)
        eta = np.ones(graders) if equal else rng.gamma(SHAPE, 1 / SHAPE, graders)
        sides = _sides(graders, items, apart, rng) if apart else None
        return _orders(_dealt(items, graders, length, rng), truth, eta, rng, sides)

    return simulated


def paired(items: int, graders: int, pairs: int, *, equal: bool = False) -> Kind:
    """Pairs by Bradley-Terry, so many by each grader."""

    def simulated(rng: np.random.Generator) -> SimulatedClass:
        truth = rng.normal(0.0, VARIANCE**0.5, items)
        eta = np.ones(graders) if equal else rng.gamma(SHAPE, 1 / SHAPE, graders)
        lists = [rng.choice(items, 2, replace=False) for _ in range(graders * pairs)]
        return _orders(lists, truth, eta, rng, each=pairs)

    return simulated


def no_signal(items: int, graders: int, length: int) -> Kind:
    """Everybody ranks at random; the items differ all the same."""

    def simulated(rng: np.random.Generator) -> SimulatedClass:
        truth = rng.normal(size=items)
        return _orders(_dealt(items, graders, length, rng), truth, np.zeros(graders), rng)

    return simulated


def sections(mixed: int) -> Kind:
    """Four sections of 20, half a standard deviation apart, with so many lists across all each."""

    def simulated(rng: np.random.Generator) -> SimulatedClass:
        truth = rng.normal(0.0, VARIANCE**0.5, 80)
        truth += np.repeat(rng.permutation([-0.75, -0.25, 0.25, 0.75]), 20) * VARIANCE**0.5
        lists = []
        for first in range(0, 80, 20):
            own = [first + row for row in _dealt(20, 20, 6, rng)]
            own[:mixed] = [rng.choice(80, 6, replace=False) for _ in range(mixed)]
            lists += own
        return _orders(lists, truth, rng.gamma(SHAPE, 1 / SHAPE, 80), rng)

    return simulated


def scored(
    items: int, graders: int, *, noise_tails: float = 0.0, far: float = 0.0, apart: float = 0.0
) -> Kind:
    """Six scores per item in lists of six; `far`, a share of the items with four times the spread.

    `noise_tails` is the share of reviews with four times the noise; sides of disputed items are `apart`.
    """

    def simulated(rng: np.random.Generator) -> SimulatedClass:
        truth = rng.normal(size=items)
        truth[rng.random(items) < far] *= 4.0
        lists = _dealt(items, graders, min(items, 6 * items // graders), rng)
        names = np.repeat(np.arange(graders), [len(row) for row in lists])
        seen = np.concatenate(lists)
        eta = rng.gamma(SHAPE, 1 / SHAPE, graders)
        noise = rng.normal(size=len(seen)) / np.sqrt(eta)[names]
        if noise_tails:
            noise *= np.where(rng.random(len(seen)) < noise_tails, 4.0, 1.0)
        sides = _sides(graders, items, apart, rng) if apart else None
        given = 7.0 + truth[seen] + rng.normal(0.0, 0.5, graders)[names] + noise
        if sides is not None:
            given += sides[names, seen]
        columns = [f"g{g:04}" for g in names], [f"i{i:04}" for i in seen]
        feedback = Feedback.from_columns(*columns, score=given)
        return _numbered(feedback, 7.0 + truth, sides, None if noise_tails else eta)

    return simulated


def far_out(items: int, graders: int, length: int) -> Kind:
    """A tenth of the items have four times the spread."""

    def simulated(rng: np.random.Generator) -> SimulatedClass:
        truth = rng.normal(size=items)
        truth[rng.random(items) < 0.1] *= 4.0
        lists = _dealt(items, graders, length, rng)
        return _orders(lists, truth, rng.gamma(SHAPE, 1 / SHAPE, graders), rng)

    return simulated


Kind = Callable[[np.random.Generator], SimulatedClass]
KINDS: dict[str, Kind] = {
    "ordinary, 40 x 40 in lists of 6": ranked(40, 40, 6),
    "ordinary, 42 x 148 in lists of 7": ranked(42, 148, 7),
    "few judges, 60 x 3 (all)": ranked(60, 3, 60, equal=True),
    "few judges, 25 x 3 (all)": ranked(25, 3, 25, equal=True),
    "few judges, 100 x 5 (50 each)": ranked(100, 5, 50, equal=True),
    "few judges, 60 x 8 (20 each)": ranked(60, 8, 20, equal=True),
    "no signal, 40 x 40 in lists of 6": no_signal(40, 40, 6),
    "weak, 40 x 40 in lists of 6": ranked(40, 40, 6, variance=0.5),
    "sections, one mixed list each": sections(1),
    "items far out, 40 x 40 in lists of 6": far_out(40, 40, 6),
    "scores, 40 x 40": scored(40, 40),
    "scores, 12 x 8": scored(12, 8),
    "scores, items far out, 40 x 40": scored(40, 40, far=0.1),
    "scores, reviews far out, 40 x 40": scored(40, 40, noise_tails=0.1),
    "disputed, 40 x 40 in lists of 6": ranked(40, 40, 6, apart=2.0),
    "disputed, 42 x 148 in lists of 7": ranked(42, 148, 7, apart=2.0),
    "disputed, scores, 40 x 40": scored(40, 40, apart=1.5),
    "judges who differ, 25 x 3 (all)": ranked(25, 3, 25),
    "judges who differ, 60 x 3 (all)": ranked(60, 3, 60),
    "few judges, pairs, 30 x 3 (150 each)": paired(30, 3, 150, equal=True),
    "judges who differ, pairs, 30 x 3 (150 each)": paired(30, 3, 150),
}


# -- one class --------------------------------------------------------------------------------------------


def measured(made: SimulatedClass) -> dict[str, float | None]:
    """What one class says of the default."""
    feedback, truth, disputed, reliabilities = made
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", peerage.ConvergenceWarning)
        graded = peerage.grade(feedback, letters=LETTERS)
        averages = "malbc" if feedback.scores is None else "scavg"
        plain = {
            f"- {name}": peerage.fit(feedback, code).scores_
            for name, code in (("PL", "pl"), ("BT", "bt"), ("averages", averages))
        }
    known, mean = graded.posterior, graded.posterior.location
    ranks = np.argsort(np.argsort(-truth)) + 1
    low, high = known.rank_interval(LEVEL)
    inside = (low <= ranks) & (ranks <= high)
    chance, came = metrics.pair_outcomes(truth, known.above_matrix())
    upper = chance > 0.5
    due = np.searchsorted(np.round(np.cumsum(SHARES) * len(ranks)), ranks[graded.order])
    right = graded.items["letter"].to_numpy() == np.array(["A", "B", "C", "D"])[np.minimum(due, 3)]
    found: dict[str, float | None] = {
        "letters": float(graded.items["letter_probability"].mean() - right.mean()),
        "ranks": float(inside.mean()),
        "chances": float((chance - came)[upper].mean()),
        "steps": float(graded.items["step"].n_unique() > 1),
        "chance": float("chance" in graded.sentences),
    }
    error = metrics.tau_error(truth, mean)
    found |= {name: error - metrics.tau_error(truth, scores) for name, scores in plain.items()}
    if disputed is not None:
        found |= _disputes(graded, disputed, ranks, inside)
    found["reliabilities"] = None
    if reliabilities is not None:  # of scores in units of the noise
        unit = graded.fitted.noise_variance_ or 1.0
        low, high = known.reliability_interval(LEVEL)
        found["reliabilities"] = float(
            np.mean((low <= unit * reliabilities) & (unit * reliabilities <= high))
        )
    low, high = known.score_interval(LEVEL)
    return found | {"scores": float(np.mean((low <= truth) & (truth <= high)))}


def _disputes(
    graded: peerage.GradingResult, disputed: np.ndarray, ranks: np.ndarray, inside: np.ndarray
) -> dict[str, float]:
    """Whether disputed items are found, and their ranks covered, before intervals are widened and after."""
    narrow = estimate_uncertainty(graded.fitted, bootstrap=0, seed=0, on_step=lambda step: None)
    low, high = narrow.rank_interval(LEVEL)
    own, infit = disputed[graded.order], graded.items["infit"].to_numpy()
    above = (infit[own][:, None] > infit[~own]).mean() + 0.5 * (infit[own][:, None] == infit[~own]).mean()
    named = graded.items["disputed"].to_numpy() == 1
    return {
        "auc": float(above),
        "found": float(named[own].mean()),
        "named": float(named[~own].sum()),
        "before": float(((low <= ranks) & (ranks <= high))[disputed].mean()),
        "after": float(inside[disputed].mean()),
    }


def run(name: str, classes: int) -> pl.DataFrame:
    rows = []
    for seed in range(classes):
        made = KINDS[name](np.random.default_rng([seed, list(KINDS).index(name)]))
        rows.append({"kind": name, "class": seed, **measured(made)})
    return pl.DataFrame(rows, schema_overrides={"reliabilities": pl.Float64})


def small_classes() -> pl.DataFrame:
    """Scores by few graders: how often their intervals hold, before they are widened by infit and after."""
    rows = []
    for items, graders in SMALL_SIZES:
        held = np.zeros((SMALL_CLASSES, 2))
        for seed in range(SMALL_CLASSES):
            feedback, truth, *_ = scored(items, graders)(np.random.default_rng([seed, 99]))
            _, fitted = fit_method(feedback, None, {})
            narrow = estimate_uncertainty(fitted, bootstrap=0, seed=0, on_step=lambda step: None)
            widening = measure_misfit(narrow.at_mean(), narrow).widening
            for k, known in enumerate((narrow, narrow.widened(widening, np.random.default_rng(STREAM)))):
                low, high = known.score_interval(LEVEL)
                held[seed, k] = np.mean((low <= truth) & (truth <= high))
        mean, error = held.mean(axis=0).round(4), held.std(axis=0, ddof=1) / SMALL_CLASSES**0.5
        rows.append(
            {
                "items": items, "graders": graders, "classes": SMALL_CLASSES, "before": mean[0],
                "after": mean[1], "standard_error": round(float(error[1]), 4),
            }
        )  # fmt: skip
        print(rows[-1], flush=True)
    return pl.DataFrame(rows)


def heavy_tails() -> pl.DataFrame:
    """In how many classes noise is called Student's t, and by how much that changes the tau error there."""
    kinds = {
        "normal noise, 40 x 40": (scored(40, 40), 300),
        "normal noise, 20 x 10": (scored(20, 10), 100),
        "reviews far out, 40 x 40": (scored(40, 40, noise_tails=0.1), 100),
    }
    rows = []
    for name, (kind, classes) in kinds.items():
        changes = []
        for seed in range(classes):
            feedback, truth, *_ = kind(np.random.default_rng([seed, 55]))
            fits = [
                peerage.fit(feedback, "ncs+g", variances="learn", tails=how) for how in ("learn", "normal")
            ]
            if np.isfinite(fits[0].noise_freedom_):
                learned, normal = (metrics.tau_error(truth, fitted.scores_) for fitted in fits)
                changes.append(learned - normal)
        heavy = np.array(changes)
        error = heavy.std(ddof=1) / len(heavy) ** 0.5 if len(heavy) > 1 else None
        mean = heavy.mean() if len(heavy) else None
        rows.append(
            {
                "kind": name, "classes": classes, "heavy": len(heavy), "change": mean, "standard_error": error
            }
        )  # fmt: skip
        print(rows[-1], flush=True)
    return pl.DataFrame(rows)


# -- table ------------------------------------------------------------------------------------------------

PLAIN = ("- PL", "- BT", "- averages")
COLUMNS = (*PLAIN, "ranks", "scores", "reliabilities", "chances", "letters", "steps", "chance")
DISPUTES = ("auc", "found", "named", "before", "after")
PERCENT = {*COLUMNS, *DISPUTES} - {*PLAIN, "named", "auc"}


def table(frame: pl.DataFrame, columns: tuple[str, ...] = COLUMNS) -> str:
    """Means and standard errors over classes, in Markdown."""
    lines = [f"| kind | classes | {' | '.join(columns)} |", "|" + "---|" * (len(columns) + 2)]
    for kind in KINDS:
        own = frame.filter(pl.col("kind") == kind)
        if own.is_empty():
            continue
        cells = [_cell(own[name].drop_nulls(), 100 if name in PERCENT else 1) for name in columns]
        lines.append(f"| {kind} | {len(own)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(values: pl.Series, factor: float) -> str:
    if values.is_empty():
        return ""
    numbers = factor * values.to_numpy()
    error = numbers.std(ddof=1) / len(numbers) ** 0.5 if len(numbers) > 1 else float("nan")
    return f"{numbers.mean():.1f} ± {error:.1f}" if factor == 100 else f"{numbers.mean():.2f} ± {error:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--classes", type=int, default=CLASSES)
    parser.add_argument("--only", default="")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--tails", action="store_true")
    options = parser.parse_args()
    if options.small:
        small_classes().write_csv(SMALL)
        return
    if options.tails:
        heavy_tails().write_csv(TAILS)
        return
    if not options.table:
        for name in KINDS:
            if options.only in name:
                rows = run(name, options.classes)
                print(table(rows).splitlines()[-1], flush=True)
                file = DISPUTED if name.startswith("disputed") else RESULTS
                before = pl.read_csv(file) if file.exists() else rows[:0]
                keep = before.filter(pl.col("kind") != name)
                pl.concat([keep, rows], how="diagonal").write_csv(file)
    print(table(pl.read_csv(RESULTS)), table(pl.read_csv(DISPUTED), DISPUTES), sep="\n\n")


if __name__ == "__main__":
    main()
