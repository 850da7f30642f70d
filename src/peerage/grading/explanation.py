"""Why an item stands where it stands: who ranked it against what, and what each list did to its score.

What a list contributes is measured, not approximated: the class is fitted again without it, and the
difference is the list's doing.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage._words import plural
from peerage.errors import ConvergenceWarning
from peerage.grading.handed_out import HandedOut
from peerage.grading.ranking import ranks
from peerage.grading.result import GradingResult
from peerage.models.base import clone

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.base import Estimator

FELT = 0.005  # of the spread of scores: lists that move the item less are said to leave it in place


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """One item.

    Attributes
    ----------
    lists : one row per list with the item, the one that raised it most first: grader, reliability, position
        (1 best, ties share), length, score (where graders gave scores), above, level and below (the other
        items by name), bias (of the grader, where the method estimates it), score_change, points_change
        (where scores decide the points) and rank_change: what the list did (positive: up).
    wins, losses, ties : comparisons with other items over all lists.
    grade : the grade that was handed out, where the explanation is of a result.
    """

    task: str
    item: str
    rank: int
    size: int
    score: float
    lists: pl.DataFrame
    wins: int
    losses: int
    ties: int
    spread: float  # standard deviation of the scores of the task
    relative: bool = True  # whether the method compares the items of a list, not marks with marks
    grade: HandedOut | None = None

    def sentences(self, *, anonymous: bool = False) -> list[str]:
        """The explanation in words; `anonymous` leaves the graders' names out."""
        reviews = plural(len(self.lists), "review")
        place = f"{self.item} is number {self.rank} of {self.size:,}"
        first = f"{place} with a score of {self.score:.2f}, from {reviews}."
        handed_out = [] if self.grade is None else self.grade.sentences()
        if self.lists.is_empty():
            nobody = "Nobody has reviewed it, so it stands in the middle: that is not a judgement."
            return [f"{first} {nobody}", *handed_out]
        texts = [
            first,
            *handed_out,
            f"It was put above another item {plural(self.wins, 'time')}, below {self.losses:,}"
            f" and level {self.ties:,}.",
        ]
        for number, row in enumerate(self.lists.iter_rows(named=True), start=1):
            name = f"reviewer {number}" if anonymous else row["grader"]
            texts.append(_list_sentence(row, name, self))
        return texts

    @property
    def mean_mark(self) -> float | None:
        """The plain mean of the marks it got."""
        marks = self.lists["score"].drop_nulls()
        return None if marks.is_empty() else float(np.mean(marks.to_numpy()))


def explain(
    given: GradingResult | Estimator,
    item: str,
    task: str | int = 0,
    *,
    on_step: Callable[[str], None] = lambda step: None,
) -> Explanation:
    """Fit the class without each list that has the item, and say what each one did.

    Of a result, the grade that was handed out is explained; of a fitted estimator, the score.
    """
    result = given if isinstance(given, GradingResult) else None
    fitted = given.fitted if isinstance(given, GradingResult) else given
    feedback = fitted.feedback_
    number = feedback.item_number(item, task)
    own = int(feedback.item_tasks[number])
    places = ranks(feedback, fitted.scores_)
    grade = None if result is None else HandedOut.of(result, item, feedback.task_labels[own])
    to_points = None if grade is None else grade.to_points
    rows, wins, losses, ties = [], 0, 0, 0
    for which in np.flatnonzero(
        np.bincount(feedback.entry_lists[feedback.items == number], minlength=feedback.n_lists)
    ):
        grader = int(feedback.list_graders[which])
        on_step(f"fitting without {feedback.grader_labels[grader]}")
        above, level, below, position, score = _around(feedback, int(which), number)
        wins, losses, ties = wins + len(below), losses + len(above), ties + len(level)
        without = _without(fitted, int(which))
        rows.append(
            {
                "grader": feedback.grader_labels[grader],
                "reliability": float(fitted.reliabilities_[grader]),
                "position": position,
                "length": len(above) + len(level) + len(below) + 1,
                "score": score,
                "above": above,
                "level": level,
                "below": below,
                "bias": None if fitted.biases_ is None else float(fitted.biases_[grader]),
                "score_change": float(fitted.scores_[number] - without[number]),
                "points_change": None
                if to_points is None
                else float(to_points(fitted.scores_)[number] - to_points(without)[number]),
                "rank_change": int(ranks(feedback, without)[number] - places[number]),
            }
        )
    table = pl.DataFrame(rows, schema=_SCHEMA).sort("score_change", "grader", descending=[True, False])
    low, high = feedback.task_starts[own : own + 2]
    return Explanation(
        task=feedback.task_labels[own],
        item=item,
        rank=int(places[number]),
        size=int(high - low),
        score=float(fitted.scores_[number]),
        lists=table,
        wins=wins,
        losses=losses,
        ties=ties,
        spread=float(fitted.scores_[low:high].std()),
        relative=fitted.score_scale != "grading",
        grade=grade,
    )


_SCHEMA: dict[str, Any] = {
    "grader": pl.String,
    "reliability": pl.Float64,
    "position": pl.Int64,
    "length": pl.Int64,
    "score": pl.Float64,
    "above": pl.List(pl.String),
    "level": pl.List(pl.String),
    "below": pl.List(pl.String),
    "bias": pl.Float64,
    "score_change": pl.Float64,
    "points_change": pl.Float64,
    "rank_change": pl.Int64,
}


def _around(
    feedback: Feedback, which: int, item: int
) -> tuple[list[str], list[str], list[str], int, float | None]:
    """The items of a list above, level with and below one of its items; its position and its score there."""
    low, high = (int(edge) for edge in feedback.list_starts[which : which + 2])
    bucket = np.cumsum(feedback.bucket_starts[low:high])
    here = int(np.flatnonzero(feedback.items[low:high] == item)[0])
    names = feedback.item_labels.gather(feedback.items[low:high]).to_list()
    parts: tuple[list[str], list[str], list[str]] = ([], [], [])
    for place, name in enumerate(names):
        if place != here:
            parts[1 + int(np.sign(bucket[place] - bucket[here]))].append(name)
    score = None if feedback.scores is None else float(feedback.scores[low + here])
    return *parts, int(bucket[here]), None if score is None or np.isnan(score) else score


def _without(fitted: Estimator, which: int) -> NDArray[np.float64]:
    """Scores of the class without one list."""
    feedback = fitted.feedback_
    if feedback.n_lists == 1:
        return np.full(feedback.n_items, fitted.scores_.mean())
    rest = np.delete(np.arange(feedback.n_lists), which)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return clone(fitted).fit(feedback.take_lists(rest)).scores_


def _list_sentence(row: dict[str, Any], name: str, whole: Explanation) -> str:
    change, places = row["score_change"], row["rank_change"]
    parts = [
        f"{word} {_few(names)}"
        for word, names in (("above", row["below"]), ("level with", row["level"]), ("below", row["above"]))
        if names
    ]
    where = ", ".join(parts) if parts else "alone"
    given = "" if row["score"] is None else f", gave it {row['score']:g}"
    said = f"{name} (reliability {row['reliability']:.2f}){given}, put it {where}"
    if abs(change) <= FELT * whole.spread:
        return f"{said}: hardly moved it."
    way = "raised" if change > 0 else "lowered"
    moved = [plural(abs(places), "place") + (" up" if places > 0 else " down")] if places else []
    points = row["points_change"]
    if points is not None and abs(points - change) >= 0.005:  # else they are the scores
        moved.insert(0, f"{points:+.1f} points")
    aside = f" ({', '.join(moved)})" if moved else ""
    return f"{said}: {way} its score by {abs(change):.2f}{aside}.{_surprise(row, whole)}"


def _surprise(row: dict[str, Any], whole: Explanation) -> str:
    """Why a high mark lowers a score, or a low one raises it."""
    mark, mean, rises = row["score"], whole.mean_mark, row["score_change"] > 0
    if mark is None or mean is None or mark == mean or (mark > mean) == rises:
        return ""
    side = "above" if mark > mean else "below"
    first = f" Although {mark:g} is {side} the mean of its marks, {mean:.2f}:"
    bias = row["bias"]
    if bias is not None and ((mark - bias) > whole.score) == rises:
        more = f"{abs(bias):.1f} {'more' if bias > 0 else 'less'}"
        return f"{first} this grader gives {more} than others do, so it counts as {mark - bias:.1f}."
    if whole.relative and row["length"] > 1:
        return (
            f"{first} what counts is how it compares with the rest of the list,"
            f" where {len(row['above']):,} got more and {len(row['below']):,} less."
        )
    return ""


def _few(names: list[str], most: int = 4) -> str:
    """The first names, and how many more."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
