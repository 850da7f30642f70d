"""Which of very many numbers come back, without sorting or even keeping them all.

Two works that several graders compared, two graders who share several works: in a large class there are
millions of such pairs, and nearly all of them occur once. So every one is first counted in a table, as a
number, at a place that others may share. Only numbers whose place was met often enough can be among those
wanted, and only these are kept; whoever asked then counts them exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._numba import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

PLACES = 4  # of the table for every number: the more, the fewer are kept in vain
FULL = 255  # of a place: more is not counted


def empty_table(n: int) -> NDArray[np.uint8]:
    """For about n numbers; of an odd length, because many classes have an even number of items."""
    return np.zeros(PLACES * n + 1, dtype=np.uint8)


@kernel
def count(table: Any, number: Any) -> None:
    """One more of a number."""
    place = number % len(table)
    if table[place] < FULL:
        table[place] += 1


@kernel
def may_come_back(table: Any, number: Any, least: int) -> bool:
    """Whether a number that was counted may have been so at least `least` times; never false by mistake."""
    return bool(table[number % len(table)] >= least)
