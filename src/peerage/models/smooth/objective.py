"""The posterior of a smooth model as one function to minimise: a sum over lists, and the prior of the scores.

F(s, a) = - sum over lists of weight * loglik(a_g (s - offset), a_g threshold)
          + precision / 2 * sum over items of s^2

The scale a_g is the grader's reliability eta_g, or its root where the model says so (eta = a ** power). Lists
are in blocks, which threads work on; sums run in block order.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage.models.lists import count_pairs, most_compared
from peerage.models.smooth import blocks as on
from peerage.models.solver.dense import dot
from peerage.models.solver.threads import each, total

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from peerage.feedback.container import Feedback
    from peerage.models.smooth.blocks import Block
    from peerage.models.smooth.curvature import Curvature, Likelihood

    Floats = NDArray[np.float64]

LEAST_LEFT = 0.25  # of the comparisons, however many scores were estimated from them


class ListObjective:
    """Implements `Objective`.

    curvature : where it is given, this is one part of many, and one block
    counts_pairs : whether the likelihood counts every pair of a list as if it had been judged on its own
    """

    scores: Floats
    scales: Floats

    def __init__(
        self,
        feedback: Feedback,
        likelihood: Likelihood,
        offsets: Floats | None = None,
        *,
        precision: float = 0.0,
        counts_pairs: bool = False,
        curvature: Curvature | None = None,
    ) -> None:
        self.feedback, self.likelihood = feedback, likelihood
        self.precision, self.counts_pairs = precision, counts_pairs
        self.n_items, self.n_graders = feedback.n_items, feedback.n_graders
        if curvature is None:
            self.curvature = likelihood.curvature(count_pairs(feedback.list_starts), feedback.n_entries)
            self.blocks = on.cut(feedback, offsets)
        else:
            self.curvature, self.blocks = curvature, [on.whole(feedback, offsets)]

    @cached_property
    def most_evidence(self) -> float:
        """The largest number of comparisons that an item has, lists by weight; at least 1."""
        return most_compared(self.feedback)

    @property
    def nbytes(self) -> int:
        arrays = [value for block in self.blocks for value in (*block.lists, *vars(block).values())]
        return sum(array.nbytes for array in arrays if isinstance(array, np.ndarray)) + 100 * self.n_graders

    # -- value and gradient ---------------------------------------------------------------------------

    def evaluate(self, scores: Floats, scales: Floats) -> float:
        self.scores, self.scales = scores, scales
        value = float(sum(each(self._evaluate, self.blocks)))
        return value + 0.5 * self.precision * dot(scores, scores) if self.precision else value

    def _evaluate(self, block: Block) -> float:
        lists, threshold = block.lists, self.likelihood.threshold
        on.scale_entries(lists, self.scores, self.scales, threshold, block.x, block.t)
        self.curvature.evaluate(block)
        return -dot(lists.weights, block.value)

    def gradient(self) -> Floats:
        gradient = total(each(self._gradient, self.blocks))
        if self.precision:
            gradient += self.precision * self.scores
        return gradient

    def _gradient(self, block: Block) -> Floats:
        sums = np.zeros(self.n_items)
        on.subtract_by_item(block.lists, block.grad, self.scales, sums)
        return sums

    def _by_item(self, work: Callable[[Block, Floats], None]) -> Floats:
        """A pass that adds up by item: every block into an array of its own, summed in order."""
        return self._summed(work, self.n_items)

    def _by_grader(self, work: Callable[[Block, Floats], None]) -> Floats:
        return self._summed(work, self.n_graders)

    def _summed(self, work: Callable[[Block, Floats], None], size: int) -> Floats:
        def alone(block: Block) -> Floats:
            sums = np.zeros(size)
            work(block, sums)
            return sums

        return total(each(alone, self.blocks))

    # -- reliabilities --------------------------------------------------------------------------------

    def scale_gradient(self) -> Floats:
        return self._by_grader(self._subtract_scale_gradient)

    def _subtract_scale_gradient(self, block: Block, sums: Floats) -> None:
        on.subtract_scale_gradient(block.lists, self.scales, block.x, block.t, block.grad, block.grad_t, sums)

    def scale_derivatives(self) -> tuple[Floats, Floats]:
        """First and second derivative in each scale; leaves the mixed derivatives in the blocks."""
        parts = list(each(self._scale_derivatives, self.blocks))
        return total(first for first, _ in parts), total(second for _, second in parts)

    def _scale_derivatives(self, block: Block) -> tuple[Floats, Floats]:
        """With a scale, x and t move along themselves: the Hessian times x is all that is needed."""
        self.curvature.multiply(block, block.x, block.t)
        if not len(block.mixed):
            block.mixed = np.empty(len(block.lists.items))
        first, second = np.zeros((2, self.n_graders))
        on.subtract_scale_curvature(
            block.lists, self.scales, block.x, block.t, block.grad, block.out, block.out_t,
            second, block.mixed,
        )  # fmt: skip
        self._subtract_scale_gradient(block, first)
        return first, second

    def mixed_by_grader(self, direction: Floats) -> Floats:
        return self._by_grader(
            lambda block, sums: on.mixed_by_grader(block.lists, block.mixed, direction, sums)
        )

    def mixed_by_item(self, moves: Floats) -> Floats:
        return self._by_item(lambda block, sums: on.mixed_by_item(block.lists, block.mixed, moves, sums))

    def add_mixed(self, moves: Floats, by_item: Floats) -> None:
        if len(self.blocks) > 1:
            by_item += self.mixed_by_item(moves)
        else:  # in place: a part of many has no room for another array of all items
            on.mixed_by_item(self.blocks[0].lists, self.blocks[0].mixed, moves, by_item)

    def mixed_matrix(self) -> Floats:
        matrix = np.zeros((self.n_items, self.n_graders))
        for block in self.blocks:
            np.add.at(matrix, (block.lists.items, block.lists.entry_graders()), block.mixed)
        return matrix

    # -- Hessian in the scores ------------------------------------------------------------------------

    def hessian_product(self, direction: Floats) -> Floats:
        product = self.curvature.product(self.blocks, self.scales, direction)
        if self.precision:
            product += self.precision * direction
        return product

    def hessian_products(self, columns: NDArray[np.float32]) -> NDArray[np.float32]:
        products = self.curvature.products(self.blocks, self.scales, columns)
        return products + np.float32(self.precision) * columns

    def hessian(self) -> Floats:
        matrix = np.zeros((self.n_items, self.n_items))
        if self.precision:
            matrix.ravel()[:: self.n_items + 1] = self.precision
        for block in self.blocks:
            self.curvature.add_matrix(block, self.scales, matrix)
        return matrix

    def diagonal(self) -> Floats:
        diagonal = self._by_item(lambda block, sums: self.curvature.add_diagonal(block, self.scales, sums))
        if self.precision:
            diagonal += self.precision
        return diagonal

    def exact_diagonal(self) -> Floats:
        return self.diagonal()

    def probed_diagonal(self, seed: int) -> Floats:
        def probe(block: Block, sums: Floats) -> None:
            on.rademacher(block.lists, seed, block.v)
            self.curvature.multiply(block, block.v, block.v_t)
            on.subtract_diagonal(block.lists, self.scales, block.v, block.out, sums)

        return self._by_item(probe)

    # -- for the posterior, which alone needs sparse matrices: slow to import, and not needed by a fit ----

    def sparse_hessian(self) -> csr_array:
        from scipy import sparse

        matrix = sparse.csr_array(self.precision * sparse.eye_array(self.n_items))
        for block in self.blocks:
            matrix = self._add_block_hessian(matrix, block)
        return matrix

    def _add_block_hessian(self, matrix: csr_array, block: Block) -> csr_array:
        """One column of every list's Hessian at a time."""
        from scipy import sparse

        lists = block.lists
        lengths = np.diff(lists.starts)
        owner = np.repeat(np.arange(len(lengths)), lengths)
        factor = (lists.weights * self.scales[lists.graders] ** 2)[owner]
        rows, columns, values = [], [], []
        for column in range(int(lengths.max(initial=0))):
            self.curvature.multiply_column(block, column)
            reached = np.flatnonzero(lengths[owner] > column)
            rows.append(lists.items[reached])
            columns.append(lists.items[lists.starts[owner[reached]] + column])
            values.append(-factor[reached] * block.out[reached])
        if not rows:
            return matrix
        cells = (np.concatenate(rows), np.concatenate(columns))
        return matrix + sparse.coo_array((np.concatenate(values), cells), shape=matrix.shape).tocsr()

    def sparse_mixed(self) -> csr_array:
        first, *others = (self._sparse(block, block.mixed) for block in self.blocks)
        return sum(others, start=first)

    def _sparse(self, block: Block, entry: Floats) -> csr_array:
        """A number per entry of the block, summed by item and grader."""
        from scipy import sparse

        cells = (block.lists.items, block.lists.entry_graders())
        return sparse.coo_array((entry, cells), shape=(self.n_items, self.n_graders)).tocsr()

    def reviews_by_grader(self) -> NDArray[np.int64]:
        graders, lengths = self.feedback.list_graders, self.feedback.list_lengths
        return np.bincount(graders, lengths, self.n_graders).astype(np.int64)

    def overlap(self, diagonal: Floats) -> float:
        """Summed squares of the graders' gradients over what the Hessian says they should be; at least 1.

        A likelihood over the pairs of a list counts them as independent, which in a list of more than two
        they are not. At the estimate gradients are smaller than at the truth, by the share of comparisons
        that the scores used up.
        """
        if not self.counts_pairs or self.feedback.list_lengths.max(initial=0) <= 2:
            return 1.0
        squares = sum(float((part.data**2).sum()) for part in self._gradients_by_grader())
        comparisons = int((self.feedback.list_lengths - 1).sum())
        expected = diagonal - self.precision
        used = float((expected / diagonal).sum())
        left = max(1.0 - used / max(comparisons, 1), LEAST_LEFT)
        return max(1.0, squares / max(float(expected.sum()), 1e-300) / left)

    def _gradients_by_grader(self) -> list[Any]:
        gradients = []
        for block in self.blocks:
            lists = block.lists
            factor = np.repeat(lists.weights * self.scales[lists.graders], np.diff(lists.starts))
            gradients.append(self._sparse(block, factor * block.grad))
        return gradients
