"""Connected pieces of a class, and vectors split into a level per piece and what is left.

Lists speak of differences only: add a constant to all scores of a piece, and nothing but the prior notices.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._numba import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models.smooth.blocks import Lists


class Pieces:
    """Which items are linked by lists, directly or through others.

    number : ndarray of shape (n_items,), the piece of every item, counted from 0
    sizes : items of every piece
    """

    def __init__(self, runs: Iterable[Lists], n_items: int) -> None:
        parent = np.arange(n_items)
        for lists in runs:
            _join(lists.items, lists.starts, parent)
        self.number = np.empty(n_items, dtype=np.int64)
        count = _count(parent, self.number)
        self.sizes = np.bincount(self.number, minlength=count)

    def levels(self, vector: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean over its piece, for every item."""
        if len(self.sizes) == 1:
            return np.full(len(vector), vector.mean())
        return np.asarray((np.bincount(self.number, vector) / self.sizes)[self.number])


@kernel
def _root(parent: Any, item: int) -> int:
    while parent[item] != item:
        parent[item] = parent[parent[item]]  # halves the way for the next who asks
        item = parent[item]
    return item


@kernel
def _join(items: Any, starts: Any, parent: Any) -> None:
    """Put the items of every list under one root, the smallest: parents never have larger numbers."""
    for which in range(len(starts) - 1):
        if starts[which] == starts[which + 1]:
            continue
        root = _root(parent, items[starts[which]])
        for e in range(starts[which] + 1, starts[which + 1]):
            other = _root(parent, items[e])
            if other < root:
                parent[root] = other
                root = other
            else:
                parent[other] = root


@kernel
def _count(parent: Any, number: Any) -> int:
    """Number the roots from 0, every item like its root; how many there are."""
    count = 0
    for item in range(len(parent)):
        if parent[item] == item:
            number[item] = count
            count += 1
        else:
            number[item] = number[parent[item]]
    return count
