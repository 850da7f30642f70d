"""What allocations are worth: the tables of docs/explanation/allocation.md.

    python experiments/allocation.py [designs] [connect] [repair] [adaptive]

Every part writes one tidy CSV, experiments/results/allocation_PART.csv, one row per simulated class.
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from peerage import fit
from peerage.allocation.adaptive import next_reviews
from peerage.allocation.allocate import Allocation, allocate
from peerage.allocation.pool import as_pool
from peerage.allocation.preview import run_trial
from peerage.allocation.quality import lists_by_items, n_components
from peerage.allocation.repair import repair
from peerage.metrics.accuracy import tau_error
from peerage.simulation.reviews import rank_all

RESULTS = Path(__file__).parent / "results"
MODEL = {"method": "pl", "sd": 1.0, "reliability_shape": 10.0}


def roster(students):
    return as_pool({"student": [f"s{number:05d}" for number in range(students)]})


def lists(people, per_grader, design, seed):
    """An allocation; "drawn" is the plainest way, everybody draws items without looking at the others."""
    if design != "drawn":
        return allocate(people, per_grader, design=design, seed=seed)
    rng = np.random.default_rng([4, seed])
    others = [np.setdiff1d(np.arange(people.n_items), people.barred_of(g)) for g in range(people.n_graders)]
    items = np.concatenate([rng.choice(free, size=per_grader, replace=False) for free in others])
    graders = np.repeat(np.arange(people.n_graders), per_grader)
    return Allocation(people, graders, items, np.zeros(len(items), dtype=np.int64))


def designs(repeats=100):
    """Tau error and interval width of spread and random lists, on the same simulated classes."""
    for students in (30, 60, 150):
        for per_grader in (3, 5, 8):
            people = roster(students)
            for run in range(repeats):
                for design in ("drawn", "random", "spread"):
                    allocation = lists(people, per_grader, design, run)
                    trial = run_trial(allocation, np.random.default_rng([students, run]), **MODEL)
                    yield {
                        "students": students,
                        "per_grader": per_grader,
                        "design": design,
                        "run": run,
                        "tau_error": trial.tau_error,
                        "interval_width": trial.interval_width,
                        "spectral_gap": allocation.quality.spectral_gap,
                    }


def connect(repeats=300):
    """How often the comparison graph falls apart."""
    for students in (10, 30, 100, 300):
        people = roster(students)
        for per_grader in (2, 3):
            for design in ("drawn", "random", "spread"):
                for run in range(repeats):
                    allocation = lists(people, per_grader, design, run)
                    come = np.random.default_rng(run).permutation(students)[: students - students // 10]
                    came = np.isin(allocation.graders, come)
                    yield {
                        "students": students,
                        "per_grader": per_grader,
                        "design": design,
                        "run": run,
                        "components": parts(allocation, np.ones_like(came)),
                        "components_without_a_tenth": parts(allocation, came),
                    }


def parts(allocation, rows):
    table = lists_by_items(allocation.graders[rows], allocation.items[rows], allocation.pool.n_items)
    return n_components(table)


def a_class(students, seed):
    """True scores, and what every grader thinks of every item (Plackett-Luce)."""
    rng = np.random.default_rng(seed)
    scores, reliabilities = rng.standard_normal(students), rng.gamma(10, 0.1, size=students)
    return scores, reliabilities[:, None] * scores + rng.gumbel(size=(students, students))


def estimate(graders, items, opinions):
    feedback = rank_all(graders, items, opinions[graders, items], opinions.shape[1])
    return fit(feedback, "pl", score_variance=1.0).scores_


def repaired(repeats=60, students=100, per_grader=5):
    """A tenth of the class submits work but reviews nothing."""
    people = roster(students)
    for run in range(repeats):
        scores, opinions = a_class(students, [5, run])
        full = allocate(people, per_grader, seed=run)
        away = np.random.default_rng([6, run]).choice(students, size=students // 10, replace=False)
        left = np.isin(full.graders, away, invert=True)
        hurt = Allocation(people, full.graders[left], full.items[left], full.slots[left])
        mended = repair(full, people, per_grader, no_shows=people.graders.gather(away).to_list(), seed=run)
        for state, allocation in (("planned", full), ("no-shows", hurt), ("repaired", mended.allocation)):
            loads = np.bincount(allocation.items, minlength=students)
            yield {
                "run": run,
                "state": state,
                "least_reviews": int(loads.min()),
                "items_short": int((loads < per_grader).sum()),
                "changes": len(mended.changes) if state == "repaired" else 0,
                "most_extra": max(mended.extra.values()) if state == "repaired" else 0,
                "tau_error": tau_error(scores, estimate(allocation.graders, allocation.items, opinions)),
            }


def adaptive(repeats=60, students=80, per_grader=6, batch=16):
    """All six reviews planned; or three by the spread design and three chosen from what is known by then."""
    people = roster(students)
    for run in range(repeats):
        scores, opinions = a_class(students, [7, run])
        plans = {
            "random": whole(allocate(people, per_grader, design="random", seed=run)),
            "spread": whole(allocate(people, per_grader, seed=run)),
        }
        for aim in ("uniform", "boundaries"):
            for close in (False, True):
                name = f"adaptive, {aim}" + (", close pairs" if close else "")
                plans[name] = adapted(people, run, aim, close, batch, opinions)
        for plan, (graders, items) in plans.items():
            found = estimate(graders, items, opinions)
            yield {
                "run": run,
                "plan": plan,
                "tau_error": tau_error(scores, found),
                "wrong_quarter": wrong_quarter(scores, found),
                "most_reviews": int(np.bincount(items, minlength=students).max()),
                "least_reviews": int(np.bincount(items, minlength=students).min()),
            }


def whole(allocation):
    return allocation.graders, allocation.items


def adapted(people, run, aim, close, batch, opinions):
    """After the first lists, graders come in batches; each ranks three items more into their list."""
    first = allocate(people, 3, seed=run)
    graders, items = first.graders, first.items
    number = {label: item for item, label in enumerate(people.items)}
    come = np.random.default_rng([8, run]).permutation(people.n_graders)
    for start in range(0, len(come), batch):
        known = labelled(people, rank_all(graders, items, opinions[graders, items], people.n_items))
        scores = fit(known, "pl", score_variance=1.0).scores_
        pending = {}
        for grader in come[start : start + batch]:
            name = people.graders[int(grader)]
            chosen = next_reviews(
                known, name, 3, roster=people, aim=aim, close_pairs=close, scores=scores,
                pending=pending, score_variance=1.0,
            )  # fmt: skip
            for label in chosen:
                pending[label] = pending.get(label, 0) + 1
            graders = np.concatenate([graders, np.full(len(chosen), grader)])
            items = np.concatenate([items, [number[label] for label in chosen]])
    return graders, items


def labelled(people, feedback):
    """The same feedback under the roster's names."""
    return replace(feedback, grader_labels=people.graders, item_labels=people.items)


def wrong_quarter(scores, estimate):
    """Share of items put into the wrong quarter of the class, in percent."""
    return 100 * float(np.mean(quarter(scores) != quarter(estimate)))


def quarter(values):
    return np.argsort(np.argsort(values)) * 4 // len(values)


PARTS = {"designs": designs, "connect": connect, "repair": repaired, "adaptive": adaptive}
GROUPS = {
    "designs": ["students", "per_grader", "design"],
    "connect": ["students", "per_grader", "design"],
    "repair": ["state"],
    "adaptive": ["plan"],
}


def summary(table, groups):
    """Mean and standard error of every figure."""
    figures = [column for column in table.columns if column not in (*groups, "run")]
    means = [pl.col(figure).mean().round(3) for figure in figures]
    errors = [(pl.col(f).std() / pl.len().sqrt()).round(3).alias(f"{f}_se") for f in figures if "_error" in f]
    more = [(pl.col(f) > 1).mean().alias(f"{f}_apart") for f in figures if f.startswith("components")]
    return table.group_by(groups, maintain_order=True).agg(*means, *errors, *more)


def main(parts):
    RESULTS.mkdir(exist_ok=True)
    for part in parts or PARTS:
        table = pl.DataFrame(list(PARTS[part]()))
        table.write_csv(RESULTS / f"allocation_{part}.csv", float_precision=5)
        with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_width_chars=160):
            print(part, summary(table, GROUPS[part]))


if __name__ == "__main__":
    main(sys.argv[1:])
