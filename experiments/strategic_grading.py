"""Can strategic grading be seen? Lists copied, and favours of two and of groups; honest classes beside them.

    python experiments/strategic_grading.py --classes 40   # writes experiments/results/strategic_grading.csv

A run that was stopped goes on where it was. Orders are drawn from Plackett-Luce, scores from a normal
distribution, with honest reliabilities Gamma(10, 10). Both tests are those of Peerage (grading/strategic.py).
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

import peerage
from peerage.feedback.container import Feedback
from peerage.grading import strategic
from peerage.grading.items import item_ranks
from peerage.roster.reader import read_roster
from peerage.simulation.reviews import assign

RESULTS = Path(__file__).parent / "results" / "strategic_grading.csv"
PAGE = Path(__file__).parent.parent / "docs" / "explanation" / "strategic-grading.md"
SD = {"orders": 1.7, "scores": 1.2}
METHODS = {"orders": "PL+G", "scores": "NCS+G"}


class Kind(NamedTuple):
    """Graders, items and reviews by grader; in strong classes reviewers agree 2.5 times as well."""

    name: str
    graders: int
    items: int
    each: int
    given: str = "orders"
    strong: float = 1.0
    copies: int = 0  # pairs with the same list of the same items
    clique: int = 0  # students who review each other, up to five of their reviews
    cheats: bool = False


SHAPES = (("6 × 20", 6, 20, 19), ("148 × 42, 7 each", 148, 42, 7), ("30 × 30, 5 each", 30, 30, 5))
HONEST = [
    Kind(f"{name}, {given}{', strong' if strong > 1 else ''}", *shape, given, strong)
    for name, *shape in SHAPES
    for given in ("orders", "scores")
    for strong in ((1.0, 2.5) if name == "6 × 20" else (1.0,))
] + [Kind(f"60 × 60, 8 each, {size} who review each other", 60, 60, 8, clique=size) for size in (0, 4, 6, 8)]
PLANTED = [
    *(Kind(f"five copies, {each} each", 100, 100, each, copies=5, cheats=True) for each in (5, 7)),
    *(Kind(f"{size} friends", 60, 60, 8, clique=size, cheats=True) for size in (2, 4, 6, 8)),
]


class Class(NamedTuple):
    feedback: Feedback
    quality: np.ndarray
    roster: pl.DataFrame


def one_class(kind: Kind, rng: np.random.Generator) -> Class:
    """Student n made item n, where there are as many."""
    quality = rng.normal(0, SD[kind.given] * (kind.strong if kind.given == "orders" else 1), kind.items)
    reliability = rng.gamma(10, 0.1, kind.graders)
    own = np.where(np.arange(kind.graders) < kind.items, np.arange(kind.graders), -1)
    who, what = assign(rng, np.full(kind.graders, kind.each), own, kind.items)
    lists = [what[who == grader] for grader in range(kind.graders)]
    for student in range(kind.clique):
        friends = rng.permutation([other for other in range(kind.clique) if other != student])[:5]
        rest = lists[student][lists[student] >= kind.clique][: kind.each - len(friends)]
        lists[student] = np.concatenate([friends, rest])
    rows = []
    for grader, items in enumerate(lists):
        if grader < 2 * kind.copies and grader % 2:
            rows += [(grader, item, value) for _, item, value in rows[-len(lists[grader - 1]) :]]
            continue
        values = opinions(kind, quality[items], reliability[grader], rng)
        if kind.cheats and grader < kind.clique:
            values = values + 100.0 * (items < kind.clique)
        rows += [(grader, int(item), float(value)) for item, value in zip(items, values, strict=True)]
    graders, items, values = zip(*rows, strict=True)
    names = [f"i{n:03d}" for n in range(kind.items)]
    columns = [f"s{n:03d}" for n in graders], [names[n] for n in items]
    feedback = Feedback.from_columns(*columns, score=list(values)).with_items(names)
    if kind.given == "orders":
        feedback = Feedback.from_orders(orders_of(feedback)).with_items(names)
    made = min(kind.graders, kind.items)
    roster = pl.DataFrame({"student": [f"s{n:03d}" for n in range(made)], "item": names[:made]})
    return Class(feedback, quality, roster)


def opinions(kind: Kind, quality: np.ndarray, reliability: float, rng: np.random.Generator) -> np.ndarray:
    """What a grader submits; only the order of it counts where orders are given."""
    if kind.given == "orders":
        return np.asarray(reliability * quality + rng.gumbel(size=len(quality)))
    noise = rng.normal(0, 1 / kind.strong / np.sqrt(reliability), len(quality))
    return np.asarray(np.rint(2 * np.clip(7.5 + quality + noise + rng.normal(0, 0.5), 0, 10)) / 2)


def orders_of(feedback: Feedback) -> list[tuple[str, list[str]]]:
    starts, labels = feedback.list_starts, feedback.item_labels
    return [
        (feedback.grader_labels[int(grader)], labels.gather(feedback.items[low:high]).to_list())
        for grader, low, high in zip(feedback.list_graders, starts[:-1], starts[1:], strict=True)
    ]


def measured(kind: Kind, classes: int) -> dict[str, object]:
    planted = set(range(2 * kind.copies)) | set(range(kind.clique)) if kind.cheats else set()
    rows = []
    for seed in range(classes):
        made = one_class(kind, np.random.default_rng([seed, kind.graders, kind.each, kind.clique, 7]))
        fitted = peerage.fit(made.feedback, METHODS[kind.given])
        consensus = strategic.Consensus.of(fitted)
        reviews = strategic.PeerReviews.of(made.feedback, read_roster(made.roster))
        copied, favours = strategic.find_copied(consensus), strategic.find_favours(consensus, reviews)
        inside = [reviews.inside(group.graders) for group in favours]
        named = {g for some in (copied, favours) for suspicion in some for g in suspicion.graders}
        rows.append(
            (
                bool(copied),
                bool(favours),
                len(named & planted),
                len(named - planted),
                places_gained(made, fitted.scores_, kind.clique),
                places_gained(made, scores_without(fitted, inside), kind.clique),
            )
        )
    table, n = np.array(rows, dtype=float), classes
    mean = table.mean(axis=0)
    error = table.std(axis=0, ddof=1) / np.sqrt(n)
    return {
        "class": kind.name,
        "honest": not kind.cheats,
        "classes": n,
        "copied_classes": round(float(mean[0]), 3),
        "favours_classes": round(mean[1], 3),
        "planted": len(planted),
        "planted_named": round(mean[2], 2),
        "others_named": round(mean[3], 3),
        "places_gained": round(mean[4], 2),
        "places_gained_se": round(error[4], 2),
        "places_left": round(mean[5], 2),
        "places_left_se": round(error[5], 2),
    }


def scores_without(fitted: peerage.Estimator, inside: list[np.ndarray]) -> np.ndarray:
    keep = np.ones(fitted.feedback_.n_entries, dtype=bool)
    for entries in inside:
        keep[entries] = False
    return fitted.scores_ if keep.all() else peerage.fit(fitted.feedback_.keep_entries(keep), "PL+G").scores_


def places_gained(made: Class, scores: np.ndarray, members: int) -> float:
    """By how many places a clique's work stands above where it should, on average."""
    if not members:
        return 0.0
    truth, ranks = (item_ranks(made.feedback, values)[:members] for values in (made.quality, scores))
    return float(np.mean(truth - ranks))


def tables(frame: pl.DataFrame) -> dict[str, str]:
    """The two tables of the page, by their marks."""
    honest = [
        "| honest class | classes | a pair is called copied | a group is said to favour its own |",
        "|---|---|---|---|",
    ]
    planted = [
        "| planted | classes | of them named | others named | places gained | left without their reviews |",
        "|---|---|---|---|---|---|",
    ]
    for row in frame.iter_rows(named=True):
        if row["honest"]:
            shares = (f"{100 * row[name]:.0f} %" for name in ("copied_classes", "favours_classes"))
            honest.append(f"| {row['class']} | {row['classes']} | {' | '.join(shares)} |")
            continue
        clique = "friends" in row["class"]
        places = [
            f"{row[name]:.1f} ± {row[f'{name}_se']:.1f}" if clique else ""
            for name in ("places_gained", "places_left")
        ]
        named = f"{row['planted_named']:.1f} of {row['planted']} | {row['others_named']:.2f}"
        planted.append(f"| {row['class']} | {row['classes']} | {named} | {' | '.join(places)} |")
    return {"honest": "\n".join(honest), "planted": "\n".join(planted)}


def write_page(frame: pl.DataFrame) -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name, table in tables(frame).items():
        before, _, rest = text.partition(f"<!-- {name} -->")
        after = rest.partition(f"<!-- /{name} -->")[2]
        text = f"{before}<!-- {name} -->\n{table}\n<!-- /{name} -->{after}"
    PAGE.write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--classes", type=int, default=100)
    classes = parser.parse_args().classes
    rows = pl.read_csv(RESULTS).to_dicts() if RESULTS.exists() else []
    done = {row["class"] for row in rows}
    for kind in PLANTED + HONEST:
        if kind.name not in done:
            rows.append(measured(kind, classes))
            print(rows[-1], flush=True)
            pl.DataFrame(rows).write_csv(RESULTS)
    order = [kind.name for kind in PLANTED + HONEST]
    rows.sort(key=lambda row: order.index(row["class"]))
    pl.DataFrame(rows).write_csv(RESULTS)
    write_page(pl.DataFrame(rows))


if __name__ == "__main__":
    main()
