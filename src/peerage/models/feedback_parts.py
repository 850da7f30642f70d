"""Feedback in parts, as a fit asks for it: the sizes of the whole, and whoever holds the parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from peerage._numba import kernel
from peerage._parts import PartialSum
from peerage.feedback.container import Feedback
from peerage.feedback.partition import partition_graders, split_feedback
from peerage.models import thresholds
from peerage.models.lists import count_pairs, longest_of
from peerage.models.solver.threads import LocalParts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage._parts import Parts


@dataclass(frozen=True, slots=True, eq=False)
class FeedbackParts:
    """Feedback in parts, runs of graders; a class is one part.

    edges : where the graders of each part begin, and the last one's end
    n_pairs : pairs of entries of the same list; n_ties : entries tied with the one before
    """

    parts: Parts
    edges: NDArray[np.int64]
    item_tasks: NDArray[np.int32]
    n_tasks: int
    n_lists: int
    n_entries: int
    n_pairs: int
    n_ties: int
    longest: int
    has_scores: bool
    ordered_by: Literal["rank", "score"]

    @classmethod
    def count(
        cls,
        parts: Parts,
        edges: NDArray[np.int64],
        tasks: tuple[NDArray[np.int32], int],
        has_scores: bool,
        ordered_by: Literal["rank", "score"],
    ) -> FeedbackParts:
        """Parts, and what there is in all of them."""
        answer = parts.sum(_sizes)
        longest = max(part[0] for part in answer.by_part)
        n_lists, n_entries, n_pairs, n_ties = answer.sums
        return cls(parts, edges, *tasks, n_lists, n_entries, n_pairs, n_ties, longest, has_scores, ordered_by)

    @classmethod
    def of(cls, feedback: Feedback) -> FeedbackParts:
        """In this process."""
        edges = feedback_edges(feedback)
        parts = [feedback] if len(edges) <= 2 else split_feedback(feedback, edges)
        tasks = (feedback.item_tasks, feedback.n_tasks)
        return cls.count(LocalParts(parts), edges, tasks, feedback.scores is not None, feedback.ordered_by)

    def sample(self) -> Feedback:
        """None of the lists, but feedback of the same kind."""
        none = np.zeros(0, dtype=np.int32)
        return Feedback(
            items=none,
            bucket_starts=np.zeros(0, dtype=bool),
            list_starts=np.zeros(1, dtype=np.int64),
            list_graders=none.copy(),
            list_tasks=none.copy(),
            item_tasks=self.item_tasks.copy(),
            item_labels=no_labels(self.n_items),
            grader_labels=no_labels(self.n_graders),
            task_labels=no_labels(self.n_tasks),
            scores=np.zeros(0) if self.has_scores else None,
            ordered_by=self.ordered_by,
        )

    @property
    def n_items(self) -> int:
        """Over all tasks."""
        return len(self.item_tasks)

    @property
    def n_graders(self) -> int:
        return int(self.edges[-1])


def feedback_edges(feedback: Feedback) -> NDArray[np.int64]:
    """Where the graders of each part begin; the cut depends on the feedback alone."""
    if feedback.n_entries <= thresholds.ONE_PART:
        return np.array([0, feedback.n_graders])
    return partition_graders(feedback.grader_reviews, small=thresholds.ONE_PART, parts=thresholds.RUNS)


def no_labels(number: int) -> pl.Series:
    """As many labels as there are, which take no memory."""
    return pl.repeat(None, number, dtype=pl.Null, eager=True)


def _sizes(feedback: Feedback) -> PartialSum:
    n_pairs, n_ties, longest = _count(feedback.list_starts, feedback.bucket_starts)
    return PartialSum((feedback.n_lists, feedback.n_entries, n_pairs, n_ties), [(longest,)])


@kernel
def _count(starts: Any, bucket_starts: Any) -> tuple[int, int, int]:
    """Pairs of entries of the same list, entries tied with the one before, and the longest list."""
    n_ties = 0
    for opens in bucket_starts:
        n_ties += not opens
    return count_pairs(starts), n_ties, longest_of(starts)
