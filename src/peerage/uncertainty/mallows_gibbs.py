"""Full posterior sampling of the Mallows model: rankings, and reliabilities given the rankings.

Every ranking is equally likely beforehand. One sweep takes each item out in turn and puts it back at a
position drawn from its exact conditional distribution given the order of all others (a Gibbs step that is
never refused), then draws every reliability by slice sampling (Neal, Annals of Statistics 2003) on its
logarithm. Raman & Joachims, Bayesian Ordinal Peer Grading, L@S 2015, sample rankings for the same purpose.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._numba import kernel
from peerage.errors import MethodError
from peerage.models.mallows.normaliser import count_reversed, count_sizes, log_normaliser
from peerage.models.solver.scales import HIGHEST, LOWEST

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.base import Estimator

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

MOST_PAIRS = 30_000_000  # comparisons of a task, each kept with both its sides
WARM_UP = 250  # sweeps
THIN = 3  # sweeps per draw: neighbours change places slowly
NEVER = 80.0  # energies this far above the least are never drawn
WIDTH = 0.5  # first guess of a slice of log eta
SLICES = 50


class _Task:
    """The compared items of one task, numbered on their own, and their margins."""

    def __init__(
        self, feedback: Feedback, lists: tuple[Any, ...], task: int, compared: NDArray[np.bool_]
    ) -> None:
        self.items = np.flatnonzero((feedback.item_tasks == task) & compared)
        which = np.flatnonzero((feedback.list_tasks == task) & (feedback.list_strict_pairs > 0))
        local = np.full(feedback.n_items, -1, dtype=np.int64)
        local[self.items] = np.arange(len(self.items))
        pairs = int(feedback.list_strict_pairs[which].sum())
        if pairs > MOST_PAIRS:
            msg = (
                f"the Mallows sampler takes at most {MOST_PAIRS:,} comparisons of a task, not {pairs:,}:"
                " use source='bootstrap'"
            )
            raise MethodError(msg)
        self.margins = Margins(lists, which, local, len(self.items), pairs)


class MallowsSampler:
    """Chains of rankings and reliabilities, whatever rule the point estimate follows."""

    description = "rankings drawn from the Mallows posterior"

    def __init__(self, model: Estimator) -> None:
        feedback = self.feedback = model.feedback_
        self.model = model
        self.lists = (
            feedback.items, feedback.bucket_starts, feedback.list_starts,
            feedback.list_graders, feedback.list_weights,
        )  # fmt: skip
        strict = feedback.list_strict_pairs[feedback.entry_lists] > 0
        compared = np.bincount(feedback.items[strict], minlength=feedback.n_items) > 0
        self.tasks = [_Task(feedback, self.lists, task, compared) for task in range(feedback.n_tasks)]
        self.prepared = lists_by_grader(feedback)

    def chain(self, draws: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Scores (centred ranks) and reliabilities of one chain, from a random start."""
        states = [task.margins.shuffle(rng) for task in self.tasks]
        eta = np.ones(self.feedback.n_graders)
        scores = np.zeros((draws, self.feedback.n_items))
        reliabilities = np.ones((draws, self.feedback.n_graders))
        for sweep in range(-WARM_UP, THIN * draws):
            for task, state in zip(self.tasks, states, strict=True):
                if self.model.reliability or sweep == -WARM_UP:
                    task.margins.weigh(eta)
                state.sweep(rng)
            if self.model.reliability:
                self._draw_reliabilities(rng, states, eta)
            if sweep >= 0 and sweep % THIN == 0:
                self._write_scores(states, scores[sweep // THIN])
                reliabilities[sweep // THIN] = eta
        return scores, reliabilities

    def _draw_reliabilities(self, rng: np.random.Generator, states: list[RankingState], eta: Floats) -> None:
        scores = np.zeros(self.feedback.n_items)
        self._write_scores(states, scores)
        redraw_reliabilities(rng, self.model, self.prepared, scores, eta)

    def _write_scores(self, states: list[RankingState], scores: Floats) -> None:
        for task, state in zip(self.tasks, states, strict=True):
            scores[task.items] = (len(task.items) - 1) / 2 - state.position

    def combine(self, runs: list[tuple[Floats, Floats]]) -> tuple[Floats, Floats, Floats, dict[str, float]]:
        """Scores, reliabilities and their logarithms of all chains, and what else is known of them."""
        scores, eta = (np.stack(part) for part in zip(*runs, strict=True))
        return scores, eta, np.log(eta), {}


def lists_by_grader(feedback: Feedback) -> tuple[Any, ...]:
    """The lists of every grader, as the reliability kernels take them."""
    by_grader = np.argsort(feedback.list_graders, kind="stable")
    edges = np.searchsorted(feedback.list_graders[by_grader], np.arange(feedback.n_graders + 1))
    longest = int(feedback.list_lengths.max(initial=1))
    return feedback.bucket_starts, feedback.list_starts, feedback.list_weights, edges, by_grader, longest


def redraw_reliabilities(
    rng: np.random.Generator, model: Estimator, prepared: tuple[Any, ...], scores: Floats, eta: Floats
) -> None:
    """Redraw every reliability in place, given a ranking by scores."""
    feedback = model.feedback_
    reversed_pairs = np.empty(feedback.n_lists)
    count_reversed(feedback.items, feedback.bucket_starts, feedback.list_starts, -scores, reversed_pairs)
    shape, rate = float(model.reliability_shape), float(model.reliability_rate)
    slice_reliabilities(rng, prepared, reversed_pairs, shape, rate, eta)


# -- the Gibbs step: an item is taken out of the ranking and put back by chance ---------------------------

# Only items that were compared with it matter: between two of them the energy is the same everywhere. So a
# position is drawn by the stretch it lies in, at a cost of the item's comparisons, not of the class.


@kernel
def _list_comparisons(lists: Any, which_lists: Any, local: Any, better: Any, worse: Any) -> None:
    items, bucket_starts, starts, _, _ = lists
    at = 0
    for which in which_lists:
        last = starts[which + 1]
        for e in range(starts[which], last):
            lower = e + 1
            while lower < last and not bucket_starts[lower]:
                lower += 1
            for f in range(lower, last):
                better[at], worse[at] = local[items[e]], local[items[f]]
                at += 1


@kernel
def sum_margins(lists: Any, which_lists: Any, eta: Any, slots: Any, margins: Any) -> None:
    """The margin of i over opponent j: weight of comparisons with i above j, less those with i below j."""
    _, bucket_starts, starts, graders, weights = lists
    margins[:] = 0.0
    at = 0
    for which in which_lists:
        weight, last = weights[which] * eta[graders[which]], starts[which + 1]
        for e in range(starts[which], last):
            lower = e + 1
            while lower < last and not bucket_starts[lower]:
                lower += 1
            for _ in range(lower, last):
                margins[slots[0, at]] += weight
                margins[slots[1, at]] -= weight
                at += 1


@kernel
def gibbs_sweep(
    rng: Any, starts: Any, opponents: Any, margins: Any, near: Any, order: Any, position: Any, mass: Any
) -> None:
    """Take each item out of the order and put it back where chance, given all others, wants it."""
    for item in range(len(order)):
        low, high = starts[item], starts[item + 1]
        _sort_by_position(near, low, high, opponents, position)
        at = _draw_position(rng, opponents, margins, near[low:high], position, item, len(order), mass)
        _move_item(order, position, position[item], at)


@kernel
def _sort_by_position(near: Any, low: int, high: int, opponents: Any, position: Any) -> None:
    """By insertion: since the last sweep little has changed."""
    for k in range(low + 1, high):
        own = near[k]
        there = position[opponents[own]]
        back = k
        while back > low and position[opponents[near[back - 1]]] > there:
            near[back] = near[back - 1]
            back -= 1
        near[back] = own


@kernel
def _draw_position(
    rng: Any, opponents: Any, margins: Any, near: Any, position: Any, item: int, m: int, mass: Any
) -> int:
    """A position below m with chances proportional to exp(-energy), the summed margin over those above."""
    least = energy = 0.0
    for slot in near:
        energy += margins[slot]
        least = min(least, energy)
    total = energy = 0.0
    first = 0
    for k in range(len(near) + 1):
        end, over = _stretch_end(k, opponents, near, position, item, m), energy - least
        total += (end - first) * math.exp(-over) if over < NEVER else 0.0
        mass[k] = total
        if k < len(near):
            energy += margins[near[k]]
        first = end
    goal = rng.random() * total
    k = np.searchsorted(mass[: len(near)], goal, side="right")
    first = _stretch_end(k - 1, opponents, near, position, item, m) if k else 0
    end, before = _stretch_end(k, opponents, near, position, item, m), mass[k - 1] if k else 0.0
    return min(first + int((goal - before) / (mass[k] - before) * (end - first)), end - 1)


@kernel
def _stretch_end(k: int, opponents: Any, near: Any, position: Any, item: int, m: int) -> int:
    """Where stretch k ends, which the k-th opponent closes; positions are counted without the item."""
    if k == len(near):
        return m
    there = position[opponents[near[k]]]
    return int(there if there > position[item] else there + 1)


@kernel
def _move_item(order: Any, position: Any, here: int, there: int) -> None:
    item = order[here]
    step = 1 if there > here else -1
    while here != there:
        order[here] = order[here + step]
        position[order[here]] = here
        here += step
    order[there] = item
    position[item] = there


class Margins:
    """Who was compared with whom in some lists: for every item its opponents, and the margin over each."""

    def __init__(self, lists: tuple[Any, ...], which: Ints, local: Ints, items: int, pairs: int) -> None:
        self.lists, self.which, self.count = lists, which, items
        better, worse = np.empty(pairs, dtype=np.int64), np.empty(pairs, dtype=np.int64)
        _list_comparisons(lists, which, local, better, worse)
        keys, slots = np.unique(
            np.concatenate([better * items + worse, worse * items + better]), return_inverse=True
        )
        self.slots = slots.reshape(2, pairs)  # of both sides of every comparison
        self.owners, self.opponents = keys // items, keys % items
        self.starts = np.searchsorted(self.owners, np.arange(items + 1))
        self.values = np.empty(len(keys))

    def weigh(self, eta: Floats) -> None:
        sum_margins(self.lists, self.which, eta, self.slots, self.values)

    def shuffle(self, rng: np.random.Generator) -> RankingState:
        return RankingState(self, rng.permutation(self.count))


class RankingState:
    """A ranking of all items, the best first, which changes in place."""

    def __init__(self, margins: Margins, order: Ints) -> None:
        self.order, self.margins = order, margins
        self.position = np.empty_like(order)
        self.position[order] = np.arange(len(order))
        # the opponents of an item by their position
        self.near = np.lexsort((self.position[margins.opponents], margins.owners))
        self.mass = np.empty(int(np.diff(margins.starts).max(initial=0)) + 1)

    def sweep(self, rng: np.random.Generator) -> None:
        margins = self.margins
        gibbs_sweep(
            rng, margins.starts, margins.opponents, margins.values,
            self.near, self.order, self.position, self.mass,
        )  # fmt: skip


# -- reliabilities given the ranking, by slice sampling ---------------------------------------------------


@kernel
def slice_reliabilities(rng: Any, prepared: Any, wrong: Any, shape: float, rate: float, eta: Any) -> None:
    """One slice sampling step for every grader's reliability, given the reversed pairs of every list."""
    bucket_starts, starts, weights, grader_starts, grader_lists, longest = prepared
    counts = np.zeros(longest + 1)
    for grader in range(len(eta)):
        largest, mistakes = int(np.int64(1)), 0.0  # a literal 1 would be one more type to compile for
        for k in range(grader_starts[grader], grader_starts[grader + 1]):
            which = grader_lists[k]
            largest = max(largest, starts[which + 1] - starts[which])
            mistakes += weights[which] * wrong[which]
            count_sizes(bucket_starts, starts[which], starts[which + 1], weights[which], counts)
        eta[grader] = math.exp(_slice(rng, math.log(eta[grader]), mistakes, counts, largest, shape, rate))
        counts[: largest + 1] = 0.0


@kernel
def _log_density(u: float, mistakes: float, counts: Any, largest: int, shape: float, rate: float) -> float:
    """Of u = log eta: Gamma prior and Mallows likelihood."""
    eta = math.exp(u)
    return float(shape * u - eta * (rate + mistakes) - log_normaliser(eta, counts, largest))


@kernel
def _slice(
    rng: Any, u: float, mistakes: float, counts: Any, largest: int, shape: float, rate: float
) -> float:
    bottom, top = math.log(LOWEST), math.log(HIGHEST)
    height = _log_density(u, mistakes, counts, largest, shape, rate) + math.log(1.0 - rng.random())
    low = u - WIDTH * rng.random()
    high = low + WIDTH
    while low > bottom and _log_density(low, mistakes, counts, largest, shape, rate) > height:
        low -= WIDTH
    while high < top and _log_density(high, mistakes, counts, largest, shape, rate) > height:
        high += WIDTH
    low, high = max(low, bottom), min(high, top)
    for _ in range(SLICES):
        new = low + (high - low) * rng.random()
        if _log_density(new, mistakes, counts, largest, shape, rate) > height:
            return float(new)
        if new < u:
            low = new
        else:
            high = new
    return u
