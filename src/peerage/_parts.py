"""Sums over parts of the feedback, wherever the parts are, added up in a tree that the data fixes.

A part is a run of graders (`peerage.feedback.partition`). What it answers is either a sum over its lists, and
then neighbours are added up, pairs of pairs, until one is left; or it belongs to its graders, and then it is
put in their order. Who adds two neighbours, and where, changes no bit: threads of this process
(`models/solver/threads.py`) or workers of a cluster (`peerage.cluster`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Node = tuple[int, int]  # the parts from one number up to another
    Work = Callable[..., "PartialSum"]


@dataclass(slots=True)
class PartialSum:
    """What one part answers, or several neighbours together.

    sums : added up over the parts: numbers, arrays, whatever has a plus
    by_part : arrays of each part's graders or facts about it
    is_stale : whether a part did not stand where it was asked to: it was read anew
    """

    sums: tuple[Any, ...] = ()
    by_part: list[tuple[Any, ...]] = field(default_factory=list)
    is_stale: bool = False

    def by_grader(self, which: int = 0) -> NDArray[Any]:
        """An array of all graders, from those of the parts."""
        if len(self.by_part) == 1:
            return np.asarray(self.by_part[0][which])
        return np.concatenate([part[which] for part in self.by_part])


STALE = PartialSum(is_stale=True)


def add(left: PartialSum, right: PartialSum) -> PartialSum:
    """Two neighbours; both are left as they are."""
    if left.is_stale or right.is_stale:
        return STALE
    sums = tuple(a + b for a, b in zip(left.sums, right.sums, strict=True))
    return PartialSum(sums, left.by_part + right.by_part)


def add_into(left: PartialSum, right: PartialSum) -> PartialSum:
    """The same, in the arrays of the left one."""
    if left.is_stale or right.is_stale:
        return STALE
    sums = []
    for a, b in zip(left.sums, right.sums, strict=True):
        if isinstance(a, np.ndarray) and a.ndim:
            a += b
            sums.append(a)
        else:
            sums.append(a + b)
    return PartialSum(tuple(sums), left.by_part + right.by_part)


# -- the tree -----------------------------------------------------------------------------------------


def halves(node: Node) -> tuple[Node, Node]:
    """The two below a node."""
    low, high = node
    middle = (low + high + 1) // 2
    return (low, middle), (middle, high)


def nodes(n_parts: int, wanted: int) -> list[Node]:
    """The nodes of the tree at the highest level that has as many as are wanted, or single parts."""
    level: list[Node] = [(0, n_parts)]
    while len(level) < wanted and any(high - low > 1 for low, high in level):
        level = [below for node in level for below in (halves(node) if node[1] - node[0] > 1 else (node,))]
    return level


def total_of(found: dict[Node, PartialSum], node: Node) -> PartialSum:
    """The sum of a node, from the sums of nodes below."""
    if node in found:
        return found[node]
    left, right = halves(node)
    return add_into(total_of(found, left), total_of(found, right))


# -- those who hold the parts ---------------------------------------------------------------------------


class Parts(Protocol):
    """Parts of something, in order, and whoever works on them."""

    latency_bound: bool  # whether a round costs more than its work: then ask for more than is needed yet

    def __len__(self) -> int:
        """How many."""

    def sum(self, work: Work, *arguments: Any, by_part: Sequence[Any] | None = None) -> PartialSum:
        """`work(part, *arguments)` of all parts, added up; each may get an argument of its own, the last."""

    def map(self, make: Callable[..., Any], *arguments: Any) -> Parts:
        """What is made of every part, `make(part, *arguments)`, kept where the part is."""
