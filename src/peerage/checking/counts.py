"""How much feedback there is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback


@dataclass(frozen=True, slots=True)
class Spread:
    """Smallest, middle, average and largest of some numbers."""

    least: float
    median: float
    mean: float
    most: float


@dataclass(frozen=True, slots=True)
class Scores:
    """The cardinal scores, where there are any."""

    least: float
    mean: float
    sd: float
    most: float


@dataclass(frozen=True, slots=True)
class Counts:
    """How much feedback there is, over all tasks.

    ``tied_share`` is the share of pairs listed together that the grader left tied; None without pairs.
    """

    kind: str
    tasks: int
    items: int
    graders: int
    lists: int
    reviews: int
    list_lengths: Spread
    reviews_per_item: Spread
    pairs: int
    tied_share: float | None
    scores: Scores | None


def count(feedback: Feedback) -> Counts:
    """Count what there is."""
    lengths = feedback.list_lengths
    pairs = int((lengths * (lengths - 1) // 2).sum())
    strict = int(feedback.list_strict_pairs.sum())
    return Counts(
        kind=feedback.kind,
        tasks=feedback.n_tasks,
        items=feedback.n_items,
        graders=feedback.n_graders,
        lists=feedback.n_lists,
        reviews=feedback.n_entries,
        list_lengths=_spread(lengths),
        reviews_per_item=_spread(weighted_reviews(feedback)),
        pairs=pairs,
        tied_share=1 - strict / pairs if pairs else None,
        scores=_scores(feedback.scores),
    )


def weighted_reviews(feedback: Feedback) -> NDArray[np.float64]:
    """Reviews of each item; a list that counts n times gives n."""
    if feedback.weights is None:
        return feedback.item_reviews.astype(np.float64)
    weights = np.repeat(feedback.weights, feedback.list_lengths)
    return np.bincount(feedback.items, weights, feedback.n_items).astype(np.float64)


def _spread(numbers: NDArray[np.int64] | NDArray[np.float64]) -> Spread:
    if len(numbers) == 0:
        return Spread(0.0, 0.0, 0.0, 0.0)
    return Spread(
        float(numbers.min()), float(np.median(numbers)), float(numbers.mean()), float(numbers.max())
    )


def _scores(scores: NDArray[np.float64] | None) -> Scores | None:
    given = np.empty(0) if scores is None else scores[~np.isnan(scores)]
    if len(given) == 0:
        return None
    scale = score_scale(given)
    share = given / scale
    mean, sd = float(share.mean()) * scale, float(share.std()) * scale
    return Scores(float(given.min()), mean, sd, float(given.max()))


def score_scale(scores: NDArray[np.float64]) -> float:
    """What to divide scores by before squaring, so that even absurd ones do not overflow."""
    return float(np.abs(scores).max(initial=0.0)) or 1.0
