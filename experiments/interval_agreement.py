"""Do Laplace, sampler and bootstrap give the same standard errors? The posters, and a class like them.

    python experiments/interval_agreement.py   # writes experiments/results/agreement.csv, about a minute

The second class is simulated from Plackett-Luce, in the posters' size. One row is one class, one method and
one source; `ratio` is the mean over items of its standard error over Laplace's, `spread` the standard
deviation over items. By sampling error alone, spread is about 1 / sqrt(2 * draws) for the sampler, and about
1 / sqrt(2 * reviews per item), 0.15 here, for the bootstrap, which knows the noise of an item's reviews only
from these reviews.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

import peerage

HERE = Path(__file__).parent
POSTERS = HERE.parent / "examples" / "posters" / "feedback.csv"
RESULTS = HERE / "results" / "agreement.csv"
LEARN = {"variances": "learn"}
METHODS = {
    "PL": ("PL", {"ties": "model"}),
    "PL+G": ("PL+G", {"ties": "model"}),
    "MALS+G": ("MALS+G", {}),
    "BT+G": ("BT+G", {}),
    "NCS": ("NCS", LEARN),
    "NCS+G": ("NCS+G", LEARN),
}


CLASSES = {"posters": tuple(METHODS), "simulated PL": ("PL", "PL+G")}


def feedback_of(which: str) -> peerage.Feedback:
    if which == "posters":
        return peerage.read(POSTERS)
    return peerage.simulate(items=42, graders=148, per_grader=6.7, model="pl", sd=1.7, seed=3).feedback()


def rows_of(which: str, name: str) -> list[dict[str, object]]:
    code, params = METHODS[name]
    fitted = peerage.fit(feedback_of(which), code, **params)
    if not code.startswith("NCS"):
        fitted = peerage.learn_priors(fitted.feedback_, fitted)
    normal = peerage.posterior(fitted, source="laplace")
    rows = []
    for source in ("sampler", "bootstrap"):
        if source == "sampler" and code.startswith(("NCS", "BT")):
            continue  # NCS has no sampler; BT's would count the pairs of a list as independent
        other = peerage.posterior(fitted, source=source, draws=1000 if source == "sampler" else 300)
        ratio = other.score_se / normal.score_se
        rows.append(
            {"class": which, "method": name, "source": source, "ratio": round(float(ratio.mean()), 3),
             "spread": round(float(ratio.std()), 3),
             "shift": round(float(np.abs(other.draws.mean(axis=0) - normal.location).max()), 3),
             "laplace_se": round(float(normal.score_se.mean()), 3)}
        )  # fmt: skip
        print(*rows[-1].values(), flush=True)
    return rows


if __name__ == "__main__":
    RESULTS.parent.mkdir(exist_ok=True)
    found = [row for which, names in CLASSES.items() for name in names for row in rows_of(which, name)]
    pl.DataFrame(found).write_csv(RESULTS)
