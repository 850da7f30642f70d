"""The rows of many files as numbers: kept until all labels are known, then sorted into batches of graders.

They are in memory, or on disk where a folder is given. Then memory holds the labels, and the rows of one
file or one batch. A survey of all batches says what must be known before one is built.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from peerage._files import naming_file
from peerage._words import SHOWN_LINES
from peerage.feedback.choices import Numbers
from peerage.feedback.labels import keep_labels, label_order, merge_spellings, places_of
from peerage.reading.direction import (
    CodeSummary,
    NumberSummary,
    looks_like_letter_thirds,
    sample_evenly,
    summarise_codes,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.labels import LabelCodes
    from peerage.reading.file_sets import FileRows

NUMBER = pl.Int32  # of a label


class Numbering(NamedTuple):
    """Labels in order; the number among them of each label by the one it was met under, -1 without review."""

    lookup: NDArray[np.int32]
    labels: pl.Series
    joined: list[list[str]]  # spellings of one label


class LabelIndex:
    """The labels of one column, numbered as they are met, with the rows and the reviews of each."""

    def __init__(self) -> None:
        # categories last as long as a series has them: this one, label k of which is category k
        self._labels = pl.Series([], dtype=pl.Categorical(pl.Categories.random()))
        self._rows = np.zeros(0, dtype=np.int64)
        self._reviews = np.zeros(0, dtype=np.int64)

    def add(self, column: LabelCodes, is_review: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Count the labels of one more file; the number of each row's label, -1 where it is empty."""
        labels = column.labels.cast(self._labels.dtype)
        numbers = labels.to_physical().to_numpy().astype(np.int32)
        new = np.flatnonzero(numbers >= len(self._labels))
        self._labels.append(labels.gather(new[np.argsort(numbers[new])]))
        self._rows = np.append(self._rows, np.zeros(len(new), dtype=np.int64))
        self._reviews = np.append(self._reviews, np.zeros(len(new), dtype=np.int64))
        present = column.codes >= 0
        self._rows[numbers] += np.bincount(column.codes[present], minlength=len(numbers))
        self._reviews[numbers] += np.bincount(column.codes[present & is_review], minlength=len(numbers))
        return np.append(numbers, np.int32(-1))[column.codes]

    def numbering(self, *, fold: bool) -> Numbering:
        """Number the labels that have reviews in order; with `fold`, spellings of one label as one."""
        labels = self._labels.cast(pl.String)
        order = label_order(labels)
        lookup = places_of(order)
        labels, joined = labels.gather(order), list[list[str]]()
        if fold:
            place, labels, joined = merge_spellings(labels, self._rows[order])
            lookup = place[lookup]
        used = np.zeros(len(labels), dtype=bool)
        used[lookup[self._reviews > 0]] = True
        place, labels = keep_labels(labels, used)
        return Numbering(place[lookup], labels.alias(""), joined)

    def reviews(self, numbering: Numbering) -> NDArray[np.int64]:
        """How many reviews each label has, by its number among those in order."""
        used = numbering.lookup >= 0
        counts = np.zeros(len(numbering.labels), dtype=np.int64)
        np.add.at(counts, numbering.lookup[used], self._reviews[used])
        return counts


class RowStore:
    """Rows with numbers for labels and the line of each over all files: by file first, then by batch.

    A batch is all rows of some graders, the graders from an edge up to the next, in the order of the files.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.labels: dict[str, LabelIndex] = {}
        self.paths: list[str] = []
        self.ends: list[int] = []  # the last line of each file, over all files
        self.edges = np.zeros(1, dtype=np.int64)
        self._tables = _Tables(folder)

    @property
    def n_lines(self) -> int:
        """Lines of all files so far."""
        return self.ends[-1] if self.ends else 0

    def add(self, rows: FileRows, is_review: NDArray[np.bool_]) -> None:
        """Keep the reviews among the rows of the next file."""
        lines = rows.lines + self.n_lines
        columns: dict[str, pl.Series] = {}
        for role, column in rows.labels.items():
            numbers = self.labels.setdefault(role, LabelIndex()).add(column, is_review)
            columns[role] = pl.Series(numbers[is_review], dtype=NUMBER)
        for role, values in rows.numbers.items():
            columns[role] = pl.Series(values[is_review], nan_to_null=True)
        self._tables.append(f"file-{len(self.paths)}", pl.DataFrame({**columns, "line": lines[is_review]}))
        self.paths.append(rows.path)
        self.ends.append(int(lines[-1]) if len(lines) else self.n_lines)

    def sort_into_batches(self, edges: NDArray[np.int64], numberings: Mapping[str, Numbering]) -> None:
        """Give all labels their final numbers and sort rows by batch."""
        self.edges = edges
        for which in range(len(self.paths)):
            table = self._tables.pop(f"file-{which}")
            numbers = {
                role: pl.Series(numbering.lookup[table[role].to_numpy()], dtype=NUMBER)
                for role, numbering in numberings.items()
                if role in table.columns
            }
            table = table.with_columns(**numbers)
            batches = np.searchsorted(edges, table["grader"].to_numpy(), side="right") - 1
            pieces = table.with_columns(batch=batches).partition_by(
                "batch", include_key=False, maintain_order=True, as_dict=True
            )
            for (batch,), piece in pieces.items():
                self._tables.append(f"batch-{batch}", piece)

    def rows(self, graders: range) -> pl.DataFrame:
        """All rows of some graders of one batch; where files name no task, it is number 0."""
        which = int(np.searchsorted(self.edges, graders.start, side="right")) - 1
        rows = self._tables.load(f"batch-{which}")
        if len(graders) < self.edges[which + 1] - self.edges[which]:
            rows = rows.filter(pl.col("grader").is_between(graders.start, graders.stop, closed="left"))
        return rows if "task" in rows.columns else rows.with_columns(task=pl.lit(0, dtype=NUMBER))

    @property
    def batches(self) -> list[range]:
        """The graders of every batch."""
        return [range(*edges) for edges in pairwise(self.edges.tolist())]


class _Tables:
    """Tables by name, to which rows are appended: in memory, or as records in the files of a folder."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self._pieces: dict[str, list[pl.DataFrame]] = {}
        self._record = np.dtype([])

    def append(self, name: str, rows: pl.DataFrame) -> None:
        if self.folder is None:
            self._pieces.setdefault(name, []).append(rows)
            return
        records = rows.to_numpy(structured=True)
        self._record = records.dtype
        path = self.folder / name
        with naming_file(path, "there is no room to work in"), path.open("ab") as file:
            file.write(records.view(np.uint8).data)

    def load(self, name: str) -> pl.DataFrame:
        if self.folder is None:
            return pl.concat(self._pieces[name])
        records = np.fromfile(self.folder / name, dtype=self._record)
        return pl.DataFrame({role: records[role] for role in self._record.names or ()}, nan_to_null=True)

    def pop(self, name: str) -> pl.DataFrame:
        rows = self.load(name)
        if self.folder is None:
            del self._pieces[name]
        else:
            (self.folder / name).unlink()
        return rows


# -- what must be known of all reviews before one is written -------------------------------------------------


class ReviewSurvey:
    """Filled batch by batch, each of them all rows of some graders; a repeated review counts once.

    Attributes
    ----------
    grader_reviews, grader_lists : how many every grader has.
    item_keys : ``task * n_items + item`` of every item in order, where `n_items` is the number of labels.
    several_lists : whether a grader has several lists in a task.
    repeated_lines, n_repeated : the first rows that repeat a review, and how many there are.
    below_one, repeated, unequal_weights : batches that may have to be refused, by their graders.
    """

    def __init__(self, ordering: str, n_tasks: int, n_items: int, *, has_lists: bool) -> None:
        self.ordering, self.n_tasks, self.n_items = ordering, n_tasks, n_items
        self.has_lists = has_lists
        self.list_keys = ["task", "grader", "list"] if has_lists else ["task", "grader"]
        self.several_lists = False
        self.repeated_lines: list[int] = []
        self.n_repeated = 0
        self.below_one: list[range] = []
        self.repeated: list[range] = []
        self.unequal_weights: list[range] = []
        self._item_keys = pl.Series(np.arange(n_items if n_tasks == 1 else 0))
        self._grader_reviews: list[NDArray[np.int64]] = []
        self._grader_lists: list[NDArray[np.int64]] = []
        self._long_lists: list[pl.DataFrame] = []  # of two reviews or more
        self._least = np.inf
        self._most = np.full(n_tasks, -np.inf)
        self._is_whole = True
        self._odd_singles = False
        self._thirds: list[bool] = []
        self._codes = CodeSummary()

    @property
    def grader_reviews(self) -> NDArray[np.int64]:
        return np.concatenate(self._grader_reviews)

    @property
    def grader_lists(self) -> NDArray[np.int64]:
        return np.concatenate(self._grader_lists)

    @property
    def item_keys(self) -> NDArray[np.int64]:
        return self._item_keys.sort().to_numpy()

    def add(self, rows: pl.DataFrame, graders: range) -> None:
        """Look at the next batch, whose rows are in order."""
        reviews = self._without_repeats(rows)
        lists = reviews.group_by(self.list_keys).len()
        self._grader_reviews.append(_counts(reviews["grader"], graders))
        self._grader_lists.append(_counts(lists["grader"], graders))
        self._long_lists.append(lists.filter(pl.col("len") >= 2).select(self.list_keys))
        if self.has_lists:
            self.several_lists |= lists.select("task", "grader").n_unique() < len(lists)
        if self.n_tasks > 1:
            self._item_keys = pl.concat([self._item_keys, self.keys_of_items(reviews).unique()]).unique()
        if len(reviews) < len(rows):
            again = rows.join(reviews, on="line", how="anti")["line"]
            self.repeated.append(graders)
            self.repeated_lines = sorted([*self.repeated_lines, *again.sort().head(SHOWN_LINES)])[
                :SHOWN_LINES
            ]
            self.n_repeated += len(again)
        if "weight" in rows.columns:
            weight = pl.col("weight").fill_null(1.0)
            unequal = rows.group_by(self.list_keys).agg(unequal=weight.min() != weight.max())["unequal"]
            if unequal.any():
                self.unequal_weights.append(graders)
        self._add_numbers(reviews, lists, graders)

    def keys_of_items(self, rows: pl.DataFrame) -> pl.Series:
        """``task * n_items + item`` of every row."""
        return rows.select(pl.col("task").cast(pl.Int64) * self.n_items + pl.col("item")).to_series()

    def _without_repeats(self, rows: pl.DataFrame) -> pl.DataFrame:
        return rows.unique([*self.list_keys, "item"], keep="first", maintain_order=True)

    def _add_numbers(self, reviews: pl.DataFrame, lists: pl.DataFrame, graders: range) -> None:
        values = reviews[self.ordering].to_numpy()
        if values.min() < 1:
            self.below_one.append(graders)
        self._least = min(self._least, float(values.min()))
        self._codes = self._codes.with_others(summarise_codes(values))
        np.maximum.at(self._most, reviews["task"].to_numpy(), values)
        is_whole = values == np.round(values)
        if not is_whole.all():
            self._is_whole = False
            singles = lists.filter(pl.col("len") == 1)
            odd = reviews.filter(pl.Series(~is_whole)).join(singles, on=self.list_keys, how="semi")
            self._odd_singles |= len(odd) > 0
        # whole numbers from 1 to 6 are no thirds by themselves, and do not speak against them
        if not is_whole.all() or values.min() < 1 or values.max() > 6:
            self._thirds.append(looks_like_letter_thirds(values))

    def numbers_seen(self, store: RowStore) -> NumberSummary:
        """What decides about the direction."""
        items = np.bincount(self.item_keys // self.n_items, minlength=self.n_tasks)
        return NumberSummary(
            least=self._least,
            most=float(self._most.max()),
            beyond=bool((self._most > items).any()),
            whole=self._is_whole,
            odd_singles=self._odd_singles,
            letter_thirds=bool(self._thirds) and all(self._thirds),
            sample=self._sample(store, items),
            codes=self._codes,
        )

    def _sample(self, store: RowStore, items: NDArray[np.int64]) -> Numbers:
        """The lists that reading at once would choose: spread evenly over all, by task and grader."""
        lists = pl.concat(self._long_lists).sort(self.list_keys)
        chosen = lists[sample_evenly(len(lists))].with_row_index("number")
        rows = [store.rows(graders).join(chosen, on=self.list_keys) for graders in store.batches]
        sample = self._without_repeats(pl.concat(rows))
        return Numbers(
            sample[self.ordering].to_numpy(),
            sample["number"].to_numpy().astype(np.int64),
            items[sample["task"].to_numpy()],
        )


def _counts(of_graders: pl.Series, graders: range) -> NDArray[np.int64]:
    return np.bincount(of_graders.to_numpy() - graders.start, minlength=len(graders))
