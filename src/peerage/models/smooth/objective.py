"""The posterior of a smooth model as one function to minimise, with its slope and curvature.

F(s, a) = - sum over lists of weight * loglik(a_g (s - offset), a_g threshold)
          + sum over items of s^2 / (2 variance) + sum over graders of prior(a_g)

The scale a_g is the grader's reliability eta_g, or its root where the model says so (eta = a ** power).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage.models.smooth import blocks as on
from peerage.models.smooth import springs as _springs
from peerage.models.smooth.pieces import Pieces
from peerage.models.solver import dot, each, total
from peerage.models.start import most_compared

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback import Feedback
    from peerage.models.smooth.blocks import Block


FIRST_LOOKS = 3  # at the diagonal of the curvature


@dataclass(frozen=True, slots=True)
class Likelihood:
    """A model as the machinery sees it: its kernels, their options, and how scale follows reliability."""

    slope: Any
    bend: Any
    options: tuple[Any, ...]
    power: int
    threshold: float
    springs: Any = None  # the kernel that fills them in, where the model has one


class Objective:
    """F at a point (scores, scales): call `evaluate` first, then ask for slopes and curvature there."""

    def __init__(
        self,
        feedback: Feedback,
        likelihood: Likelihood,
        *,
        score_variance: float,
        offsets: NDArray[np.float64] | None = None,
    ) -> None:
        self.n_items, self.n_graders = feedback.n_items, feedback.n_graders
        lengths = feedback.list_lengths
        self.longest = int(lengths.max(initial=0))
        self.likelihood, self.precision = likelihood, 1.0 / score_variance
        self.sprung = likelihood.springs is not None and _springs.worth_storing(lengths)
        self.blocks = on.cut(feedback, offsets)
        self.scores = np.zeros(self.n_items)
        self.scales = np.ones(self.n_graders)
        self.feedback = feedback
        self.seen, self.looks = np.zeros(self.n_items), 0

    @cached_property
    def most_evidence(self) -> float:
        """The largest number of comparisons that an item has."""
        return most_compared(self.feedback)

    @cached_property
    def pieces(self) -> Pieces | None:
        """Items whose common level only the prior knows; none where scores have a level of their own."""
        return Pieces([block.lists for block in self.blocks], self.n_items)

    # -- value and slopes ---------------------------------------------------------------------------

    def evaluate(self, scores: NDArray[np.float64], scales: NDArray[np.float64]) -> float:
        """Move to a point; the value there, priors of reliabilities not included."""
        self.scores, self.scales = scores, scales
        value = sum(each(self._slope, self.blocks))
        return float(value) + 0.5 * self.precision * dot(scores, scores)

    def _slope(self, block: Block) -> float:
        like = self.likelihood
        on.place(block.lists, self.scores, self.scales, like.threshold, block.x, block.t)
        like.slope(
            block.x,
            block.t,
            block.lists.opens,
            block.lists.starts,
            like.options,
            block.value,
            block.grad,
            block.grad_t,
        )
        block.fresh = False
        return -dot(block.lists.weights, block.value)

    def score_slope(self) -> NDArray[np.float64]:
        """dF/ds."""

        def work(block: Block) -> NDArray[np.float64]:
            part = np.zeros(self.n_items)
            on.collect(block.lists, block.grad, self.scales, part)
            return part

        return total(each(work, self.blocks)) + self.precision * self.scores

    # -- reliabilities ------------------------------------------------------------------------------

    def scale_slopes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """First and second derivative of F in each scale, priors of reliabilities not included.

        Leaves the mixed derivatives in the blocks, for `cross_down` and `cross_up`.
        """
        parts = list(each(self._scale_slopes, self.blocks))
        return total(first for first, _ in parts), total(second for _, second in parts)

    def _scale_slopes(self, block: Block) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """With a scale, x and t move along themselves: the bend along x is all that is needed."""
        self._bend(block, block.x, block.t)
        first, second = np.zeros(self.n_graders), np.zeros(self.n_graders)
        if not len(block.cross):
            block.cross = np.empty(len(block.lists.items))
        on.scale_slope(block.lists, self.scales, block.x, block.t, block.grad, block.grad_t, first)
        on.scale_bend(
            block.lists, self.scales, block.x, block.t, block.grad, block.out, block.out_t,
            second, block.cross,
        )  # fmt: skip
        return first, second

    def cross_down(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """How dF/da changes along a direction in the scores."""

        def work(block: Block) -> NDArray[np.float64]:
            part = np.zeros(self.n_graders)
            on.cross_down(block.lists, block.cross, direction, part)
            return part

        return total(each(work, self.blocks))

    def cross_up(self, moves: NDArray[np.float64]) -> NDArray[np.float64]:
        """How dF/ds changes with moves of the scales."""

        def work(block: Block) -> NDArray[np.float64]:
            part = np.zeros(self.n_items)
            on.cross_up(block.lists, block.cross, moves, part)
            return part

        return total(each(work, self.blocks))

    def cross_matrix(self) -> NDArray[np.float64]:
        """Mixed derivatives as a dense matrix, items by graders; for small classes."""
        matrix = np.zeros((self.n_items, self.n_graders))
        for block in self.blocks:
            np.add.at(
                matrix,
                (block.lists.items, np.repeat(block.lists.graders, np.diff(block.lists.starts))),
                block.cross,
            )
        return matrix

    # -- curvature in the scores ----------------------------------------------------------------------

    def _bend(self, block: Block, v: NDArray[np.float64], v_t: NDArray[np.float64]) -> None:
        like = self.likelihood
        like.bend(
            block.x, block.t, block.lists.opens, block.lists.starts, like.options,
            v, v_t, block.out, block.out_t,
        )  # fmt: skip

    def _springs(self, block: Block) -> NDArray[np.float64]:
        """The springs of a block at this place, filled in when first asked for."""
        like, lists = self.likelihood, block.lists
        if not block.fresh:
            if not len(block.springs):
                block.springs = np.empty(_springs.springs_of(np.diff(lists.starts)))
            like.springs(block.x, block.t, lists.opens, lists.starts, like.options, block.springs)
            block.fresh = True
        return block.springs

    def curve(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """d2F/ds2 times a direction."""

        def work(block: Block) -> NDArray[np.float64]:
            part = np.zeros(self.n_items)
            if self.sprung:
                _springs.pull(block.lists, self._springs(block), self.scales, direction, part)
            else:
                on.spread(block.lists, direction, self.scales, block.v)
                self._bend(block, block.v, block.v_t)
                on.collect(block.lists, block.out, self.scales, part)
            return part

        return total(each(work, self.blocks)) + self.precision * direction

    def hessian(self) -> NDArray[np.float64]:
        """d2F/ds2 as a dense matrix; for small classes."""
        matrix = np.diag(np.full(self.n_items, self.precision))
        for block in self.blocks:
            if self.sprung:
                _springs.add_matrix(block.lists, self._springs(block), self.scales, matrix)
                continue
            for column in range(self.longest):  # of every list at a time
                on.probe(block.lists, column, block.v)
                self._bend(block, block.v, block.v_t)
                on.add_columns(block.lists, self.scales, column, block.out, matrix)
        return matrix

    def exact_diagonal(self) -> NDArray[np.float64]:
        """The diagonal of d2F/ds2."""
        return total(each(self._diagonal, self.blocks)) + self.precision

    def _diagonal(self, block: Block) -> NDArray[np.float64]:
        part = np.zeros(self.n_items)
        if self.sprung:
            _springs.add_diagonal(block.lists, self._springs(block), self.scales, part)
            return part
        for column in range(self.longest):
            on.probe(block.lists, column, block.v)
            self._bend(block, block.v, block.v_t)
            on.collect_diagonal(block.lists, self.scales, block.v, block.out, part)
        return part

    def diagonal(self) -> NDArray[np.float64]:
        """The diagonal of d2F/ds2 for conditioning: exact where it is cheap, else about right."""
        return self.exact_diagonal() if self.sprung else self._sampled_diagonal()

    def _sampled_diagonal(self) -> NDArray[np.float64]:
        """Right in expectation over random signs.

        Every call adds a look with new signs to those before; the curvature changes little on the way.
        """

        def work(block: Block) -> NDArray[np.float64]:
            on.signs(block.lists, self.looks, block.v)
            self._bend(block, block.v, block.v_t)
            part = np.zeros(self.n_items)
            on.collect_diagonal(block.lists, self.scales, block.v, block.out, part)
            return part

        for _ in range(1 if self.looks else FIRST_LOOKS):
            self.looks += 1
            self.seen = self.seen + np.maximum(total(each(work, self.blocks)), 0.0)
        return np.asarray(self.seen / self.looks + self.precision)
