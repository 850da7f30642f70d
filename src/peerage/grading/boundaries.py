"""What a staff grade of one item is worth: wrong letters it is expected to put right.

The item's own letter becomes right. In small tasks it also teaches about others, because estimates that rest
on the same comparisons err together: with correlation r, another item's variance falls by the share r^2, and
its letter is then chosen anew. Everything is normal, with the draws' covariance; items are taken one after
the other, each given those before it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.grading.items import Graded
    from peerage.grading.letters import Letters

DENSE = 600  # items of a task up to which what one teaches about the others is worked out
NODES = 20  # cases of what may be learned
CORRELATED = 0.15  # less than this between draws is mostly noise


def expected_gains(
    graded: Graded,
    ranks: NDArray[np.int64],
    task_starts: NDArray[np.int64],
    letters: Letters,
    own: NDArray[np.float64],
    done: NDArray[np.int64],
    rows: int,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The most worthwhile items, best first, and what each brings given those before it."""
    left = own.copy()
    left[done] = 0.0
    tasks = _Tasks(graded, ranks, task_starts, letters)
    chosen, brought = [], []
    for _ in range(rows):
        candidates = np.argsort(-left, kind="stable")[: max(2 * rows, 20)]
        candidates = candidates[left[candidates] > 0]
        if not len(candidates):
            break
        others = [tasks.taught(int(item), left) for item in candidates]
        gains = left[candidates] + np.array([gain.sum() for gain in others])
        best = int(np.argmax(gains))
        item = int(candidates[best])
        left = np.maximum(left - others[best], 0.0)
        left[item] = 0.0
        tasks.learn(item)
        chosen.append(item)
        brought.append(float(gains[best]))
    return np.array(chosen, dtype=np.int64), np.array(brought)


class _Tasks:
    """Means, covariances and boundaries of the small tasks, as more and more items are known."""

    def __init__(
        self, graded: Graded, ranks: NDArray[np.int64], task_starts: NDArray[np.int64], letters: Letters
    ) -> None:
        self.n = len(ranks)
        self.starts = task_starts
        self.covariance: dict[int, NDArray[np.float64]] = {}
        self.edges: dict[int, NDArray[np.float64]] = {}
        self.mean = graded.draws.mean(axis=0, dtype=np.float64)
        for task, (low, high) in enumerate(pairwise(task_starts)):
            if 1 < high - low <= DENSE:
                self.covariance[task] = np.cov(graded.draws[:, low:high], rowvar=False, dtype=np.float64)
                self.edges[task] = _edges(letters, self.mean[low:high])

    def _task(self, item: int) -> int:
        return int(np.searchsorted(self.starts, item, side="right")) - 1

    def taught(self, item: int, left: NDArray[np.float64]) -> NDArray[np.float64]:
        """By how much knowing an item is expected to lower the error of each other one."""
        gain = np.zeros(self.n)
        task = self._task(item)
        if task not in self.covariance:
            return gain
        low, high = int(self.starts[task]), int(self.starts[task + 1])
        cov, at = self.covariance[task], item - low
        sd = np.sqrt(np.maximum(np.diag(cov), 1e-12))
        if sd[at] < 1e-5:
            return gain
        r = np.clip(cov[at] / (sd[at] * sd), -0.99, 0.99)
        near = (np.abs(r) > CORRELATED) & (np.arange(high - low) != at) & (left[low:high] > 0)
        if near.any():
            before = _error(self.mean[low:high][near], sd[near], self.edges[task])
            after = _expected_error(self.mean[low:high][near], sd[near], r[near], self.edges[task])
            gain[low:high][near] = np.clip(before - after, 0.0, left[low:high][near])
        return gain

    def learn(self, item: int) -> None:
        """An item is known from now on: what the others share with it is gone from their variance."""
        task = self._task(item)
        if task not in self.covariance:
            return
        cov, at = self.covariance[task], item - int(self.starts[task])
        if cov[at, at] > 1e-12:
            self.covariance[task] = cov - np.outer(cov[at], cov[at]) / cov[at, at]


def _edges(letters: Letters, mean: NDArray[np.float64]) -> NDArray[np.float64]:
    """The boundaries between letters, falling; under quotas half-way between the items on either side."""
    if letters.cuts is not None:
        return np.asarray(letters.cuts, dtype=float)
    falling = np.sort(mean)[::-1]
    places = letters.by_position(len(mean))
    steps = np.flatnonzero(np.diff(places)) + 1
    return np.asarray((falling[steps - 1] + falling[steps]) / 2)


def _error(
    mean: NDArray[np.float64], sd: NDArray[np.float64], edges: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The chance that the likeliest letter is wrong."""
    from scipy.special import ndtr

    above = ndtr((mean[..., None] - edges) / sd[..., None])
    steps = np.concatenate([above[..., :1], np.diff(above, axis=-1), 1.0 - above[..., -1:]], axis=-1)
    return np.asarray(1.0 - steps.max(axis=-1))


def _expected_error(
    mean: NDArray[np.float64], sd: NDArray[np.float64], r: NDArray[np.float64], edges: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The same after learning something correlated, over all that may be learned."""
    from scipy.special import ndtri

    nodes = ndtri((np.arange(NODES) + 0.5) / NODES)  # equal shares: the error has kinks that polynomials miss
    means = mean + np.abs(r) * sd * nodes[:, None]
    sds = np.broadcast_to(sd * np.sqrt(1.0 - r**2), means.shape)
    return np.asarray(_error(means, sds, edges).mean(axis=0))
