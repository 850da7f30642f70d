"""Can strategic grading be seen? Favours returned, rivals marked down, lists copied; ten planted of 100.

    python experiments/strategic_grading.py   # writes experiments/results/strategic_grading.csv, some minutes

A run that was stopped goes on where it was.
Every review has a residual: how often the grader put the item above others of the list, less how often the
class would (by the scores without that grader). Under honest grading residuals are noise, whoever made the
item, so they are shuffled within every grader's list, and a sum over the class is held against its shuffles,
which come from a fixed stream. Two sums: residuals that two students gave each other, multiplied where both
are favours; and residuals times how near the item is to the grader's own, turned round. And for every two
graders with four or more items in common, the product of their residuals, tested over all orders of one of
them. Names are given at a level for the whole class: 5 % of honest classes have any.
"""

from __future__ import annotations

import itertools
import math
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

import peerage
from peerage.feedback import Feedback
from peerage.grading.agreement import EDGES
from peerage.models import scores_without
from peerage.simulation.assignment import assign

RESULTS = Path(__file__).parent / "results" / "strategic_grading.csv"
LEVEL, SHUFFLES, STUDENTS, PLANTED, SD = 0.05, 999, 100, 10, 1.7
COMMON = 4  # items that two graders must share before their lists are compared
NEAR = 0.5  # standard deviations of the scores within which another's work is a rival's
STREAM = 0x73747261


class Class(NamedTuple):
    graders: np.ndarray
    items: np.ndarray
    worth: np.ndarray  # what is handed in, larger is better


# -- classes, honest and not ----------------------------------------------------------------------


def reviews(rng: np.random.Generator, each: int, friends: bool) -> tuple[np.ndarray, np.ndarray]:
    """Student n made item n. With friends, students 0 and 1, 2 and 3, … of the planted review each other."""
    own = np.arange(STUDENTS)
    who, what = assign(rng, np.full(STUDENTS, each), own, STUDENTS)
    if friends:
        for student in range(PLANTED):
            mine, friend = np.flatnonzero(who == student), student ^ 1
            if friend not in what[mine]:
                what[mine[0]] = friend
    return who, what


def honest(rng: np.random.Generator, each: int, friends: bool = False) -> tuple[Class, np.ndarray]:
    quality = rng.normal(0, SD, STUDENTS)
    reliability = rng.gamma(10, 0.1, STUDENTS)
    who, what = reviews(rng, each, friends)
    worth = reliability[who] * quality[what] + rng.gumbel(size=len(who))
    return Class(who, what, worth), quality


def clique(made: Class, quality: np.ndarray, rng: np.random.Generator) -> Class:
    """The planted put each other's work first."""
    inside = (made.graders < PLANTED) & (made.items < PLANTED)
    return made._replace(worth=made.worth + 100.0 * inside)


def friends(made: Class, quality: np.ndarray, rng: np.random.Generator) -> Class:
    """Pairs of the planted put each other's work first."""
    theirs = (made.graders < PLANTED) & (made.items == (made.graders ^ 1))
    return made._replace(worth=made.worth + 100.0 * theirs)


def rivals(made: Class, quality: np.ndarray, rng: np.random.Generator) -> Class:
    """The planted put work last that is truly within ten places of their own."""
    place = np.argsort(np.argsort(-quality))
    near = np.abs(place[made.items] - place[made.graders]) <= 10
    return made._replace(worth=made.worth - 100.0 * (near & (made.graders < PLANTED)))


def copies(made: Class, quality: np.ndarray, rng: np.random.Generator) -> Class:
    """Every second of the planted hands in the list of the one before, of the same items."""
    items, worth = made.items.copy(), made.worth.copy()
    for student in range(1, PLANTED, 2):
        mine, source = np.flatnonzero(made.graders == student), np.flatnonzero(made.graders == student - 1)
        items[mine], worth[mine] = items[source], worth[source]
    return Class(made.graders, items, worth)


def same_items(made: Class, quality: np.ndarray, rng: np.random.Generator) -> Class:
    """The same pairs of the planted judge the same items, honestly."""
    items = made.items.copy()
    for student in range(1, PLANTED, 2):
        items[made.graders == student] = made.items[made.graders == student - 1]
    return Class(made.graders, items, quality[items] + rng.gumbel(size=len(items)))


# -- residuals ------------------------------------------------------------------------------------


class Judged(NamedTuple):
    graders: np.ndarray
    items: np.ndarray
    residuals: np.ndarray
    others: np.ndarray  # scores without the grader
    scores: np.ndarray  # of all items, by number


def judged(made: Class) -> Judged:
    names = {kind: [f"{kind}{n:03d}" for n in range(STUDENTS)] for kind in "gi"}
    rank = np.empty(len(made.worth), dtype=np.int64)
    for grader in range(STUDENTS):
        mine = np.flatnonzero(made.graders == grader)
        rank[mine] = np.argsort(np.argsort(-made.worth[mine])) + 1
    graders, items = ([names[k][n] for n in v] for k, v in (("g", made.graders), ("i", made.items)))
    feedback = Feedback.from_columns(graders, items, rank=rank).with_items(names["i"])
    fitted = peerage.fit(feedback, "PL+G")
    others = scores_without(fitted)
    return Judged(
        np.array([int(g[1:]) for g in feedback.grader_labels.to_list()])[feedback.entry_graders],
        feedback.items.astype(np.int64),
        residuals(feedback, others),
        others,
        fitted.scores_,
    )


def residuals(feedback: Feedback, others: np.ndarray) -> np.ndarray:
    """By review: share of the other items of the list that it was put above, less what the class would."""
    spread = others.std()
    lists = [slice(a, b) for a, b in itertools.pairwise(feedback.list_starts)]
    bins = len(EDGES) + 1
    seen, agreed = np.full(bins, 2.0), np.full(bins, 1.0)
    gaps = [(others[part, None] - others[None, part]) / spread for part in lists]
    for gap in gaps:  # entries are best first
        upper = np.triu_indices(len(gap), 1)
        near = np.searchsorted(EDGES, np.abs(gap[upper]))
        seen += np.bincount(near, minlength=bins)
        agreed += np.bincount(near, gap[upper] > 0, minlength=bins)
    rates = agreed / seen
    found = np.empty(len(others))
    for part, gap in zip(lists, gaps, strict=True):
        k = len(gap)
        chance = np.where(gap > 0, rates[np.searchsorted(EDGES, np.abs(gap))], 0.0)
        chance = np.where(gap < 0, 1.0 - rates[np.searchsorted(EDGES, np.abs(gap))], chance)
        np.fill_diagonal(chance, 0.0)
        found[part] = (np.arange(k)[::-1] - chance.sum(axis=1)) / max(k - 1, 1)
    return found


# -- tests ----------------------------------------------------------------------------------------


def shuffles(data: Judged) -> np.ndarray:
    """Rows of residuals, shuffled within every grader's list; the first row as they are."""
    rng = np.random.default_rng(STREAM)
    rows = np.tile(data.residuals, (SHUFFLES + 1, 1))
    for grader in np.unique(data.graders):
        mine = np.flatnonzero(data.graders == grader)
        order = rng.random((SHUFFLES, len(mine))).argsort(axis=1)
        rows[1:, mine] = data.residuals[mine][order]
    return rows


def p_value(statistics: np.ndarray) -> float:
    return float((statistics >= statistics[0] - 1e-12).mean())


def mutual(data: Judged, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs of reviews that two students wrote of each other: residuals both ways, and who."""
    number = {(g, i): e for e, (g, i) in enumerate(zip(data.graders, data.items, strict=True))}
    pairs = [(e, number[i, g]) for (g, i), e in number.items() if g < i and (i, g) in number]
    if not pairs:
        return np.zeros((len(rows), 0)), np.zeros((len(rows), 0)), np.zeros((0, 2), dtype=int)
    one, two = np.array(pairs).T
    return rows[:, one], rows[:, two], np.column_stack([data.graders[one], data.items[one]])


def returned(data: Judged, rows: np.ndarray) -> tuple[float, list[tuple[int, int]]]:
    """p of favours returned over the class; pairs named at the level for the class (largest of a shuffle)."""
    one, two, who = mutual(data, rows)
    if not len(who):
        return 1.0, []
    least = np.minimum(one, two)
    edge = np.quantile(least[1:].max(axis=1), 1 - LEVEL, method="higher")
    named = [tuple(map(int, pair)) for pair in who[least[0] > edge]]
    return p_value((np.maximum(one, 0) * np.maximum(two, 0)).sum(axis=1)), named


def marked_down(data: Judged, rows: np.ndarray) -> tuple[float, list[int]]:
    """p of rivals marked down over the class; graders named at the level for the class."""
    spread = data.others.std()
    near = np.exp(-(((data.scores[data.graders] - data.others) / (NEAR * spread)) ** 2))
    mean = np.bincount(data.graders, near, STUDENTS) / np.bincount(data.graders, minlength=STUDENTS)
    near = near - mean[data.graders]
    by_grader = np.array([np.bincount(data.graders, -row * near, STUDENTS) for row in rows])
    scaled = by_grader / np.maximum(by_grader.std(axis=0), 1e-9)
    edge = np.quantile(scaled[1:].max(axis=1), 1 - LEVEL, method="higher")
    return p_value(by_grader.sum(axis=1)), np.flatnonzero(scaled[0] > edge).tolist()


def copied(data: Judged) -> list[tuple[int, int]]:
    """Pairs whose residuals go together more than the level for the class allows, over all orders of one."""
    lists = [dict(zip(data.items[m], data.residuals[m], strict=True)) for m in by_grader(data)]
    tests = []
    for a, b in itertools.combinations(range(STUDENTS), 2):
        common = sorted(lists[a].keys() & lists[b].keys())
        if len(common) >= COMMON:
            x, y = (np.array([lists[g][i] for i in common]) for g in (a, b))
            tests.append(((a, b), order_test(x, y), 1 / math.factorial(len(common))))
    ordered = np.sort([least for *_, least in tests])
    for k in range(1, len(tests) + 1):  # Tarone: pairs that no order could make rare enough do not count
        if np.searchsorted(ordered, LEVEL / k, side="right") <= k:
            return [pair for pair, p, _ in tests if p <= LEVEL / k]
    return []


def by_grader(data: Judged) -> list[np.ndarray]:
    return [np.flatnonzero(data.graders == g) for g in range(STUDENTS)]


def order_test(x: np.ndarray, y: np.ndarray) -> float:
    """How many orders of y go with x at least as well: all of them, or many."""
    if len(x) <= 7:
        orders = np.array(list(itertools.permutations(range(len(x)))))
    else:
        rng = np.random.default_rng(STREAM)
        orders = rng.random((20_000, len(x))).argsort(axis=1)
        orders[0] = np.arange(len(x))
    products = y[orders] @ x
    return float((products >= x @ y - 1e-12).mean())


# -- measuring ------------------------------------------------------------------------------------

PLANS = {
    "honest": (None, False),
    "honest, friends review each other": (None, True),
    "honest, same items": (same_items, False),
    "clique of ten, reviews at random": (clique, False),
    "five pairs of friends, who review each other": (friends, True),
    "ten mark rivals down": (rivals, False),
    "five copies": (copies, False),
}


def measured(name: str, each: int, classes: int) -> dict[str, object]:
    plan, near = PLANS[name]
    hits = np.zeros(3)
    right, wrong, any_wrong = np.zeros(3), np.zeros(3), np.zeros(3)
    for seed in range(classes):
        rng = np.random.default_rng([seed, each, 5])
        made, quality = honest(rng, each, near)
        data = judged(made if plan is None else plan(made, quality, rng))
        rows = shuffles(data)
        p, pairs = returned(data, rows)
        q, graders = marked_down(data, rows)
        same = copied(data)
        hits += [p <= LEVEL, q <= LEVEL, len(same) > 0]
        found = [{g for pair in pairs for g in pair}, set(graders), {g for pair in same for g in pair}]
        for k, who in enumerate(found):
            planted = 0 if name.startswith("honest") else sum(g < PLANTED for g in who)
            right[k] += planted
            wrong[k] += len(who) - planted
            any_wrong[k] += len(who) > planted
    tests = ("returned", "marked_down", "copied")
    return {
        "class": name,
        "reviews": each,
        "classes": classes,
        **{f"{t}_significant": round(float(h) / classes, 3) for t, h in zip(tests, hits, strict=True)},
        **{f"{t}_planted_named": round(float(r) / classes, 2) for t, r in zip(tests, right, strict=True)},
        **{f"{t}_others_named": round(float(w) / classes, 3) for t, w in zip(tests, wrong, strict=True)},
        **{f"{t}_classes_wrong": round(float(w) / classes, 3) for t, w in zip(tests, any_wrong, strict=True)},
    }


def main() -> None:
    classes = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    rows = pl.read_csv(RESULTS).to_dicts() if RESULTS.exists() else []
    done = {(row["class"], row["reviews"]) for row in rows}
    for name, each in itertools.product(PLANS, (5, 7, 12)):
        if (name, each) not in done:
            rows.append(measured(name, each, classes))
            pl.DataFrame(rows).write_csv(RESULTS)


if __name__ == "__main__":
    main()
