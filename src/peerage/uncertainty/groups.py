"""Items that the data cannot tell apart."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

AHEAD = 64  # items looked at in one go


def groups_of(
    scores: NDArray[np.float64],
    task_starts: NDArray[np.int64],
    above: Callable[[Any, Any], Any],
    level: float,
) -> list[NDArray[np.int64]]:
    """Runs of items by score, each closed by the first item that its leader beats with this probability."""
    runs: list[NDArray[np.int64]] = []
    for first, last in pairwise(task_starts):
        order = first + np.argsort(-scores[first:last], kind="stable")
        while len(order):
            size = _run_length(order, above, level)
            runs.append(order[:size])
            order = order[size:]
    return runs


def _run_length(order: NDArray[np.int64], above: Callable[[Any, Any], Any], level: float) -> int:
    for start in range(1, len(order), AHEAD):
        next_ones = order[start : start + AHEAD]
        clear = np.flatnonzero(np.asarray(above(np.full(len(next_ones), order[0]), next_ones)) >= level)
        if len(clear):
            return start + int(clear[0])
    return len(order)
