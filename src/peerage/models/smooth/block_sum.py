"""The sum over lists on one machine: blocks of lists, worked on by threads, added up in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from peerage.models.smooth import blocks as on
from peerage.models.smooth.off_diagonal import count_pairs
from peerage.models.solver.components import Components, linked_by_graders
from peerage.models.solver.dense import dot
from peerage.models.solver.held_mean import HeldMeans
from peerage.models.solver.parallel import each, total
from peerage.models.start import most_compared

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from peerage.feedback.container import Feedback
    from peerage.models.smooth.blocks import Block
    from peerage.models.smooth.curvature import Curvature, Likelihood

    Floats = NDArray[np.float64]


class BlockSum:
    """Implements `ListSum`."""

    def __init__(
        self,
        feedback: Feedback,
        likelihood: Likelihood,
        offsets: Floats | None = None,
        *,
        curvature: Curvature | None = None,
    ) -> None:
        """Where the `curvature` is said, this is one part of many, and one block."""
        self.n_items, self.n_graders = feedback.n_items, feedback.n_graders
        self.feedback, self.likelihood = feedback, likelihood
        lengths = feedback.list_lengths
        if curvature is None:
            self.curvature = likelihood.curvature(count_pairs(lengths), feedback.n_entries)
            self.blocks = on.cut(feedback, offsets)
        else:
            self.curvature, self.blocks = curvature, [on.whole(feedback, offsets)]
        self._longest = int(lengths.max(initial=0))
        self.scores = np.zeros(self.n_items)
        self.scales = np.ones(self.n_graders)

    @property
    def exact_diagonal_is_cheap(self) -> bool:
        """Whether `diagonal` costs no more than a Hessian product."""
        return self.curvature.exact_diagonal_is_cheap

    # -- about the lists ------------------------------------------------------------------------------

    def components(self) -> Components:
        """Which items are linked by lists."""
        return Components([(block.lists.items, block.lists.starts) for block in self.blocks], self.n_items)

    def held_means(self) -> HeldMeans:
        """Which graders share a scale, and what each knows of it: the strict pairs, lists by weight."""
        feedback, pairs_of = self.feedback, self.feedback.list_strict_pairs
        evidence = np.zeros(self.n_graders)
        np.add.at(evidence, feedback.list_graders, pairs_of * feedback.list_weights)
        lists, shape = (feedback.items, feedback.list_starts), (self.n_items, self.n_graders)
        of_items, of_graders = linked_by_graders(lists, feedback.list_graders, pairs_of > 0, shape)
        return HeldMeans(evidence, of_graders, of_items)

    def most_compared(self) -> float:
        """The largest number of comparisons that an item has, lists by weight; at least 1."""
        return most_compared(self.feedback)

    def longest(self) -> int:
        """Length of the longest list."""
        return self._longest

    def reviews_by_grader(self) -> NDArray[np.int64]:
        """How many entries every grader's lists have."""
        lengths = np.concatenate([np.diff(block.lists.starts) for block in self.blocks])
        graders = np.concatenate([block.lists.graders for block in self.blocks])
        return np.bincount(graders, lengths, self.n_graders).astype(np.int64)

    # -- value and gradient ---------------------------------------------------------------------------

    def evaluate(self, scores: Floats, scales: Floats) -> float:
        """Move to a point; the value there."""
        self.scores, self.scales = scores, scales
        return float(sum(each(self._evaluate, self.blocks)))

    def _evaluate(self, block: Block) -> float:
        lists, threshold = block.lists, self.likelihood.threshold
        on.scale_entries(lists, self.scores, self.scales, threshold, block.x, block.t)
        self.curvature.evaluate(block)
        return -dot(lists.weights, block.value)

    def gradient(self) -> Floats:
        """In the scores."""

        def work(block: Block) -> Floats:
            part = np.zeros(self.n_items)
            on.subtract_by_item(block.lists, block.grad, self.scales, part)
            return part

        return total(each(work, self.blocks))

    # -- reliabilities --------------------------------------------------------------------------------

    def scale_gradient(self) -> Floats:
        """In the scales."""
        return total(each(self._scale_gradient, self.blocks))

    def _scale_gradient(self, block: Block) -> Floats:
        part = np.zeros(self.n_graders)
        on.subtract_scale_gradient(block.lists, self.scales, block.x, block.t, block.grad, block.grad_t, part)
        return part

    def scale_derivatives(self) -> tuple[Floats, Floats]:
        """First and second derivative in each scale; leaves the mixed derivatives in the blocks."""
        parts = list(each(self._scale_derivatives, self.blocks))
        return total(first for first, _ in parts), total(second for _, second in parts)

    def _scale_derivatives(self, block: Block) -> tuple[Floats, Floats]:
        """With a scale, x and t move along themselves: the Hessian times x is all that is needed."""
        self.curvature.multiply(block, block.x, block.t)
        if not len(block.mixed):
            block.mixed = np.empty(len(block.lists.items))
        second = np.zeros(self.n_graders)
        on.subtract_scale_curvature(
            block.lists, self.scales, block.x, block.t, block.grad, block.out, block.out_t,
            second, block.mixed,
        )  # fmt: skip
        return self._scale_gradient(block), second

    def mixed_by_grader(self, direction: Floats) -> Floats:
        """How the derivative in every scale changes along a direction in the scores."""

        def work(block: Block) -> Floats:
            part = np.zeros(self.n_graders)
            on.mixed_by_grader(block.lists, block.mixed, direction, part)
            return part

        return total(each(work, self.blocks))

    def add_mixed(self, moves: Floats, by_item: Floats) -> None:
        """Add how the gradient in the scores changes with moves of the scales."""
        for block in self.blocks:
            on.mixed_by_item(block.lists, block.mixed, moves, by_item)

    def mixed_by_item(self, moves: Floats) -> Floats:
        """How the gradient in the scores changes with moves of the scales."""

        def work(block: Block) -> Floats:
            part = np.zeros(self.n_items)
            on.mixed_by_item(block.lists, block.mixed, moves, part)
            return part

        return total(each(work, self.blocks))

    def mixed_matrix(self) -> Floats:
        """Mixed derivatives as a dense matrix, items by graders; for small classes."""
        matrix = np.zeros((self.n_items, self.n_graders))
        for block in self.blocks:
            np.add.at(
                matrix,
                (block.lists.items, np.repeat(block.lists.graders, np.diff(block.lists.starts))),
                block.mixed,
            )
        return matrix

    # -- Hessian in the scores ------------------------------------------------------------------------

    def hessian_product(self, direction: Floats) -> Floats:
        """Hessian in the scores, times a direction."""
        return self.curvature.product(self.blocks, self.scales, direction)

    def hessian_products(self, columns: NDArray[np.float32]) -> NDArray[np.float32]:
        """The same for many directions, columns of single precision."""
        return self.curvature.products(self.blocks, self.scales, columns)

    def add_hessian(self, matrix: Floats) -> None:
        """Add the Hessian in the scores to a dense matrix; for small classes."""
        for block in self.blocks:
            self.curvature.add_matrix(block, self.scales, matrix)

    def diagonal(self) -> Floats:
        """The diagonal of the Hessian in the scores."""

        def work(block: Block) -> Floats:
            part = np.zeros(self.n_items)
            self.curvature.add_diagonal(block, self.scales, part)
            return part

        return total(each(work, self.blocks))

    def probed_diagonal(self, seed: int) -> Floats:
        """The diagonal in expectation: one of Hutchinson's probes, signs from the seed."""

        def work(block: Block) -> Floats:
            on.rademacher(block.lists, seed, block.v)
            self.curvature.multiply(block, block.v, block.v_t)
            part = np.zeros(self.n_items)
            on.subtract_diagonal(block.lists, self.scales, block.v, block.out, part)
            return part

        return total(each(work, self.blocks))

    # -- for the posterior, which alone needs sparse matrices -------------------------------------------

    def sparse_hessian(self, prior: csr_array) -> csr_array:
        """The prior's Hessian and that of the lists, as a sparse matrix."""
        from peerage.models.smooth.assembly import add_block_hessian  # slow to import, not needed by a fit

        matrix = prior
        for block in self.blocks:
            matrix = add_block_hessian(matrix, block, self.scales, self.curvature.multiply_column)
        return matrix

    def sparse_mixed(self) -> csr_array:
        """Mixed derivatives as a sparse matrix, items by graders."""
        first, *others = self._by_grader([block.mixed for block in self.blocks])
        return sum(others, start=first)

    def gradient_squares(self) -> tuple[float, int]:
        """Summed squares of the graders' gradients by item, and how many comparisons the lists amount to."""
        gradients, comparisons = [], 0
        for block in self.blocks:
            lists, lengths = block.lists, np.diff(block.lists.starts)
            gradients.append(np.repeat(lists.weights * self.scales[lists.graders], lengths) * block.grad)
            comparisons += int((lengths - 1).sum())
        squares = (float((part.data**2).sum()) for part in self._by_grader(gradients))
        return sum(squares), comparisons

    def _by_grader(self, entries: list[Floats]) -> list[csr_array]:
        from peerage.models.smooth.assembly import by_grader

        return by_grader(self.blocks, entries, (self.n_items, self.n_graders))
