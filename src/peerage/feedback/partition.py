"""How large feedback is cut into parts: runs of graders, from the numbers of their reviews alone.

Sums over lists are made part by part and added up in one order. So the cut decides their last bits, and has
to be the same wherever they are made: by threads of one machine, by workers of a cluster, and in the folder
that feedback was packed into, whose files are these parts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback

SMALL = 100_000  # reviews up to which all is one part: a thread costs more to start than it saves
PARTS = 8  # of what is larger: enough to share out, few enough to add up
MANY = 8_000_000  # reviews from which adding up more parts takes little of the time
MANY_PARTS = 16  # of those: the more of them a worker adds up, the less it has to send
LARGEST = 5_000_000  # reviews of a part, about, where that makes more parts


def partition_graders(
    reviews: NDArray[np.int64], *, small: int = SMALL, parts: int = PARTS, largest: int = LARGEST
) -> NDArray[np.int64]:
    """Edges of the parts: part p has the graders ``edges[p]:edges[p + 1]``.

    `reviews` is the number of reviews by each grader, over all tasks and lists, graders in canonical order.

    >>> partition_graders(np.array([3, 3, 3, 3, 6]), small=10, parts=3).tolist()
    [0, 2, 4, 5]
    """
    n_graders, total = len(reviews), int(reviews.sum())
    if total <= small or n_graders == 0:
        return np.array([0, n_graders])
    wanted = max(parts if total < MANY else MANY_PARTS, -(-total // largest))
    starts = np.concatenate([[0], np.cumsum(reviews)])
    edges = np.unique(np.searchsorted(starts, np.linspace(0, total, wanted + 1)))
    edges[0], edges[-1] = 0, n_graders
    return np.asarray(edges, dtype=np.int64)


def split_feedback(feedback: Feedback, edges: NDArray[np.int64]) -> list[Feedback]:
    """Every part as feedback of its own: all items by their numbers, its own graders counted from 0.

    The lists of a part are in order of grader, a grader's lists in the order in which the feedback has them.
    """
    graders = feedback.list_graders
    if (graders[1:] < graders[:-1]).any():  # several tasks
        feedback = feedback.take_lists(np.argsort(graders, kind="stable"))
    lists = np.searchsorted(feedback.list_graders, edges)
    runs = zip(pairwise(edges.tolist()), pairwise(lists.tolist()), strict=True)
    return [_part(feedback, slice(*graders), slice(*its)) for graders, its in runs]


def _part(feedback: Feedback, graders: slice, lists: slice) -> Feedback:
    starts = feedback.list_starts[lists.start : lists.stop + 1]
    entries = slice(int(starts[0]), int(starts[-1]))
    return replace(
        feedback,
        items=feedback.items[entries],
        bucket_starts=feedback.bucket_starts[entries],
        list_starts=starts - starts[0],
        list_graders=feedback.list_graders[lists] - np.int32(graders.start),
        list_tasks=feedback.list_tasks[lists],
        grader_labels=feedback.grader_labels[graders],
        scores=None if feedback.scores is None else feedback.scores[entries],
        weights=None if feedback.weights is None else feedback.weights[lists],
        positions=None if feedback.positions is None else feedback.positions[entries],
        list_labels=None if feedback.list_labels is None else feedback.list_labels[lists],
        notes=(),
        criteria=(),
    )


def concat_parts(parts: Iterable[Feedback], n_lists: int, n_entries: int) -> Feedback:
    """Parts one after the other as one, of so many lists and reviews; its graders have no names.

    Arrays have their size from the beginning: parts that wait to be joined would be in memory twice then.
    What only some parts have stands for nothing in the others: scores are NaN, weights 1.
    """
    arrays: dict[str, NDArray[Any]] = {}
    list_labels: list[pl.Series] = []
    lists = entries = graders = 0
    for part in parts:
        of_lists = {
            "list_starts": part.list_starts[:-1] + entries,
            "list_graders": part.list_graders + np.int32(graders),
            "list_tasks": part.list_tasks,
            "weights": part.weights,
        }
        of_entries = {
            "items": part.items,
            "bucket_starts": part.bucket_starts,
            "scores": part.scores,
            "positions": part.positions,
        }
        for columns, begin, size in ((of_lists, lists, n_lists), (of_entries, entries, n_entries)):
            for name, values in columns.items():
                if values is None:
                    continue
                if name not in arrays:
                    arrays[name] = np.full(size, {"scores": np.nan, "weights": 1}.get(name, 0), values.dtype)
                arrays[name][begin : begin + len(values)] = values
        if part.list_labels is not None:
            list_labels.append(part.list_labels)
        lists, entries, graders = lists + part.n_lists, entries + part.n_entries, graders + part.n_graders
    fields: dict[str, Any] = {**arrays, "list_starts": np.append(arrays["list_starts"], entries)}
    return replace(
        part,
        **fields,
        grader_labels=pl.repeat(None, graders, dtype=pl.Null, eager=True),
        list_labels=pl.concat(list_labels) if list_labels else None,
    )
