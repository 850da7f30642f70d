"""Connected components of a class, and the null space of its likelihood.

Lists speak of differences only: add a constant to all scores of a component, and nothing but the prior
notices. The null space is spanned by one vector of ones per component.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._numba import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Lists = tuple[NDArray[np.int32], NDArray[np.int64]]  # items, and where each list starts


class Forest:
    """Which items some of the lists link, as a tree for every component; forests of other lists join it.

    parent : int32[n_items], never larger than the item; roots are their own
    """

    def __init__(self, parent: NDArray[np.int32]) -> None:
        self.parent = parent

    def __add__(self, other: Forest) -> Forest:
        parent = self.parent.copy()
        _unite(parent, other.parent)
        return Forest(parent)

    @classmethod
    def by_lists(cls, lists: Lists, n_items: int) -> Forest:
        """Items of a list are linked."""
        parent = np.arange(n_items, dtype=np.int32)
        _join(*lists, parent)
        return cls(parent)

    @classmethod
    def by_graders(
        cls, lists: Lists, graders: NDArray[np.int32], speaks: NDArray[np.bool_], shape: tuple[int, int]
    ) -> Forest:
        """Items of a grader's lists that speak are linked."""
        parent, first = np.arange(shape[0], dtype=np.int32), np.full(shape[1], -1, dtype=np.int64)
        _join_by_grader(*lists, graders, speaks, parent, first)
        return cls(parent)


class Components:
    """Which items are linked by lists, directly or through others.

    labels : ndarray of shape (n_items,), the component of every item, counted from 0
    sizes : items of every component
    """

    def __init__(self, forest: Forest) -> None:
        self.labels = np.empty(len(forest.parent), dtype=np.int64)
        count = _label(forest.parent, self.labels)
        self.sizes = np.bincount(self.labels, minlength=count)

    def means(self, vector: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean over its component, for every item: the vector's projection on the null space."""
        if len(self.sizes) == 1:
            return np.broadcast_to(vector.mean(), vector.shape)
        return np.asarray((np.bincount(self.labels, vector) / self.sizes)[self.labels])


@kernel
def _root(parent: Any, item: int) -> int:
    while parent[item] != item:
        parent[item] = parent[parent[item]]  # halves the way for the next who asks
        item = parent[item]
    return item


@kernel
def _unite(parent: Any, other: Any) -> None:
    """Link what another forest links."""
    for item in range(len(other)):
        if other[item] != item:
            one, two = _root(parent, item), _root(parent, other[item])
            parent[max(one, two)] = min(one, two)


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
def _join_by_grader(items: Any, starts: Any, graders: Any, speaks: Any, parent: Any, first: Any) -> None:
    """Put all items of a grader's lists under one root, the smallest, and keep one item of each grader."""
    for which in range(len(graders)):
        if not speaks[which]:
            continue
        grader = graders[which]
        if first[grader] < 0:
            first[grader] = items[starts[which]]
        root = _root(parent, first[grader])
        for e in range(starts[which], starts[which + 1]):
            other = _root(parent, items[e])
            root, high = min(root, other), max(root, other)
            parent[high] = root


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
