"""The Mallows model: a central ranking, and lists less likely the more of their pairs it reverses."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from peerage.errors import MethodError
from peerage.models import thresholds
from peerage.models.base import Estimator, check_positive, with_parameters
from peerage.models.lists import most_compared
from peerage.models.mallows.index import make_index, whole_units
from peerage.models.mallows.normaliser import count_reversed, weigh_graders
from peerage.models.mallows.ranking import borda, centred_scores, greedy, kemenize
from peerage.models.solver.threads import each, runs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback

    Vector = NDArray[np.float64]
    Group = NDArray[np.int32]


class _State(NamedTuple):
    cost: float
    group: Group
    reliabilities: Vector


@with_parameters
class Mallows(Estimator):
    """Mallows model: every pair of a list that the central ranking reverses costs a factor e^-eta.

    log P = -eta * reversed + sum over tie buckets of log Z(eta, size) - log Z(eta, items in the list), where
    Z(eta, k) = product over i = 1..k of (1 - e^(-eta i)) / (1 - e^-eta). A pair that the central ranking ties
    counts as half reversed, as it does in the tau error.

    The best ranking is NP-hard to find. The paper's greedy Algorithm 2 places next the item with the
    smallest x = sum over lists of eta * (unplaced items above it - unplaced items below it); equal items
    are placed together and stay tied. Reliabilities are rounded to 2^-40 of the largest, so that these sums
    are exact and ties do not hang on rounding. Items that nobody compared with another stay in the middle,
    at score 0.

    Parameters
    ----------
    reliability : bool, default=False
        Estimate a reliability eta for every grader; otherwise all are 1.
    borda : bool, default=False
        Order by the reliability-weighted mean fractional rank instead, (r - 1/2) / k for rank r among k
        items: lists differ in length. Tied items share their mid-rank.
    kemenize : bool, default=False
        Then swap neighbours while the weighted majority prefers it. Ties that the tied items' own
        comparisons can settle are settled first; items that stay tied move together.
    reliability_shape, reliability_rate : float
        Prior: eta ~ Gamma(shape, rate).
    tol, max_iter : float, int
        Ranking and reliabilities take turns until the objective falls by less than `tol` of itself;
        most turns. They do so twice, from reliabilities 1 and from those that suit the Borda ranking,
        and the better end is kept.

    Attributes
    ----------
    scores_ : ndarray of shape (n_items,)
        (m + 1) / 2 minus the mid-rank among the task's m compared items: centred, larger is better.
    reliabilities_ : ndarray of shape (n_graders,)
    objective_ : float
        The best found; the ranking it belongs to is a good one, not always the best one.

    References
    ----------
    Raman & Joachims, Methods for Ordinal Peer Grading, KDD 2014, section 4.1 and Algorithm 2.

    Examples
    --------
    >>> from peerage import Feedback, Mallows
    >>> feedback = Feedback.from_orders([("ada", ["x", "y", "z"]), ("bob", ["y", "x"]), ("cyd", ["x", "z"])])
    >>> Mallows().fit(feedback).scores_
    array([ 1.,  0., -1.])
    """

    score_scale = "rank"
    sampler = "rankings"

    reliability: bool = False
    borda: bool = False
    kemenize: bool = False
    reliability_shape: float = 10.0
    reliability_rate: float = 10.0
    tol: float = 1e-9
    max_iter: int = 200

    @property
    def preferred_source(self) -> Literal["laplace", "sampler", "bootstrap"]:
        """Averaged ranks are not the mode of the Mallows posterior; its sampler says nothing about them."""
        return "bootstrap" if self.borda else "sampler"

    def _validate(self, feedback: Feedback) -> None:
        check_positive(
            reliability_shape=self.reliability_shape,
            reliability_rate=self.reliability_rate,
            tol=self.tol,
            max_iter=self.max_iter,
        )
        if self.reliability and self.reliability_shape < 1:
            shape = self.reliability_shape
            raise MethodError(f"reliability_shape must be 1 or more, or the prior has no mode; not {shape!r}")

    def _fit(self, feedback: Feedback) -> None:
        problem = _Problem(self, feedback)
        ones = np.ones(feedback.n_graders)
        starts = [ones]
        if self.reliability and not self.borda:
            starts.append(problem.judge(borda(feedback, feedback.list_weights), ones).reliabilities)
        in_turn = map if feedback.n_entries <= thresholds.ONE_PART else each
        ends = list(in_turn(partial(self._alternate, problem), starts))
        best = min((state for state, _, _ in ends), key=lambda state: state.cost)
        self.scores_ = centred_scores(best.group, feedback.item_tasks, feedback.n_tasks)
        self.reliabilities_ = best.reliabilities
        self.objective_ = best.cost
        self.n_iter_ = max(turns for _, turns, _ in ends)
        self.converged_ = all(settled for _, _, settled in ends)

    def _alternate(self, problem: _Problem, reliabilities: Vector) -> tuple[_State, int, bool]:
        """A ranking for the reliabilities, the best reliabilities for it, and so on while the cost falls.

        The ranking step is a heuristic, so the cost can also rise: then the turn before was the last.
        """
        best = problem.judge(problem.rank(reliabilities), reliabilities)
        if not self.reliability:
            return best, 1, True
        for turn in range(1, self.max_iter + 1):
            state = problem.judge(problem.rank(best.reliabilities), best.reliabilities)
            if state.cost >= best.cost - self.tol * abs(best.cost):
                return min(best, state, key=lambda one: one.cost), turn, True
            best = state
        return best, self.max_iter, False


class _Problem:
    """The feedback prepared once for many rankings and reliability steps."""

    def __init__(self, model: Mallows, feedback: Feedback) -> None:
        self.model, self.feedback = model, feedback
        ones = np.ones(feedback.n_graders)
        self.index = None if model.borda and not model.kemenize else make_index(feedback, ones)
        self.by_grader = np.argsort(feedback.list_graders, kind="stable")
        self.edges = np.searchsorted(feedback.list_graders[self.by_grader], np.arange(feedback.n_graders + 1))

    @cached_property
    def most(self) -> float:
        """The largest number of comparisons that an item has."""
        return most_compared(self.feedback)

    def rank(self, reliabilities: Vector) -> Group:
        """The method's ranking for given reliabilities."""
        feedback, index = self.feedback, self.index
        if index is not None and self.model.reliability:
            index = index._replace(units=whole_units(feedback, reliabilities, self.most))
        if self.model.borda or index is None:
            group = borda(feedback, reliabilities[feedback.list_graders] * feedback.list_weights)
        else:
            group = greedy(index, feedback)
        return kemenize(index, group) if self.model.kemenize and index is not None else group

    def judge(self, group: Group, near: Vector) -> _State:
        """The objective of a ranking, its reliabilities (if asked for) at their best, sought near some."""
        reliabilities = near.copy()
        return _State(self._weigh(self._reversed(group), reliabilities), group, reliabilities)

    def _reversed(self, group: Group) -> Vector:
        """The number of pairs in each list that a ranking reverses."""
        items, bucket_starts, starts = (
            self.feedback.items,
            self.feedback.bucket_starts,
            self.feedback.list_starts,
        )
        wrong = np.empty(self.feedback.n_lists)

        def work(run: tuple[int, int]) -> None:
            count_reversed(items, bucket_starts, starts[run[0] : run[1] + 1], group, wrong[slice(*run)])

        list(each(work, runs(starts, len(items))))
        return wrong

    def _weigh(self, wrong: Vector, reliabilities: Vector) -> float:
        """The cost of so many reversed pairs; sets reliabilities to their best, if asked for."""
        feedback, model = self.feedback, self.model
        lists = (feedback.bucket_starts, feedback.list_starts, feedback.list_weights, self.by_grader)
        longest = int(feedback.list_lengths.max(initial=1))
        prior = float(model.reliability_shape), float(model.reliability_rate), bool(model.reliability)

        def work(run: tuple[int, int]) -> float:
            edges = self.edges[run[0] : run[1] + 1]
            return weigh_graders(lists, edges, longest, wrong, *prior, reliabilities[slice(*run)])

        return sum(each(work, runs(self.edges, feedback.n_entries)))
