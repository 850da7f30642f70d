"""Which of very many pairs repeat, without sorting or even keeping them all.

Two items that several graders compared, two graders who share several items: in a large class there are
millions of such pairs, and nearly all of them occur once. So every pair, as a number, is first counted in a
hash table of small counters whose slots pairs may share (a counting Bloom filter with one hash). Only pairs
whose slot was hit often enough can be among those wanted, and only these are kept; the caller then counts
them exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from peerage._numba import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

SLOTS = 3  # of the table for every pair, at least: the more, the fewer are kept in vain
FULL = 255  # of a counter: more is not counted
GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2^64 by the golden ratio: spreads numbers that follow each other


class HashCounts(NamedTuple):
    """How often every slot was hit; and by how much the number of a slot is shorter than a hash."""

    hits: NDArray[np.uint8]
    shift: np.uint64


def empty_counts(n: int) -> HashCounts:
    """For about n pairs; its length is a power of two, so that finding a slot needs no division."""
    bits = max(SLOTS * n - 1, 1).bit_length()
    return HashCounts(np.zeros(1 << bits, dtype=np.uint8), np.uint64(64 - bits))


@kernel
def count_pair(counts: Any, pair: Any) -> None:
    """One more of a pair."""
    slot = (np.uint64(pair) * GOLDEN) >> counts.shift
    if counts.hits[slot] < FULL:
        counts.hits[slot] += 1


@kernel
def may_repeat(counts: Any, pair: Any, least: int) -> bool:
    """Whether a pair that was counted may have been so at least `least` times; never false by mistake."""
    return bool(counts.hits[(np.uint64(pair) * GOLDEN) >> counts.shift] >= least)


@kernel
def count_repeated(counts: Any, least: int) -> int:
    """How many of the pairs that were counted may repeat; -1 where a counter was too full to tell."""
    total = 0
    for hits in counts.hits:
        if hits == FULL:
            return -1
        if hits >= least:
            total += hits
    return total
