"""Points on a stated scale: what a score is worth, where no staff grade says so."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from peerage._options import named
from peerage.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.base import Estimator

GRID = 513  # points at which a win share is tabulated
MARGIN = 8.0  # how far beyond the best and the last score
USED = 0.2  # graders who use less of the scale than this were surely grading on another


@dataclass(frozen=True, slots=True)
class Scale:
    """The least and the most that points can be."""

    low: float
    high: float

    @property
    def text(self) -> str:
        """As it is written on the command line."""
        return f"{self.low:g}:{self.high:g}"

    def clip(self, points: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
        return np.asarray(np.clip(points, self.low, self.high), dtype=float)


def parse_scale(scale: str | Sequence[float], name: str = "scale") -> Scale:
    """A scale from `LOW:HIGH`, or from the two numbers.

    >>> parse_scale("0:100").high, parse_scale((0, 10)).text
    (100.0, '0:10')
    """
    ends = scale.split(":") if isinstance(scale, str) else scale
    try:
        low, high = (float(end) for end in ends)
    except (TypeError, ValueError):
        low, high = np.nan, np.nan
    if not low < high or not np.isfinite([low, high]).all():
        raise DataError(f"{named(name)} {scale!r} is not LOW:HIGH, as in 0:100")
    return Scale(low, high)


def decimals(spread: float) -> int:
    """Decimals that suit points spread this wide.

    >>> decimals(60.0), decimals(4.0), decimals(0.05)
    (1, 2, 3)
    """
    if spread >= 30:
        return 1
    return 2 + (math.ceil(math.log10(0.3 / spread)) if 0 < spread < 0.3 else 0)


class PointsMap(Protocol):
    """From scores to points; larger scores never get fewer points."""

    @property
    def sentence(self) -> str:
        """What the points mean."""

    def __call__(self, scores: NDArray[np.floating]) -> NDArray[np.float64]:
        """Points of the items' scores: one class, or one class per row."""


def points_map(fitted: Estimator, scale: Scale, peer_scale: Scale | None) -> PointsMap:
    """The map for a fit whose scores are on the graders' scale, or have no unit."""
    if fitted.score_scale == "grading":
        return _linear_map(fitted.feedback_, scale, peer_scale)
    if peer_scale is not None:
        raise DataError(
            f"a peer scale ({peer_scale.text}) is for methods that use graders' scores;"
            f" {fitted.name} uses their orders"
        )
    return _WinShareMap.of(fitted, scale)


@dataclass(frozen=True, slots=True, eq=False)
class _LinearMap:
    """Points linear in the score, cut at the ends of the scale."""

    intercept: float
    slope: float
    scale: Scale
    sentence: str

    def __call__(self, scores: NDArray[np.floating]) -> NDArray[np.float64]:
        return self.scale.clip(self.intercept + self.slope * scores)


def _linear_map(feedback: Feedback, scale: Scale, peer_scale: Scale | None) -> _LinearMap:
    source = peer_scale or scale
    marks = np.asarray(feedback.scores)
    least, most = float(np.nanmin(marks)), float(np.nanmax(marks))
    if least < source.low or most > source.high:
        raise DataError(
            f"graders' scores run from {least:g} to {most:g}, beyond the scale {source.text}:"
            f" say the scale they graded on with {named('peer_scale', 'LOW:HIGH')}"
        )
    if peer_scale is None and most - least < USED * (scale.high - scale.low):
        raise DataError(
            f"graders' scores run from {least:g} to {most:g}, a small part of the scale {scale.text}:"
            f" say the scale they graded on with {named('peer_scale', 'LOW:HIGH')}"
            f" ({scale.text} if it was that one)"
        )
    slope = (scale.high - scale.low) / (source.high - source.low)
    text = (
        "Points are the estimated scores on the graders' own scale"
        if slope == 1 and source.low == scale.low
        else f"Points are the estimated scores, moved from the graders' scale {source.text} to {scale.text}"
    )
    sentence = f"{text}: what the class would give on average, not what staff would."
    return _LinearMap(scale.low - slope * source.low, slope, scale, sentence)


@dataclass(frozen=True, slots=True, eq=False)
class _WinShareMap:
    """Points from the chance of being put above another item of the task.

    Scores of orders have no unit, but P(i above j) has a meaning. The map is tabulated, because a class of
    20,000 has too many pairs, and fixed at the estimate, so that draws of scores move along it.
    """

    tables: tuple[tuple[NDArray[np.float64], NDArray[np.float64]], ...]
    task_starts: NDArray[np.int64]
    scale: Scale
    sentence: str

    @classmethod
    def of(cls, fitted: Estimator, scale: Scale) -> _WinShareMap:
        starts = fitted.feedback_.task_starts
        tasks = [fitted.scores_[low:high] for low, high in itertools.pairwise(starts)]
        sentence = (
            f"Points on {scale.text}: a score has no unit, so the share of the scale is the chance that a"
            " typical reviewer puts the item above another one of its task. They say where an item stands"
            " in this class, not how good it is."
        )
        return cls(tuple(_win_shares(fitted, scores) for scores in tasks), starts, scale, sentence)

    def __call__(self, scores: NDArray[np.floating]) -> NDArray[np.float64]:
        points = np.empty(scores.shape)
        for (x, y), low, high in zip(self.tables, self.task_starts[:-1], self.task_starts[1:], strict=True):
            points[..., low:high] = np.interp(scores[..., low:high], x, y)
        return self.scale.low + (self.scale.high - self.scale.low) * points


def _win_shares(
    fitted: Estimator, scores: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Scores and the shares of the class they beat."""
    if fitted.win_probability(np.zeros(1)) is None:
        return _rank_shares(scores)
    x = np.linspace(scores.min() - MARGIN, scores.max() + MARGIN, GRID)
    y = np.zeros(GRID)
    for block in np.array_split(scores, max(1, len(scores) // 1000)):
        y += np.asarray(fitted.win_probability(x[:, None] - block)).sum(axis=1)
    return x, y / len(scores)


def _rank_shares(scores: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where a method gives no chances: who is below, and half of those alongside."""
    values, sizes = np.unique(scores, return_counts=True)
    return values, (np.cumsum(sizes) - sizes / 2) / max(len(scores), 1)
