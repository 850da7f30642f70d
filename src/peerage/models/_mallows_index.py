"""Who was compared with whom, without storing a single pair: lists, and for every item the entries it is in.

The pairs of a list are found by walking it. Ten million reviews in lists of ten are forty-five million
pairs, but only ten million entries.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from peerage._numba import kernel
from peerage.models._lists import bucket_end
from peerage.models._start import comparisons

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback import Feedback

UNIT_BITS = 40  # reliabilities are rounded to 2^-40 of the largest


class Index(NamedTuple):
    """Entries in order of lists, and entries by item.

    A cell holds four times the item of an entry, plus 1 where a bucket opens and 3 where a list does; one
    last cell closes the last list. So everything about a list lies together in memory, which is most of the
    speed. ``units`` says how much a comparison counts, by list, or once where all lists count alike.
    """

    cells: NDArray[Any]
    list_of: NDArray[np.int32]
    item_starts: NDArray[np.int64]
    item_entries: NDArray[Any]
    units: NDArray[np.int64]


def make_index(feedback: Feedback, reliabilities: NDArray[np.float64]) -> Index:
    """The index of a feedback, its lists counting by weight times reliability."""
    small = max(4 * feedback.n_items, feedback.n_entries) < 2**31
    kind: Any = np.int32 if small else np.int64
    cells: NDArray[Any] = np.full(feedback.n_entries + 1, 3, dtype=kind)
    cells[:-1] = feedback.items
    cells[:-1] *= 4
    cells[:-1] += feedback.opens
    cells[feedback.list_starts[:-1]] |= 3
    item_starts = np.append(0, np.cumsum(feedback.item_reviews))
    item_entries = np.empty(feedback.n_entries, dtype=kind)
    _sort_by_item(feedback.items, item_starts[:-1].copy(), item_entries)
    list_of = np.repeat(np.arange(feedback.n_lists, dtype=np.int32), feedback.list_lengths)
    return Index(cells, list_of, item_starts, item_entries, whole_units(feedback, reliabilities))


def whole_units(feedback: Feedback, reliabilities: NDArray[np.float64]) -> NDArray[np.int64]:
    """Reliability times weight of every list, in whole numbers of a tiny unit, a power of two.

    Sums of whole numbers are exact in any order. So items are tied when their sums are equal and not when
    rounding happens to make them so, the numbering of items and graders plays no part, and repeating a
    list is the same as giving it a larger weight.
    """
    most = comparisons(feedback)[0].max(initial=1.0)
    bits = min(UNIT_BITS, 61 - math.ceil(math.log2(most)))
    top = math.frexp(float(reliabilities.max(initial=1e-300)))[1]
    by_grader = np.rint(np.ldexp(reliabilities, bits - top))
    units = np.rint(by_grader[feedback.list_graders] * feedback.list_weights).astype(np.int64)
    return units[:1] if len(units) and bool((units == units[0]).all()) else units


def compared(feedback: Feedback) -> NDArray[np.bool_]:
    """Which items some grader placed above or below another."""
    marks = np.zeros(feedback.n_items, dtype=bool)
    _mark_compared(feedback.items, feedback.opens, feedback.list_starts, marks)
    return marks


@kernel
def _mark_compared(items: Any, opens: Any, starts: Any, marks: Any) -> None:
    for which in range(len(starts) - 1):
        first, last = starts[which], starts[which + 1]
        if bucket_end(opens, first, last) < last:
            for e in range(first, last):
                marks[items[e]] = True


@kernel
def _sort_by_item(items: Any, next_slot: Any, item_entries: Any) -> None:
    for entry in range(len(items)):
        item = items[entry]
        item_entries[next_slot[item]] = entry
        next_slot[item] += 1


@kernel
def rivals(index: Any, entry: int) -> tuple[int, int, int, int]:
    """Where the rivals of an entry are: first:second are above it in its list, third:fourth below."""
    low, high = entry, entry + 1
    while not index.cells[low] & 3:
        low -= 1
    first = low
    while not index.cells[first] & 2:
        first -= 1
    while not index.cells[high] & 3:
        high += 1
    last = high
    while not index.cells[last] & 2:
        last += 1
    return first, low, high, last


@kernel
def item_at(index: Any, entry: int) -> int:
    """The item of an entry."""
    return int(index.cells[entry] >> 2)


@kernel
def unit_at(index: Any, entry: int) -> int:
    """How much a comparison in the list of this entry counts."""
    return int(index.units[index.list_of[entry]] if len(index.units) > 1 else index.units[0])
