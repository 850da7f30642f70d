"""The lists in the parts of a packed folder, as arrays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.reading.manifest import Manifest


@dataclass(slots=True)
class Lists:
    """Lists of one part, or of several; weights and scores are None where nobody has any."""

    items: NDArray[np.int32]
    bucket_starts: NDArray[np.bool_]
    lengths: NDArray[np.int64]
    graders: NDArray[np.int32]
    tasks: NDArray[np.int32]
    scores: NDArray[np.float64] | None
    weights: NDArray[np.float64] | None
    labels: pl.Series | None

    @classmethod
    def of(cls, frame: pl.DataFrame, first_grader: int) -> Lists:
        """From the table of a part, which has a row per review; graders are counted from the first."""
        lists, ranks = frame["list"].to_numpy(), frame["rank"].to_numpy()
        begins = np.append(True, lists[1:] != lists[:-1])[: len(lists)]
        starts = np.flatnonzero(begins)
        bucket_starts = begins.copy()
        bucket_starts[1:] |= ranks[1:] != ranks[:-1]
        scores, weights = frame.get_column("score", default=None), frame.get_column("weight", default=None)
        labels = frame.get_column("list_label", default=None)
        return cls(
            items=frame["item"].to_numpy(),
            bucket_starts=bucket_starts,
            lengths=np.diff(np.append(starts, len(lists))),
            graders=frame["grader"].to_numpy()[starts] - np.int32(first_grader),
            tasks=frame["task"].to_numpy()[starts],
            scores=None if scores is None else scores.to_numpy(),
            weights=None if weights is None else weights.to_numpy()[starts],
            labels=None if labels is None else labels.gather(starts),
        )

    def by_task(self) -> Lists:
        """By task first: parts follow each other by grader, and each of them may have every task."""
        order = np.argsort(self.tasks, kind="stable")
        lengths = self.lengths[order]
        starts = np.cumsum(self.lengths) - self.lengths
        entries = np.arange(lengths.sum()) + np.repeat(starts[order] - np.cumsum(lengths) + lengths, lengths)
        return Lists(
            items=self.items[entries],
            bucket_starts=self.bucket_starts[entries],
            lengths=lengths,
            graders=self.graders[order],
            tasks=self.tasks[order],
            scores=None if self.scores is None else self.scores[entries],
            weights=None if self.weights is None else self.weights[order],
            labels=None if self.labels is None else self.labels.gather(order),
        )


def merged_lists(parts: Iterable[Lists], reviews: int, lists: int, known: Manifest) -> Lists:
    """Parts one after the other, in arrays of the size that they have together.

    A part has scores, weights and names of lists where it needs them, and the whole where any part does.
    """
    whole = Lists(
        items=np.empty(reviews, dtype=np.int32),
        bucket_starts=np.empty(reviews, dtype=bool),
        lengths=np.empty(lists, dtype=np.int64),
        graders=np.empty(lists, dtype=np.int32),
        tasks=np.empty(lists, dtype=np.int32),
        scores=np.full(reviews, np.nan) if known.scores else None,
        weights=np.ones(lists) if known.weights else None,
        labels=None,
    )
    labels: list[pl.Series] = []
    entry = number = 0
    for part in parts:
        entries = slice(entry, entry + len(part.items))
        mine = slice(number, number + len(part.lengths))
        whole.items[entries], whole.bucket_starts[entries] = part.items, part.bucket_starts
        whole.lengths[mine], whole.graders[mine], whole.tasks[mine] = part.lengths, part.graders, part.tasks
        if whole.scores is not None and part.scores is not None:
            whole.scores[entries] = part.scores
        if whole.weights is not None and part.weights is not None:
            whole.weights[mine] = part.weights
        if known.list_labels and part.labels is not None:
            labels.append(part.labels)
        entry, number = entries.stop, mine.stop
    whole.labels = pl.concat(labels) if labels else None
    return whole
