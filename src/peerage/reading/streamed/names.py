"""Labels that are numbered while files are read, before all of them are known."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from peerage.feedback.labels import merge_spellings

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Numbering(NamedTuple):
    """The canonical number of every label by the one it was met under, -1 without a review; the labels."""

    lookup: NDArray[np.int32]
    labels: pl.Series
    joined: list[list[str]]


class Names:
    """The labels of one column, in the order they were met, and how often each was."""

    def __init__(self) -> None:
        self._known = pl.DataFrame(schema={"label": pl.String, "number": pl.Int32})
        self._rows = np.zeros(0, dtype=np.int64)
        self._reviews = np.zeros(0, dtype=np.int64)

    def met(self, labels: pl.Series) -> NDArray[np.int32]:
        """The number of each of these different labels; new ones get the next."""
        asked = pl.DataFrame({"label": labels})
        found = asked.join(self._known, on="label", how="left", maintain_order="left")["number"]
        numbers = found.fill_null(-1).to_numpy().copy()
        new = numbers < 0
        first = len(self._known)
        numbers[new] = np.arange(first, first + new.sum(), dtype=np.int32)
        fresh = pl.DataFrame({"label": labels.filter(pl.Series(new)), "number": numbers[new]})
        self._known = pl.concat([self._known, fresh])
        return numbers

    def count(self, numbers: NDArray[np.int32], kept: NDArray[np.bool_]) -> None:
        """Count rows, and those that are kept as reviews."""
        size = len(self._known)
        known = numbers >= 0
        self._rows = _grown(self._rows, size) + np.bincount(numbers[known], minlength=size)
        self._reviews = _grown(self._reviews, size) + np.bincount(numbers[known & kept], minlength=size)

    def reviews(self, numbering: Numbering) -> NDArray[np.int64]:
        """Reviews of each label by its canonical number."""
        used = numbering.lookup >= 0
        total = np.zeros(len(numbering.labels), dtype=np.int64)
        np.add.at(total, numbering.lookup[used], self._reviews[used])
        return total

    def numbering(self, *, fold: bool) -> Numbering:
        """The canonical numbers: those of the sorted labels that have reviews."""
        known = self._known["label"].rechunk()
        order = known.arg_sort().to_numpy()
        lookup = np.empty(len(known), dtype=np.int32)
        lookup[order] = np.arange(len(known), dtype=np.int32)
        labels, groups = known.gather(order), list[list[str]]()
        if fold:
            place, labels, groups = merge_spellings(labels, self._rows[order])
            lookup = place[lookup]
        used = np.zeros(len(labels), dtype=bool)
        used[lookup[self._reviews > 0]] = True
        if used.all():
            return Numbering(lookup, labels.alias(""), groups)
        place = np.where(used, np.cumsum(used, dtype=np.int32) - np.int32(1), np.int32(-1)).astype(np.int32)
        return Numbering(place[lookup], labels.filter(pl.Series(used)).alias(""), groups)


def _grown(counts: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    return np.append(counts, np.zeros(size - len(counts), dtype=np.int64))
