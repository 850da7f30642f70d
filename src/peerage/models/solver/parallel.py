"""Work in runs: shared out to threads, results in order.

The cut into runs depends on the data alone, never on the number of cores, and sums run in order: the same
data gives the same bits anywhere.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from threading import current_thread
from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SMALL = 100_000  # entries; below this, starting a thread costs more than it saves
THREADS = "peerage"
N_RUNS = 8  # of large data: enough to share out, few enough to add up


def limits() -> dict[str, int]:
    """Where the cut of feedback into parts begins, and how many it makes."""
    return {"small": SMALL, "parts": N_RUNS}


S = TypeVar("S")
T = TypeVar("T")


def runs(starts: NDArray[np.int64], n_entries: int, n_runs: int = N_RUNS) -> list[tuple[int, int]]:
    """Lists, or graders, in runs of about equal work; one run where the feedback has few entries.

    `starts` says where the work of each begins and the last one's ends, in any unit.
    """
    if n_entries <= SMALL:
        return [(0, len(starts) - 1)]
    edges = np.unique(np.searchsorted(starts, np.linspace(0, starts[-1], n_runs + 1)))
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
