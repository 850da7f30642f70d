"""Who was compared with whom, without storing a single pair: lists, and for every item the entries it is in.

The pairs of a list are found by walking it. Ten million reviews in lists of ten are forty-five million
pairs, but only ten million entries.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from peerage._numba import kernel
from peerage.models.lists import bucket_end, most_compared

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback

UNIT_BITS = 40  # reliabilities are rounded to 2^-40 of the largest


class Index(NamedTuple):
    """Lists one after the other as runs of cells, and the addresses of every item in them.

    A cell holds four times the item of an entry, plus 1 where a bucket opens. Before every list is a cell
    that parts it from the one before: four times the list's number, plus 3. So everything about a list lies
    together in memory, which is most of the speed. Behind the last list are as many such cells as the
    ``longest`` has items, so that one may look that far ahead. An address is the first cell of a list, moved
    left by ``bits``, plus the distance from there. ``units`` says how much a comparison counts, by list; a
    single 1 where all count alike.
    """

    cells: NDArray[Any]
    item_starts: NDArray[Any]
    addresses: NDArray[Any]
    bits: int
    longest: int
    units: NDArray[np.int64]


def make_index(feedback: Feedback, reliabilities: NDArray[np.float64]) -> Index:
    """The index of a feedback, its lists counting by weight times reliability."""
    longest = int(feedback.list_lengths.max(initial=1))
    n_cells = feedback.n_entries + feedback.n_lists + longest
    cells = np.empty(n_cells, dtype=np.int32 if 4 * max(feedback.n_items, n_cells) < 2**31 else np.int64)
    _lay_out(feedback.items, feedback.bucket_starts, feedback.list_starts, cells)
    return _filed(cells, feedback.item_reviews, longest, whole_units(feedback, reliabilities))


def _filed(cells: NDArray[Any], reviews: NDArray[Any], longest: int, units: NDArray[np.int64]) -> Index:
    bits = longest.bit_length()
    kind: Any = np.int32 if len(cells) << bits < 2**31 else np.int64
    item_starts = np.zeros(len(reviews) + 1, dtype=kind)
    np.cumsum(reviews, out=item_starts[1:])
    addresses = np.empty(item_starts[-1], dtype=kind)
    _file(cells, bits, item_starts[:-1].copy(), addresses)
    return Index(cells, item_starts, addresses, bits, longest, units)


def within(index: Index, block: NDArray[np.int32]) -> Index:
    """The same index without comparisons of items of different blocks; -1 is no block."""
    sizes = np.append(np.bincount(block[block >= 0]), 0)
    cells = _split(index, np.where(sizes[block] > 1, block, -1))
    return _filed(cells, _count(cells, len(block)), index.longest, index.units)


def whole_units(
    feedback: Feedback, reliabilities: NDArray[np.float64], most: float | None = None
) -> NDArray[np.int64]:
    """Reliability times weight of every list, in whole numbers of a tiny unit, a power of two.

    Sums of whole numbers are exact in any order. So items are tied when their sums are equal and not when
    rounding happens to make them so, the numbering of items and graders plays no part, and repeating a
    list is the same as giving it a larger weight. `most` is `most_compared`, where it is known.
    """
    weights = feedback.list_weights
    if _same(reliabilities) and _same(weights):
        return np.ones(1, dtype=np.int64)
    most = most_compared(feedback) if most is None else most
    bits = min(UNIT_BITS, 61 - math.ceil(math.log2(most)))
    top = math.frexp(float(reliabilities.max(initial=1e-300)))[1]
    by_grader = np.rint(np.ldexp(reliabilities, bits - top))
    units = np.rint(by_grader[feedback.list_graders] * weights).astype(np.int64)
    return units if len(units) > 1 else np.ones(1, dtype=np.int64)


def _same(values: NDArray[np.float64]) -> bool:
    return len(values) > 0 and bool(values.min() == values.max())


def compared(feedback: Feedback) -> NDArray[np.bool_]:
    """Which items some grader placed above or below another."""
    marks = np.zeros(feedback.n_items, dtype=bool)
    _mark_compared(feedback.items, feedback.bucket_starts, feedback.list_starts, marks)
    return marks


@kernel
def _mark_compared(items: Any, bucket_starts: Any, starts: Any, marks: Any) -> None:
    for which in range(len(starts) - 1):
        first, last = starts[which], starts[which + 1]
        if bucket_end(bucket_starts, first, last) < last:
            for e in range(first, last):
                marks[items[e]] = True


@kernel
def _lay_out(items: Any, bucket_starts: Any, starts: Any, cells: Any) -> None:
    at = 0
    for which in range(len(starts) - 1):
        cells[at] = 4 * which + 3
        at += 1
        for entry in range(starts[which], starts[which + 1]):
            cells[at] = 4 * items[entry] + bucket_starts[entry]
            at += 1
    cells[at:] = 3


@kernel
def _file(cells: Any, bits: int, next_slot: Any, addresses: Any) -> None:
    first = 1
    for at in range(1, len(cells)):
        if cells[at] & 2:
            first = at + 1
            continue
        item = cells[at] >> 2
        addresses[next_slot[item]] = (first << bits) + at - first
        next_slot[item] += 1


@kernel
def _count(cells: Any, n_items: int) -> Any:
    """How many lists each item is in."""
    reviews = np.zeros(n_items, dtype=np.int64)
    for cell in cells:
        if not cell & 2:
            reviews[cell >> 2] += 1
    return reviews


@kernel
def _split(index: Any, block: Any) -> Any:
    """The cells of lists that are parts of the old ones, each with items of one block."""
    cells = np.empty(len(index.cells) + len(index.cells) // 2, dtype=index.cells.dtype)
    home = np.empty(index.longest, dtype=np.int32)
    at, first = int(np.int64(0)), int(np.int64(1))
    while first < len(index.cells):
        last = first
        while not parts(index, last):
            home[last - first] = block[item_at(index, last)]
            last += 1
        for e in range(first, last):
            if home[e - first] >= 0:
                at = _add_part(index, e, first, last, home, cells, at)
        first = last + 1
    cells[at : at + index.longest] = 3
    return cells[: at + index.longest].copy()


@kernel
def _add_part(index: Any, mine: int, first: int, last: int, home: Any, cells: Any, at: int) -> int:
    """Add what a list says of one item's block, if it compares anything there; the next free cell.

    Items that come with this one are in no block from here on.
    """
    block, begin, opened, compares = home[mine - first], at, True, False
    for e in range(mine, last):
        opened |= bool(index.cells[e] & 1)
        if home[e - first] != block:
            continue
        if at == begin:
            cells[at] = index.cells[first - 1]
            at += 1
        compares |= opened and e > mine
        cells[at] = 4 * item_at(index, e) + opened
        at, opened, home[e - first] = at + 1, False, -1
    return at if compares else begin


@kernel
def bucket_at(index: Any, address: int) -> tuple[int, int, int]:
    """The first cell of the list at an address, where the bucket there begins, and where it ends."""
    first = address >> index.bits
    low = first + (address & ((1 << index.bits) - 1))
    high = bucket_after(index, low)
    while not index.cells[low] & 1:
        low -= 1
    return first, low, high


@kernel
def bucket_after(index: Any, cell: int) -> int:
    """Where the bucket ends that a cell is in."""
    cell += 1
    while not index.cells[cell] & 1:
        cell += 1
    return cell


@kernel
def parts(index: Any, cell: int) -> bool:
    """Whether a cell parts one list from the next."""
    return bool(index.cells[cell] & 2)


@kernel
def item_at(index: Any, cell: int) -> int:
    """The item of a cell."""
    return int(index.cells[cell] >> 2)


@kernel
def unit_at(index: Any, first: int) -> int:
    """How much a comparison counts in the list that begins at this cell."""
    return int(index.units[index.cells[first - 1] >> 2] if len(index.units) > 1 else index.units[0])
