"""Ranked lists as flat arrays: how many of what there are, and the lists as tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from peerage._words import did_you_mean
from peerage.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

Kind = Literal["orders", "pairs", "scores", "orders+scores"]

_ARRAYS = (
    "items", "bucket_starts", "list_starts", "list_graders", "list_tasks", "item_tasks", "scores", "weights",
    "positions",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RankedLists:
    """The arrays of a :class:`peerage.Feedback`, which says what each of them holds."""

    items: NDArray[np.int32]
    bucket_starts: NDArray[np.bool_]
    list_starts: NDArray[np.int64]
    list_graders: NDArray[np.int32]
    list_tasks: NDArray[np.int32]
    item_tasks: NDArray[np.int32]
    item_labels: pl.Series
    grader_labels: pl.Series
    task_labels: pl.Series
    scores: NDArray[np.float64] | None = None
    weights: NDArray[np.float64] | None = None
    positions: NDArray[np.int32] | None = None
    ordered_by: Literal["rank", "score"] = "rank"
    list_labels: pl.Series | None = None
    integer_items: bool = False

    def __post_init__(self) -> None:
        for name in _ARRAYS:
            array = getattr(self, name)
            if array is not None:
                array.flags.writeable = False

    # -- sizes ----------------------------------------------------------------------------------

    @property
    def n_entries(self) -> int:
        """Number of reviews."""
        return len(self.items)

    @property
    def n_lists(self) -> int:
        """Number of lists submitted."""
        return len(self.list_graders)

    @property
    def n_items(self) -> int:
        """Number of items over all tasks, reviewed or not."""
        return len(self.item_labels)

    @property
    def n_graders(self) -> int:
        return len(self.grader_labels)

    @property
    def n_tasks(self) -> int:
        return len(self.task_labels)

    def __len__(self) -> int:
        return self.n_lists

    @property
    def shape(self) -> tuple[int]:
        """The number of lists: what scikit-learn splits."""
        return (self.n_lists,)

    @property
    def item_values(self) -> pl.Series:
        """The labels of the items, as integers where they were given as such."""
        return self.item_labels.cast(pl.Int64) if self.integer_items else self.item_labels

    @property
    def list_lengths(self) -> NDArray[np.int64]:
        return np.diff(self.list_starts)

    @property
    def entry_lists(self) -> NDArray[np.int64]:
        return np.repeat(np.arange(self.n_lists), self.list_lengths)

    @property
    def entry_graders(self) -> NDArray[np.int32]:
        return np.repeat(self.list_graders, self.list_lengths)

    @property
    def list_weights(self) -> NDArray[np.float64]:
        """How often each list counts, ones where no weights were given."""
        if self.weights is not None:
            return self.weights
        ones = np.ones(self.n_lists)
        ones.flags.writeable = False  # as weights are: kernels are compiled for either
        return ones

    def entries_by_task(self) -> list[NDArray[np.int64]]:
        """Numbers of the entries of every task, in order."""
        tasks = self.item_tasks[self.items]
        order = np.argsort(tasks, kind="stable")
        return np.split(order, np.searchsorted(tasks[order], np.arange(1, self.n_tasks)))

    @property
    def task_starts(self) -> NDArray[np.int64]:
        """Items of task t are ``task_starts[t]:task_starts[t + 1]``."""
        return np.searchsorted(self.item_tasks, np.arange(self.n_tasks + 1))

    def task_slice(self, task: str | int = 0) -> slice:
        """The numbers of a task's items, by its label or number."""
        number = self.task_number(task)
        low, high = (int(edge) for edge in self.task_starts[number : number + 2])
        return slice(low, high)

    @property
    def item_reviews(self) -> NDArray[np.int64]:
        return np.bincount(self.items, minlength=self.n_items)

    @property
    def grader_reviews(self) -> NDArray[np.int64]:
        return _sum_by(self.list_graders, self.list_lengths, self.n_graders)

    @property
    def list_strict_pairs(self) -> NDArray[np.int64]:
        """Number of pairs that each list orders strictly."""
        sizes = self.bucket_sizes
        tied = np.zeros(self.n_lists, dtype=np.int64)
        np.add.at(tied, self.bucket_lists, sizes * (sizes - 1) // 2)
        lengths = self.list_lengths
        return lengths * (lengths - 1) // 2 - tied

    @property
    def grader_strict_pairs(self) -> NDArray[np.int64]:
        """Number of pairs that each grader ordered strictly: the evidence about the grader."""
        return _sum_by(self.list_graders, self.list_strict_pairs, self.n_graders)

    @property
    def bucket_sizes(self) -> NDArray[np.int64]:
        """Size of every tie bucket, in order."""
        return np.diff(np.append(np.flatnonzero(self.bucket_starts), self.n_entries))

    @property
    def bucket_lists(self) -> NDArray[np.int64]:
        return np.asarray(self.entry_lists[self.bucket_starts])

    @property
    def nbytes(self) -> int:
        """Memory held, labels included."""
        arrays = sum(getattr(self, name).nbytes for name in _ARRAYS if getattr(self, name) is not None)
        labels = (self.item_labels, self.grader_labels, self.task_labels, self.list_labels)
        return int(arrays) + sum(int(series.estimated_size()) for series in labels if series is not None)

    @property
    def kind(self) -> Kind:
        """What graders were asked for: orders, pairs, scores, or orders and scores separately."""
        if self.scores is not None:
            return "scores" if self.ordered_by == "score" else "orders+scores"
        return "pairs" if self.n_lists > 0 and bool((self.list_lengths == 2).all()) else "orders"

    # -- reading it out -------------------------------------------------------------------------

    def task_number(self, task: str | int) -> int:
        return self._number(self.task_labels, task, "task") if isinstance(task, str) else task

    def grader_number(self, label: str) -> int:
        return self._number(self.grader_labels, label, "grader")

    def item_number(self, label: str | int, task: str | int = 0) -> int:
        part = self.task_slice(task)
        return int(part.start) + self._number(self.item_labels[part], str(label), "item")

    @staticmethod
    def _number(labels: pl.Series, label: str, what: str) -> int:
        number = labels.index_of(label)
        if number is None:
            raise DataError(f"there is no {what} {label!r} in this feedback{did_you_mean(label, labels)}")
        return int(number)

    def orders(self) -> Iterator[tuple[str, list[list[str]]]]:
        """Every list as ``(grader, buckets)``, for people and small tests; slow for large data."""
        names, graders = self.item_values.to_list(), self.grader_labels.to_list()
        for which, (low, high) in enumerate(zip(self.list_starts[:-1], self.list_starts[1:], strict=True)):
            buckets: list[list[str]] = []
            for entry in range(low, high):
                if self.bucket_starts[entry]:
                    buckets.append([])
                buckets[-1].append(names[self.items[entry]])
            yield graders[self.list_graders[which]], buckets

    def to_frame(self) -> pl.DataFrame:
        """One row per review: task, grader, list, item, rank; score, weight and shown where there are any.

        Rank counts buckets, 1 the best; tied items share it. ``list`` is there where a grader submitted
        several lists for a task.
        """
        lists, lengths = self.entry_lists, self.list_lengths
        opened = np.cumsum(self.bucket_starts, dtype=np.int64)
        before = np.append(0, opened)[self.list_starts[:-1]]
        columns: dict[str, Any] = {
            "task": self.task_labels.gather(np.repeat(self.list_tasks, lengths)),
            "grader": self.grader_labels.gather(self.entry_graders),
        }
        if self.list_labels is not None:
            columns["list"] = self.list_labels.gather(lists)
        columns |= {"item": self.item_values.gather(self.items), "rank": opened - before[lists]}
        if self.scores is not None:
            columns["score"] = pl.Series(self.scores).fill_nan(None)
        if self.weights is not None:
            columns["weight"] = self.weights[lists]
        if self.positions is not None:
            columns["shown"] = pl.Series(self.positions).replace(0, None)
        return pl.DataFrame(columns)

    def to_pairs(self, *, ties: bool = False) -> pl.DataFrame:
        """One row per pair of a list: task, grader, winner, loser, and weight where there are any.

        Tied pairs are left out; with ``ties`` they are there, and a column ``tied`` marks them.

        >>> from peerage import Feedback
        >>> Feedback.from_lists([["x", "y", "z"]]).to_pairs()["winner"].to_list()
        ['x', 'x', 'y']
        """
        below = np.repeat(self.list_starts[1:], self.list_lengths) - np.arange(self.n_entries) - 1
        first = np.repeat(np.arange(self.n_entries), below)
        second = ranges(np.arange(self.n_entries) + 1, below)
        buckets = np.cumsum(self.bucket_starts)
        tied = buckets[first] == buckets[second]
        if not ties:
            first, second = first[~tied], second[~tied]
        lists, names = self.entry_lists[first], self.item_values
        columns: dict[str, Any] = {
            "task": self.task_labels.gather(self.list_tasks[lists]),
            "grader": self.grader_labels.gather(self.list_graders[lists]),
            "winner": names.gather(self.items[first]),
            "loser": names.gather(self.items[second]),
        }
        if ties:
            columns["tied"] = tied
        if self.weights is not None:
            columns["weight"] = self.weights[lists]
        return pl.DataFrame(columns)

    def equals(self, other: RankedLists) -> bool:
        """Whether both say the same about the same people; names of lists and notes do not count."""
        same = partial(np.array_equal, equal_nan=True)
        return (
            self.ordered_by == other.ordered_by
            and all(
                _both(same, getattr(self, name), getattr(other, name))
                for name in _ARRAYS
                if name != "weights"
            )
            and np.array_equal(self.list_weights, other.list_weights)
            and all(
                getattr(self, name).equals(getattr(other, name))
                for name in ("item_labels", "grader_labels", "task_labels")
            )
        )


def _both(same: Any, left: Any, right: Any) -> bool:
    if left is None or right is None:
        return left is None and right is None
    return bool(same(left, right)) if left.dtype.kind == "f" else bool(np.array_equal(left, right))


def _sum_by(groups: NDArray[np.int32], values: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    total = np.zeros(size, dtype=np.int64)
    np.add.at(total, groups, values)
    return total


def starts_of(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each list starts, and where the last one ends."""
    starts = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


def ranges(first: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers first[k], first[k] + 1, … (lengths[k] of them) for every k, one after the other."""
    return np.arange(lengths.sum()) + np.repeat(first - starts_of(lengths)[:-1], lengths)
