"""Which of very many numbers come back, without sorting or even keeping them all.

Two works that several graders compared, two graders who share several works: in a large class there are
millions of such pairs, and nearly all of them occur once. So every one is first counted in a table, as a
number, at a place that others may share. Only numbers whose place was met often enough can be among those
wanted, and only these are kept; whoever asked then counts them exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from peerage._numba import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

PLACES = 3  # of the table for every number, at least: the more, the fewer are kept in vain
FULL = 255  # of a place: more is not counted
GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2^64 by the golden ratio: spreads numbers that follow each other


class Table(NamedTuple):
    """How often every place was met; and by how much the number of a place is shorter than a hash."""

    met: NDArray[np.uint8]
    shift: np.uint64


def empty_table(n: int) -> Table:
    """For about n numbers; its length is a power of two, so that finding a place needs no division."""
    bits = max(PLACES * n - 1, 1).bit_length()
    return Table(np.zeros(1 << bits, dtype=np.uint8), np.uint64(64 - bits))


@kernel
def count(table: Any, number: Any) -> None:
    """One more of a number."""
    place = (np.uint64(number) * GOLDEN) >> table.shift
    if table.met[place] < FULL:
        table.met[place] += 1


@kernel
def may_come_back(table: Any, number: Any, least: int) -> bool:
    """Whether a number that was counted may have been so at least `least` times; never false by mistake."""
    return bool(table.met[(np.uint64(number) * GOLDEN) >> table.shift] >= least)


@kernel
def how_many(table: Any, least: int) -> int:
    """How many of the numbers that were counted may come back; -1 where a place was too full to tell."""
    total = 0
    for met in table.met:
        if met == FULL:
            return -1
        if met >= least:
            total += met
    return total
