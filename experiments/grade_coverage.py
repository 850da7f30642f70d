"""Do the intervals of `peerage.grade` hold the truth 90 times in 100, and are its chances what they say?

    python experiments/grade_coverage.py          # writes grade_coverage.csv and grade_chances.csv
    python experiments/grade_coverage.py PL+G     # only rows whose method contains a word
    python experiments/grade_coverage.py table    # puts the files' tables into docs/reference/coverage.md

Every class is simulated from the model that grades it, with priors learned by `peerage.grade` itself; items
are many or few beside graders. Each item has about six reviews, in lists of six. Ties are neighbours in a
list that the grader leaves together at random; with scores they come from rounding. "PL+G near" ties what
looks alike, which no method here describes. Rows that are in the files already are not run again.

A reliability of scores is the precision of what was submitted: to the grader's own variance rounding adds
a twelfth of its squared step.

Lists tell only reliability times score, so the truth is put on the scale that Peerage reports: reliabilities
are divided by their mean, each by its grader's strict pairs, and scores are multiplied by it.
"""

from __future__ import annotations

import sys
import time
import warnings
from itertools import permutations, product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

import peerage
from peerage import metrics

RESULTS = Path(__file__).parent / "results"
COVERAGE, CHANCES = RESULTS / "grade_coverage.csv", RESULTS / "grade_chances.csv"
PAGE = Path(__file__).parents[1] / "docs" / "reference" / "coverage.md"
LEVEL, CLASSES = 0.9, 40
ENOUGH = 500  # pairs of a bin
VARIANCE, SHAPE = 3.0, 5.0  # of the truth
PRIOR = {"reliability_shape": SHAPE, "reliability_rate": SHAPE}  # the variance is learned
LIST, COMPARISONS = 6, 10  # items of a list; comparisons of an item where pairs are compared
SHARPNESS, ITEM_SD, BIAS_SD, NOISE_SD = 1.7, 1.0, 0.5, 1.0  # of scores, in points
BINS = np.linspace(0.5, 1.0, 11)

SIZES = ((40, 40), (100, 10), (60, 6), (300, 10), (400, 400))
TIES = (0.0, 0.2, 0.4)
METHODS = ("PL+G", "BT+G pairs", "BT+G lists", "MALS+G", "NCS+G", "COMBINED+G", "MAL+G", "PL+G near")


class Kind(NamedTuple):
    method: str
    items: int
    graders: int
    ties: float

    @property
    def code(self) -> str:
        return self.method.split()[0]


class Made(NamedTuple):
    """Feedback and the truth behind it, in the feedback's numbering."""

    feedback: peerage.Feedback
    scores: np.ndarray
    reliabilities: np.ndarray
    step: float = 0.0  # to which scores are rounded


# -- classes ----------------------------------------------------------------------------------------------


def dealt(kind: Kind, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Items in lists of six, each item in six lists, and the grader of every list."""
    lists = kind.items  # six items a list, six lists an item
    items = np.concatenate([rng.permutation(kind.items) for _ in range(LIST)]).reshape(lists, LIST)
    for row in items:  # an item twice in a list: put another there
        while len(set(row)) < LIST:
            row[:] = rng.choice(kind.items, LIST, replace=False)
    return items, np.arange(lists) % kind.graders


def permuted(items: np.ndarray, strength: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Worths in the order of one draw of score-weighted Mallows: P ~ exp(-sum of strength * position)."""
    orders = np.array(list(permutations(range(LIST))))  # items by position
    energy = strength[items][:, orders] @ np.arange(1, LIST + 1)
    chance = np.exp(energy.min(axis=1, keepdims=True) - energy)
    cut = rng.random(len(items))[:, None] * chance.sum(axis=1, keepdims=True)
    drawn = orders[(np.cumsum(chance, axis=1) < cut).sum(axis=1)]
    worth = np.empty(items.shape)
    np.put_along_axis(worth, drawn, -np.arange(LIST, dtype=float)[None], axis=1)
    return worth


def mallows(items: np.ndarray, ranks: np.ndarray, eta: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Worths in the order of one draw of Mallows by repeated insertion."""
    worth = np.empty(items.shape)
    for row, own, out in zip(items, eta, worth, strict=True):
        order: list[int] = []
        for step, place in enumerate(np.argsort(ranks[row])):
            chance = np.exp(-own * np.arange(step + 1))
            back = rng.choice(step + 1, p=chance / chance.sum())
            order.insert(step - back, place)
        out[order] = -np.arange(len(order))
    return worth


def coarse(worth: np.ndarray, share: float, rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """Worths rounded so that this share of the pairs of a list is tied, too near to tell apart; the step."""
    if share == 0:
        return worth, 0.0
    offset = rng.random()
    low, high = 1e-3, 1e3
    for _ in range(40):
        step = (low * high) ** 0.5
        rounded = np.floor(worth / step + offset)
        tied = (rounded[:, :, None] == rounded[:, None, :]).sum() - worth.size
        low, high = (step, high) if tied / (len(worth) * LIST * (LIST - 1)) < share else (low, step)
    return (rounded - offset + 0.5) * step, step


def merged(worth: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Worths of models that have only orders: neighbours in a list are tied at random."""
    rank = np.argsort(np.argsort(-worth, axis=1), axis=1)
    chance = {0.0: 0.0, 0.2: 0.42, 0.4: 0.65}[share]
    opened = np.cumsum(rng.random(worth.shape) >= chance, axis=1)
    return -np.take_along_axis(opened, rank, axis=1).astype(float)


def feedback_of(
    items: np.ndarray, graders: np.ndarray, worth: np.ndarray | None, scores: np.ndarray | None = None
) -> peerage.Feedback:
    columns = {}
    if worth is not None:
        columns["rank"] = (1 + (worth[:, :, None] < worth[:, None, :]).sum(axis=2)).ravel()
    if scores is not None:
        columns["score"] = scores.ravel()
    length = items.shape[1]
    return peerage.Feedback.from_columns(
        [f"g{g:04}" for g in np.repeat(graders, length)],
        [f"i{i:04}" for i in items.ravel()],
        list=[f"l{n:05}" for n in np.repeat(np.arange(len(items)), length)],
        **columns,
    )


def pairs_of(kind: Kind, scores: np.ndarray, eta: np.ndarray, rng: np.random.Generator) -> peerage.Feedback:
    """Two items at random, compared by Bradley-Terry; of some the grader says nothing."""
    count = kind.items * COMPARISONS // 2
    items = np.stack([rng.choice(kind.items, 2, replace=False) for _ in range(count)])
    graders = np.arange(count) % kind.graders
    gap = eta[graders] * (scores[items[:, 0]] - scores[items[:, 1]]) + rng.logistic(size=count)
    told = rng.random(count) >= kind.ties
    worth = np.stack([gap, np.zeros(count)], axis=1)
    return feedback_of(items[told], graders[told], worth[told])


def simulated(kind: Kind, seed: int) -> Made:
    rng = np.random.default_rng([seed, kind.items, kind.graders])
    scores = rng.normal(0.0, VARIANCE**0.5, kind.items)
    eta = rng.gamma(SHAPE, 1.0 / SHAPE, kind.graders)
    if kind.method == "BT+G pairs":
        return numbered(pairs_of(kind, scores, eta, rng), scores, eta)
    items, graders = dealt(kind, rng)
    strength = eta[graders][:, None]
    if kind.code in ("NCS+G", "COMBINED+G"):
        scores = ITEM_SD * scores / VARIANCE**0.5
        bias = rng.normal(0.0, BIAS_SD, kind.graders)[graders][:, None]
        given = 7.0 + scores[items] + bias + NOISE_SD * rng.normal(size=items.shape) / np.sqrt(strength)
        given, step = coarse(given, kind.ties, rng)
        worth = strength * SHARPNESS * scores[items] + rng.gumbel(size=items.shape)
        orders = None if kind.code == "NCS+G" else coarse(worth, kind.ties, rng)[0]
        return numbered(feedback_of(items, graders, orders, given), 7.0 + scores, eta, step)
    if kind.code == "MALS+G":
        worth = np.concatenate(
            [permuted(row[None], own * scores, rng) for row, own in zip(items, eta[graders], strict=True)]
        )
        return numbered(feedback_of(items, graders, merged(worth, kind.ties, rng)), scores, eta)
    if kind.code == "MAL+G":
        worth = mallows(items, np.argsort(np.argsort(-scores)), eta[graders], rng)
        return numbered(feedback_of(items, graders, merged(worth, kind.ties, rng)), scores, eta)
    worth = strength * scores[items] + rng.gumbel(size=items.shape)
    near = kind.method.endswith("near")
    tied = coarse(worth, kind.ties, rng)[0] if near else merged(worth, kind.ties, rng)
    return numbered(feedback_of(items, graders, tied), scores, eta)


def numbered(feedback: peerage.Feedback, scores: np.ndarray, eta: np.ndarray, step: float = 0.0) -> Made:
    """The truth of those who are in the feedback, in its order."""
    items = [int(label[1:]) for label in feedback.item_labels]
    graders = [int(label[1:]) for label in feedback.grader_labels]
    return Made(feedback, scores[items], eta[graders], step)


# -- how often the truth is inside, and how often the likelier item is the better one ---------------------


def on_reported_scale(
    kind: Kind, made: Made, fitted: peerage.models.base.Estimator
) -> tuple[np.ndarray, np.ndarray]:
    """True scores and reliabilities as Peerage would report them if it knew them."""
    scores, eta = made.scores, made.reliabilities
    if kind.code in ("NCS+G", "COMBINED+G"):  # noise over reliability is what there is: in units of the noise
        return scores, fitted.noise_variance_ / (NOISE_SD**2 / eta + made.step**2 / 12.0)
    if kind.code == "MAL+G":
        return scores, eta
    pairs = made.feedback.grader_strict_pairs
    mean = float(eta @ pairs) / pairs.sum()
    return mean * (scores - scores.mean()), eta / mean


def measured(kind: Kind, seed: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """For every quantity of one class whether its interval holds the truth; chances and what is true."""
    made = simulated(kind, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", peerage.ConvergenceWarning)
        ties = {"ties": "model"} if kind.code == "PL+G" else {}  # as where Peerage chooses
        wishes = {"method": kind.code, "params": {**PRIOR, **ties}, "prior": "learn", "seed": seed}
        graded = peerage.grade(made.feedback, **wishes)
        known = graded.posterior
    scores, eta = on_reported_scale(kind, made, graded.fitted)
    ranks = np.argsort(np.argsort(-scores)) + 1
    hits = {
        "rank": inside(ranks, *known.rank_interval(LEVEL)),
        "reliability": inside(eta, *known.reliability_interval(LEVEL)),
    }
    if kind.code != "MAL+G":
        hits["score"] = inside(scores, *known.score_interval(LEVEL))
    return hits, chances(known, scores)


def inside(truth: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return (low <= truth) & (truth <= high)


def chances(known: peerage.Posterior, truth: np.ndarray) -> np.ndarray:
    """Of every bin of P(i above j) from a half up: pairs, summed chance, and how many of them are true."""
    chance, came = metrics.pair_outcomes(truth, known.above_matrix())
    upper = chance > 0.5
    chance, came = chance[upper], came[upper]
    at = np.minimum(np.searchsorted(BINS, chance, side="right") - 1, len(BINS) - 2)
    return np.stack([np.bincount(at, weights, len(BINS) - 1) for weights in (None, chance, came)], axis=1)


def rows_of(kind: Kind, classes: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    found = [measured(kind, seed) for seed in range(classes)]
    own = kind._asdict()
    rows, bins = [], sum(counts for _, counts in found)
    for quantity in ("score", "rank", "reliability"):
        shares = np.array([hits[quantity].mean() for hits, _ in found if quantity in hits])
        if len(shares):
            error = shares.std(ddof=1) / classes**0.5
            figures = {"coverage": round(float(shares.mean()), 4), "standard_error": round(float(error), 4)}
            rows.append({**own, "classes": classes, "quantity": quantity, **figures})
    table = [
        {
            **own,
            "bin": round(float(low), 2),
            "pairs": int(n),
            "stated": round(said / n, 4),
            "true": round(came / n, 4),
        }
        for low, (n, said, came) in zip(BINS[:-1], bins, strict=True)
        if n
    ]
    return pl.DataFrame(rows), pl.DataFrame(table)


def append(path: Path, rows: pl.DataFrame) -> None:
    """Row by row, so that a run that was stopped keeps what it has."""
    with path.open("ab") as file:
        rows.write_csv(file, include_header=file.tell() == 0)


def tables() -> None:
    """Both files as tables of the page."""
    text = PAGE.read_text(encoding="utf-8")
    for name, lines in (("coverage", coverage_table()), ("chances", chances_table())):
        start, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        before, rest = text.split(start)
        text = before + start + "\n".join(lines) + "\n" + end + rest.split(end)[1]
    PAGE.write_text(text, encoding="utf-8")


def coverage_table() -> list[str]:
    """One line per method and size, each cell from few ties to many; shares outside 86 to 94 % in bold."""
    lines = ["| method | items × graders | scores | ranks | reliabilities |", "|---|---|---|---|---|"]
    found = {
        tuple(row[:5]): row[5]
        for row in pl.read_csv(COVERAGE).select(*Kind._fields, "quantity", "coverage").iter_rows()
    }
    for method, size in product(METHODS, SIZES):
        cells = [
            ", ".join(
                percent(share) for ties in TIES if (share := found.get((method, *size, ties, quantity)))
            )
            for quantity in ("score", "rank", "reliability")
        ]
        lines.append(f"| {method} | {size[0]} × {size[1]} | {' | '.join(cells)} |")
    return lines


def percent(share: float) -> str:
    text = f"{100 * share:.1f}"
    return text if 0.86 <= share <= 0.94 else f"**{text}**"


def chances_table() -> list[str]:
    """By method, over all its classes: of bins with 500 pairs or more, what was true less what was said."""
    frame = pl.read_csv(CHANCES)
    lines = ["| method | pairs | true less stated, by tenths of a half from 50 to 100 % |", "|---|---|---|"]
    for method in METHODS:
        own = frame.filter(pl.col("method") == method)
        if len(own):
            sums = (pl.col(name).dot(pl.col("pairs")) for name in ("stated", "true"))
            bins = own.group_by("bin").agg(pl.col("pairs").sum().alias("n"), *sums).sort("bin")
            gaps = [f"{100 * (came - said) / n:+.1f}" for _, n, said, came in bins.iter_rows() if n >= ENOUGH]
            lines.append(f"| {method} | {own['pairs'].sum():,} | {', '.join(gaps)} |")
    return lines


def main(only: str = "", classes: str = str(CLASSES)) -> None:
    if only == "table":
        return tables()
    done = set()
    if COVERAGE.exists():
        done = {Kind(*row) for row in pl.read_csv(COVERAGE).select(Kind._fields).unique().iter_rows()}
    for kind in (Kind(m, *size, ties) for ties in TIES for size in SIZES for m in METHODS):
        idle = kind.method.endswith("near") and not kind.ties
        if only in kind.method and kind not in done and not idle:
            started = time.perf_counter()
            coverage, bins = rows_of(kind, int(classes))
            append(COVERAGE, coverage)
            append(CHANCES, bins)
            words = (f"{row['quantity']} {row['coverage']:.3f}" for row in coverage.iter_rows(named=True))
            print(*kind, *words, f"{time.perf_counter() - started:.0f} s", flush=True)
    return None


if __name__ == "__main__":
    main(*sys.argv[1:])
