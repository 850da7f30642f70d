"""The one container of peer feedback: who ranked what, best first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage._display import ROWS, as_html
from peerage._words import plural
from peerage.errors import DataError
from peerage.feedback.arrays import build_arrays
from peerage.feedback.cells import Origin
from peerage.feedback.choices import Direction, DirectionFinder, Duplicates, Ids, Missing
from peerage.feedback.labels import places_of, sort_labels
from peerage.feedback.python_lists import (
    columns_from_lists,
    columns_from_orders,
    columns_from_ranks,
    graders_of_frame,
)
from peerage.feedback.ranked_lists import RankedLists, ranges, starts_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Criterion:
    """What graders said about one side of the work, and how much it counts."""

    name: str
    weight: float
    feedback: Feedback


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Feedback(RankedLists):
    """Weak orders over items, as flat arrays; immutable.

    An *entry* is one review: one item in one list. List ``l`` is the entries
    ``list_starts[l]:list_starts[l + 1]``, best first, submitted by grader ``list_graders[l]``
    for task ``list_tasks[l]``. ``bucket_starts[e]`` is true where entry ``e`` opens a new tie bucket:
    an entry that does not is tied with the one before it. The first entry of a list always opens one.

    Items are numbered over all tasks, each task's in one run (``item_tasks`` never falls), because an
    item's score belongs to its task; graders are numbered once, because a grader is one person over all
    tasks. Labels are strings and stay outside the arrays.

    The numbering is canonical: tasks, graders, items within a task by label; lists by task, grader and
    list label; entries best first and, within a bucket, by item. Labels are in the order of their texts, or
    of their numbers where all of a kind are integers: 1, 2, 10. The same reviews in any row order give
    the same arrays. Build one with :meth:`from_columns` or :func:`peerage.read`.

    Attributes
    ----------
    scores : float64[n_entries] or None
        Cardinal feedback, larger is better; NaN where an entry has none.
    weights : float64[n_lists] or None
        How often each list counts; None means once.
    positions : int32[n_entries] or None
        When the grader saw the item, 1 first; 0 where that is not known.
    ordered_by : "rank" or "score"
        Whether the order was given for itself or follows from the scores.
    list_labels : names of the lists, for messages only; None where a grader has one list per task.
    notes : what the reader wants known (columns ignored, rows left out), one sentence each.
    criteria : where scores are means over several criteria, each of them; parts of the feedback have none.
    direction : which way the numbers of the file were read, and why; None where no file was read.
    reading : how the file was read (:class:`peerage.Reading`), complete; None where no file was read.
    sentences : the same in words, from real lines of the file.
    integer_items : whether items were given as integers, and tables show them as such.
    anonymous : whether nobody said whose the lists are: each has a grader of its own.
    """

    notes: tuple[str, ...] = ()
    criteria: tuple[Criterion, ...] = ()
    direction: Direction | None = None
    reading: Any = None
    sentences: tuple[str, ...] = ()
    anonymous: bool = False

    def __setstate__(self, state: list[Any]) -> None:
        """Out of a pickle come arrays that can be written, and kernels would be compiled for those, too."""
        for field, value in zip(fields(self), state, strict=True):
            object.__setattr__(self, field.name, value)
        self.__post_init__()

    # -- construction ---------------------------------------------------------------------------

    @classmethod
    def from_columns(
        cls, grader: ArrayLike | pl.Series, item: ArrayLike | pl.Series, **columns: Any
    ) -> Feedback:
        """Build from columns of equal length, one row per review.

        Give ``rank`` (1 is best) or ``score`` (larger is better) or both, and optionally ``task``,
        ``list``, ``weight`` and ``shown`` (when the grader saw the item, 1 first).
        Raises :class:`DataError` listing every broken row.
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

    @classmethod
    def from_lists(
        cls,
        lists: Iterable[Iterable[Any]],
        *,
        graders: Iterable[Any] | None = None,
        items: Iterable[Any] | None = None,
        weights: Iterable[float] | None = None,
        shown: Iterable[Iterable[Any]] | None = None,
    ) -> Feedback:
        """Build from lists of items, best first; a pair is (winner, loser), a tie is a set in a list.

        Items are texts or integers, and integers stay such, in numeric order. ``graders`` says whose each
        list is; without it every list has a grader of its own. ``items`` names those that are in no list,
        too, and ``shown`` has the items of each list in the order in which they were seen. The rows of an
        integer array may end in -1.

        >>> Feedback.from_lists([(10, 2), (2, {7, 10})]).item_values.to_list()
        [2, 7, 10]
        """
        columns, integers = columns_from_lists(lists, graders, weights, shown)
        return cls._from_python(columns, integers, items, anonymous=graders is None)

    @classmethod
    def from_ranks(
        cls, ranks: Any, *, items: Iterable[Any] | None = None, graders: Iterable[Any] | None = None
    ) -> Feedback:
        """Build from a matrix of ranks: a row for every list, a column for every item; 1 is best.

        0 or NaN stands where an item was not ranked. Without ``items``, columns are called 1, 2, …; those of
        a frame have their names, and a named index of pandas has the graders.

        >>> Feedback.from_ranks([[2, 1, 0], [1, 2, 3]]).item_reviews.tolist()
        [2, 2, 1]
        """
        graders = graders_of_frame(ranks) if graders is None else graders
        columns, labels = columns_from_ranks(ranks, items, graders)
        integers = all(not isinstance(label, str) for label in labels)
        return cls._from_python(columns, integers, labels, anonymous=graders is None)

    @classmethod
    def _from_python(
        cls, columns: dict[str, Any], integers: bool, items: Iterable[Any] | None, *, anonymous: bool
    ) -> Feedback:
        feedback = cls(**build_arrays(columns))
        if items is not None:
            more = list(items)
            integers = integers and not any(isinstance(item, str) for item in more)
            feedback = feedback.with_items(str(item) for item in more)
        return replace(feedback, integer_items=integers, anonymous=anonymous)

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
        number, items = self.task_number(task), self.task_slice(task)
        part = self.take_lists(np.flatnonzero(self.list_tasks == number))
        return replace(
            part,
            items=part.items - np.int32(items.start),
            list_tasks=np.zeros(part.n_lists, dtype=np.int32),
            item_tasks=np.zeros(items.stop - items.start, dtype=np.int32),
            item_labels=self.item_labels[items],
            task_labels=self.task_labels[number : number + 1],
        )

    def __getitem__(self, lists: Any) -> Feedback:
        """The lists with these numbers: one, a slice, an array of numbers or of marks; all items stay.

        >>> Feedback.from_lists([["x", "y"], ["y", "x"], ["x", "z"]])[1:].n_lists
        2
        """
        if isinstance(lists, tuple) and len(lists) == 2 and lists[1] is Ellipsis:  # as scikit-learn writes it
            lists = lists[0]
        if isinstance(lists, int | np.integer) and not -self.n_lists <= lists < self.n_lists:
            msg = f"there is no list {lists}: there are {self.n_lists}"
            raise IndexError(msg)
        return self.take_lists(np.atleast_1d(np.arange(self.n_lists)[lists]))

    def for_graders(self, graders: ArrayLike) -> Feedback:
        """Only the lists of these graders (labels, or numbers); items and graders keep their numbers."""
        wanted = np.zeros(self.n_graders, dtype=bool)
        wanted[_numbers(graders, self.grader_number)] = True
        return self.take_lists(np.flatnonzero(wanted[self.list_graders]))

    def for_items(self, items: Iterable[Any], *, task: str | int = 0) -> Feedback:
        """Only these items (labels) of a task, and the reviews of them; graders keep their numbers."""
        wanted = np.zeros(self.n_items, dtype=bool)
        wanted[[self.item_number(str(item), task) for item in items]] = True
        part = self.keep_entries(wanted[self.items])
        number = self.task_number(task)
        return replace(
            part,
            items=(np.cumsum(wanted) - 1).astype(np.int32)[part.items],
            list_tasks=np.zeros(part.n_lists, dtype=np.int32),
            item_tasks=np.zeros(int(wanted.sum()), dtype=np.int32),
            item_labels=self.item_labels.filter(pl.Series(wanted)),
            task_labels=self.task_labels[number : number + 1],
        )

    def merge(self, *others: Feedback) -> Feedback:
        """The lists of all together; tasks, graders and items are matched by label.

        A list that two have counts twice. Graders without any list are left out.
        """
        parts = (self, *others)
        if len({(part.ordered_by, part.scores is None) for part in parts}) > 1:
            raise DataError("feedback by scores and feedback by orders cannot be merged: use orders of both")
        ordering = "score" if self.ordered_by == "score" else "rank"
        rows = [_mergeable_rows(part, number, ordering) for number, part in enumerate(parts)]
        names = list(dict.fromkeys(name for frame in rows for name in frame.columns))
        if "weight" in names:
            rows = [
                frame if "weight" in frame.columns else frame.with_columns(weight=pl.lit(1.0))
                for frame in rows
            ]
        if "shown" in names:
            unknown = pl.lit(None, pl.Int32).alias("shown")
            rows = [frame if "shown" in frame.columns else frame.with_columns(unknown) for frame in rows]
        whole = Feedback.from_columns(**pl.concat([frame.select(names) for frame in rows]).to_dict())
        for part in parts:
            for task in part.task_labels:
                if whole.task_labels.index_of(task) is not None:
                    whole = whole.with_items(part.item_labels[part.task_slice(task)], task=task)
        return replace(
            whole,
            integer_items=all(part.integer_items for part in parts),
            anonymous=all(part.anonymous for part in parts),
        )

    def resample(self, graders: ArrayLike) -> Feedback:
        """The lists of these graders (numbers, repeats allowed), each draw a grader of its own.

        A grader drawn again is labelled ``name#2``, ``name#3`` … so that labels stay unique.
        """
        draws = np.asarray(graders, dtype=np.int64)
        order = np.argsort(self.list_graders, kind="stable")
        counts = np.bincount(self.list_graders, minlength=self.n_graders)
        first = np.cumsum(counts) - counts
        lists = order[ranges(first[draws], counts[draws])]
        owners = np.repeat(np.arange(len(draws), dtype=np.int32), counts[draws])
        by_task = np.argsort(self.list_tasks[lists], kind="stable")
        part = self.take_lists(lists[by_task])
        return replace(part, list_graders=owners[by_task], grader_labels=_numbered(self.grader_labels, draws))

    def take_lists(self, lists: ArrayLike) -> Feedback:
        """These lists (numbers, any order); items and graders keep their numbers."""
        lists = np.asarray(lists, dtype=np.int64)
        lengths = self.list_lengths[lists]
        entries = ranges(self.list_starts[lists], lengths)
        return replace(
            self,
            items=self.items[entries],
            bucket_starts=self.bucket_starts[entries],
            list_starts=starts_of(lengths),
            list_graders=self.list_graders[lists],
            list_tasks=self.list_tasks[lists],
            scores=None if self.scores is None else self.scores[entries],
            positions=None if self.positions is None else self.positions[entries],
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
            list_starts=starts_of(lengths[alive]),
            list_graders=self.list_graders[alive],
            list_tasks=self.list_tasks[alive],
            scores=None if self.scores is None else self.scores[keep],
            positions=None if self.positions is None else self.positions[keep],
            weights=None if self.weights is None else self.weights[alive],
            list_labels=None if self.list_labels is None else self.list_labels.filter(pl.Series(alive)),
            criteria=(),
        )

    def with_items(self, labels: Iterable[str], *, task: str | int = 0) -> Feedback:
        """The same with items nobody reviewed added to a task, so that they are reported, not forgotten."""
        number = self.task_number(task)
        added = pl.Series(list(labels), dtype=pl.String).unique()
        added = added.filter(~added.is_in(self.item_labels[self.task_slice(number)].implode()))
        item_labels = pl.concat([self.item_labels, added])
        item_tasks = np.append(self.item_tasks, np.full(len(added), number, dtype=np.int32))
        distinct = sort_labels(item_labels.unique())
        order = np.lexsort((item_labels.cast(pl.Enum(distinct)).to_physical().to_numpy(), item_tasks))
        new_number = places_of(order)[: self.n_items]
        whole = replace(
            self,
            items=new_number[self.items],
            item_tasks=item_tasks[order],
            item_labels=item_labels.gather(order),
        )
        in_order = bool((new_number[1:] > new_number[:-1]).all())
        return whole if in_order else whole._with_sorted_ties()  # a text came to integers, or the like

    def _with_sorted_ties(self) -> Feedback:
        order = np.lexsort((self.items, np.cumsum(self.bucket_starts)))
        scores = None if self.scores is None else self.scores[order]
        positions = None if self.positions is None else self.positions[order]
        return replace(self, items=self.items[order], scores=scores, positions=positions)

    def downsample(self, per_list: int, *, seed: int | np.random.Generator) -> Feedback:
        """At most ``per_list`` random reviews of every list."""
        draws = np.random.default_rng(seed).random(self.n_entries)
        order = np.lexsort((draws, self.entry_lists))
        place = np.arange(self.n_entries) - np.repeat(self.list_starts[:-1], self.list_lengths)
        keep = np.empty(self.n_entries, dtype=bool)
        keep[order] = place < per_list
        return self.keep_entries(keep)


def _numbers(given: Any, number_of: Any) -> NDArray[np.int64]:
    """Numbers as they are; labels as their numbers."""
    values = np.atleast_1d(np.asarray(given))
    if values.dtype.kind in "US":
        return np.array([number_of(str(label)) for label in values], dtype=np.int64)
    return values.astype(np.int64) if not len(values) else values


def _mergeable_rows(part: Feedback, number: int, ordering: str) -> pl.DataFrame:
    """Its rows; lists are called by their numbers, so that those of one grader stay apart."""
    rows = part.to_frame().drop("list", *(["rank"] if ordering == "score" else []), strict=False)
    lists = pl.Series(part.entry_lists).cast(pl.String).str.zfill(9)
    return rows.with_columns(pl.col("item").cast(pl.String), (f"{number:04d}-" + lists).alias("list"))


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
