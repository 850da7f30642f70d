"""Several criteria of one review: each with its weight, and all of them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

import polars as pl

from peerage._words import plural

if TYPE_CHECKING:
    from peerage.feedback.container import Feedback

APART = 2.0  # the range of one criterion over that of another from which it is said


@dataclass(frozen=True, slots=True, eq=False)
class Criterion:
    """What graders said about one side of the work, and how much it counts."""

    name: str
    weight: float
    feedback: Feedback


def together(criteria: Sequence[Criterion]) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The reviews with the weighted mean of their scores, and what is to be known about it.

    A review that lacks a criterion would have a mean of others than the rest: it stays out.
    """
    frames = [_scores(one, number) for number, one in enumerate(criteria)]
    keys = [name for name in frames[0].columns if not name.startswith("score")]
    whole = reduce(lambda left, right: left.join(right, on=keys, how="inner"), frames)
    weight = sum(one.weight for one in criteria)
    mean = pl.sum_horizontal(pl.col(f"score{k}") * one.weight for k, one in enumerate(criteria)) / weight
    lost = max(len(frame) for frame in frames) - len(whole)
    notes = (
        [f"{plural(lost, 'review')} without a score for every criterion left out of the whole"]
        if lost
        else []
    )
    return whole.select(*keys, score=mean), (*notes, *_ranges(criteria))


def _scores(one: Criterion, number: int) -> pl.DataFrame:
    frame = one.feedback.to_frame().drop("rank")
    return frame.drop_nulls("score").rename({"score": f"score{number}"})


def _ranges(criteria: Sequence[Criterion]) -> list[str]:
    """A criterion of 0 to 100 beside one of 1 to 5 counts for far more than its weight says."""
    ends = {one.name: _ends(one.feedback) for one in criteria}
    spans = [high - low for low, high in ends.values() if high > low]
    if not spans or max(spans) < APART * min(spans):
        return []
    told = ", ".join(f"{name} from {low:g} to {high:g}" for name, (low, high) in ends.items())
    return [f"criteria have different ranges ({told}): a weight multiplies the points as they were given"]


def _ends(feedback: Feedback) -> tuple[float, float]:
    scores = pl.Series(feedback.scores).drop_nans()
    return float(scores.min()), float(scores.max())  # type: ignore[arg-type]
