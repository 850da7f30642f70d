"""Feedback of very many comparisons: each is a list of two, so only lists are sorted, by graders."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from peerage.feedback.arrays import LONGEST, ONLY_TASK
from peerage.feedback.choices import Direction
from peerage.feedback.container import Feedback
from peerage.feedback.labels import LabelCodes, number_densely, stable_order

if TYPE_CHECKING:
    from numpy.typing import NDArray


# Each comparison is a list of two, so there is nothing to sort but lists by their graders. What is built here
# from a million comparisons is what `build_arrays` builds from their two million rows, in a fraction of the
# time. It says nothing of what is wrong with a cell: that is left to the general way.


class Comparisons(NamedTuple):
    """Comparisons, in order: their two items by number, and who judged them. No label is without a row.

    better : 1 where the first is better, -1 where the second is, 0 for a tie
    grader : None where each comparison counts as a grader of its own
    """

    first: NDArray[np.int32]
    second: NDArray[np.int32]
    items: pl.Series
    better: NDArray[np.int8]
    grader: LabelCodes | None = None
    task: LabelCodes | None = None
    weights: NDArray[np.float64] | None = None

    def is_plain(self) -> bool:
        """Whether no cell is empty and no label too long."""
        columns = [
            LabelCodes(self.first, self.items),
            LabelCodes(self.second, self.items),
            self.grader,
            self.task,
        ]
        return all(_is_plain(column) for column in columns if column is not None)


def from_comparisons(
    comparisons: Comparisons, *, notes: tuple[str, ...] = (), direction: Direction | None = None
) -> Feedback:
    """Feedback of plain comparisons of different items, each a list of its own."""
    count = len(comparisons.first)
    task = comparisons.task or LabelCodes(np.zeros(count, dtype=np.int32), pl.Series([ONLY_TASK]))
    grader = comparisons.grader or LabelCodes(
        np.arange(count, dtype=np.int32), _comparison_labels(np.arange(count), count)
    )
    keys = task.codes.astype(np.int64) * len(grader.labels) + grader.codes
    order = stable_order(keys, len(task.labels) * len(grader.labels))
    keys = keys[order]
    several = bool((keys[1:] == keys[:-1]).any())  # a grader has several lists in a task
    first, second, item_tasks, item_labels = _number_items(comparisons, task)
    weights = (
        None
        if comparisons.weights is None or bool((comparisons.weights == 1).all())
        else comparisons.weights[order]
    )
    items, bucket_starts = _entries(first[order], second[order], comparisons.better[order])
    return Feedback(
        items=items,
        bucket_starts=bucket_starts,
        list_starts=np.arange(0, 2 * count + 1, 2),
        list_graders=grader.codes[order],
        list_tasks=task.codes[order],
        item_tasks=item_tasks,
        item_labels=item_labels,
        grader_labels=grader.labels,
        task_labels=task.labels,
        weights=weights,
        list_labels=_comparison_labels(order, count) if several else None,
        notes=notes,
        direction=direction,
    )


def _is_plain(column: LabelCodes) -> bool:
    longest: int = column.labels.str.len_chars().max() or 0  # type: ignore[assignment]
    return int(column.codes.min(initial=0)) >= 0 and longest <= LONGEST


def _number_items(
    comparisons: Comparisons, task: LabelCodes
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], pl.Series]:
    """The items of every comparison, numbered within their tasks; the task of each item, and its label."""
    count, names = len(comparisons.first), comparisons.items
    if len(task.labels) == 1:
        return comparisons.first, comparisons.second, np.zeros(len(names), dtype=np.int32), names
    both = np.concatenate([comparisons.first, comparisons.second]).astype(np.int64)
    dense_numbers, keys = number_densely(both + np.tile(task.codes.astype(np.int64) * len(names), 2))
    numbers = dense_numbers.astype(np.int32)
    tasks = (keys // len(names)).astype(np.int32)
    return numbers[:count], numbers[count:], tasks, names.gather(keys % len(names))


def _entries(
    first: NDArray[np.int32], second: NDArray[np.int32], better: NDArray[np.int8]
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Items and where a bucket opens: the better one first, in a tie the one with the lower number."""
    turned = (better < 0) | ((better == 0) & (second < first))
    items = np.empty(2 * len(first), dtype=np.int32)
    items[0::2] = np.where(turned, second, first)
    items[1::2] = np.where(turned, first, second)
    bucket_starts = np.ones(len(items), dtype=bool)
    bucket_starts[1::2] = better != 0
    return items, bucket_starts


def _comparison_labels(rows: NDArray[np.int64], count: int) -> pl.Series:
    """Comparisons by their numbers from 1, all of one width, so that they sort as they stand in the file."""
    return pl.Series("", rows + (10 ** len(str(count)) + 1)).cast(pl.String).str.slice(1)
