"""The one container of peer feedback: who ranked what, best first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from peerage._display import ROWS, as_html
from peerage._words import did_you_mean, plural
from peerage.errors import DataError
from peerage.feedback.arrays import build_arrays
from peerage.feedback.cells import Origin, columns_from_orders
from peerage.feedback.choices import Direction, DirectionFinder, Duplicates, Ids, Missing

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Kind = Literal["orders", "pairs", "scores", "orders+scores"]

_ARRAYS = (
    "items", "bucket_starts", "list_starts", "list_graders", "list_tasks", "item_tasks", "scores", "weights",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Criterion:
    """What graders said about one side of the work, and how much it counts."""

    name: str
    weight: float
    feedback: Feedback


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Feedback:
    """Weak orders over items, as flat arrays; immutable.

    An *entry* is one review: one item in one list. List ``l`` is the entries
    ``list_starts[l]:list_starts[l + 1]``, best first, handed in by grader ``list_graders[l]``
    for task ``list_tasks[l]``. ``bucket_starts[e]`` is true where entry ``e`` opens a new tie bucket:
    an entry that does not is tied with the one before it. The first entry of a list always opens one.

    Items are numbered over all tasks, each task's in one run (``item_tasks`` never falls), because an
    item's score belongs to its task; graders are numbered once, because a grader is one person over all
    tasks. Labels are strings and stay outside the arrays.

    The numbering is canonical: tasks, graders, items within a task by label; lists by task, grader and
    list label; entries best first and, within a bucket, by item. The same reviews in any row order give
    the same arrays. Build one with :meth:`from_columns` or :func:`peerage.read`.

    Attributes
    ----------
    scores : float64[n_entries] or None
        Cardinal feedback, larger is better; NaN where an entry has none.
    weights : float64[n_lists] or None
        How often each list counts; None means once.
    ordered_by : "rank" or "score"
        Whether the order was given for itself or follows from the scores.
    list_labels : names of the lists, for messages only; None where a grader has one list per task.
    notes : what the reader wants known (columns ignored, rows left out), one sentence each.
    criteria : where scores are means over several criteria, each of them; parts of the feedback have none.
    direction : which way the numbers of the file were read, and why; None where no file was read.
    """

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
    ordered_by: Literal["rank", "score"] = "rank"
    list_labels: pl.Series | None = None
    notes: tuple[str, ...] = ()
    criteria: tuple[Criterion, ...] = ()
    direction: Direction | None = None

    def __post_init__(self) -> None:
        for name in _ARRAYS:
            array = getattr(self, name)
            if array is not None:
                array.flags.writeable = False

    # -- construction ---------------------------------------------------------------------------

    @classmethod
    def from_columns(
        cls, grader: ArrayLike | pl.Series, item: ArrayLike | pl.Series, **columns: Any
    ) -> Feedback:
        """Build from columns of equal length, one row per review.

        Give ``rank`` (1 is best) or ``score`` (larger is better) or both, and optionally ``task``,
        ``list`` and ``weight``. Raises :class:`DataError` listing every broken row.
        """
        return cls(**build_arrays({"grader": grader, "item": item, **columns}))

    @classmethod
    def from_orders(
        cls,
        orders: Iterable[tuple[str, Iterable[str | Iterable[str]]]]
        | Mapping[str, Iterable[str | Iterable[str]]],
        *,
        task: str = "1",
    ) -> Feedback:
        """Build from ``(grader, order)`` pairs; an order is best first, a tie is a set, list or tuple in it.

        A dictionary from graders to their orders does as well. An order that is a text is refused.

        >>> Feedback.from_orders([("ada", ["x", {"y", "z"}])]).n_entries
        3
        """
        return cls(**build_arrays(columns_from_orders(orders, task)))

    # -- sizes ----------------------------------------------------------------------------------

    @property
    def n_entries(self) -> int:
        """Number of reviews."""
        return len(self.items)

    @property
    def n_lists(self) -> int:
        """Number of lists handed in."""
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
        return np.ones(self.n_lists) if self.weights is None else self.weights

    @property
    def task_starts(self) -> NDArray[np.int64]:
        """Items of task t are ``task_starts[t]:task_starts[t + 1]``."""
        return np.searchsorted(self.item_tasks, np.arange(self.n_tasks + 1))

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

    def __repr__(self) -> str:
        return (
            f"<Feedback: {self.kind}, {plural(self.n_entries, 'review')} of {plural(self.n_items, 'item')}"
            f" in {plural(self.n_lists, 'list')} by {plural(self.n_graders, 'grader')},"
            f" {plural(self.n_tasks, 'task')}>"
        )

    def _repr_html_(self) -> str:
        first = self.take_lists(np.arange(min(self.n_lists, ROWS))).to_frame()
        return as_html(repr(self).strip("<>"), first, self.notes, self.n_entries)

    # -- views ----------------------------------------------------------------------------------

    def for_task(self, task: str | int) -> Feedback:
        """Only one task, by label or number: its lists and its items; all graders keep their numbers."""
        number = self.task_number(task) if isinstance(task, str) else task
        low, high = (int(edge) for edge in self.task_starts[number : number + 2])
        part = self.take_lists(np.flatnonzero(self.list_tasks == number))
        return replace(
            part,
            items=part.items - np.int32(low),
            list_tasks=np.zeros(part.n_lists, dtype=np.int32),
            item_tasks=np.zeros(high - low, dtype=np.int32),
            item_labels=self.item_labels[low:high],
            task_labels=self.task_labels[number : number + 1],
        )

    def for_graders(self, graders: ArrayLike) -> Feedback:
        """Only the lists of these graders (numbers); items and graders keep their numbers."""
        wanted = np.zeros(self.n_graders, dtype=bool)
        wanted[np.asarray(graders)] = True
        return self.take_lists(np.flatnonzero(wanted[self.list_graders]))

    def resample(self, graders: ArrayLike) -> Feedback:
        """The lists of these graders (numbers, repeats allowed), each draw a grader of its own.

        A grader drawn again is labelled ``name#2``, ``name#3`` … so that labels stay unique.
        """
        draws = np.asarray(graders, dtype=np.int64)
        order = np.argsort(self.list_graders, kind="stable")
        counts = np.bincount(self.list_graders, minlength=self.n_graders)
        first = np.cumsum(counts) - counts
        lists = order[_ranges(first[draws], counts[draws])]
        owners = np.repeat(np.arange(len(draws), dtype=np.int32), counts[draws])
        by_task = np.argsort(self.list_tasks[lists], kind="stable")
        part = self.take_lists(lists[by_task])
        return replace(part, list_graders=owners[by_task], grader_labels=_numbered(self.grader_labels, draws))

    def take_lists(self, lists: ArrayLike) -> Feedback:
        """These lists (numbers, any order); items and graders keep their numbers."""
        lists = np.asarray(lists, dtype=np.int64)
        lengths = self.list_lengths[lists]
        entries = _ranges(self.list_starts[lists], lengths)
        return replace(
            self,
            items=self.items[entries],
            bucket_starts=self.bucket_starts[entries],
            list_starts=_starts(lengths),
            list_graders=self.list_graders[lists],
            list_tasks=self.list_tasks[lists],
            scores=None if self.scores is None else self.scores[entries],
            weights=None if self.weights is None else self.weights[lists],
            list_labels=None if self.list_labels is None else self.list_labels[lists],
            criteria=(),
        )

    def keep_entries(self, keep: NDArray[np.bool_]) -> Feedback:
        """Only the marked reviews; lists that lose all of theirs go, everything else keeps its number."""
        if len(keep) != self.n_entries:
            msg = f"keep has {len(keep)} marks for {self.n_entries} reviews"
            raise ValueError(msg)
        buckets = np.cumsum(self.bucket_starts)[keep]
        bucket_starts = np.empty(len(buckets), dtype=bool)
        bucket_starts[:1] = True
        np.not_equal(buckets[1:], buckets[:-1], out=bucket_starts[1:])
        lengths = np.bincount(self.entry_lists[keep], minlength=self.n_lists)
        alive = lengths > 0
        return replace(
            self,
            items=self.items[keep],
            bucket_starts=bucket_starts,
            list_starts=_starts(lengths[alive]),
            list_graders=self.list_graders[alive],
            list_tasks=self.list_tasks[alive],
            scores=None if self.scores is None else self.scores[keep],
            weights=None if self.weights is None else self.weights[alive],
            list_labels=None if self.list_labels is None else self.list_labels.filter(pl.Series(alive)),
            criteria=(),
        )

    def with_items(self, labels: Iterable[str], *, task: str | int = 0) -> Feedback:
        """The same with items nobody reviewed added to a task, so that they are reported, not forgotten."""
        number = self.task_number(task) if isinstance(task, str) else task
        low, high = (int(edge) for edge in self.task_starts[number : number + 2])
        labels_before = self.item_labels[low:high]
        merged = pl.concat([labels_before, pl.Series(list(labels), dtype=pl.String)]).unique().sort()
        moved = (
            merged.search_sorted(labels_before).to_numpy()
            if len(labels_before)
            else np.empty(0, dtype=np.int64)
        )
        growth = len(merged) - len(labels_before)
        new_number = np.concatenate([np.arange(low), low + moved, np.arange(high, self.n_items) + growth])
        return replace(
            self,
            items=new_number[self.items].astype(np.int32),
            item_tasks=np.insert(self.item_tasks, high, np.full(growth, number, dtype=np.int32)),
            item_labels=pl.concat([self.item_labels[:low], merged, self.item_labels[high:]]),
        )

    def downsample(self, per_list: int, *, seed: int | np.random.Generator) -> Feedback:
        """At most ``per_list`` random reviews of every list."""
        draws = np.random.default_rng(seed).random(self.n_entries)
        order = np.lexsort((draws, self.entry_lists))
        place = np.arange(self.n_entries) - np.repeat(self.list_starts[:-1], self.list_lengths)
        keep = np.empty(self.n_entries, dtype=bool)
        keep[order] = place < per_list
        return self.keep_entries(keep)

    # -- reading it out -------------------------------------------------------------------------

    def task_number(self, label: str) -> int:
        return self._number(self.task_labels, label, "task")

    def grader_number(self, label: str) -> int:
        return self._number(self.grader_labels, label, "grader")

    def item_number(self, label: str, task: str | int = 0) -> int:
        number = self.task_number(task) if isinstance(task, str) else task
        low, high = (int(edge) for edge in self.task_starts[number : number + 2])
        return low + self._number(self.item_labels[low:high], label, "item")

    @staticmethod
    def _number(labels: pl.Series, label: str, what: str) -> int:
        number = labels.index_of(label)
        if number is None:
            raise DataError(f"there is no {what} {label!r} in this feedback{did_you_mean(label, labels)}")
        return int(number)

    def orders(self) -> Iterator[tuple[str, list[list[str]]]]:
        """Every list as ``(grader, buckets)``, for people and small tests; slow for large data."""
        names, graders = self.item_labels.to_list(), self.grader_labels.to_list()
        for which, (low, high) in enumerate(zip(self.list_starts[:-1], self.list_starts[1:], strict=True)):
            buckets: list[list[str]] = []
            for entry in range(low, high):
                if self.bucket_starts[entry]:
                    buckets.append([])
                buckets[-1].append(names[self.items[entry]])
            yield graders[self.list_graders[which]], buckets

    def to_frame(self) -> pl.DataFrame:
        """One row per review: task, grader, list, item, rank, and score and weight where there are any.

        Rank counts buckets, 1 the best; tied items share it. ``list`` is there where a grader handed in
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
        columns |= {"item": self.item_labels.gather(self.items), "rank": opened - before[lists]}
        if self.scores is not None:
            columns["score"] = pl.Series(self.scores).fill_nan(None)
        if self.weights is not None:
            columns["weight"] = self.weights[lists]
        return pl.DataFrame(columns)

    def equals(self, other: Feedback) -> bool:
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


def _starts(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    starts = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


def _ranges(first: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers first[k], first[k] + 1, … (lengths[k] of them) for every k, one after the other."""
    return np.arange(lengths.sum()) + np.repeat(first - _starts(lengths)[:-1], lengths)


def _numbered(labels: pl.Series, draws: NDArray[np.int64]) -> pl.Series:
    frame = pl.DataFrame({"draw": draws, "label": labels.gather(draws)})
    again = pl.col("draw").cum_count().over("draw")
    label = pl.when(again == 1).then("label").otherwise(pl.format("{}#{}", "label", again))
    return frame.select(label.alias("label")).to_series()


def build_feedback(
    columns: Mapping[str, Any],
    *,
    origin: Origin | None = None,
    duplicates: Duplicates = "error",
    missing: Missing = "error",
    notes: tuple[str, ...] = (),
    find_direction: DirectionFinder | None = None,
    ids: Ids = "exact",
    direction: Direction | None = None,
) -> Feedback:
    """Build a Feedback from columns named task, grader, list, item, rank, score, weight.

    Numbers of which it is not known which way they run are a column `value`; ``find_direction`` says what
    they are, and may have another opinion on a rank or a score. Without it, ``direction`` is what is known.
    """
    fields = build_arrays(
        columns,
        origin=origin,
        duplicates=duplicates,
        missing=missing,
        notes=notes,
        find_direction=find_direction,
        ids=ids,
    )
    return Feedback(**{"direction": direction, **fields})
