"""Do the reviewers agree more than chance would?

The statistic is the sum over items of (sum over its reviews of how far above the middle of their list they
put it) squared: the score test of a variance between items (Durbin's, where lists are orders). It is held
against two classes with the same lists of items:

chance     every list in random order
weak       items differ by WEAK, in units of Plackett-Luce: the better of two is put first 67 times in 100

A class agrees no more than chance would where 1 in 20 classes of chance or more have as large a statistic,
and fewer than 1 in 50 weak classes as small a one. So a weak class is called so once in fifty times at most,
whatever its size.

In between, chance is a possibility, unless the class is too small to tell the two apart: 1 in 50 weak classes
have as small a statistic as half the classes of chance. Its probability is by Bayes' rule, either kind being
as likely as the other beforehand, and the cube roots of their statistics normal (Wilson and Hilferty 1931).
It is never more than 0.99: what the reviewers said stays the best guess of the order.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import expit, ndtri

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback

    Floats = NDArray[np.float64]

WEAK = 0.7  # standard deviation of the scores
SHAPE = 5.0  # of the Gamma distribution of reliabilities: reviewers of a weak class are not all alike
CHANCE, MISSED = 0.05, 0.02  # classes of chance that pass for agreement; weak ones that pass for chance
TOLD_APART = 1.0 + 1e-6  # ratio of two statistics; where items have one review, all are equal
LITTLE = 0.01  # probability of chance that counts as none; it leaves as much to the reviews, at least
DRAWS = 300  # classes of either kind
REVIEWS = 4_000_000  # in all of them, about
FEWEST = 8  # classes of either kind, however large they are
PLAIN = 8.0  # standard deviations above chance from which no class has to be drawn
# streams of random numbers, of the test and of a mixture with any order: the seed of a run changes neither
STREAM, MIXTURE_STREAM = 0x6368616E, 0x6D697875


class ChanceTest(NamedTuple):
    """How the reviewers of a task agree, beside classes of chance.

    as_good : share of classes of chance whose reviewers agree as well
    no_better : whether the reviewers agree no more than chance would
    probability : of chance, beside a weak class; 0 where the class is too small to tell the two apart
    """

    as_good: float
    no_better: bool
    probability: float


def agreement_by_chance(feedback: Feedback) -> Iterator[ChanceTest]:
    """The test of one task after the other."""
    return (_test(_TaskLists.of(feedback, entries)) for entries in feedback.entries_by_task())


class _TaskLists(NamedTuple):
    """The reviews of one task by list, the values of each best first.

    values : how far above the mean of its list a review puts an item
    """

    items: NDArray[np.int64]
    lists: NDArray[np.int64]
    values: Floats

    @classmethod
    def of(cls, feedback: Feedback, entries: NDArray[np.int64]) -> _TaskLists:
        lists, items = feedback.entry_lists[entries], feedback.items[entries].astype(np.int64)
        if feedback.scores is not None and feedback.ordered_by == "score":
            height = feedback.scores[entries].astype(np.float64)
        else:
            height = _tied_ranks(lists, -np.cumsum(feedback.bucket_starts[entries]).astype(np.float64))
        present = np.isfinite(height)
        items, lists, height = items[present], lists[present], height[present]
        lists = np.unique(lists, return_inverse=True)[1]
        items = np.unique(items, return_inverse=True)[1]
        values = height - (np.bincount(lists, height) / np.maximum(np.bincount(lists), 1))[lists]
        values = values * feedback.list_weights[feedback.entry_lists[entries][present]]
        order = np.lexsort((-values, lists))
        return cls(items[order], lists[order], values[order])

    def statistic(self, items: NDArray[np.int64]) -> float:
        """With these items at the values."""
        return float((np.bincount(items, self.values) ** 2).sum())

    def drawn(self, spread: float, rng: np.random.Generator) -> float:
        """The statistic of a class whose items differ by so much."""
        keys = rng.gumbel(size=len(self.items))
        if spread:
            reliability = rng.gamma(SHAPE, 1.0 / SHAPE, int(self.lists.max()) + 1)
            keys += reliability[self.lists] * rng.normal(0.0, spread, int(self.items.max()) + 1)[self.items]
        return self.statistic(self.items[np.lexsort((-keys, self.lists))])


def _tied_ranks(lists: NDArray[np.int64], height: Floats) -> Floats:
    """Minus the rank of every review in its list, tied ones sharing the mean."""
    position = -np.arange(len(lists), dtype=np.float64)  # reviews of a list stand together, best first
    bucket = np.unique(-height, return_inverse=True)[1]
    return np.asarray((np.bincount(bucket, position) / np.bincount(bucket))[bucket])


def _test(lists: _TaskLists) -> ChanceTest:
    variance = np.bincount(lists.lists, lists.values**2) if len(lists.items) else np.zeros(0)
    expected = float(variance.sum())  # of chance: the reviews of an item are independent
    if not expected > 0:
        return ChanceTest(math.nan, False, 0.0)
    statistic, n_items = lists.statistic(lists.items), int(lists.items.max()) + 1
    if statistic / expected - 1.0 > PLAIN * math.sqrt(2.0 / n_items):
        return ChanceTest(0.0, False, 0.0)
    rng = np.random.default_rng(STREAM)
    draws = int(np.clip(REVIEWS // len(lists.items), FEWEST, DRAWS))
    chance, weak = (np.array([lists.drawn(spread, rng) for _ in range(draws)]) for spread in (0.0, WEAK))
    as_good = float((1 + (chance >= statistic).sum()) / (draws + 1))
    least = _quantile(weak, MISSED)
    no_better = bool(statistic <= _quantile(chance, 1.0 - CHANCE) and TOLD_APART * statistic < least)
    if not no_better and least <= TOLD_APART * _quantile(chance, 0.5):
        return ChanceTest(as_good, False, 0.0)
    at = max(statistic, float(np.median(chance)))  # what is smaller speaks for chance as much
    probability = float(expit(_log_density(at, chance) - _log_density(at, weak)))
    return ChanceTest(as_good, no_better, min(probability, 1.0 - LITTLE) if probability > LITTLE else 0.0)


def _log_density(statistic: float, draws: Floats) -> float:
    """Of the cube root, but for a constant."""
    roots = np.cbrt(draws)
    mean, deviation = float(roots.mean()), float(roots.std(ddof=1))
    return -0.5 * ((math.cbrt(statistic) - mean) / deviation) ** 2 - math.log(deviation)


def _quantile(draws: Floats, share: float) -> float:
    """Of a few draws (large classes) that of a normal distribution."""
    if len(draws) < DRAWS:
        return float(draws.mean() + ndtri(share) * draws.std(ddof=1))
    return float(np.quantile(draws, share))
