"""Whom do the flags name? Honest classes, classes with planted graders, and one class under six seeds.

    python experiments/grader_flags.py --classes 100   # writes results/grader_flags.csv, a few minutes
    python experiments/grader_flags.py --guessing --classes 20   # writes results/guessing.csv

Classes are simulated, as many items as graders. Honest graders differ: their reliabilities are drawn from
Gamma(shape, rate shape). A planted grader orders at random (lazy) or upside down (reversed), with the noise
of an honest one.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

import peerage
from peerage.grading.agreement import measure_agreement
from peerage.grading.graders import NAMED, flag_graders, quality_marks
from peerage.grading.guessing import LIKELY, grader_kinds, guessing_sentence

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "grader_flags.csv"
GUESSING = HERE / "results" / "guessing.csv"
POSTERS = HERE.parent / "examples" / "posters" / "feedback.csv"


class Kind(NamedTuple):
    method: str
    model: str
    graders: int
    reviews: int
    shape: float = 10.0
    lazy: float = 0.0
    backwards: float = 0.0


SHAPES = (
    ("PL+G", "pl", 5, 10.0),
    ("PL+G", "pl", 7, 5.0),
    ("PL+G", "pl", 12, 3.0),
    ("BT+G", "bt", 4, 10.0),
    ("MAL", "pl", 7, 10.0),
    ("NCS+G", "normal", 7, 10.0),
    ("NCS+G", "normal", 12, 5.0),
)
HONEST = [Kind(m, model, n, k, shape) for n in (30, 100, 200, 500) for m, model, k, shape in SHAPES]
PLANTED = [
    Kind(method, model, 100, reviews, 10.0, *kind)
    for method, model in (("PL+G", "pl"), ("NCS+G", "normal"))
    for kind in ((0.1, 0.0), (0.0, 0.1))
    for reviews in (5, 7, 12)
]


def one_class(kind: Kind, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The flag and the true kind of every grader."""
    made = peerage.simulate(
        items=kind.graders,
        graders=kind.graders,
        per_grader=kind.reviews,
        model=kind.model,
        sd=1.2 if kind.model == "normal" else 1.7,
        reliability_shape=kind.shape,
        lazy=kind.lazy,
        backwards=kind.backwards,
        seed=seed,
    )
    feedback = made.feedback()
    flags = flag_graders(measure_agreement(peerage.fit(feedback, kind.method)))
    truth = dict(zip(made.graders["grader"], made.graders["kind"], strict=True))
    return np.array(flags), np.array([truth[grader] for grader in feedback.grader_labels])


def measured(kind: Kind, classes: int) -> dict[str, object]:
    honest, any_named, planted, found, missed = 0, 0, 0, 0, 0
    for seed in range(classes):
        flags, truth = one_class(kind, 10_000 + seed)
        named = np.isin(flags, NAMED)
        by_luck = int((named & (truth == "honest")).sum())
        honest, any_named = honest + by_luck, any_named + (by_luck > 0)
        planted += int((truth != "honest").sum())
        found += int((named & (truth != "honest")).sum())
        missed += int(((flags == "consistent") & (truth != "honest")).sum())
    return {
        **kind._asdict(),
        "classes": classes,
        "honest_named_per_class": round(honest / classes, 4),
        "classes_with_honest_named": round(any_named / classes, 4),
        "planted": planted,
        "found": found,
        "called_consistent": missed,
    }


def guessing(classes: int) -> pl.DataFrame:
    """By class: how many graders are listed as likely to have guessed, are said to have, and have; marks."""
    rows = []
    for reviews, lazy, backwards in ((5, 0, 0), (5, 0.1, 0), (7, 0, 0), (7, 0.1, 0), (7, 0.3, 0), (7, 0, 0.3),
                                     (12, 0, 0), (12, 0.1, 0), (12, 0.3, 0)):  # fmt: skip
        for seed in range(classes):
            made = peerage.simulate(
                items=64, graders=64, per_grader=reviews, model="pl", sd=1.7,
                lazy=lazy, backwards=backwards, seed=20_000 + seed,
            )  # fmt: skip
            feedback = made.feedback()
            agreement = measure_agreement(peerage.fit(feedback, "PL+G"))
            kinds, truth = grader_kinds(agreement), dict(made.graders.select("grader", "kind").iter_rows())
            odd = np.array([truth[grader] == "lazy" for grader in feedback.grader_labels])
            listed = np.nan_to_num(kinds.guessed) >= LIKELY
            before, after = quality_marks(agreement), quality_marks(agreement, kinds)
            turned = "worst first" in guessing_sentence(*kinds)
            marks = [m[odd].mean() if odd.any() else None for m in (before, after)]
            marks += [np.nanmean(m[~odd]) for m in (before, after)]
            counts = (listed.sum(), kinds.guessed[listed].sum(), odd[listed].sum())
            rows.append((reviews, float(lazy), float(backwards), *counts, turned, *marks))
    names = ["reviews", "lazy", "backwards", "listed", "said", "guessed", "worst_first",
             "mark_before", "mark_after", "honest_before", "honest_after"]  # fmt: skip
    frame = pl.DataFrame(rows, schema=names, orient="row", strict=False)
    return frame.group_by("reviews", "lazy", "backwards", maintain_order=True).agg(
        pl.len().alias("classes"), pl.exclude("reviews", "lazy", "backwards").mean().round(2)
    )


def seeds_on_the_posters() -> int:
    """How many graders of the posters have not the same flag and mark under seeds 0 to 5."""
    feedback = peerage.read(POSTERS)
    tables = [
        peerage.grade(feedback, seed=seed).graders.select("flag", "quality_mark", "check_agreement")
        for seed in range(6)
    ]
    return sum(len(set(rows)) > 1 for rows in zip(*(table.rows() for table in tables), strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--classes", type=int, default=100)
    parser.add_argument("--guessing", action="store_true", help="only the probabilities of guessing")
    options = parser.parse_args()
    classes = options.classes
    if options.guessing:
        guessing(classes).write_csv(GUESSING)
        return
    rows = []
    for kind in HONEST + PLANTED:
        rows.append(measured(kind, classes if kind.graders < 500 else max(classes * 2 // 5, 1)))
        print(rows[-1], flush=True)
        pl.DataFrame(rows).write_csv(RESULTS)
    print("graders of the posters that change with the seed:", seeds_on_the_posters())


if __name__ == "__main__":
    main()
