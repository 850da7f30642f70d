"""The table of grades."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage.checking.coverage import single_grader_tasks
from peerage.grading.letters import Decided, in_words
from peerage.grading.plain import plain_means
from peerage.grading.points import decimals, points_map
from peerage.grading.staff.evidence import condition
from peerage.grading.staff.validity import AnchoredMap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.grading.letters import Letters
    from peerage.grading.points import Scale
    from peerage.grading.staff.validity import Validity
    from peerage.models.base import Estimator
    from peerage.uncertainty.posterior import Posterior


TOGETHER = 8192  # items whose draws are sorted at once


@dataclass(frozen=True, slots=True, eq=False)
class Graded:
    """Points of the items, and draws of them; without a scale no points, and draws of scores."""

    points: NDArray[np.float64] | None
    draws: NDArray[np.floating[Any]]
    sentence: str | None
    ends: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None  # of the intervals, where known


def as_shown(graded: Graded, rule: Letters | None) -> Graded:
    """Points as they are shown, where letters go by them: none is shown that belongs to another letter."""
    if rule is None or rule.cuts is None or graded.points is None:
        return graded
    return replace(graded, points=graded.points.round(decimals(float(np.ptp(graded.points)))))


def pointed(
    fitted: Estimator,
    posterior: Posterior,
    scale: Scale | None,
    peer_scale: Scale | None,
    validity: Validity | None,
    rng: np.random.Generator,
    *,
    as_evidence: bool,
    interval: float,
) -> Graded:
    """Points by staff grades where there are any, else by the stated scale, else none.

    In large classes the ends of an interval are those of the score, as points: the map keeps their order.
    """
    draws = posterior.draws
    if validity is not None:
        return _anchored(fitted, draws, scale, validity, rng, as_evidence=as_evidence)
    if scale is None:
        return Graded(None, draws, None)
    mapped = points_map(fitted, scale, peer_scale)
    ends = None
    if posterior.by_item:
        low, high = posterior.score_interval(interval)
        ends = mapped(low), mapped(high)
    return Graded(mapped(fitted.scores_), mapped(draws), mapped.sentence, ends)


def _anchored(
    fitted: Estimator,
    draws: NDArray[np.floating[Any]],
    scale: Scale | None,
    validity: Validity,
    rng: np.random.Generator,
    *,
    as_evidence: bool,
) -> Graded:
    feedback = fitted.feedback_
    anchored = AnchoredMap(validity.maps, feedback.task_starts, validity.moved)
    shift = fitted.scores_ - draws.mean(axis=0, dtype=np.float64)
    draws = draws + shift.astype(draws.dtype)  # the map is of scores as they are reported
    points, varied = anchored(fitted.scores_), anchored.vary(draws, rng)
    sentence = anchored.sentence
    if as_evidence:
        gaps = np.array([found.gap for found in validity.maps])[feedback.item_tasks[validity.anchors.items]]
        points, varied = condition(
            points, varied, anchored(draws), validity.anchors, gaps, feedback.item_tasks, rng
        )
        sentence += " Staff grades count as evidence: items that staff graded get their grade."
    if scale is not None:
        points, varied = scale.clip(points), scale.clip(varied)
    return Graded(points, varied, sentence)


def item_frame(
    fitted: Estimator,
    posterior: Posterior,
    order: NDArray[np.int64],
    graded: Graded,
    validity: Validity | None,
    decided: Decided | None,
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
    if graded.points is not None:
        low, high = _ends(graded, interval)
        columns |= {"points": graded.points, "points_low": low, "points_high": high}
    if validity is not None:
        staff = np.full(len(order), np.nan)
        staff[validity.anchors.items] = validity.anchors.grades
        columns["staff"] = staff
    columns |= plain_means(fitted.feedback_)
    if decided is not None:
        rule, pairs = decided.rule, zip(decided.chances, decided.given, strict=True)
        columns |= {
            "letter": np.array(rule.names)[decided.given],
            "letter_probability": decided.sure,
            "letter_probabilities": np.array([in_words(rule, row, int(k)) for row, k in pairs]),
        }
    frame = fitted.grades()
    added = [pl.Series(name, values[order]) for name, values in columns.items()]
    return frame.with_columns(added).with_columns(pl.col(pl.Float64).fill_nan(None))


def _ends(graded: Graded, interval: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lowest and highest points of every item; of draws a run of items at a time, which saves memory."""
    if graded.ends is not None:
        return graded.ends
    tail = (1 - interval) / 2
    runs = range(0, max(graded.draws.shape[1], 1), TOGETHER)
    parts = (graded.draws[:, first : first + TOGETHER] for first in runs)
    ends = [np.quantile(part, [tail, 1 - tail], axis=0) for part in parts]
    low, high = np.concatenate(ends, axis=1)
    return low, high


def step_numbers(posterior: Posterior, level: float) -> NDArray[np.int64]:
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
