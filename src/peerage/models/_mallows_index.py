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
    """Lists one after the other as runs of cells, and the cells of every item.

    A cell holds four times the item of an entry, plus 1 where a bucket opens. Behind every list, and before
    the first, is a cell that closes it: four times its number, plus 3. So everything about a list lies
    together in memory, which is most of the speed. ``units`` says how much a comparison counts, by list, or
    once where all lists count alike.
    """

    cells: NDArray[Any]
    item_starts: NDArray[np.int64]
    item_cells: NDArray[Any]
    units: NDArray[np.int64]


def make_index(feedback: Feedback, reliabilities: NDArray[np.float64]) -> Index:
    """The index of a feedback, its lists counting by weight times reliability."""
    n_cells = feedback.n_entries + feedback.n_lists + 1
    kind: Any = np.int32 if 4 * max(feedback.n_items, n_cells) < 2**31 else np.int64
    cells, item_cells = np.empty(n_cells, dtype=kind), np.empty(feedback.n_entries, dtype=kind)
    item_starts = np.zeros(feedback.n_items + 1, dtype=np.int64)
    np.cumsum(feedback.item_reviews, out=item_starts[1:])
    _lay_out(feedback.items, feedback.opens, feedback.list_starts, item_starts[:-1].copy(), cells, item_cells)
    return Index(cells, item_starts, item_cells, whole_units(feedback, reliabilities))


def whole_units(feedback: Feedback, reliabilities: NDArray[np.float64]) -> NDArray[np.int64]:
    """Reliability times weight of every list, in whole numbers of a tiny unit, a power of two.

    Sums of whole numbers are exact in any order. So items are tied when their sums are equal and not when
    rounding happens to make them so, the numbering of items and graders plays no part, and repeating a
    list is the same as giving it a larger weight.
    """
    weights = feedback.list_weights
    if _same(reliabilities) and _same(weights):
        return np.ones(1, dtype=np.int64)
    most = comparisons(feedback)[0].max(initial=1.0)
    bits = min(UNIT_BITS, 61 - math.ceil(math.log2(most)))
    top = math.frexp(float(reliabilities.max(initial=1e-300)))[1]
    by_grader = np.rint(np.ldexp(reliabilities, bits - top))
    units = np.rint(by_grader[feedback.list_graders] * weights).astype(np.int64)
    return units[:1] if len(units) and bool((units == units[0]).all()) else units


def _same(values: NDArray[np.float64]) -> bool:
    return len(values) > 0 and bool(values.min() == values.max())


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
def _lay_out(items: Any, opens: Any, starts: Any, next_slot: Any, cells: Any, item_cells: Any) -> None:
    cells[0] = 3
    at = 1
    for which in range(len(starts) - 1):
        for entry in range(starts[which], starts[which + 1]):
            item = items[entry]
            cells[at] = 4 * item + opens[entry]
            item_cells[next_slot[item]] = at
            next_slot[item] += 1
            at += 1
        cells[at] = 4 * which + 3
        at += 1


@kernel
def rivals(index: Any, cell: int) -> tuple[int, int, int, int]:
    """Where the rivals of an item are: first:second are above it in its list, third:fourth below.

    The fourth is also the cell that closes the list.
    """
    low, high = cell, cell + 1
    while not index.cells[low] & 1:
        low -= 1
    first = low
    while not index.cells[first - 1] & 2:
        first -= 1
    while not index.cells[high] & 1:
        high += 1
    last = high
    while not index.cells[last] & 2:
        last += 1
    return first, low, high, last


@kernel
def item_at(index: Any, cell: int) -> int:
    """The item of a cell."""
    return int(index.cells[cell] >> 2)


@kernel
def unit_at(index: Any, last: int) -> int:
    """How much a comparison counts in the list that this cell closes."""
    return int(index.units[index.cells[last] >> 2] if len(index.units) > 1 else index.units[0])
