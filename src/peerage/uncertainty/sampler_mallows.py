"""Full posterior sampling of the Mallows model: rankings, and reliabilities given the rankings.

Every ranking is equally likely beforehand. One sweep takes each item out in turn and puts it back at a
position drawn from its exact conditional distribution given the order of all others (a Gibbs step that is
never refused), then draws every reliability by slice sampling (Neal, Annals of Statistics 2003) on its
logarithm. Raman & Joachims, Bayesian Ordinal Peer Grading, L@S 2015, sample rankings for the same purpose.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._numba import kernel
from peerage.errors import MethodError
from peerage.models.mallows.normaliser import count_reversed, count_sizes, log_normaliser
from peerage.models.solver.scales import HIGHEST, LOWEST
from peerage.uncertainty._chains import diagnose
from peerage.uncertainty._put_back import Order, Rivals
from peerage.uncertainty.posterior import COVERS, Posterior

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.base import Estimator

    Floats = NDArray[np.float64]

MOST_PAIRS = 30_000_000  # comparisons of a task, each kept with both its sides
CHAINS, WARM_UP = 4, 250
DRAWS = 1_000  # over all chains
THIN = 3  # sweeps per draw: neighbours change places slowly
WIDTH = 0.5  # first guess of a slice of log eta
SLICES = 50


@kernel
def draw_reliabilities(rng: Any, prepared: Any, wrong: Any, shape: float, rate: float, eta: Any) -> None:
    """One slice sampling step for every grader's reliability, given the reversed pairs of every list."""
    bucket_starts, starts, weights, grader_starts, grader_lists, longest = prepared
    counts = np.zeros(longest + 1)
    for grader in range(len(eta)):
        largest, mistakes = 1, 0.0
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


class _Task:
    """The compared items of one task, numbered on their own, and their rivals."""

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
        self.rivals = Rivals(lists, which, local, len(self.items), pairs)


class _Sampler:
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
        self.prepared = prepared_lists(feedback)

    def chain(self, draws: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Scores (centred ranks) and reliabilities of one chain, from a random start."""
        orders = [task.rivals.shuffled(rng) for task in self.tasks]
        eta = np.ones(self.feedback.n_graders)
        scores = np.zeros((draws, self.feedback.n_items))
        reliabilities = np.ones((draws, self.feedback.n_graders))
        for sweep in range(-WARM_UP, THIN * draws):
            for task, order in zip(self.tasks, orders, strict=True):
                if self.model.reliability or sweep == -WARM_UP:
                    task.rivals.weigh(eta)
                order.sweep(rng)
            if self.model.reliability:
                self._weigh(rng, orders, eta)
            if sweep >= 0 and sweep % THIN == 0:
                self._note(orders, scores[sweep // THIN])
                reliabilities[sweep // THIN] = eta
        return scores, reliabilities

    def _weigh(self, rng: np.random.Generator, orders: list[Order], eta: Floats) -> None:
        scores = np.zeros(self.feedback.n_items)
        self._note(orders, scores)
        draw_given_scores(rng, self.model, self.prepared, scores, eta)

    def _note(self, orders: list[Order], scores: Floats) -> None:
        for task, order in zip(self.tasks, orders, strict=True):
            scores[task.items] = (len(task.items) - 1) / 2 - order.place


def prepared_lists(feedback: Feedback) -> tuple[Any, ...]:
    """The lists of every grader, as the reliability kernels take them."""
    by_grader = np.argsort(feedback.list_graders, kind="stable")
    edges = np.searchsorted(feedback.list_graders[by_grader], np.arange(feedback.n_graders + 1))
    longest = int(feedback.list_lengths.max(initial=1))
    return feedback.bucket_starts, feedback.list_starts, feedback.list_weights, edges, by_grader, longest


def draw_given_scores(
    rng: np.random.Generator, model: Estimator, prepared: tuple[Any, ...], scores: Floats, eta: Floats
) -> None:
    """Redraw every reliability in place, given a ranking by scores."""
    feedback = model.feedback_
    wrong = np.empty(feedback.n_lists)
    count_reversed(feedback.items, feedback.bucket_starts, feedback.list_starts, -scores, wrong)
    shape, rate = float(model.reliability_shape), float(model.reliability_rate)
    draw_reliabilities(rng, prepared, wrong, shape, rate, eta)


def sample_rankings(
    estimator: Estimator,
    *,
    draws: int | None = None,
    seed: int = 0,
    on_step: Callable[[str], None] | None = None,
) -> Posterior:
    """Draws from the posterior of a Mallows model, whatever rule its point estimate follows."""
    if estimator.sampler != "rankings":
        msg = f"{estimator.name} is not a Mallows model"
        raise MethodError(msg)
    sampler = _Sampler(estimator)
    per_chain = max(4, math.ceil((draws or DRAWS) / CHAINS))
    runs = []
    for number, stream in enumerate(np.random.SeedSequence(seed).spawn(CHAINS)):
        runs.append(sampler.chain(per_chain, np.random.default_rng(stream)))
        if on_step is not None:
            on_step(f"chain {number + 1} of {CHAINS}")
    scores, eta = (np.stack(part) for part in zip(*runs, strict=True))
    named = {"scores": scores, "reliabilities": np.log(eta)} if estimator.reliability else {"scores": scores}
    flat = scores.reshape(-1, scores.shape[-1])
    return Posterior(
        estimator=estimator,
        source="sampler",
        note=f"{len(flat)} rankings drawn from the Mallows posterior, {CHAINS} chains. {COVERS}",
        location=flat.mean(axis=0),
        score_se=flat.std(axis=0, ddof=1),
        draws=flat,
        reliability_draws=eta.reshape(len(flat), -1) if estimator.reliability else None,
        diagnostics={"chains": CHAINS, "draws": len(flat), **diagnose(**named)},
    )
