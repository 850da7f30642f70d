"""Adding graders who do not look."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from peerage.feedback.container import Feedback

if TYPE_CHECKING:
    from numpy.typing import NDArray

PREFIX = "added lazy grader "


def add_lazy(feedback: Feedback, number: int, rng: np.random.Generator, *, rounded: bool = False) -> Feedback:
    """The feedback and `number` more graders, who each get the items of a random grader.

    Where there are scores, theirs are normal with the mean and spread of the class's, and their order
    follows from them. As in the paper they are not on the grading scale, so that a lazy grader never ties
    two items; `rounded` moves them to the nearest score that somebody gave. Without scores they hand in the
    other grader's list with the items shuffled, so that they have as many ties as anybody.
    """
    if number == 0:
        return feedback
    rows = feedback.to_frame()
    copied = rng.integers(feedback.n_graders, size=number)
    added = [
        _lazy_rows(feedback, rows, int(grader), f"{PREFIX}{place:04d}", rng, rounded)
        for place, grader in enumerate(copied, 1)
    ]
    everything = pl.concat([rows, *added])
    if feedback.ordered_by == "score":
        everything = everything.drop("rank")
    return _with_all_items(Feedback.from_columns(**everything.to_dict()), feedback)


def _with_all_items(after: Feedback, before: Feedback) -> Feedback:
    """The items nobody has reviewed, too: results are compared item by item."""
    for task in before.task_labels.to_list():
        known, here = before.for_task(task).item_labels, after.for_task(task).item_labels
        after = after.with_items(known.filter(~known.is_in(here.implode())).to_list(), task=task)
    return after


def is_added(feedback: Feedback) -> NDArray[np.bool_]:
    """Which graders were added."""
    return feedback.grader_labels.str.starts_with(PREFIX).to_numpy()


def _lazy_rows(
    feedback: Feedback, rows: pl.DataFrame, grader: int, name: str, rng: np.random.Generator, rounded: bool
) -> pl.DataFrame:
    entries = np.flatnonzero(feedback.entry_graders == grader)
    mine = rows[entries].with_columns(grader=pl.lit(name))
    if "list" in mine.columns:
        mine = mine.with_columns(list=pl.format("{} {}", pl.lit(name), "list"))
    lists = feedback.entry_lists[entries]
    shuffled = np.lexsort((rng.random(len(entries)), lists))
    mine = mine.with_columns(mine["item"].gather(shuffled))
    if feedback.scores is None:
        return mine
    return mine.with_columns(score=pl.Series(_lazy_scores(feedback.scores, entries, rng, rounded)))


def _lazy_scores(
    given: NDArray[np.float64], entries: NDArray[np.int64], rng: np.random.Generator, rounded: bool
) -> NDArray[np.float64]:
    known = given[~np.isnan(given)]
    draws = rng.normal(known.mean(), known.std(), len(entries))
    if rounded:
        levels = np.unique(known)
        draws = levels[np.abs(draws[:, None] - levels[None, :]).argmin(axis=1)]
    return np.where(np.isnan(given[entries]), np.nan, draws)
