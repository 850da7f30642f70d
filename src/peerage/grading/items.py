"""The table of grades: ranks and points, how sure they are, and the means that anybody can check."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage.checking.coverage import single_grader_tasks
from peerage.grading.letters import probabilities_in_words
from peerage.grading.points import decimals, points_map
from peerage.grading.staff.anchors import condition_on_staff
from peerage.grading.staff.staff_map import AnchoredMap
from peerage.models.tables import dense_ranks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.grading.letters import LetterGrades, Letters
    from peerage.grading.points import Scale
    from peerage.grading.staff.validity import Validity
    from peerage.models.base import Estimator
    from peerage.uncertainty.posterior import Posterior

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

TOGETHER = 8192  # items whose draws are sorted at once


def item_ranks(feedback: Feedback, scores: Floats) -> Ints:
    """The rank of every item within its task, 1 the best; tied items share the smallest."""
    level = dense_ranks(feedback, scores)
    position = np.searchsorted(np.sort(level), level)  # levels rise from task to task
    return np.asarray(position - feedback.task_starts[feedback.item_tasks] + 1)


def reading_order(feedback: Feedback, ranks: Ints) -> Ints:
    """Item numbers best first within each task, ties by label: the rows of every table of grades."""
    return np.lexsort((np.arange(feedback.n_items), ranks, feedback.item_tasks))


@dataclass(frozen=True, slots=True, eq=False)
class ItemPoints:
    """Points of the items, and draws of them; without a scale no points, and draws of scores."""

    points: Floats | None
    draws: NDArray[np.floating[Any]]
    sentence: str | None
    ends: tuple[Floats, Floats] | None = None  # of the intervals, where known


def round_points(item_points: ItemPoints, rule: Letters | None) -> ItemPoints:
    """Points as they are shown, where letters go by them: none is shown that belongs to another letter."""
    if rule is None or rule.cuts is None or item_points.points is None:
        return item_points
    return replace(item_points, points=item_points.points.round(decimals(float(np.ptp(item_points.points)))))


def compute_points(
    fitted: Estimator,
    posterior: Posterior,
    scale: Scale | None,
    peer_scale: Scale | None,
    validity: Validity | None,
    rng: np.random.Generator,
    *,
    as_evidence: bool,
    interval: float,
) -> ItemPoints:
    """Points by staff grades where there are any, else by the stated scale, else none.

    In large classes the ends of an interval are those of the score, as points: the map keeps their order.
    """
    draws = posterior.draws
    if validity is not None:
        return _anchored_points(fitted, draws, scale, validity, rng, as_evidence=as_evidence)
    if scale is None:
        return ItemPoints(None, draws, None)
    mapped = points_map(fitted, scale, peer_scale)
    ends = None
    if posterior.by_item:
        low, high = posterior.score_interval(interval)
        ends = mapped(low), mapped(high)
    return ItemPoints(mapped(fitted.scores_), mapped(draws), mapped.sentence, ends)


def _anchored_points(
    fitted: Estimator,
    draws: NDArray[np.floating[Any]],
    scale: Scale | None,
    validity: Validity,
    rng: np.random.Generator,
    *,
    as_evidence: bool,
) -> ItemPoints:
    feedback = fitted.feedback_
    anchored = AnchoredMap(validity.maps, feedback.task_starts, validity.conversion)
    shift = fitted.scores_ - draws.mean(axis=0, dtype=np.float64)
    draws = draws + shift.astype(draws.dtype)  # the map is of scores as they are reported
    points, varied = anchored(fitted.scores_), anchored.vary(draws, rng)
    sentence = anchored.sentence
    if as_evidence:
        gaps = np.array([task_map.gap for task_map in validity.maps])[
            feedback.item_tasks[validity.anchors.items]
        ]
        points, varied = condition_on_staff(
            points, varied, anchored(draws), validity.anchors, gaps, feedback.item_tasks, rng
        )
        sentence += " Staff grades count as evidence: items that staff graded get their grade."
    if scale is not None:
        points, varied = scale.clip(points), scale.clip(varied)
    return ItemPoints(points, varied, sentence)


def item_frame(
    fitted: Estimator,
    posterior: Posterior,
    order: Ints,
    item_points: ItemPoints,
    validity: Validity | None,
    letter_grades: LetterGrades | None,
    interval: float,
) -> pl.DataFrame:
    """One row per item, best first within its task."""
    score_low, score_high = posterior.score_interval(interval)
    rank_low, rank_high = posterior.rank_interval(interval)
    columns: dict[str, Any] = {
        "se": posterior.score_se,
        "score_low": score_low,
        "score_high": score_high,
        "rank_low": rank_low,
        "rank_high": rank_high,
        "step": step_numbers(posterior, interval),
    }
    if item_points.points is not None:
        low, high = _ends(item_points, interval)
        columns |= {"points": item_points.points, "points_low": low, "points_high": high}
    if validity is not None:
        staff = np.full(len(order), np.nan)
        staff[validity.anchors.items] = validity.anchors.grades
        columns["staff"] = staff
    columns |= raw_means(fitted.feedback_)
    if letter_grades is not None:
        rule, pairs = letter_grades.rule, zip(letter_grades.chances, letter_grades.numbers, strict=True)
        columns |= {
            "letter": np.array(rule.names)[letter_grades.numbers],
            "letter_probability": letter_grades.probability,
            "letter_probabilities": np.array(
                [probabilities_in_words(rule, chances, int(k)) for chances, k in pairs]
            ),
        }
    frame = fitted.grades()
    added = [pl.Series(name, values[order]) for name, values in columns.items()]
    return frame.with_columns(added).with_columns(pl.col(pl.Float64).fill_nan(None))


def _ends(item_points: ItemPoints, interval: float) -> tuple[Floats, Floats]:
    """Lowest and highest points of every item; of draws a run of items at a time, which saves memory."""
    if item_points.ends is not None:
        return item_points.ends
    tail = (1 - interval) / 2
    runs = range(0, max(item_points.draws.shape[1], 1), TOGETHER)
    parts = (item_points.draws[:, first : first + TOGETHER] for first in runs)
    ends = [np.quantile(part, [tail, 1 - tail], axis=0) for part in parts]
    low, high = np.concatenate(ends, axis=1)
    return low, high


def step_numbers(posterior: Posterior, level: float) -> Ints:
    """The step of every item, counted within its task from the best.

    The first item of a step is above the first of the next with the level's probability; neighbours across
    the border of two steps may well be level.
    """
    feedback = posterior.feedback
    numbers = np.zeros(feedback.n_items, dtype=np.int64)
    last_task, number = -1, 0
    for items in posterior.groups(level):
        task = int(feedback.item_tasks[items[0]])
        number = 1 if task != last_task else number + 1
        last_task = task
        numbers[items] = number
    lone = single_grader_tasks(feedback)[feedback.item_tasks]
    return np.where(lone, 1, numbers)  # what one grader says tells nothing apart


# -- raw means ------------------------------------------------------------------------------------------


def raw_means(feedback: Feedback) -> dict[str, Floats]:
    """Per item, NaN without reviews: `mean_score` where graders gave scores, `mean_rank` where they ranked.

    A list counts as often as its weight says. In a rank, tied items share the mean of their ranks.
    """
    weights = np.repeat(feedback.list_weights, feedback.list_lengths)
    means = {}
    if feedback.scores is not None:
        means["mean_score"] = _item_means(feedback, feedback.scores, weights)
    if feedback.ordered_by == "rank":
        means["mean_rank"] = _item_means(feedback, _entry_ranks(feedback), weights)
    return means


def _item_means(feedback: Feedback, values: Floats, weights: Floats) -> Floats:
    present = ~np.isnan(values)
    items, shares = feedback.items[present], weights[present]
    sums = np.bincount(items, weights=shares * values[present], minlength=feedback.n_items)
    counts = np.bincount(items, weights=shares, minlength=feedback.n_items)
    means = np.divide(sums, counts, out=np.full(feedback.n_items, np.nan), where=counts > 0)
    return np.asarray(means, dtype=np.float64)


def _entry_ranks(feedback: Feedback) -> Floats:
    """The rank of every entry in its list, 1 the best; tied entries share the mean."""
    starts = np.flatnonzero(feedback.bucket_starts)
    sizes = feedback.bucket_sizes
    first = starts - feedback.list_starts[feedback.bucket_lists]  # how many are better
    return np.repeat(first + (sizes + 1) / 2, sizes)
