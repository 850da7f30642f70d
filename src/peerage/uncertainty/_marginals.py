"""Ranks in large classes, from every item's own normal distribution.

Given its score t, an item's rank is 1 plus the number of others above t. Of many others that number is near
its expectation, G(t) = sum over the others of P(score above t), whatever few of them share graders: so a rank
is G of a normal variable, and a little luck, that of independent others. No class is drawn or sorted.

G is found on a grid: items are counted by place and by standard error, and each group of like errors is
convolved with its normal distribution.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr, ndtri

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

CELLS = 4096  # of the grid
REACH = 6.0  # standard errors beyond the outermost items
ERRORS = 24  # groups of like standard errors
SPLITS = 33  # ways to share the tails between both ends
NODES = 24  # of means over a normal distribution: equal shares of it


class Ranks:
    """The ranks of one task's items, each with a normal distribution of its own."""

    def __init__(self, centre: Floats, error: Floats) -> None:
        self.centre, self.error = centre, error
        reach = REACH * float(error.max(initial=0.0))
        self.low = float(centre.min()) - reach
        self.step = max((float(centre.max()) + reach - self.low) / (CELLS - 1), 1e-300)
        self.above, self.luck = self._on_grid()

    def _on_grid(self) -> tuple[Floats, Floats]:
        """At every cell the expected number of items above it, and the variance of that number."""
        above, luck = np.zeros((2, CELLS))
        offsets = self.step * np.arange(-(CELLS - 1), CELLS)
        edges = np.quantile(self.error, np.linspace(0, 1, ERRORS + 1)[1:-1])
        group = np.searchsorted(edges, self.error)
        for one in range(ERRORS):
            mine = np.flatnonzero(group == one)
            if not len(mine):
                continue
            error = max(float(np.sqrt(np.mean(self.error[mine] ** 2))), 1e-9 * self.step)
            below = ndtr(-offsets / error)  # chance of being above a cell that is so far up
            counts = self._counts(self.centre[mine])
            above += _convolved(counts, below)
            luck += _convolved(counts, below * (1.0 - below))
        return above, luck

    def _counts(self, centre: Floats) -> Floats:
        """Items by cell, each shared between its two neighbours."""
        place = (centre - self.low) / self.step
        cell = np.clip(place.astype(np.int64), 0, CELLS - 2)
        part = place - cell
        return np.asarray(np.bincount(cell, 1.0 - part, CELLS) + np.bincount(cell + 1, part, CELLS))

    def _at(self, table: Floats, score: Floats) -> Floats:
        place = np.clip((score - self.low) / self.step, 0.0, CELLS - 1.000001)
        cell = place.astype(np.int64)
        part = place - cell
        return np.asarray(table[cell] * (1.0 - part) + table[cell + 1] * part)

    def given(self, deviation: float) -> Floats:
        """Everybody's expected rank, were its score so many standard errors above its centre."""
        rank = 1.0 + self._at(self.above, self.centre + deviation * self.error) - float(ndtr(-deviation))
        return np.asarray(np.clip(rank, 1.0, len(self.centre)))

    def interval(self, level: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The narrowest ranks that hold this share, of all ways to share the rest between both ends."""
        width = np.full(len(self.centre), np.inf)
        best, worst = np.empty((2, len(self.centre)))
        for tail in (1.0 - level) * (np.arange(SPLITS) + 0.5) / SPLITS:
            upper, lower = self.given(-float(ndtri(tail))), self.given(float(ndtri(1.0 - level - tail)))
            closer = lower - upper < width
            width = np.where(closer, lower - upper, width)
            best, worst = np.where(closer, upper, best), np.where(closer, lower, worst)
        return self._with_luck(best, worst, float(ndtri(0.5 + level / 2)))

    def _with_luck(
        self, best: Floats, worst: Floats, reach: float
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Both ends moved out by the luck of the others, which adds to the item's own as variances do."""
        middle = self.given(0.0)
        luck = reach**2 * self._at(self.luck, self.centre)
        best = middle - np.sqrt(np.maximum(middle - best, 0.0) ** 2 + luck)
        worst = middle + np.sqrt(np.maximum(worst - middle, 0.0) ** 2 + luck)
        n = len(self.centre)
        low, high = np.floor(best + 0.5), np.ceil(worst - 0.5)
        return np.clip(low, 1, n).astype(np.int64), np.clip(high, 1, n).astype(np.int64)

    def displacement(self, ranks: NDArray[np.int64]) -> Floats:
        """How many places each item is from a given rank, on average."""
        total = np.zeros(len(ranks))
        for deviation in ndtri((np.arange(NODES) + 0.5) / NODES):
            total += np.abs(self.given(float(deviation)) - ranks)
        return total / NODES


def _convolved(counts: Floats, table: Floats) -> Floats:
    """At every cell the sum over items of the table at their distance; `table` runs over all distances."""
    size = 4 * CELLS
    product = np.fft.irfft(np.fft.rfft(counts, size) * np.fft.rfft(table, size), size)
    return np.asarray(np.maximum(product[CELLS - 1 : 2 * CELLS - 1], 0.0))
