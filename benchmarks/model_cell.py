"""One contender on one class, in a process of its own: python -m benchmarks.model_cell CONTENDER FILE

Prints one line of JSON: seconds of every run, peak memory of the process in MiB, and how it ended. Only the
fit is timed, not the conversion of the data to what the contender wants, nor the first run on a tiny class
that compiles and loads.
"""

from __future__ import annotations

import json
import resource
import sys
import time
import warnings
from itertools import combinations
from pathlib import Path

import numpy as np

from benchmarks import peers
from benchmarks.model_data import Size, read_class, write_class

Fit = peers.Fit
TINY = Size(6, 8, 3)


# -- Peerage ------------------------------------------------------------------------------------------


def feedback_of(items, scores, n_items):
    import polars as pl

    from peerage import Feedback

    graders, length = items.shape

    def labels(letter, count):
        return pl.select(
            pl.format(letter + "{}", pl.int_range(count).cast(pl.String).str.zfill(7))
        ).to_series()

    return Feedback(
        items=items.ravel(),
        bucket_starts=np.ones(items.size, dtype=bool),
        list_starts=np.arange(0, items.size + 1, length),
        list_graders=np.arange(graders, dtype=np.int32),
        list_tasks=np.zeros(graders, dtype=np.int32),
        item_tasks=np.zeros(n_items, dtype=np.int32),
        item_labels=labels("i", n_items),
        grader_labels=labels("g", graders),
        task_labels=pl.Series(["1"]),
        scores=scores.ravel(),
    )


def peerage_fit(code, items, scores, n_items) -> Fit:
    from peerage import method

    feedback = feedback_of(items, scores, n_items)
    return lambda: method(code).fit(feedback)


def likelihood_pass(code, items, scores, n_items) -> Fit:
    """Value and gradient of every list, once."""
    from peerage import method

    feedback = feedback_of(items, scores, n_items)
    model = method(code)
    objective, start = model.objective(feedback), model.start_of(*model.start_sums(feedback))
    ones = np.ones(feedback.n_graders)
    return lambda: objective.evaluate(start, ones)


def numpy_exp(_, items, scores, n_items) -> Fit:
    """The speed of light: one exponential per list entry."""
    numbers, out = scores.ravel() - 6.0, np.empty(scores.size)
    return lambda: np.exp(numbers, out=out)


# -- peers --------------------------------------------------------------------------------------------


def pairs_of(items):
    """Better and worse item of every pair of every list."""
    places = np.array(list(combinations(range(items.shape[1]), 2))).T
    return items[:, places[0]].ravel(), items[:, places[1]].ravel()


def choix_fit(function, items, scores, n_items) -> Fit:
    pairs = function.endswith("pairwise")
    data = (
        list(zip(*(part.tolist() for part in pairs_of(items)), strict=True))
        if pairs
        else [*map(tuple, items)]
    )
    alpha = 1 / 18 if function.startswith("opt") else 1e-3  # the prior of Peerage; just enough to be defined
    return peers.choix_fit(function, data, n_items, alpha)


def evalica_fit(function, items, scores, n_items) -> Fit:
    better, worse = pairs_of(items)
    return peers.evalica_fit(function, better, worse, np.zeros(len(better), dtype=bool))


def crowdkit_fit(name, items, scores, n_items, steps=100) -> Fit:
    better, worse = pairs_of(items)
    workers = np.repeat(np.arange(len(items)), len(better) // len(items))
    return peers.crowdkit_fit(name, workers, better, worse, better, steps)


STOPS = "crowd-kit:BradleyTerry"  # compares each step with itself, and is content

KINDS = {
    "peerage": peerage_fit,
    "pass": likelihood_pass,
    "numpy": numpy_exp,
    "choix": choix_fit,
    "evalica": evalica_fit,
    "crowd-kit": crowdkit_fit,
}


# -- measuring ----------------------------------------------------------------------------------------


def repeats(first: float) -> int:
    """How many runs in all, from the time of the first."""
    return next(count for limit, count in ((0.1, 15), (2, 5), (10, 3), (np.inf, 1)) if first < limit)


def timed(fit: Fit) -> tuple[float, object]:
    start = time.perf_counter()
    result = fit()
    return time.perf_counter() - start, result


def peak_mib() -> float:
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def warmed_up(make, what: str, folder: Path) -> None:
    path = folder / "tiny.npz"
    if not path.exists():
        write_class(TINY, path)
    make(what, *read_class(path))()


def run(contender: str, path: Path) -> dict[str, object]:
    kind, what = contender.split(":")
    warnings.simplefilter("ignore")
    try:
        warmed_up(KINDS[kind], what, path.parent)
        fit = KINDS[kind](what, *read_class(path))
        first, result = timed(fit)
        seconds = [first] + [timed(fit)[0] for _ in range(repeats(first) - 1)]
    except ModuleNotFoundError as error:
        return {"status": f"{error.name.partition('.')[0]} is not installed"}
    except (MemoryError, np.linalg.LinAlgError, RuntimeError, ValueError) as error:
        return {"status": f"fails: {type(error).__name__}"}
    status = "stops after two steps" if contender == STOPS and two_steps(path, result) else verdict(result)
    return {"status": status, "seconds": seconds, "peak_mib": peak_mib()}


def two_steps(path: Path, result: object) -> bool:
    """Whether two of the hundred steps asked for already give this result."""
    return bool(np.allclose(crowdkit_fit(STOPS.partition(":")[2], *read_class(path), steps=2)(), result))


def verdict(result: object) -> str:
    """Whether what came out is an answer."""
    if not getattr(result, "converged_", True):
        return "not converged"
    scores = getattr(result, "scores_", getattr(result, "scores", result))  # Peerage, evalica, the others
    if isinstance(scores, float):  # one pass has a value only
        return "ok"
    return "ok" if np.ptp(scores) > 1e-9 * np.abs(scores).max() else "every item gets the same score"


if __name__ == "__main__":
    print(json.dumps(run(sys.argv[1], Path(sys.argv[2]))))
