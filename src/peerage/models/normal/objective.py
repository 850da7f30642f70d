"""The posterior of normal scores, answering the same questions as the objective of a smooth model.

F(s, eta) = min over b of  sum over reviews of w (eta_g r^2 - log eta_g) / 2,  r = y - slope s_d - b_g
            + sum over graders of b_g^2 / (2 bias_variance) + sum over items of precision s_d^2 / 2

Scores and reviews are in units of the noise and measured from the prior mean.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage.models.normal import reviews as by
from peerage.models.smooth import Objective
from peerage.models.solver import dot, each, take_off, total

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from peerage.models.normal.reviews import Reviews


class ScoreObjective(Objective):
    """F at a point (scores, eta): call `evaluate` first, then ask for slopes and curvature there."""

    pieces = None  # reported scores have a level

    def __init__(
        self, reviews: Reviews, n_items: int, *, precision: float, bias_variance: float, slope: float = 1.0
    ) -> None:
        self.reviews, self.precision = reviews, precision
        self.bias_variance, self.slope = bias_variance, slope
        self.n_items, self.n_graders = n_items, len(reviews.weight)
        self.runs = by.runs_of(reviews)
        self.mean, self.spread, self.bias, self.sums, self.squares = np.zeros((5, self.n_graders))
        self.u, self.cross = np.zeros((2, len(reviews.y)))
        self.scores, self.scales = np.empty(0), np.ones(self.n_graders)

    @cached_property
    def most_evidence(self) -> float:
        """Weight of all reviews of the item with most."""
        evidence = np.bincount(self.reviews.items, self.reviews.w, self.n_items)
        return max(1.0, float(evidence.max(initial=0.0)))

    def evaluate(self, scores: NDArray[np.float64], scales: NDArray[np.float64]) -> float:
        """Move to a point; the value there, priors of reliabilities not included."""
        self.moments(scores)
        self.scales = scales

        def work(run: tuple[int, int]) -> float:
            return by.settle(
                self.reviews, *run, self.u, self.mean, self.bias_variance, scales,
                self.bias, self.sums, self.squares,
            )  # fmt: skip

        return sum(each(work, self.runs)) + 0.5 * self.precision * dot(scores, scores)

    def moments(self, scores: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Mean and summed squares of each grader's reviews less the scores, before any bias."""

        def work(run: tuple[int, int]) -> None:
            by.place(self.reviews, *run, scores, self.slope, self.u, self.mean, self.spread)

        if scores is not self.scores:  # otherwise only the reliabilities have moved
            list(each(work, self.runs))
            self.scores = scores
        return self.mean, self.spread

    def score_slope(self) -> NDArray[np.float64]:
        """dF/ds."""
        slope = self._by_item(by.push, self.u, self.slope, self.scales, self.bias)
        return slope + self.precision * self.scores

    def _by_item(self, work: Callable[..., None], *arguments: Any) -> NDArray[np.float64]:
        """A pass that adds up by item: every run into an array of its own, summed in order."""

        def run_alone(run: tuple[int, int]) -> NDArray[np.float64]:
            part = np.zeros(self.n_items)
            work(self.reviews, *run, *arguments, part)
            return part

        return total(each(run_alone, self.runs))

    # -- reliabilities ------------------------------------------------------------------------------

    def scale_slopes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """First and second derivative of F in each eta, priors of reliabilities not included."""
        eta, weight = self.scales, self.reviews.weight
        soft = self.bias_variance / (1.0 + weight * self.bias_variance * eta)
        self._cross()
        return 0.5 * (self.squares - weight / eta), 0.5 * weight / eta**2 - soft * self.sums**2

    def _cross(self) -> None:
        def work(run: tuple[int, int]) -> None:
            by.cross_terms(
                self.reviews, *run, self.u, self.slope, self.bias_variance, self.scales,
                self.bias, self.sums, self.cross,
            )  # fmt: skip

        list(each(work, self.runs))

    def cross_down(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """How dF/d eta changes along a direction in the scores."""
        moves = np.zeros(self.n_graders)
        list(each(lambda run: by.down(self.reviews, *run, self.cross, direction, moves), self.runs))
        return moves

    def cross_up(self, moves: NDArray[np.float64]) -> NDArray[np.float64]:
        """How dF/ds changes with moves of eta."""
        return self._by_item(by.up, self.cross, moves)

    def cross_matrix(self) -> NDArray[np.float64]:
        """Mixed derivatives as a dense matrix, items by graders; for small classes."""
        return self._dense(self.cross)

    def _dense(self, entry: NDArray[np.float64]) -> NDArray[np.float64]:
        matrix = np.zeros((self.n_items, self.n_graders))
        graders = np.repeat(np.arange(self.n_graders), np.diff(self.reviews.starts))
        np.add.at(matrix, (self.reviews.items, graders), entry)
        return matrix

    # -- curvature in the scores ----------------------------------------------------------------------

    def curve(
        self, direction: NDArray[np.float64], soft: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """d2F/ds2 times a direction; `soft` = 1 / stiffness lets every eta follow the scores."""
        soft = np.zeros(self.n_graders) if soft is None else soft

        def work(run: tuple[int, int]) -> NDArray[np.float64]:
            pairs = np.zeros((self.n_items, 2))
            pairs[:, 0] = direction
            by.curve(self.reviews, *run, self.slope, self.bias_variance, self.scales, self.cross, soft, pairs)
            return pairs[:, 1]

        return total(each(work, self.runs)) + self.precision * direction

    def hessian(self) -> NDArray[np.float64]:
        """d2F/ds2 as a dense matrix; for small classes."""
        seen = self.slope * self._dense(self.reviews.w)
        eta, weight = self.scales, self.reviews.weight
        own = np.bincount(self.reviews.items, self.reviews.w * self._entry(eta), self.n_items)
        with np.errstate(divide="ignore"):  # no biases: infinitely stiff
            stiff = (1.0 + weight * self.bias_variance * eta) / (eta**2 * self.bias_variance)
        matrix = np.diag(self.precision + self.slope**2 * own)
        take_off(np.ascontiguousarray(seen.T), stiff, matrix)
        return matrix

    def _entry(self, by_grader: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.repeat(by_grader, np.diff(self.reviews.starts))

    def diagonal(self) -> NDArray[np.float64]:
        """The diagonal of d2F/ds2."""
        return self._by_item(by.diagonal, self.slope, self.bias_variance, self.scales) + self.precision
