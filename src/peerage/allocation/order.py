"""The order in which a grader's list shows its items."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from peerage._numba import kernel
from peerage.allocation._slots import below

if TYPE_CHECKING:
    from numpy.typing import NDArray

CELLS = 50_000_000


def positions(
    graders: NDArray[np.int64], items: NDArray[np.int64], n_items: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """A shuffled position 1, 2, … within each list, every item in every position about equally often.

    Shuffling alone makes order effects cancel on average over all items; counting makes them cancel for
    each item. Rows must be sorted by grader.
    """
    starts = np.flatnonzero(np.diff(graders, prepend=-1))
    edges = np.append(starts, len(graders)).astype(np.int64)
    longest = int(np.diff(edges).max(initial=0))
    counted = longest * n_items <= CELLS  # otherwise lists are so long that shuffling is enough
    seen = np.zeros((n_items if counted else 1, max(longest, 1)), dtype=np.int32)
    state = rng.integers(1, 2**63, size=1, dtype=np.uint64)
    order = rng.permutation(len(edges) - 1)
    place = np.zeros(len(graders), dtype=np.int64)
    _arrange(edges, items, order, counted, seen, state, place)
    return place


@kernel
def _arrange(
    edges: NDArray[np.int64],
    items: NDArray[np.int64],
    order: NDArray[np.int64],
    counted: bool,
    seen: NDArray[np.int32],
    state: NDArray[np.uint64],
    place: NDArray[np.int64],
) -> None:
    for g in order:
        low, high = edges[g], edges[g + 1]
        rows = np.arange(low, high)
        for k in range(high - low - 1, 0, -1):
            other = below(state, k + 1)
            rows[k], rows[other] = rows[other], rows[k]
        for k in range(high - low):
            best = k
            if counted:
                for r in range(k + 1, high - low):
                    if seen[items[rows[r]], k] < seen[items[rows[best]], k]:
                        best = r
                seen[items[rows[best]], k] += 1
            rows[k], rows[best] = rows[best], rows[k]
            place[rows[k]] = k + 1
