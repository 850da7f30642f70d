"""Work shared out to threads, results in order.

The cut of the work depends on the data alone, never on the number of cores, and sums run in order: the same
data gives the same bits anywhere.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from threading import current_thread
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from peerage._parts import PartialSum, add_into, halves, nodes, total_of
from peerage.models import thresholds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage._parts import Node, Work

THREADS = "peerage"

S = TypeVar("S")
T = TypeVar("T")


def runs(starts: NDArray[np.int64], n_entries: int, n_runs: int | None = None) -> list[tuple[int, int]]:
    """Lists, or graders, in runs of about equal work; one run where the feedback has few entries.

    `starts` says where the work of each begins and the last one's ends, in any unit.
    """
    if n_entries <= thresholds.ONE_PART:
        return [(0, len(starts) - 1)]
    edges = np.unique(np.searchsorted(starts, np.linspace(0, starts[-1], (n_runs or thresholds.RUNS) + 1)))
    edges[0], edges[-1] = 0, len(starts) - 1
    return [(int(low), int(high)) for low, high in pairwise(edges)]


def each(work: Callable[[S], T], blocks: Sequence[S]) -> Iterator[T]:
    """The work done on every block, results in block order; by threads where there are several blocks.

    Work that is itself done by one of these threads stays in it, or all could wait for one another.
    """
    if len(blocks) == 1 or current_thread().name.startswith(THREADS):
        return map(work, blocks)
    return _threads().map(work, blocks)


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix=THREADS)


os.register_at_fork(after_in_child=_threads.cache_clear)  # threads do not survive a fork; a fresh pool does


def total(parts: Iterator[NDArray[np.float64]]) -> NDArray[np.float64]:
    """The sum of arrays, in order."""
    whole = next(parts)
    for part in parts:
        whole += part
    return whole


class LocalParts:
    """Implements `Parts`: in the memory of this process, worked on by threads."""

    latency_bound = False

    def __init__(self, parts: Sequence[Any]) -> None:
        self.parts = list(parts)

    def __len__(self) -> int:
        return len(self.parts)

    def sum(self, work: Work, *arguments: Any, by_part: Sequence[Any] | None = None) -> PartialSum:
        """Neighbours are added up by the thread that worked on them."""
        if len(self.parts) == 1:
            return work(self.parts[0], *arguments, *(by_part or ()))

        def added(node: Node) -> PartialSum:
            if node[1] - node[0] > 1:
                left, right = halves(node)
                return add_into(added(left), added(right))
            own = () if by_part is None else (by_part[node[0]],)
            return work(self.parts[node[0]], *arguments, *own)

        level = nodes(len(self.parts), 2 * (os.cpu_count() or 1))
        sums = dict(zip(level, each(added, level), strict=True))
        return total_of(sums, (0, len(self.parts)))

    def map(self, make: Callable[..., Any], *arguments: Any) -> LocalParts:
        """What is made of every part, by threads."""
        return LocalParts(list(each(lambda part: make(part, *arguments), self.parts)))
