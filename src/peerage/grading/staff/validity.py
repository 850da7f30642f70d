"""Peers against staff: the map, the gap that is left, and grades that allow for both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage.errors import DataError
from peerage.grading.staff.staff_map import LEAST, StaffMap, fit_staff_map
from peerage.metrics import spearman, tau_error

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.grading.staff.anchors import Anchors
    from peerage.models import Estimator


@dataclass(frozen=True, slots=True, eq=False)
class Validity:
    """How peers and staff compare on the items that both have judged.

    Attributes
    ----------
    anchors : the staff grades. maps : one per task, None for a task without staff grades.
    n : items with staff grades. error : cross-validated RMSE of the anchored grades, on the staff's scale.
    mean_error : the error of giving everybody the staff's mean (cross-validated): what peers must beat.
    raw_error, raw_bias : RMSE and mean difference of the raw peer mean; None without scores of peers.
    gap : standard deviation of staff minus anchored grade beyond what the peers' own uncertainty explains;
        the unsteadiness of a staff grade is part of it.
    coverage : share of the staff grades inside the interval that was computed without them.
    tau : tau error of the scores against staff, in percent. correlation : Spearman's.
    """

    anchors: Anchors
    maps: tuple[StaffMap, ...]
    n: int
    error: float
    mean_error: float
    raw_error: float | None
    raw_bias: float | None
    gap: float
    coverage: float
    tau: float
    correlation: float
    sentence: str


class AnchoredMap:
    """Scores to points on the staff's scale; draws also vary the map and the gap."""

    def __init__(self, maps: tuple[StaffMap, ...], task_starts: NDArray[np.int64]) -> None:
        self.maps, self.task_starts = maps, task_starts
        shapes = {
            "shift": "moved by a constant",
            "line": "along a straight line",
            "curve": "along a rising curve",
        }
        how = " or ".join(sorted({shapes[m.shape] for m in maps}))
        self.sentence = f"Points are on the staff's scale: peers' scores, {how} fitted to the staff grades."

    def __call__(self, scores: NDArray[np.floating]) -> NDArray[np.float64]:
        """Points of the items' scores: one class, or one class per row."""
        points = np.empty(scores.shape)
        for which, low, high in zip(self.maps, self.task_starts[:-1], self.task_starts[1:], strict=True):
            points[..., low:high] = which(scores[..., low:high])
        return points

    def vary(self, draws: NDArray[np.floating], gap: float, rng: np.random.Generator) -> NDArray[np.float64]:
        """One class per row, as staff might have graded it: map, peers' scores and gap all uncertain."""
        points = np.empty(draws.shape)
        for which, low, high in zip(self.maps, self.task_starts[:-1], self.task_starts[1:], strict=True):
            scores = draws[:, low:high]
            moves = rng.multivariate_normal([0.0, 0.0], which.covariance, size=len(draws), method="svd")
            points[:, low:high] = which(scores) + moves[:, :1] + moves[:, 1:] * scores
        points += gap * rng.standard_normal(points.shape, dtype=np.float32)
        return points


def validate(
    fitted: Estimator,
    score_se: NDArray[np.float64],
    anchors: Anchors,
    *,
    level: float,
) -> Validity:
    """Fit the map of every task and say how far peers are from staff."""
    feedback = fitted.feedback_
    same_scale = fitted.score_scale == "grading"
    scores, tasks = fitted.scores_[anchors.items], feedback.item_tasks[anchors.items]
    maps, predicted, mean = [], np.empty(len(scores)), np.empty(len(scores))
    for task in range(feedback.n_tasks):
        mine = tasks == task
        if mine.sum() < LEAST:
            name = f" of task {feedback.task_labels[task]!r}" if feedback.n_tasks > 1 else ""
            raise DataError(
                f"{int(mine.sum())} staff grades of items{name}:"
                f" a map to the staff's scale needs at least {LEAST}"
            )
        found = fit_staff_map(scores[mine], anchors.grades[mine], same_scale=same_scale)
        maps.append(found)
        predicted[mine] = found.predicted
        mean[mine] = (anchors.grades[mine].sum() - anchors.grades[mine]) / (mine.sum() - 1)
    rest = anchors.grades - predicted
    slopes = np.array([m.slope for m in maps])[tasks]
    noise = slopes * score_se[anchors.items]
    gap = max(0.0, float(np.mean(rest**2) - np.mean(noise**2))) ** 0.5
    half = _quantile(level, len(scores)) * np.sqrt(gap**2 + noise**2)
    raw_error, raw_bias = _raw(fitted, anchors)
    figures: dict[str, Any] = {
        "n": len(scores),
        "error": _rms(rest),
        "mean_error": _rms(anchors.grades - mean),
        "raw_error": raw_error,
        "raw_bias": raw_bias,
        "gap": gap,
        "coverage": float(np.mean(np.abs(rest) <= half)),
        "tau": float(tau_error(anchors.grades, scores)),
        "correlation": float(spearman(anchors.grades, scores)),
    }
    return Validity(anchors, tuple(maps), **figures, sentence=_sentence(figures))


def _quantile(level: float, n: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(max(n - 2, 1), 0.5 + level / 2))


def _raw(fitted: Estimator, anchors: Anchors) -> tuple[float | None, float | None]:
    """The plain mean of the peers' scores against staff, where peers gave scores."""
    feedback = fitted.feedback_
    if feedback.scores is None:
        return None, None
    given = ~np.isnan(feedback.scores)
    n = feedback.n_items
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(feedback.items[given], feedback.scores[given], n) / np.bincount(
            feedback.items[given], minlength=n
        )
    difference = (mean[anchors.items] - anchors.grades)[~np.isnan(mean[anchors.items])]
    return (_rms(difference), float(difference.mean())) if len(difference) else (None, None)


def _rms(differences: NDArray[np.float64]) -> float:
    return float(np.sqrt(np.mean(differences**2)))


def _sentence(figures: dict[str, Any]) -> str:
    n, error, mean_error, gap = (figures[name] for name in ("n", "error", "mean_error", "gap"))
    raw = figures["raw_error"]
    beside = "" if raw is None else f"; the raw peer mean is off by {raw:.2f}"
    verdict = (
        "peers' work tells more than that"
        if error < mean_error
        else "here peers' work tells no more than that"
    )
    return (
        f"Staff graded {n} items. Predicted from peers and the other staff grades, a staff grade is off by"
        f" {error:.2f} points (root mean square){beside}; giving everybody the staff's mean would be off by"
        f" {mean_error:.2f}, so {verdict}. A gap of {gap:.2f} points between peers and a staff grade"
        " (staff's own unsteadiness included) would remain however many reviews there were; the intervals of"
        " points include it."
    )
