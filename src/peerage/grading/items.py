"""The table of grades: ranks and points, how sure they are, and the means that anybody can check."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage.checking.coverage import single_grader_tasks
from peerage.grading.letters import COMPLETE, INCOMPLETE, probabilities_in_words
from peerage.grading.points import NO_POINTS, NO_SCALE, decimals, points_map
from peerage.grading.rank_sets import rank_sets
from peerage.grading.staff.anchors import condition_on_staff
from peerage.grading.staff.scales import grade_step
from peerage.grading.staff.staff_map import AnchoredMap
from peerage.models.tables import dense_ranks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.grading.letters import LetterGrades, Letters
    from peerage.grading.misfit import Misfit
    from peerage.grading.points import Curve, PointsRule, Scale
    from peerage.grading.staff.validity import Validity
    from peerage.models.base import Estimator
    from peerage.uncertainty.posterior import Posterior

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

TOGETHER = 8192  # items whose draws are sorted at once
AT_END = 0.1  # of an interval: an estimate this near to one of its ends is said to be there
TOP, BOTTOM = "top of the scale", "bottom of the scale"  # values of `points_edge`
UPPER, LOWER = "upper end", "lower end"
EDGE_WORDS = {
    TOP: "cut off at the top of the scale",
    BOTTOM: "cut off at the bottom of the scale",
    UPPER: "near the upper end of the interval, which reaches further down",
    LOWER: "near the lower end of the interval, which reaches further up",
}


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
    """Points of the items, and draws of them; where nothing makes points, None and draws of scores."""

    points: Floats | None
    draws: NDArray[np.floating[Any]]
    sentence: str
    ends: tuple[Floats, Floats] | None = None  # of the intervals, where known
    cut: Ints | None = None  # 1 where cut off at the top of the scale, -1 at the bottom, else 0


def round_points(item_points: ItemPoints, rule: Letters | None) -> ItemPoints:
    """Points as they are shown, where letters go by them: none is shown that belongs to another letter."""
    if rule is None or rule.cuts is None or item_points.points is None:
        return item_points
    return replace(item_points, points=item_points.points.round(decimals(float(np.ptp(item_points.points)))))


def compute_points(
    rule: PointsRule,
    fitted: Estimator,
    posterior: Posterior,
    scale: Scale | None,
    peer_scale: Scale | None,
    curve: Curve | None,
    validity: Validity | None,
    rng: np.random.Generator,
    *,
    as_evidence: bool,
    interval: float,
) -> ItemPoints:
    """Points by the rule that makes them.

    In large classes the ends of an interval are those of the score, as points: the map keeps their order.
    """
    draws = posterior.draws
    if validity is not None:
        return _anchored_points(fitted, draws, scale, validity, rng, as_evidence=as_evidence)
    if rule == "none" or scale is None:
        return ItemPoints(None, draws, NO_SCALE if fitted.score_scale == "grading" else NO_POINTS)
    mapped = points_map(fitted, scale, peer_scale, curve)
    ends = None
    if posterior.by_item:
        low, high = posterior.score_interval(interval)
        ends = mapped(low), mapped(high)
    cut = scale.beyond(mapped.uncut(fitted.scores_))
    return ItemPoints(mapped(fitted.scores_), mapped(draws), mapped.sentence, ends, cut)


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
    step = grade_step(validity.anchors.grades)
    if step is not None:  # staff would give 8.5, not 8.37: with a cut-point at 8.5 that is another letter
        varied = step * np.rint(varied / step)
    cut = None
    if scale is not None:
        cut = scale.beyond(points)
        points, varied = scale.clip(points), scale.clip(varied)
    return ItemPoints(points, varied, sentence, cut=cut)


def item_frame(
    fitted: Estimator,
    posterior: Posterior,
    order: Ints,
    item_points: ItemPoints,
    validity: Validity | None,
    letter_grades: LetterGrades | None,
    interval: float,
    misfit: Misfit,
    *,
    complete: bool,
) -> pl.DataFrame:
    """One row per item, best first within its task."""
    feedback = fitted.feedback_
    score_low, score_high = posterior.score_interval(interval)
    rank_low, rank_high = _with_estimate(
        item_ranks(feedback, fitted.scores_), *posterior.rank_interval(interval)
    )
    set_low, set_high, may_be_best = rank_sets(posterior, interval)
    columns: dict[str, Any] = {
        "percentile_low": _percentiles(feedback, rank_high),
        "percentile_high": _percentiles(feedback, rank_low),
        "se": posterior.score_se,
        "score_low": score_low,
        "score_high": score_high,
        "rank_low": rank_low,
        "rank_high": rank_high,
        "rank_set_low": np.minimum(set_low, rank_low),
        "rank_set_high": np.maximum(set_high, rank_high),
        "may_be_best": may_be_best.astype(np.int64),  # tables hold numbers and words
        "step": step_numbers(posterior, interval),
        "infit": misfit.infit,
        "outfit": misfit.outfit,
        "disputed": misfit.disputed.astype(np.int64),
    }
    if item_points.points is not None:
        low, high = _with_estimate(item_points.points, *_ends(item_points, interval))
        columns |= {
            "points": item_points.points,
            "points_low": low,
            "points_high": high,
            "points_edge": _edges(item_points, low, high),
        }
    if complete:
        columns["completion"] = np.where(feedback.item_reviews > 0, COMPLETE, INCOMPLETE).astype(object)
    if validity is not None:
        staff = np.full(len(order), np.nan)
        staff[validity.anchors.items] = validity.anchors.grades
        columns["staff"] = staff
    columns |= raw_means(feedback)
    if letter_grades is not None:
        rule, pairs = letter_grades.rule, zip(letter_grades.chances, letter_grades.numbers, strict=True)
        columns |= {
            "letter": np.array(rule.names)[letter_grades.numbers],
            "letter_probability": letter_grades.probability,
            "letter_probabilities": np.array(
                [probabilities_in_words(rule, chances, int(k)) for chances, k in pairs]
            ),
        }
    frame = fitted.grades().with_columns(pl.col("item").cast(pl.String))
    added = [
        pl.Series(name, values[order].tolist(), pl.String)  # of objects Polars makes no texts
        if values.dtype == object
        else pl.Series(name, values[order])
        for name, values in columns.items()
    ]
    return frame.with_columns(added).with_columns(pl.col(pl.Float64).fill_nan(None))


def _percentiles(feedback: Feedback, ranks: Ints) -> Floats:
    """The share of the task, in per cent, at or below a rank, as the table of a fit has it."""
    sizes = np.diff(feedback.task_starts)[feedback.item_tasks]
    return np.asarray(100.0 * (sizes - ranks + 1) / sizes)


def _with_estimate(estimate: Any, low: Any, high: Any) -> tuple[Any, Any]:
    """An interval of draws as it is shown: where the estimate lies just beyond it, as far as the estimate."""
    return np.minimum(low, estimate), np.maximum(high, estimate)


def _edges(item_points: ItemPoints, low: Floats, high: Floats) -> NDArray[np.object_]:
    """Where an estimate lies at the end of its interval: at which end, and whether the scale cut it off."""
    points, cut = np.asarray(item_points.points), item_points.cut
    width = np.where(high > low, high - low, 1.0)
    share = np.where(high > low, (points - low) / width, 0.5)
    edges = np.full(len(points), None, dtype=object)
    edges[share >= 1 - AT_END], edges[share <= AT_END] = UPPER, LOWER
    if cut is not None:
        edges[cut > 0], edges[cut < 0] = TOP, BOTTOM
    return edges


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
