"""Runs of graders that follow each other, as one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback


@dataclass(slots=True)
class Joining:
    """Feedback that grows by runs with the same items, lists by grader, each after the graders before it.

    Its arrays have their size from the beginning: runs that wait to be joined would be there twice then, and
    leave holes in memory that nothing fits into.
    """

    lists: int  # at most
    reviews: int
    n_lists: int = 0
    n_reviews: int = 0
    n_graders: int = 0
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)
    list_labels: list[pl.Series] = field(default_factory=list)
    common: Feedback | None = None  # what runs have in common, and no list

    def add(self, run: Feedback) -> None:
        """The next run."""
        self.common = self.common or run.take_lists([])
        self._put("items", run.items)
        self._put("bucket_starts", run.bucket_starts)
        self._put("list_starts", run.list_starts[:-1] + self.n_reviews)
        self._put("list_graders", run.list_graders + np.int32(self.n_graders))
        self._put("list_tasks", run.list_tasks)
        self._put_some("scores", run.scores, np.nan)
        self._put_some("weights", run.weights, 1.0)
        if run.list_labels is not None:
            self.list_labels.append(run.list_labels)
        self.n_lists += run.n_lists
        self.n_reviews += run.n_entries
        self.n_graders += run.n_graders

    def whole(self) -> Feedback:
        """All of them; graders are without names, as they are in runs."""
        assert self.common is not None
        starts = np.append(self.arrays.pop("list_starts")[: self.n_lists], self.n_reviews)
        arrays: dict[str, Any] = {name: values[: self._have(name)] for name, values in self.arrays.items()}
        return replace(
            self.common,
            **arrays,
            list_starts=starts,
            grader_labels=pl.repeat("", self.n_graders, eager=True),
            list_labels=pl.concat(self.list_labels) if self.list_labels else None,
        )

    def _have(self, name: str) -> int:
        return self.n_reviews if name in PER_REVIEW else self.n_lists

    def _put(self, name: str, values: NDArray[Any]) -> None:
        if name not in self.arrays:
            self.arrays[name] = np.empty(self.reviews if name in PER_REVIEW else self.lists, values.dtype)
        have = self._have(name)
        self.arrays[name][have : have + len(values)] = values

    def _put_some(self, name: str, values: NDArray[np.float64] | None, nothing: float) -> None:
        """What some runs have, and others have what stands for nothing."""
        if values is None:
            return
        if name not in self.arrays:
            self.arrays[name] = np.full(self.reviews if name in PER_REVIEW else self.lists, nothing)
        self._put(name, values)


PER_REVIEW = ("items", "bucket_starts", "scores")
