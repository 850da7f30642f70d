"""Other libraries on our feedback, each the way its documentation shows, task by task."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback import Feedback

    Ints = NDArray[np.int64]

RIDGE = 0.01  # choix has no estimate without one where an item never wins or never loses


def choix_pl(feedback: Feedback) -> NDArray[np.float64]:
    """Plackett-Luce by choix. It knows no ties: they are broken at random, always in the same way."""
    import choix

    def one(task: Feedback) -> NDArray[np.float64]:
        rng = np.random.default_rng(0)
        bucket = np.cumsum(task.opens)
        order = np.lexsort((rng.random(task.n_entries), bucket))
        lists = np.split(task.items[order], task.list_starts[1:-1])
        orders = [tuple(int(item) for item in entries) for entries in lists if len(entries) > 1]
        return np.asarray(choix.ilsr_rankings(task.n_items, orders, alpha=RIDGE))

    return _by_task(feedback, one)


def evalica_bt(feedback: Feedback) -> NDArray[np.float64]:
    """Bradley-Terry by evalica on all pairs; a tie is half a win for both."""
    import evalica

    def one(task: Feedback) -> NDArray[np.float64]:
        better, worse, tied = all_pairs(task)
        winners = [evalica.Winner.Draw if tie else evalica.Winner.X for tie in tied]
        result = evalica.bradley_terry(better.tolist(), worse.tolist(), winners, limit=1000)
        scores = np.full(task.n_items, np.nan)
        scores[result.scores.index.to_numpy(dtype=np.int64)] = np.log(result.scores.to_numpy())
        return np.where(np.isnan(scores), np.nanmedian(scores), scores)

    return _by_task(feedback, one)


def crowdkit_nbt(feedback: Feedback) -> NDArray[np.float64]:
    """Noisy Bradley-Terry (with a skill and a bias for every worker) by crowd-kit; ties are left out."""
    pandas: Any = import_module("pandas")  # neither it nor crowd-kit is there in every installation
    crowdkit: Any = import_module("crowdkit.aggregation")

    def one(task: Feedback) -> NDArray[np.float64]:
        better, worse, tied = all_pairs(task)
        who = _pair_graders(task)
        swap = np.random.default_rng(0).random(len(better)) < 0.5  # it learns a bias for the left-hand side
        frame = pandas.DataFrame(
            {
                "worker": who,
                "left": np.where(swap, worse, better),
                "right": np.where(swap, better, worse),
                "label": better,
            }
        )[~tied]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result: Any = crowdkit.NoisyBradleyTerry(n_iter=100).fit_predict(frame)
        scores = np.full(task.n_items, np.nan)
        scores[result.index.to_numpy(dtype=np.int64)] = result.to_numpy()
        return np.where(np.isnan(scores), np.nanmedian(scores), scores)

    return _by_task(feedback, one)


def all_pairs(feedback: Feedback) -> tuple[Ints, Ints, NDArray[np.bool_]]:
    """Every two items of every list: the one ranked higher, the other, and whether they are tied."""
    first, second = _entries_of_pairs(feedback)
    bucket = np.cumsum(feedback.opens)
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


def _by_task(feedback: Feedback, one: Callable[[Feedback], NDArray[np.float64]]) -> NDArray[np.float64]:
    return np.concatenate([one(feedback.for_task(task)) for task in range(feedback.n_tasks)])
