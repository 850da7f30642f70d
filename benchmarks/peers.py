"""Other libraries, each the way its documentation shows: timed by benchmarks, contenders of experiments.

python -m experiments accuracy --methods all,peers --contenders benchmarks/peers.py
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

Fit = Callable[[], Any]
RIDGE = 0.01  # choix has no estimate without one where an item never wins or never loses


# -- a fit, with its data converted beforehand --------------------------------------------------------


def choix_fit(function: str, data: list[tuple[int, ...]], n_items: int, alpha: float) -> Fit:
    """A function of choix on lists or pairs, best first."""
    fit = getattr(import_module("choix"), function)
    return lambda: fit(n_items, data, alpha=alpha)


def evalica_fit(function: str, better: Ints, worse: Ints, tied: NDArray[np.bool_], **options: Any) -> Fit:
    """A function of evalica on pairs; a tie is half a win for both."""
    evalica: Any = import_module("evalica")
    fit, one, other = getattr(evalica, function), better.tolist(), worse.tolist()
    winners = [evalica.Winner.Draw if tie else evalica.Winner.X for tie in tied]
    return lambda: fit(one, other, winners, **options)


def crowdkit_fit(name: str, workers: Ints, left: Ints, right: Ints, better: Ints, steps: int = 100) -> Fit:
    """A model of crowd-kit on strict pairs."""
    model = getattr(import_module("crowdkit.aggregation"), name)
    pandas: Any = import_module("pandas")  # neither it nor crowd-kit is there in every installation
    frame = pandas.DataFrame({"worker": workers, "left": left, "right": right, "label": better})
    return lambda: model(n_iter=steps).fit_predict(frame)


# -- scores of a class, task by task ------------------------------------------------------------------


def choix_pl(feedback: Feedback) -> Floats:
    """Plackett-Luce by choix. It knows no ties: they are broken at random, always in the same way."""

    def one(task: Feedback) -> Floats:
        rng = np.random.default_rng(0)
        bucket = np.cumsum(task.bucket_starts)
        order = np.lexsort((rng.random(task.n_entries), bucket))
        lists = np.split(task.items[order], task.list_starts[1:-1])
        orders = [tuple(int(item) for item in entries) for entries in lists if len(entries) > 1]
        return np.asarray(choix_fit("ilsr_rankings", orders, task.n_items, RIDGE)())

    return _by_task(feedback, one)


def evalica_bt(feedback: Feedback) -> Floats:
    """Bradley-Terry by evalica on all pairs."""

    def one(task: Feedback) -> Floats:
        result = evalica_fit("bradley_terry", *all_pairs(task), limit=1000)()
        return _by_item(task, result.scores.index, np.log(result.scores.to_numpy()))

    return _by_task(feedback, one)


def crowdkit_nbt(feedback: Feedback) -> Floats:
    """Noisy Bradley-Terry (with a skill and a bias for every worker) by crowd-kit; ties are left out."""

    def one(task: Feedback) -> Floats:
        better, worse, tied = all_pairs(task)
        swap = np.random.default_rng(0).random(len(better)) < 0.5  # it learns a bias for the left-hand side
        left, right = np.where(swap, worse, better), np.where(swap, better, worse)
        columns = (part[~tied] for part in (_pair_graders(task), left, right, better))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = crowdkit_fit("NoisyBradleyTerry", *columns)()
        return _by_item(task, result.index, result.to_numpy())

    return _by_task(feedback, one)


CONTENDERS = {  # by the names of result tables: the package that is needed, and the function
    "choix-PL": ("choix", choix_pl),
    "evalica-BT": ("evalica", evalica_bt),
    "crowdkit-NBT": ("crowdkit", crowdkit_nbt),
}


# -- pairs --------------------------------------------------------------------------------------------


def all_pairs(feedback: Feedback) -> tuple[Ints, Ints, NDArray[np.bool_]]:
    """Every two items of every list: the one ranked higher, the other, and whether they are tied."""
    first, second = _entries_of_pairs(feedback)
    bucket = np.cumsum(feedback.bucket_starts)
    items = feedback.items.astype(np.int64)
    return items[first], items[second], bucket[first] == bucket[second]


def _pair_graders(feedback: Feedback) -> Ints:
    return feedback.entry_graders[_entries_of_pairs(feedback)[0]].astype(np.int64)


def _entries_of_pairs(feedback: Feedback) -> tuple[Ints, Ints]:
    lengths = feedback.list_lengths
    ends = np.repeat(feedback.list_starts[1:], lengths)
    after = ends - np.arange(feedback.n_entries) - 1
    first = np.repeat(np.arange(feedback.n_entries), after)
    second = first + 1 + np.arange(len(first)) - np.repeat(np.cumsum(after) - after, after)
    return first, second


def _by_item(task: Feedback, items: Any, found: Floats) -> Floats:
    """Scores in the order of items; an item that the library has not seen gets the median."""
    scores = np.full(task.n_items, np.nan)
    scores[items.to_numpy(dtype=np.int64)] = found
    return np.where(np.isnan(scores), np.nanmedian(scores), scores)


def _by_task(feedback: Feedback, one: Callable[[Feedback], Floats]) -> Floats:
    return np.concatenate([one(feedback.for_task(task)) for task in range(feedback.n_tasks)])
