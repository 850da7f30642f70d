"""Can strategic grading be seen? Favours returned, rivals marked down, lists copied; ten planted of 100.

    python experiments/strategic_grading.py   # writes experiments/results/strategic_grading.csv, some minutes

A run that was stopped goes on where it was.

`returned` and `copied` are the tests of Peerage (grading/strategic.py). `marked_down` is not offered:
residuals times how near the item is to the grader's own, turned round and summed over the class, against
shuffles of the residuals within lists; a grader is named whose sum is beyond the largest of most of these.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

import peerage
from peerage.feedback.container import Feedback
from peerage.grading import strategic
from peerage.simulation.reviews import assign

RESULTS = Path(__file__).parent / "results" / "strategic_grading.csv"
PAGE = Path(__file__).parent.parent / "docs" / "strategic-grading.md"
LEVEL, SHUFFLES, STUDENTS, PLANTED, SD = strategic.LEVEL, 199, 100, 10, 1.7
NEAR = 0.5  # standard deviations of the scores within which another's work is a rival's


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


# -- tests ----------------------------------------------------------------------------------------


def feedback_of(made: Class) -> Feedback:
    names = {kind: [f"{kind}{n:03d}" for n in range(STUDENTS)] for kind in "gi"}
    rank = np.empty(len(made.worth), dtype=np.int64)
    for grader in range(STUDENTS):
        mine = np.flatnonzero(made.graders == grader)
        rank[mine] = np.argsort(np.argsort(-made.worth[mine])) + 1
    graders, items = ([names[k][n] for n in v] for k, v in (("g", made.graders), ("i", made.items)))
    return Feedback.from_columns(graders, items, rank=rank).with_items(names["i"])


def marked_down(consensus: strategic.Consensus, scores: np.ndarray) -> tuple[float, list[int]]:
    """p of rivals marked down over the class; graders named at the level for the class."""
    feedback, residuals = consensus.feedback, consensus.residuals()
    graders = feedback.entry_graders
    gap = scores[graders] / scores.std() - consensus.scores  # student n made item n
    near = np.exp(-((gap / NEAR) ** 2))
    near -= (np.bincount(graders, near) / np.bincount(graders))[graders]
    rows = [residuals, *strategic.shuffles(residuals, feedback.entry_lists, SHUFFLES)]
    by_grader = np.array([np.bincount(graders, -row * near, STUDENTS) for row in rows])
    scaled = by_grader / np.maximum(by_grader.std(axis=0), 1e-9)
    edge = np.quantile(scaled[1:].max(axis=1), 1 - LEVEL, method="higher")
    total = by_grader.sum(axis=1)
    return float((total >= total[0] - 1e-12).mean()), np.flatnonzero(scaled[0] > edge).tolist()


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
AIMED = {
    "clique of ten, reviews at random": "returned",
    "five pairs of friends, who review each other": "returned",
    "ten mark rivals down": "marked_down",
    "five copies": "copied",
}


def measured(name: str, each: int, classes: int) -> dict[str, object]:
    plan, near = PLANS[name]
    authors = pl.DataFrame({"item": np.arange(STUDENTS), "author": np.arange(STUDENTS)})
    significant, right, wrong, any_wrong = 0, np.zeros(3), np.zeros(3), np.zeros(3)
    for seed in range(classes):
        rng = np.random.default_rng([seed, each, 5])
        made, quality = honest(rng, each, near)
        fitted = peerage.fit(feedback_of(made if plan is None else plan(made, quality, rng)), "PL+G")
        consensus = strategic.Consensus.of(fitted)
        p, graders = marked_down(consensus, fitted.scores_)
        significant += p <= LEVEL
        pairs = strategic.find_returned(consensus, authors), strategic.find_copied(consensus)
        found = [*({g for a, b, *_ in some for g in (a, b)} for some in pairs), set(graders)]
        for k, who in enumerate(found):
            planted = 0 if name.startswith("honest") else sum(g < PLANTED for g in who)
            right[k] += planted
            wrong[k] += len(who) - planted
            any_wrong[k] += len(who) > planted
    tests = ("returned", "copied", "marked_down")
    return {
        "class": name,
        "reviews": each,
        "classes": classes,
        **{f"{t}_planted_named": round(float(r) / classes, 2) for t, r in zip(tests, right, strict=True)},
        **{f"{t}_others_named": round(float(w) / classes, 3) for t, w in zip(tests, wrong, strict=True)},
        **{f"{t}_classes_wrong": round(float(w) / classes, 3) for t, w in zip(tests, any_wrong, strict=True)},
        "marked_down_significant": round(significant / classes, 3),
    }


def tables(frame: pl.DataFrame) -> dict[str, str]:
    """The two tables of the page, by their marks."""
    heading = ["| class | test | 5 reviews each | 7 | 12 |", "|---|---|---|---|---|"]
    tests = {"returned": "favours returned", "copied": "lists copied", "marked_down": "rivals marked down"}
    cells = {(row["class"], row["reviews"]): row for row in frame.iter_rows(named=True)}
    reviews = sorted(frame["reviews"].unique())
    honest_rows, planted_rows = list(heading), list(heading)
    for name, (test, words) in itertools.product(PLANS, tests.items()):
        rows = [cells[name, each] for each in reviews]
        if name.startswith("honest"):
            shares = " | ".join(f"{100 * row[f'{test}_classes_wrong']:.0f} %" for row in rows)
            honest_rows.append(f"| {name} | {words} | {shares} |")
        elif test == AIMED[name]:
            found = " | ".join(f"{row[f'{test}_planted_named']:.1f} of 10" for row in rows)
            planted_rows.append(f"| {name} | {words} | {found} |")
    noticed = [cells["ten mark rivals down", each]["marked_down_significant"] for each in reviews]
    shares = " | ".join(f"{100 * share:.0f} % of classes" for share in noticed)
    planted_rows.append(f"| ten mark rivals down | the class as a whole | {shares} |")
    return {"honest": "\n".join(honest_rows), "planted": "\n".join(planted_rows)}


def write_page(frame: pl.DataFrame) -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name, table in tables(frame).items():
        before, _, rest = text.partition(f"<!-- {name} -->")
        after = rest.partition(f"<!-- /{name} -->")[2]
        text = f"{before}<!-- {name} -->\n{table}\n<!-- /{name} -->{after}"
    PAGE.write_text(text, encoding="utf-8")


def main() -> None:
    classes = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    rows = pl.read_csv(RESULTS).to_dicts() if RESULTS.exists() else []
    done = {(row["class"], row["reviews"]) for row in rows}
    for name, each in itertools.product(PLANS, (5, 7, 12)):
        if (name, each) not in done:
            rows.append(measured(name, each, classes))
            pl.DataFrame(rows).write_csv(RESULTS)
    write_page(pl.DataFrame(rows))


if __name__ == "__main__":
    main()
