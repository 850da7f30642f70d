"""What must be known of all reviews before one is written: repeats, lists, and what the numbers look like."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from peerage._words import SHOWN_LINES
from peerage.feedback.choices import Numbers
from peerage.reading.rank_evidence import NumberSummary, looks_like_letter_thirds, sample_evenly

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.reading.row_store import RowStore


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
