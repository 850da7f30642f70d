"""Connected components of a class, and the null space of its likelihood.

Lists speak of differences only: add a constant to all scores of a component, and nothing but the prior
notices. The null space is spanned by one vector of ones per component.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._numba import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Lists = tuple[NDArray[np.int32], NDArray[np.int64]]  # items, and where each list starts


class Components:
    """Which items are linked by lists, directly or through others.

    labels : ndarray of shape (n_items,), the component of every item, counted from 0
    sizes : items of every component
    """

    def __init__(self, parts: Iterable[Lists], n_items: int) -> None:
        parent = np.arange(n_items)
        for items, starts in parts:
            _join(items, starts, parent)
        self.labels = np.empty(n_items, dtype=np.int64)
        count = _label(parent, self.labels)
        self.sizes = np.bincount(self.labels, minlength=count)

    def means(self, vector: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean over its component, for every item: the vector's projection on the null space."""
        if len(self.sizes) == 1:
            return np.full(len(vector), vector.mean())
        return np.asarray((np.bincount(self.labels, vector) / self.sizes)[self.labels])


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
def _label(parent: Any, labels: Any) -> int:
    """Number the roots from 0, every item like its root; how many there are."""
    count = 0
    for item in range(len(parent)):
        if parent[item] == item:
            labels[item] = count
            count += 1
        else:
            labels[item] = labels[parent[item]]
    return count
