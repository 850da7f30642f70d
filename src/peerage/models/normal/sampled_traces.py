"""The mixed-model equations of large classes: conjugate gradients, and traces from random signs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._numba import kernel
from peerage.models.normal.mixed_model import CriterionState, Traces, criterion_state, products
from peerage.models.normal.reviews import Reviews, runs_of
from peerage.models.solver.dense import dot
from peerage.models.solver.threads import each, runs, total

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models.normal.mixed_model import ScoredItems

PROBED_ITEMS = 20_000  # Hutchinson probes per trace, about: their error falls with the root of this
MOST_PROBES = 16
GATHERED_ITEMS = 20_000  # from here on sums by item are taken item by item: arrays of partial sums cost more
CG_STEPS = 300
CG_GOAL = 1e-5  # traces and squares are off by about its square
ROUGH_GOAL = 1e-2  # for what only points the way of a Newton step


@dataclass(slots=True)
class WarmStart:
    """Solutions of equations much like those to come: a fit asks again with other reliabilities."""

    items: NDArray[np.float64] | None = None
    pull: NDArray[np.float64] | None = None
    by_item: ByItem | None = None


class SampledTraces:
    """For large classes: conjugate gradients, and Hutchinson's traces (fixed signs, so results repeat)."""

    def __init__(self, data: ScoredItems, warm: WarmStart | None = None) -> None:
        self.data, self.runs, self.warm = data, runs_of(data.reviews), warm or WarmStart()
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
        known = self.warm.by_item
        if known is None or not known.is_of(self.data.reviews):
            known = self.warm.by_item = ByItem(self.data.reviews, self.data.n_items)
        known.w = self.data.reviews.w[known.order]
        return known

    def at(self, ratios: NDArray[np.float64]) -> CriterionState:
        """Derivatives at these ratios."""
        data, probes = self.data, self.item_signs.shape[1]
        loose = 1.0 / (data.reviews.weight + ratios[1])
        from_items = np.hstack([self.y_up, data.centred(self.item_signs), np.zeros_like(self.item_signs)])
        from_bias = np.hstack([self.y_down, np.zeros_like(self.bias_signs), self.bias_signs])
        items, bias = self._solve(ratios, loose, from_items, from_bias, self.warm.items, CG_GOAL)
        self.warm.items = items
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
        s2, b2 = self._solve(ratios, loose, pull_s, pull_b, self.warm.pull, ROUGH_GOAL)
        self.warm.pull = s2
        response = products(pull_s, s2) + products(pull_b, b2)
        return criterion_state(data, ratios, traces, s[:, 0], b[:, 0], response, left)

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
                down = self._down(data.reviews.w, v)
                down *= -loose[:, None]
                part = self.by_item.sums(down)
            _add_own(data.counts, ratio, data.tasks, data.task_means(v), v, part)
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


@kernel
def _inner(left: Any, right: Any) -> Any:
    """Inner products of the columns of one matrix with those of another."""
    found = np.zeros(left.shape[1])
    for i in range(len(left)):
        for c in range(left.shape[1]):
            found[c] += left[i, c] * right[i, c]
    return found


@kernel
def _add_own(counts: Any, ratio: float, tasks: Any, means: Any, v: Any, out: Any) -> None:
    """Add (N + ratio M) v, with the task means of v that M takes off."""
    for i in range(len(v)):
        for c in range(v.shape[1]):
            out[i, c] += (counts[i] + ratio) * v[i, c] - ratio * means[tasks[i], c]


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
