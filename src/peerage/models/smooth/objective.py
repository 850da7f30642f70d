"""The posterior of a smooth model as one function to minimise.

F(s, a) = - sum over lists of weight * loglik(a_g (s - offset), a_g threshold)
          + sum over items of s^2 / (2 variance)

The scale a_g is the grader's reliability eta_g, or its root where the model says so (eta = a ** power).
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from peerage.models.solver.dense import dot

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from peerage.models.smooth.list_sum import ListSum
    from peerage.models.solver.components import Components

    Floats = NDArray[np.float64]

FIRST_PROBES = 3  # of the diagonal of the Hessian
LEAST_LEFT = 0.25  # of the comparisons, however many scores were estimated from them


class ListObjective:
    """Implements `Objective`: the sum over lists, wherever it is added up, and the prior of the scores."""

    def __init__(self, lists: ListSum, *, precision: float, counts_pairs: bool = False) -> None:
        self.lists, self.precision, self.counts_pairs = lists, precision, counts_pairs
        self.n_items, self.n_graders = lists.n_items, lists.n_graders
        self.scores = np.zeros(self.n_items)
        self.scales = np.ones(self.n_graders)
        self.probe_sum, self.n_probes = np.zeros(self.n_items), 0

    @cached_property
    def most_evidence(self) -> float:
        """The largest number of comparisons that an item has."""
        return self.lists.most_compared()

    @cached_property
    def components(self) -> Components | None:
        """Lists speak of differences only, so every component has a mean that only the prior knows."""
        return self.lists.components()

    def evaluate(self, scores: Floats, scales: Floats) -> float:
        """Move to a point; the value there, priors of reliabilities not included."""
        self.scores, self.scales = scores, scales
        return self.lists.evaluate(scores, scales) + 0.5 * self.precision * dot(scores, scores)

    def gradient(self) -> Floats:
        """dF/ds."""
        return self.lists.gradient() + self.precision * self.scores

    # -- reliabilities ------------------------------------------------------------------------------

    def scale_gradient(self) -> Floats:
        """dF/da."""
        return self.lists.scale_gradient()

    def scale_derivatives(self) -> tuple[Floats, Floats]:
        """First and second derivative of F in each scale; makes the mixed derivatives ready."""
        return self.lists.scale_derivatives()

    def mixed_by_grader(self, direction: Floats) -> Floats:
        """How dF/da changes along a direction in the scores."""
        return self.lists.mixed_by_grader(direction)

    def mixed_by_item(self, moves: Floats) -> Floats:
        """How dF/ds changes with moves of the scales."""
        return self.lists.mixed_by_item(moves)

    def mixed_matrix(self) -> Floats:
        """Mixed derivatives as a dense matrix, items by graders; for small classes."""
        return self.lists.mixed_matrix()

    def sparse_mixed(self) -> csr_array:
        """The same as a sparse matrix."""
        return self.lists.sparse_mixed()

    # -- Hessian in the scores ------------------------------------------------------------------------

    def hessian_product(self, direction: Floats) -> Floats:
        """d2F/ds2 times a direction."""
        return self.lists.hessian_product(direction) + self.precision * direction

    def hessian_products(self, columns: NDArray[np.float32]) -> NDArray[np.float32]:
        """The same for many directions, columns of single precision."""
        return self.lists.hessian_products(columns) + np.float32(self.precision) * columns

    def hessian(self) -> Floats:
        """d2F/ds2 as a dense matrix; for small classes."""
        matrix = np.diag(np.full(self.n_items, self.precision))
        self.lists.add_hessian(matrix)
        return matrix

    def sparse_hessian(self) -> csr_array:
        """d2F/ds2 as a sparse matrix."""
        from scipy import sparse  # slow to import, and not needed by a fit

        prior = sparse.csr_array(self.precision * sparse.eye_array(self.n_items))
        return self.lists.sparse_hessian(prior)

    def exact_diagonal(self) -> Floats:
        """The diagonal of d2F/ds2."""
        return self.lists.diagonal() + self.precision

    def diagonal(self) -> Floats:
        """The diagonal of d2F/ds2 for preconditioning: exact where it is cheap, else about right."""
        return self.exact_diagonal() if self.lists.exact_diagonal_is_cheap else self._probed_diagonal()

    def _probed_diagonal(self) -> Floats:
        """Right in expectation over random signs (Hutchinson's estimator).

        Every call adds a probe with new signs to those before; the Hessian changes little on the way.
        """
        for _ in range(1 if self.n_probes else FIRST_PROBES):
            self.n_probes += 1
            self.probe_sum = self.probe_sum + np.maximum(self.lists.probed_diagonal(self.n_probes), 0.0)
        return np.asarray(self.probe_sum / self.n_probes + self.precision)

    # -- for the posterior ----------------------------------------------------------------------------

    def reviews_by_grader(self) -> NDArray[np.int64]:
        """How many items every grader has ordered."""
        return self.lists.reviews_by_grader()

    def overlap(self, diagonal: Floats) -> float:
        """Summed squares of the graders' gradients over what the Hessian says they should be; at least 1.

        A likelihood over the pairs of a list counts them as independent, which in a list of more than two
        they are not. At the estimate gradients are smaller than at the truth, by the share of comparisons
        that the scores used up.
        """
        if not self.counts_pairs or self.lists.longest() <= 2:
            return 1.0
        squares, comparisons = self.lists.gradient_squares()
        expected = diagonal - self.precision
        used = float((expected / diagonal).sum())
        left = max(1.0 - used / max(comparisons, 1), LEAST_LEFT)
        return max(1.0, squares / max(float(expected.sum()), 1e-300) / left)
