"""The mixed-model equations of item + bias + noise: solutions, and the traces of their inverse.

In units of the noise, C = [[N + ratio_i M, W], [W', n + ratio_b]]: N and n count reviews by item and grader,
W says who saw what, M takes off the task's mean (the identity where the mean is known).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from peerage._numba import kernel
from peerage.models.normal.reviews import Reviews, runs_of, sums
from peerage.models.solver import dot, each, factorise, inverse, multiply, runs, total

if TYPE_CHECKING:
    from numpy.typing import NDArray

DENSE_ITEMS = 400  # up to here exact traces
PROBED_ITEMS = 20_000  # Hutchinson probes per trace, about: their error falls with the root of this
MOST_PROBES = 16
GATHERED_ITEMS = 20_000  # from here on sums by item are taken item by item: arrays of partial sums cost more
CG_STEPS = 300
CG_GOAL = 1e-5  # traces and squares are off by about its square
ROUGH_GOAL = 1e-2  # for what only points the way of a Newton step


@dataclass(frozen=True, slots=True, eq=False)
class ScoredItems:
    """The items that have reviews, and what the equations need of these."""

    reviews: Reviews
    tasks: NDArray[np.int64]
    n_tasks: int
    known_mean: bool
    counts: NDArray[np.float64]
    means: NDArray[np.float64]
    within: float
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
        data = cls(reviews, homes, len(tasks), known_mean, counts, counts, 0.0, total)
        if not known_mean:
            centre = data.by_task(sums(numbers, reviews.w * reviews.y, len(items))) / data.by_task(counts)
            reviews = reviews._replace(y=reviews.y - centre[homes[numbers]])
        means = sums(numbers, reviews.w * reviews.y, len(items)) / counts
        within = dot(reviews.w, (reviews.y - means[numbers]) ** 2)
        return replace(data, reviews=reviews, means=means, within=within)

    def scaled(self, scale: float) -> ScoredItems:
        """The same with scores over a scale."""
        reviews = self.reviews._replace(y=self.reviews.y / scale)
        return replace(self, reviews=reviews, means=self.means / scale, within=self.within / scale**2)

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
        first = np.searchsorted(self.tasks, np.arange(self.n_tasks))  # items of a task are one run
        sizes = np.diff(np.append(first, self.n_items))[:, None]
        means = np.add.reduceat(values, first, axis=0) / sizes
        return np.asarray(values - (means if self.n_tasks == 1 else means[self.tasks]))


def _renumbered(items: NDArray[np.int32], n_items: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The items that occur, and the reviews' items counted among them."""
    occurs = np.bincount(items, minlength=n_items) > 0
    number = (np.cumsum(occurs) - 1).astype(np.int32)
    return np.flatnonzero(occurs), number[items]


class State(NamedTuple):
    """Derivatives of the criterion in the logs of the two ratios, and the noise that goes with them."""

    gradient: NDArray[np.float64]
    hessian: NDArray[np.float64]
    noise: float


class Mixed(Protocol):
    """Something that can say how the criterion changes at given ratios."""

    def at(self, ratios: NDArray[np.float64]) -> State:
        """Derivatives at these ratios."""


class Traces(NamedTuple):
    """Of C's inverse, in blocks i (items) and b: tr(M Cii), tr(Cbb), and those of their squares."""

    item: float
    bias: float
    item_item: float
    item_bias: float
    bias_bias: float


def _state(
    data: ScoredItems,
    ratios: NDArray[np.float64],
    traces: Traces,
    items: NDArray[np.float64],
    bias: NDArray[np.float64],
    response: NDArray[np.float64],
    left: float,
) -> State:
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
    return State(gradient, hessian, left / data.freedom)


class Dense:
    """Exact, by matrices of items by items."""

    def __init__(self, data: ScoredItems) -> None:
        self.data = data
        reviews = data.reviews
        self.graders = np.repeat(np.arange(len(reviews.weight)), np.diff(reviews.starts))
        self.item_sums = self._by_item(reviews.y)
        self.grader_sums = np.add.reduceat(reviews.w * reviews.y, reviews.starts[:-1])
        self.centring = data.centred(np.eye(data.n_items))

    def at(self, ratios: NDArray[np.float64]) -> State:
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
        response = _products(pull, multiply(covariance, pull))
        response[1, 1] += dot(bias, loose * bias)
        return _state(data, ratios, self._traces(covariance, loose), items, bias, response, left)

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


@dataclass(slots=True)
class Begun:
    """Solutions of equations much like those to come: a fit asks again with other reliabilities."""

    items: NDArray[np.float64] | None = None
    pull: NDArray[np.float64] | None = None
    by_item: ByItem | None = None


class Probed:
    """For large classes: conjugate gradients, and Hutchinson's traces (fixed signs, so results repeat)."""

    def __init__(self, data: ScoredItems, begun: Begun | None = None) -> None:
        self.data, self.runs, self.begun = data, runs_of(data.reviews), begun or Begun()
        self.by_item = self._sorted() if data.n_items > GATHERED_ITEMS else None
        probes = int(np.clip(PROBED_ITEMS // data.n_items, 1, MOST_PROBES))
        random = np.random.default_rng(0)
        self.item_signs = random.choice([-1.0, 1.0], (data.n_items, probes))
        self.bias_signs = random.choice([-1.0, 1.0], (len(data.reviews.weight), probes))
        ones = np.ones((data.n_items, 1))
        self.y_down = self._down(data.reviews.w * data.reviews.y, ones)
        self.y_up = self._up(data.reviews.w * data.reviews.y, np.ones((len(data.reviews.weight), 1)))

    def _sorted(self) -> ByItem:
        """Reviews by item; sorted anew only where others than before are asked about."""
        known = self.begun.by_item
        if known is None or not known.is_of(self.data.reviews):
            known = self.begun.by_item = ByItem(self.data.reviews, self.data.n_items)
        known.w = self.data.reviews.w[known.order]
        return known

    def at(self, ratios: NDArray[np.float64]) -> State:
        """Derivatives at these ratios."""
        data, probes = self.data, self.item_signs.shape[1]
        loose = 1.0 / (data.reviews.weight + ratios[1])
        from_items = np.hstack([self.y_up, data.centred(self.item_signs), np.zeros_like(self.item_signs)])
        from_bias = np.hstack([self.y_down, np.zeros_like(self.bias_signs), self.bias_signs])
        items, bias = self._solve(ratios, loose, from_items, from_bias, self.begun.items, CG_GOAL)
        self.begun.items = items
        mine, theirs = slice(1, probes + 1), slice(probes + 1, None)
        centred = data.centred(items)
        traces = Traces(
            item=float(np.sum(self.item_signs * centred[:, mine])) / probes,
            bias=float(np.sum(self.bias_signs * bias[:, theirs])) / probes,
            item_item=float(np.sum(centred[:, mine] ** 2)) / probes,
            item_bias=float(np.sum(centred[:, theirs] ** 2)) / probes,
            bias_bias=float(np.sum(bias[:, theirs] ** 2)) / probes,
        )
        s, b = items[:, :1], bias[:, :1]
        reviews = data.reviews
        left = dot(reviews.w, reviews.y**2) - float(np.sum(self.y_up * s) + np.sum(self.y_down * b))
        pull_s = np.hstack([centred[:, :1], np.zeros_like(s)])
        pull_b = np.hstack([np.zeros_like(b), b])
        s2, b2 = self._solve(ratios, loose, pull_s, pull_b, self.begun.pull, ROUGH_GOAL)
        self.begun.pull = s2
        response = _products(pull_s, s2) + _products(pull_b, b2)
        return _state(data, ratios, traces, s[:, 0], b[:, 0], response, left)

    def _solve(
        self,
        ratios: NDArray[np.float64],
        loose: NDArray[np.float64],
        from_items: NDArray[np.float64],
        from_bias: NDArray[np.float64],
        guess: NDArray[np.float64] | None,
        accuracy: float,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """C times (items, bias) = (from_items, from_bias), all columns at once, biases eliminated."""
        w = self.data.reviews.w
        goal = from_items - self._up(w, loose[:, None] * from_bias)
        items = self._conjugate_gradients(ratios[0], loose, goal, guess, accuracy)
        return items, loose[:, None] * (from_bias - self._down(w, items))

    def _conjugate_gradients(
        self,
        ratio: float,
        loose: NDArray[np.float64],
        goal: NDArray[np.float64],
        guess: NDArray[np.float64] | None,
        accuracy: float,
    ) -> NDArray[np.float64]:
        data = self.data
        inverse = 1.0 / (data.counts + ratio)

        def couple(v: NDArray[np.float64], run: tuple[int, int]) -> NDArray[np.float64]:
            pairs = np.zeros((data.n_items, 2 * v.shape[1]))
            pairs[:, : v.shape[1]] = v
            _couple(data.reviews, *run, loose, pairs)
            return pairs[:, v.shape[1] :]

        def multiply_by_c(v: NDArray[np.float64]) -> NDArray[np.float64]:
            if self.by_item is None:
                part = total(each(lambda run: couple(v, run), self.runs))
            else:
                part = self.by_item.sums(-loose[:, None] * self._down(data.reviews.w, v))
            part += data.counts[:, None] * v
            part += ratio * data.centred(v)
            return part

        solution = np.zeros_like(goal) if guess is None else guess.copy()
        residual = goal.copy() if guess is None else goal - multiply_by_c(solution)
        search = inverse[:, None] * residual
        size = _inner(search, residual)
        enough = accuracy**2 * np.maximum(_inner(inverse[:, None] * goal, goal), 1e-300)
        for _ in range(CG_STEPS):
            if np.all(size <= enough):
                break
            along = multiply_by_c(search)
            length = size / np.maximum(_inner(search, along), 1e-300)
            new = _move(length, search, along, inverse, solution, residual)
            _turn(new / np.maximum(size, 1e-300), inverse, residual, search)
            size = new
        return solution

    def _up(self, entry: NDArray[np.float64], by_grader: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.by_item is not None and entry is self.data.reviews.w:
            return self.by_item.sums(by_grader)
        return self._by_item(_up, entry, by_grader, columns=by_grader.shape[1])

    def _down(self, entry: NDArray[np.float64], by_item: NDArray[np.float64]) -> NDArray[np.float64]:
        out = np.zeros((len(self.data.reviews.weight), by_item.shape[1]))
        list(each(lambda run: _down(self.data.reviews, *run, entry, by_item, out), self.runs))
        return out

    def _by_item(self, work: Any, *arguments: Any, columns: int) -> NDArray[np.float64]:
        def run_alone(run: tuple[int, int]) -> NDArray[np.float64]:
            part = np.zeros((self.data.n_items, columns))
            work(self.data.reviews, *run, *arguments, part)
            return part

        return total(each(run_alone, self.runs))


class ByItem:
    """The reviews of every item together: sums by item for large classes, with nothing to add up after."""

    def __init__(self, reviews: Reviews, n_items: int) -> None:
        self.starts = np.append(0, np.cumsum(np.bincount(reviews.items, minlength=n_items)))
        self.graders, self.order = np.empty((2, len(reviews.items)), dtype=np.int32)
        _by_item(reviews, self.starts[:-1].copy(), self.graders, self.order)
        self.w = reviews.w[self.order]
        self.runs = runs(self.starts, len(self.w))
        self.of = reviews.items, reviews.starts

    def is_of(self, reviews: Reviews) -> bool:
        """Whether these are the same reviews, whatever each of them weighs."""
        items, starts = self.of
        return np.array_equal(items, reviews.items) and np.array_equal(starts, reviews.starts)

    def sums(self, by_grader: NDArray[np.float64]) -> NDArray[np.float64]:
        """W times the columns of a matrix of graders by columns."""
        out = np.empty((len(self.starts) - 1, by_grader.shape[1]))
        given = (self.starts, self.graders, self.w)
        list(each(lambda run: _gather(given, *run, by_grader, out), self.runs))
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


def _products(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Inner products of the columns of two matrices."""
    return np.asarray(multiply(np.ascontiguousarray(left.T), right))


@kernel
def _inner(left: Any, right: Any) -> Any:
    """Inner products of the columns of one matrix with those of another."""
    found = np.zeros(left.shape[1])
    for i in range(len(left)):
        for c in range(left.shape[1]):
            found[c] += left[i, c] * right[i, c]
    return found


@kernel
def _move(length: Any, search: Any, along: Any, inverse: Any, solution: Any, residual: Any) -> Any:
    """A step of conjugate gradients, and the sizes of what is left then."""
    found = np.zeros(len(length))
    for i in range(len(solution)):
        for c in range(len(length)):
            solution[i, c] += length[c] * search[i, c]
            residual[i, c] -= length[c] * along[i, c]
            found[c] += residual[i, c] * residual[i, c] * inverse[i]
    return found


@kernel
def _turn(share: Any, inverse: Any, residual: Any, search: Any) -> None:
    """The next direction: where what is left points, and a share of the one before."""
    for i in range(len(search)):
        for c in range(len(share)):
            search[i, c] = share[c] * search[i, c] + inverse[i] * residual[i, c]


@kernel
def _share(reviews: Any, by_grader: Any, out: Any) -> None:
    """Add W diag(by_grader) W'."""
    for g in range(len(by_grader)):
        for e in range(reviews.starts[g], reviews.starts[g + 1]):
            for f in range(reviews.starts[g], reviews.starts[g + 1]):
                out[reviews.items[e], reviews.items[f]] += reviews.w[e] * (reviews.w[f] * by_grader[g])


@kernel
def _couple(reviews: Any, low: int, high: int, loose: Any, pairs: Any) -> None:
    """Take W diag(loose) W' v off the right half of pairs; v is the left half, near it in memory."""
    columns = pairs.shape[1] // 2
    held = np.empty(columns)
    for g in range(low, high):
        held[:] = 0.0
        for e in range(reviews.starts[g], reviews.starts[g + 1]):
            for c in range(columns):
                held[c] += reviews.w[e] * pairs[reviews.items[e], c]
        for e in range(reviews.starts[g], reviews.starts[g + 1]):
            for c in range(columns):
                pairs[reviews.items[e], columns + c] -= reviews.w[e] * loose[g] * held[c]


@kernel
def _by_item(reviews: Any, places: Any, graders: Any, order: Any) -> None:
    """Reviews in order of item, and who made them; `places` says where each item's next one goes."""
    for g in range(len(reviews.weight)):
        for e in range(reviews.starts[g], reviews.starts[g + 1]):
            at = places[reviews.items[e]]
            graders[at], order[at] = g, e
            places[reviews.items[e]] = at + 1


@kernel
def _sum_few(starts: Any, others: Any, low: int, high: int, entry: Any, of_others: Any, out: Any) -> None:
    """Sums of entry * of_others with two or three columns, as large classes have: twice as fast as a loop."""
    if out.shape[1] == 2:
        for one in range(low, high):
            first, second = 0.0, 0.0
            for e in range(starts[one], starts[one + 1]):
                other, factor = others[e], entry[e]
                first += factor * of_others[other, 0]
                second += factor * of_others[other, 1]
            out[one, 0], out[one, 1] = first, second
        return
    for one in range(low, high):
        first, second, third = 0.0, 0.0, 0.0
        for e in range(starts[one], starts[one + 1]):
            other, factor = others[e], entry[e]
            first += factor * of_others[other, 0]
            second += factor * of_others[other, 1]
            third += factor * of_others[other, 2]
        out[one, 0], out[one, 1], out[one, 2] = first, second, third


@kernel
def _gather(reviews: Any, low: int, high: int, by_grader: Any, out: Any) -> None:
    """Sums of w * by_grader over the reviews of a run of items."""
    starts, graders, w = reviews
    if 2 <= out.shape[1] <= 3:
        _sum_few(starts, graders, low, high, w, by_grader, out)
        return
    for i in range(low, high):
        for c in range(out.shape[1]):
            out[i, c] = 0.0
        for e in range(starts[i], starts[i + 1]):
            for c in range(out.shape[1]):
                out[i, c] += w[e] * by_grader[graders[e], c]


@kernel
def _up(reviews: Any, low: int, high: int, entry: Any, by_grader: Any, out: Any) -> None:
    """Sums by item of entry * by_grader."""
    for g in range(low, high):
        for e in range(reviews.starts[g], reviews.starts[g + 1]):
            for c in range(out.shape[1]):
                out[reviews.items[e], c] += entry[e] * by_grader[g, c]


@kernel
def _down(reviews: Any, low: int, high: int, entry: Any, by_item: Any, out: Any) -> None:
    """Sums by grader of entry * by_item."""
    if 2 <= out.shape[1] <= 3:
        _sum_few(reviews.starts, reviews.items, low, high, entry, by_item, out)
        return
    for g in range(low, high):
        for e in range(reviews.starts[g], reviews.starts[g + 1]):
            for c in range(out.shape[1]):
                out[g, c] += entry[e] * by_item[reviews.items[e], c]
