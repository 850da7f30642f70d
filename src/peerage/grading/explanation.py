"""Why an item stands where it stands: who ranked it against what, what each list did to its score, its grade.

What a list contributes is measured, not approximated: the class is fitted again without it, and the
difference is the list's doing. Of a result, the grade that was handed out is explained too: where its points
and its letter come from.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage._words import plural
from peerage.errors import ConvergenceWarning
from peerage.grading.items import EDGE_WORDS, item_ranks
from peerage.grading.letters import COMPLETE, parse_letters
from peerage.grading.points import parse_curve, parse_scale, points_map
from peerage.grading.result import GradingResult
from peerage.grading.staff.staff_map import AnchoredMap
from peerage.models.base import clone
from peerage.writing.spreadsheet import neutralise

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.base import Estimator

FELT = 0.005  # of the spread of scores: lists that move the item less are said to leave it in place
ToPoints = Callable[["NDArray[np.float64]"], "NDArray[np.float64]"]


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
    grade: ExplainedGrade | None = None

    def sentences(self, *, anonymous: bool = False) -> list[str]:
        """The explanation in words; `anonymous` leaves the graders' names out."""
        reviews = plural(len(self.lists), "review")
        place = f"{self.item} is number {self.rank} of {self.size:,}"
        first = f"{place} with a score of {self.score:.2f}, from {reviews}."
        released = [] if self.grade is None else self.grade.sentences()
        if self.lists.is_empty():
            nobody = "Nobody has reviewed it, so it stands in the middle: that is not a judgement."
            return [f"{first} {nobody}", *released]
        texts = [
            first,
            *released,
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
    graded: GradingResult | Estimator,
    item: str,
    task: str | int = 0,
    *,
    on_step: Callable[[str], None] = lambda step: None,
) -> Explanation:
    """Fit the class without each list that has the item, and say what each one did.

    Of a result, the grade that was handed out is explained; of a fitted estimator, the score.
    """
    result = graded if isinstance(graded, GradingResult) else None
    fitted = graded.fitted if isinstance(graded, GradingResult) else graded
    reported = graded.posterior.at_mean() if isinstance(graded, GradingResult) else graded
    feedback = fitted.feedback_
    number = feedback.item_number(item, task)
    own = int(feedback.item_tasks[number])
    ranks, scores = item_ranks(feedback, fitted.scores_), _as_reported(fitted.scores_, result)
    grade = None if result is None else ExplainedGrade.from_result(result, item, feedback.task_labels[own])
    to_points = None if grade is None else grade.to_points
    rows, wins, losses, ties = [], 0, 0, 0
    for which in np.flatnonzero(
        np.bincount(feedback.entry_lists[feedback.items == number], minlength=feedback.n_lists)
    ):
        grader = int(feedback.list_graders[which])
        on_step(f"fitting without {feedback.grader_labels[grader]}")
        above, level, below, position, score = _around(feedback, int(which), number)
        wins, losses, ties = wins + len(below), losses + len(above), ties + len(level)
        without = _scores_without_list(fitted, int(which))
        rank_without, without = int(item_ranks(feedback, without)[number]), _as_reported(without, result)
        rows.append(
            {
                "grader": feedback.grader_labels[grader],
                "reliability": float(reported.reliabilities_[grader]),
                "position": position,
                "length": len(above) + len(level) + len(below) + 1,
                "score": score,
                "above": above,
                "level": level,
                "below": below,
                "bias": None if fitted.biases_ is None else float(fitted.biases_[grader]),
                "score_change": float(scores[number] - without[number]),
                "points_change": None
                if to_points is None
                else float(to_points(scores)[number] - to_points(without)[number]),
                "rank_change": rank_without - int(ranks[number]),
            }
        )
    table = pl.DataFrame(rows, schema=_SCHEMA).sort("score_change", "grader", descending=[True, False])
    low, high = feedback.task_starts[own : own + 2]
    return Explanation(
        task=feedback.task_labels[own],
        item=item,
        rank=int(item_ranks(feedback, reported.scores_)[number]),
        size=int(high - low),
        score=float(reported.scores_[number]),
        lists=table,
        wins=wins,
        losses=losses,
        ties=ties,
        spread=float(reported.scores_[low:high].std()),
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


def _scores_without_list(fitted: Estimator, which: int) -> NDArray[np.float64]:
    feedback = fitted.feedback_
    if feedback.n_lists == 1:
        return np.full(feedback.n_items, fitted.scores_.mean())
    rest = np.delete(np.arange(feedback.n_lists), which)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return clone(fitted).fit(feedback.take_lists(rest)).scores_


def _as_reported(scores: NDArray[np.float64], result: GradingResult | None) -> NDArray[np.float64]:
    """On the scale of the grades that were handed out, which allow for chance."""
    if result is None or result.fitted.score_scale == "rank":
        return scores
    return result.posterior.drawn_in(scores)


def _list_sentence(row: dict[str, Any], name: str, whole: Explanation) -> str:
    change, places = row["score_change"], row["rank_change"]
    parts = [
        f"{word} {_few(names)}"
        for word, names in (("above", row["below"]), ("level with", row["level"]), ("below", row["above"]))
        if names
    ]
    where = ", ".join(parts) if parts else "alone"
    mark = "" if row["score"] is None else f", gave it {row['score']:g}"
    said = f"{name} (reliability {row['reliability']:.2f}){mark}, put it {where}"
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


# -- the grade that was released ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class ExplainedGrade:
    """One item's grade: its row of the grades, the rules of the class, and how scores became points.

    Attributes
    ----------
    row : of ``GradingResult.items``, or of grades.csv.
    options : as ``provenance["options"]`` has them.
    level : of the intervals.
    why_points : the sentence that says what points are; None without points.
    to_points : from scores of the class to points; None where scores alone do not decide.
    """

    row: Mapping[str, Any]
    options: Mapping[str, Any]
    level: float
    why_points: str | None = None
    to_points: ToPoints | None = None

    @classmethod
    def from_result(cls, result: GradingResult, item: str, task: str) -> ExplainedGrade:
        row = result.items.row(by_predicate=(pl.col("task") == task) & (pl.col("item") == item), named=True)
        options = result.provenance["options"]
        why = result.sentences.get("points")
        return cls(row, options, result.interval, why, _points_map(result))

    @classmethod
    def from_file(
        cls, grades: Path, item: str, task: str, options: Mapping[str, Any], level: float
    ) -> ExplainedGrade:
        """From a grades.csv that was written, and the options that made it."""
        table = pl.read_csv(grades, infer_schema=False)
        wanted = neutralise(pl.DataFrame({"task": [task], "item": [item]}))
        row = table.join(wanted, on=["task", "item"]).row(0, named=True)
        return cls({name: _cell(name, value) for name, value in row.items()}, options, level)

    @property
    def staff_decides(self) -> bool:
        """Whether the staff's own grade of the item is its grade."""
        return bool(self.options.get("anchors_as_evidence")) and self.row.get("staff") is not None

    def sentences(self) -> list[str]:
        """Points, letter and staff grade, as far as there are any."""
        texts = (
            self._points_sentence(),
            self._completion_sentence(),
            self._letter_sentence(),
            self._staff_sentence(),
            self._mean_sentence(),
        )
        return [text for text in texts if text]

    def _points_sentence(self) -> str:
        row = self.row
        if row.get("points") is None:
            return ""
        scale = f" on {self.options['scale']}" if self.options.get("scale") else ""
        low, high = f"{row['points_low']:.1f}", f"{row['points_high']:.1f}"
        edge = EDGE_WORDS.get(row.get("points_edge") or "")
        aside = f" ({edge})" if edge else ""
        return (
            f"Its grade is {row['points']:.1f} points{scale}{aside}, {low} to {high} at"
            f" {100 * self.level:.0f} %. {self.why_points or ''}"
        ).strip()

    def _completion_sentence(self) -> str:
        completion = self.row.get("completion")
        if completion is None:
            return ""
        why = "somebody reviewed it" if completion == COMPLETE else "nobody reviewed it"
        return f"Its grade is {completion}, because {why}."

    def _letter_sentence(self) -> str:
        row = self.row
        if row.get("letter") is None:
            return ""
        chances = str(row["letter_probabilities"]).replace("; ", ", ")
        rule = parse_letters(str(self.options["letters"]))
        where = f" {self._margins()}" if rule.cuts is not None else ""
        return f"Its letter is {row['letter']}, by the rule {rule.text}.{where} Chances: {chances}."

    def _margins(self) -> str:
        """How far the points are from the letters beside."""
        rule, points = parse_letters(str(self.options["letters"])), float(self.row["points"])
        cuts = list(zip(rule.names, rule.cuts or (), strict=False))
        above = [(name, cut) for name, cut in cuts if cut > points]
        below = [(name, cut) for name, cut in cuts if cut <= points]
        parts = [f"{cut - points:.1f} short of {name}" for name, cut in above[-1:]]
        parts += [f"{points - cut:.1f} above where {name} begins" for name, cut in below[:1]]
        return f"The points are {' and '.join(parts)}."

    def _staff_sentence(self) -> str:
        grade = self.row.get("staff")
        if grade is None:
            return ""
        if self.staff_decides:
            return f"Staff gave it {grade:g}, and that is its grade; what peers said only moves its interval."
        return (
            f"Staff gave it {grade:g}. That helped to fit how peers' scores become points for everybody; its"
            " own grade is still what the peers' score gives."
        )

    def _mean_sentence(self) -> str:
        """The plain mean beside the estimate."""
        row = self.row
        if row.get("mean_score") is not None:
            return f"The plain mean of the marks it got is {row['mean_score']:.2f}."
        if row.get("mean_rank") is not None:
            return f"Its mean place in the lists it was in is {row['mean_rank']:.2f}."
        return ""


_TEXT_COLUMNS = ("task", "item", "letter", "letter_probabilities", "points_edge", "completion")


def _cell(name: str, text: str | None) -> Any:
    """Texts stay texts, whatever they look like."""
    if text is None or name in _TEXT_COLUMNS:
        return text
    return float(text)


def _points_map(result: GradingResult) -> ToPoints | None:
    """How scores became points in this class, held fixed; None where there are none, or staff decide."""
    options, scale = result.provenance["options"], result.scale
    if options.get("anchors_as_evidence"):
        return None
    if result.validity is not None:
        validity = result.validity
        anchored = AnchoredMap(validity.maps, result.feedback.task_starts, validity.conversion)
        return anchored if scale is None else lambda scores: scale.clip(anchored(scores))
    if scale is None:
        return None
    peers, curve = options.get("peer_scale"), options.get("curve")
    return points_map(
        result.posterior.at_mean(),
        scale,
        None if peers is None else parse_scale(peers),
        None if curve is None else parse_curve(curve),
    )
