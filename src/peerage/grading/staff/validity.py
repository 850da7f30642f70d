"""Peers against staff: how well peers predict staff grades, and the gap that is left."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import floor, log10
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from peerage._words import plural
from peerage.errors import DataError
from peerage.grading.staff.line_posterior import prior_by_peers, prior_by_scale
from peerage.grading.staff.scales import ScaleConversion, check_within_scale, find_conversion
from peerage.grading.staff.staff_map import LEAST, StaffMap, fit_staff_map
from peerage.metrics.accuracy import spearman, tau_error

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.grading.points import Scale
    from peerage.grading.staff.anchors import Anchors
    from peerage.models.base import Estimator


ENOUGH = 6  # staff grades that can show a difference between two ways to predict them
UNSEEN = 0.3  # of the error: a gap smaller than this was not seen
SAME = 1e-9  # points; staff grades that differ by less are equal, but for rounding


@dataclass(frozen=True, slots=True, eq=False)
class Validity:
    """How peers and staff compare on the items that both have judged.

    Attributes
    ----------
    anchors : the staff grades. maps : one per task. conversion : how scores got to the staff's scale before.
    n : items with staff grades. error : cross-validated RMSE of the anchored grades, on the staff's scale.
    mean_error : the error of giving everybody the staff's mean (cross-validated): what peers must beat.
    anchored_mean_error : the same as `error` for the plain mean of the peers' scores, tied to the staff
        grades in the same way; None without scores of peers.
    raw_error, raw_bias : RMSE and mean difference of the plain mean as it is.
    gap : standard deviation of staff minus anchored grade beyond what the peers' own uncertainty explains;
        the unsteadiness of a staff grade is part of it. The median of what may be, at the level of the
        intervals from `gap_low` to `gap_high`.
    coverage : share of the staff grades inside the interval that is computed without them.
    tau : tau error of the scores against staff, in percent. correlation : Spearman's.
    """

    anchors: Anchors
    maps: tuple[StaffMap, ...]
    conversion: ScaleConversion
    n: int
    error: float
    mean_error: float
    anchored_mean_error: float | None
    raw_error: float | None
    raw_bias: float | None
    gap: float
    gap_low: float
    gap_high: float
    coverage: float
    tau: float
    correlation: float
    sentence: str


def validate(
    fitted: Estimator,
    score_se: NDArray[np.float64],
    anchors: Anchors,
    *,
    level: float,
    scale: Scale | None = None,
    peer_scale: Scale | None = None,
) -> Validity:
    """Fit the map of every task and say how far peers are from staff."""
    feedback = fitted.feedback_
    check_within_scale(anchors, scale, feedback)
    same_scale = fitted.score_scale == "grading"
    conversion = ScaleConversion()
    if same_scale:
        conversion = find_conversion(feedback, fitted.scores_, anchors, scale, peer_scale)
    scores, variance = conversion(fitted.scores_), (conversion.slope * score_se) ** 2
    maps = _fit_maps(feedback, anchors, scores, variance, scale, same_scale=same_scale)
    grades, tasks = anchors.grades, feedback.item_tasks[anchors.items]
    below, predicted, mean = np.empty((3, len(grades)))
    for task, task_map in enumerate(maps):
        mine = tasks == task
        predicted[mine], below[mine] = task_map.predicted, task_map.below
        mean[mine] = (grades[mine].sum() - grades[mine]) / (mine.sum() - 1)
    tail = (1 - level) / 2
    low, middle, high = (_gap_quantile(maps, tasks, share) for share in (tail, 0.5, 1 - tail))
    raw = _raw_means(feedback, anchors, conversion)
    figures: dict[str, Any] = {
        "n": len(grades),
        "error": _rms(grades - predicted),
        "mean_error": _rms(grades - mean),
        "anchored_mean_error": None if raw is None else _rms(grades - raw.anchored),
        "raw_error": None if raw is None else _rms(raw.means - grades),
        "raw_bias": None if raw is None else float((raw.means - grades).mean()),
        "gap": middle,
        "gap_low": low,
        "gap_high": high,
        "coverage": float(np.mean((below > tail) & (below < 1 - tail))),
        "tau": float(tau_error(grades, scores[anchors.items])),
        "correlation": float(spearman(grades, scores[anchors.items])),
    }
    worse = {
        "mean": (mean - grades) ** 2 - (predicted - grades) ** 2,
        "raw": None if raw is None else (raw.anchored - grades) ** 2 - (predicted - grades) ** 2,
    }
    return Validity(anchors, maps, conversion, **figures, sentence=_sentence(figures, worse, level))


def _fit_maps(
    feedback: Feedback,
    anchors: Anchors,
    scores: NDArray[np.float64],
    variance: NDArray[np.float64],
    scale: Scale | None,
    *,
    same_scale: bool,
) -> tuple[StaffMap, ...]:
    maps = []
    for task, (low, high) in enumerate(pairwise(feedback.task_starts)):
        mine = (anchors.items >= low) & (anchors.items < high)
        items, grades = anchors.items[mine], anchors.grades[mine]
        name = f" of task {feedback.task_labels[task]!r}" if feedback.n_tasks > 1 else ""
        if len(items) < LEAST:
            raise DataError(
                f"{len(items)} staff grades of items{name}: a map to the staff's scale needs at least {LEAST}"
            )
        if not same_scale and np.ptp(grades) == 0:
            raise DataError(
                f"all {len(items)} staff grades of items{name} are {grades[0]:g}: they cannot say what a"
                " difference between two ranks is worth; have staff grade items that differ"
            )
        all_scores = scores[low:high]
        prior = (
            prior_by_peers(all_scores, variance[low:high])
            if same_scale
            else prior_by_scale(all_scores, grades, scale)
        )
        spread = float(all_scores.std())
        maps.append(fit_staff_map(scores[items], grades, noise=variance[items], spread=spread, prior=prior))
    return tuple(maps)


def _gap_quantile(maps: tuple[StaffMap, ...], tasks: NDArray[np.int32], share: float) -> float:
    """This quantile of the gap: over tasks, a root mean square by their numbers of staff grades."""
    gaps = np.array([task_map.posterior.gap_quantile(share) for task_map in maps])
    return _rms(gaps[tasks])


@dataclass(frozen=True, slots=True)
class _RawMeans:
    """Of the items with staff grades: the plain mean of the peers' scores, as it is and tied to staff."""

    means: NDArray[np.float64]
    anchored: NDArray[np.float64]


def _raw_means(feedback: Feedback, anchors: Anchors, conversion: ScaleConversion) -> _RawMeans | None:
    """None where peers gave no scores, or not for all of these items."""
    if feedback.scores is None:
        return None
    scored = ~np.isnan(feedback.scores)
    items, scores, n = feedback.items[scored], conversion(feedback.scores[scored]), feedback.n_items
    count = np.bincount(items, minlength=n)
    mean = np.bincount(items, scores, n) / np.maximum(count, 1)
    if (count[anchors.items] == 0).any():
        return None
    within = float(((scores - mean[items]) ** 2).sum()) / max(len(scores) - int((count > 0).sum()), 1)
    filled = np.where(count > 0, mean, mean[count > 0].mean())
    maps = _fit_maps(feedback, anchors, filled, within / np.maximum(count, 1), None, same_scale=True)
    anchored = np.empty(len(anchors.items))
    for task, task_map in enumerate(maps):
        anchored[feedback.item_tasks[anchors.items] == task] = task_map.predicted
    return _RawMeans(mean[anchors.items], anchored)


def _rms(differences: NDArray[np.float64]) -> float:
    return float(np.sqrt(np.mean(differences**2)))


def _sentence(figures: dict[str, Any], worse: dict[str, NDArray[np.float64] | None], level: float) -> str:
    said = ("error", "mean_error", "anchored_mean_error", "gap", "gap_low", "gap_high")
    f = {name: two_digits(figures[name]) for name in said if figures[name] is not None}
    beside = ""
    if worse["raw"] is not None:
        verdict = {1: "which is worse", 0: "which is no clear difference", -1: "which is better"}
        beside = (
            f" The plain mean of the peers' scores, tied to the staff grades in the same way, is off by"
            f" {f['anchored_mean_error']}, {verdict[_clearly(worse['raw'])]}."
        )
    verdict = {
        1: "peers' work tells more than that",
        0: "peers' work tells no more than that, as far as so few grades can show",
        -1: "here peers' work misleads",
    }
    than = verdict[_clearly(cast("NDArray[np.float64]", worse["mean"]))]
    mean = f"Giving everybody the staff's mean would be off by {f['mean_error']}: {than}."
    if figures["mean_error"] < SAME:
        mean = "The staff grades are all the same, so they cannot say what peers' work tells."
    return (
        f"Staff graded {figures['n']} items. Predicted from peers and the other staff grades, a staff grade"
        f" is off by {f['error']} points (root mean square).{beside} {mean} However many reviews there were,"
        f" a staff grade would still differ from the peers' by {_gap(figures, f, level)}. The intervals of"
        " points include that."
    )


def _gap(figures: dict[str, Any], f: dict[str, str], level: float) -> str:
    """The gap as it may be; where the staff grades could be in line by luck, only how large it can be."""
    percent = f"{100 * level:.0f} %"
    if figures["gap"] < UNSEEN * figures["error"]:
        few = plural(figures["n"], "grade")
        return f"up to {f['gap_high']} points, staff's own unsteadiness included: {few} cannot say more"
    about = f"about {f['gap']} points ({percent}: {f['gap_low']} to {f['gap_high']})"
    return f"{about}, staff's own unsteadiness included"


def _clearly(gain: NDArray[np.float64]) -> int:
    """1 or -1 where squared errors differ by more than a standard error, and are enough to say so; else 0."""
    if len(gain) < ENOUGH:
        return 0
    mean, error = float(gain.mean()), float(gain.std(ddof=1)) / len(gain) ** 0.5
    return int(np.sign(mean)) if abs(mean) > error else 0


def two_digits(value: float) -> str:
    """Two digits that count, however small: a gap is never 0.

    >>> two_digits(0.0312), two_digits(1.118), two_digits(13.2)
    ('0.031', '1.12', '13.2')
    """
    if value >= 0.1 or value == 0:
        return f"{value:.{1 if value >= 10 else 2}f}"
    return f"{value:.{1 - floor(log10(value))}f}"
