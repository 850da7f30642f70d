"""The items that have scores, as the equations of their variances need them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from peerage.models.normal.reviews import Reviews, sums
from peerage.models.solver.dense import dot

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class ScoredItems:
    """The items that have reviews, and what the equations need of these."""

    reviews: Reviews
    tasks: NDArray[np.int64]
    n_tasks: int
    known_mean: bool
    counts: NDArray[np.float64]
    total: float

    @classmethod
    def of(
        cls, reviews: Reviews, item_tasks: NDArray[np.int32], known_mean: bool, total: float
    ) -> ScoredItems:
        """Items without a score, tasks without any and graders without any are left out.

        `total` is the number of reviews, where their weights are not counts.
        """
        items, numbers = _renumbered(reviews.items, len(item_tasks))
        tasks, homes = np.unique(item_tasks[items], return_inverse=True)
        present = reviews.weight > 0
        reviews = reviews._replace(
            items=numbers,
            starts=np.append(reviews.starts[:-1][present], len(reviews.y)),
            weight=reviews.weight[present],
        )
        counts = sums(numbers, reviews.w, len(items))
        data = cls(reviews, homes, len(tasks), known_mean, counts, total)
        if known_mean:
            return data
        centre = data.by_task(sums(numbers, reviews.w * reviews.y, len(items))) / data.by_task(counts)
        of_review = centre[0] if len(tasks) == 1 else centre[homes[numbers]]
        return replace(data, reviews=reviews._replace(y=reviews.y - of_review))

    def scaled(self, scale: float) -> ScoredItems:
        """The same with scores over a scale."""
        reviews = self.reviews._replace(y=self.reviews.y / scale)
        return replace(self, reviews=reviews)

    def means(self) -> NDArray[np.float64]:
        """The mean score of every item."""
        return sums(self.reviews.items, self.reviews.w * self.reviews.y, self.n_items) / self.counts

    def within(self, means: NDArray[np.float64]) -> float:
        """The sum of squares around the means of the items."""
        return dot(self.reviews.w, (self.reviews.y - means[self.reviews.items]) ** 2)

    @property
    def n_items(self) -> int:
        """Items with a score."""
        return len(self.counts)

    @property
    def freedom(self) -> float:
        """N - p: number of reviews less the means to be estimated."""
        return self.total - (0 if self.known_mean else self.n_tasks)

    @property
    def item_freedom(self) -> int:
        """Rank of M."""
        return self.n_items - (0 if self.known_mean else self.n_tasks)

    def root_mean_square(self) -> float:
        """Root of the mean squared score; 0 where scores differ by rounding only."""
        size = np.abs(self.reviews.y).max(initial=0.0)
        root = np.sqrt(np.average(self.reviews.y**2, weights=self.reviews.w)) if size > 0 else 0.0
        return float(root) if root > 1e-12 * (1.0 + size) else 0.0

    def by_task(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums over the items of each task."""
        return sums(self.tasks, values, self.n_tasks)

    def centred(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """M times the columns of a matrix of items by columns."""
        if self.known_mean:
            return values
        means = self.task_means(values)
        return np.asarray(values - (means if self.n_tasks == 1 else means[self.tasks]))

    def task_means(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """What M takes off: the means of columns over the items of each task; 0 where the mean is known."""
        if self.known_mean:
            return np.zeros((self.n_tasks, values.shape[1]))
        first = np.searchsorted(self.tasks, np.arange(self.n_tasks))  # items of a task are one run
        sizes = np.diff(np.append(first, self.n_items))[:, None]
        return np.asarray(np.add.reduceat(values, first, axis=0) / sizes)


def _renumbered(items: NDArray[np.int32], n_items: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The items that occur, and the reviews' items counted among them."""
    occurs = np.bincount(items, minlength=n_items) > 0
    if occurs.all():
        return np.arange(n_items), items
    number = (np.cumsum(occurs) - 1).astype(np.int32)
    return np.flatnonzero(occurs), number[items]
