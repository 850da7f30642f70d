"""The mixed-model equations of item + bias + noise: solutions, and the traces of their inverse.

In units of the noise, C = [[N + ratio_i M, W], [W', n + ratio_b]]: N and n count reviews by item and grader,
W says who saw what, M takes off the task's mean (the identity where the mean is known).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from peerage._numba import kernel
from peerage.models.normal.reviews import Reviews, sums
from peerage.models.solver.dense import dot, factorise, inverse, multiply

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


class CriterionState(NamedTuple):
    """Derivatives of the criterion in the logs of the two ratios, and the noise that goes with them."""

    gradient: NDArray[np.float64]
    hessian: NDArray[np.float64]
    noise: float


class MixedEquations(Protocol):
    """Something that can say how the criterion changes at given ratios."""

    def at(self, ratios: NDArray[np.float64]) -> CriterionState:
        """Derivatives at these ratios."""


class Traces(NamedTuple):
    """Of C's inverse, in blocks i (items) and b: tr(M Cii), tr(Cbb), and those of their squares."""

    item: float
    bias: float
    item_item: float
    item_bias: float
    bias_bias: float


def criterion_state(
    data: ScoredItems,
    ratios: NDArray[np.float64],
    traces: Traces,
    items: NDArray[np.float64],
    bias: NDArray[np.float64],
    response: NDArray[np.float64],
    left: float,
) -> CriterionState:
    """Derivatives from the solution (items, bias), the 2 x 2 response to its own penalties, and traces."""
    centred = data.centred(items[:, None])[:, 0]
    penalty = ratios * [dot(centred, centred), dot(bias, bias)]
    penalty_hessian = np.diag(penalty) - 2.0 * np.outer(ratios, ratios) * response
    share = data.freedom / left
    first = np.array([traces.item, traces.bias])
    second = np.array([[traces.item_item, traces.item_bias], [traces.item_bias, traces.bias_bias]])
    gradient = share * penalty + ratios * first - [data.item_freedom, len(bias)]
    hessian = share * penalty_hessian - share / left * np.outer(penalty, penalty)
    hessian += np.diag(ratios * first) - np.outer(ratios, ratios) * second
    return CriterionState(gradient, hessian, left / data.freedom)


class ExactTraces:
    """Exact, by matrices of items by items."""

    def __init__(self, data: ScoredItems) -> None:
        self.data = data
        reviews = data.reviews
        self.graders = np.repeat(np.arange(len(reviews.weight)), np.diff(reviews.starts))
        self.item_sums = self._by_item(reviews.y)
        self.grader_sums = np.add.reduceat(reviews.w * reviews.y, reviews.starts[:-1])
        self.centring = data.centred(np.eye(data.n_items))

    def at(self, ratios: NDArray[np.float64]) -> CriterionState:
        """Derivatives at these ratios."""
        data, reviews = self.data, self.data.reviews
        loose = 1.0 / (reviews.weight + ratios[1])
        covariance = _inverse(np.diag(data.counts) + ratios[0] * self.centring - self._shared(loose))
        right = self.item_sums - self._by_item((loose * self.grader_sums)[self.graders])
        items = multiply(covariance, right[:, None])[:, 0]
        seen = sums(self.graders, reviews.w * items[reviews.items], len(loose))
        bias = loose * (self.grader_sums - seen)
        left = dot(reviews.w, reviews.y**2) - dot(self.item_sums, items) - dot(self.grader_sums, bias)
        centred = data.centred(items[:, None])[:, 0]
        pull = np.stack([centred, -self._by_item((loose * bias)[self.graders])], axis=1)
        response = products(pull, multiply(covariance, pull))
        response[1, 1] += dot(bias, loose * bias)
        return criterion_state(data, ratios, self._traces(covariance, loose), items, bias, response, left)

    def _traces(self, covariance: NDArray[np.float64], loose: NDArray[np.float64]) -> Traces:
        """Only Cii is ever dense: Cbb = L + L W' Cii W L with L = diag(loose), Cib = - Cii W L."""
        coupled = multiply(self._shared(loose**2), covariance)  # W L^2 W' Cii
        centred = self.data.centred(covariance)
        both = float(np.sum(self._shared(loose**3) * covariance))
        return Traces(
            item=float(np.trace(centred)),
            bias=float(loose.sum() + np.trace(coupled)),
            item_item=float(np.sum(centred * centred.T)),
            item_bias=float(np.sum(centred * coupled.T)),
            bias_bias=dot(loose, loose) + 2.0 * both + float(np.sum(coupled * coupled.T)),
        )

    def _by_item(self, by_review: NDArray[np.float64]) -> NDArray[np.float64]:
        reviews = self.data.reviews
        return sums(reviews.items, reviews.w * by_review, self.data.n_items)

    def _shared(self, by_grader: NDArray[np.float64]) -> NDArray[np.float64]:
        """W diag(by_grader) W'."""
        out = np.zeros((self.data.n_items, self.data.n_items))
        _share(self.data.reviews, by_grader, out)
        return out


def _inverse(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of a matrix that is positive definite but for rounding."""
    factor = matrix.copy()
    if not factorise(factor):  # biases or items that are all but free: nothing is known along some direction
        factor = matrix + 1e-12 * np.abs(matrix).max() * np.eye(len(matrix))
        if not factorise(factor):
            msg = "the mixed-model equations of these scores have no solution"
            raise np.linalg.LinAlgError(msg)
    return inverse(factor)


def products(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Inner products of the columns of two matrices."""
    return np.asarray(multiply(np.ascontiguousarray(left.T), right))


@kernel
def _share(reviews: Any, by_grader: Any, out: Any) -> None:
    """Add W diag(by_grader) W'."""
    for g in range(len(by_grader)):
        for e in range(reviews.starts[g], reviews.starts[g + 1]):
            for f in range(reviews.starts[g], reviews.starts[g + 1]):
                out[reviews.items[e], reviews.items[f]] += reviews.w[e] * (reviews.w[f] * by_grader[g])
