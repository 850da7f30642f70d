"""Results as tables: grades of items, reliability of graders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage._numba import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback

SAME = 1e-9  # scores closer than this, relative to the range of the task, are one score
ROUNDING = (
    8 * np.finfo(np.float64).eps
)  # of the largest: scores near a billion are not exact to the last digit


def grade_table(feedback: Feedback, scores: NDArray[np.float64]) -> pl.DataFrame:
    """One row per item, best first within its task."""
    dense = dense_ranks(feedback, scores)
    frame = pl.DataFrame(
        {
            "number": np.arange(feedback.n_items),
            "task_number": feedback.item_tasks,
            "task": feedback.task_labels.gather(feedback.item_tasks),
            "item": feedback.item_values,
            "dense": dense,
            "score": scores,
            "reviews": feedback.item_reviews,
        }
    )
    size = pl.len().over("task")
    rank = pl.col("dense").rank("min").over("task")
    below = pl.col("dense").rank("max", descending=True).over("task")
    ranked = frame.select(
        "number",
        "task_number",
        "task",
        "item",
        rank.cast(pl.Int64).alias("rank"),
        "score",
        (100.0 * below / size).alias("percentile"),
        pl.col("reviews").cast(pl.Int64),
    )
    return ranked.sort("task_number", "rank", "number").drop("task_number", "number")


def dense_ranks(feedback: Feedback, scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Numbers that order the items of a task, 0 the best; scores equal but for rounding share one."""
    order = np.lexsort((-scores, feedback.item_tasks))
    task, score = feedback.item_tasks[order], scores[order]
    least, most = np.full((2, feedback.n_tasks), [[np.inf], [-np.inf]])
    np.minimum.at(least, feedback.item_tasks, scores)
    np.maximum.at(most, feedback.item_tasks, scores)
    same = SAME * np.maximum(1.0, most - least) + ROUNDING * np.maximum(np.abs(least), np.abs(most))
    step = np.empty(len(order), dtype=bool)
    step[:1] = True
    step[1:] = (task[1:] != task[:-1]) | (score[:-1] - score[1:] > same[task[1:]])
    dense = np.empty(len(order), dtype=np.int64)
    dense[order] = np.cumsum(step)
    return dense


def grader_table(
    feedback: Feedback, scores: NDArray[np.float64], reliabilities: NDArray[np.float64]
) -> pl.DataFrame:
    """One row per grader, in the order of the feedback."""
    pairs, agreed = np.zeros(feedback.n_graders), np.zeros(feedback.n_graders)
    dense = dense_ranks(feedback, scores)
    _agreement(
        feedback.items,
        feedback.bucket_starts,
        feedback.list_starts,
        feedback.list_graders,
        dense,
        pairs,
        agreed,
    )
    with np.errstate(invalid="ignore"):
        share = agreed / pairs
    return pl.DataFrame(
        {
            "grader": feedback.grader_labels,
            "reliability": reliabilities,
            "reviews": feedback.grader_reviews,
            "lists": np.bincount(feedback.list_graders, minlength=feedback.n_graders),
            "strict_pairs": pairs.astype(np.int64),
            "agreement": pl.Series(share).fill_nan(None),
        }
    )


@kernel
def _agreement(
    items: Any, bucket_starts: Any, starts: Any, graders: Any, dense: Any, pairs: Any, agreed: Any
) -> None:
    """Count every grader's strict pairs, and those that the dense ranks order alike (half where they tie)."""
    for which in range(len(graders)):
        grader, last = graders[which], starts[which + 1]
        start = starts[which]
        while start < last:
            end = start + 1
            while end < last and not bucket_starts[end]:
                end += 1
            pairs[grader] += (end - start) * (last - end)
            for e in range(start, end):
                mine = dense[items[e]]
                for f in range(end, last):
                    other = dense[items[f]]
                    agreed[grader] += 1.0 if mine < other else (0.5 if mine == other else 0.0)
            start = end
