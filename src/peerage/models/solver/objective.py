"""What the solver and the posterior ask of a model: F(s, a), minus its log posterior in scores and scales.

Scales are the graders' reliabilities, or their roots. A part of a fit has the share of its own graders,
without the prior of the scores.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    Floats = NDArray[np.float64]


class Objective(Protocol):
    """F at a point (scores, scales): call `evaluate` first, then ask for derivatives there.

    The priors of the scores may be in it (`precision`), those of the reliabilities are not.
    """

    n_items: int
    n_graders: int
    precision: float  # of the normal prior of every score; 0 where that is added elsewhere
    scores: Floats  # where it was last evaluated
    scales: Floats

    @property
    def most_evidence(self) -> float:
        """The largest number of comparisons or reviews that an item has: what gradients are measured by."""

    @property
    def nbytes(self) -> int:
        """Of all its arrays."""

    def evaluate(self, scores: Floats, scales: Floats) -> float:
        """Move to a point; the value there."""

    def gradient(self) -> Floats:
        """dF/ds."""

    def scale_gradient(self) -> Floats:
        """dF/da."""

    def scale_derivatives(self) -> tuple[Floats, Floats]:
        """First and second derivative of F in each scale; makes the mixed derivatives ready."""

    def mixed_by_grader(self, direction: Floats) -> Floats:
        """How dF/da changes along a direction in the scores."""

    def mixed_by_item(self, moves: Floats) -> Floats:
        """How dF/ds changes with moves of the scales."""

    def add_mixed(self, moves: Floats, by_item: Floats) -> None:
        """The same, added to an array."""

    def mixed_matrix(self) -> Floats:
        """Mixed derivatives as a dense matrix, items by graders; for small classes."""

    def sparse_mixed(self) -> csr_array:
        """The same as a sparse matrix."""

    def hessian_product(self, direction: Floats) -> Floats:
        """d2F/ds2 times a direction."""

    def hessian_products(self, columns: NDArray[np.float32]) -> NDArray[np.float32]:
        """The same for many directions, columns of single precision."""

    def hessian(self) -> Floats:
        """d2F/ds2 as a dense matrix; for small classes."""

    def sparse_hessian(self) -> csr_array:
        """The same as a sparse matrix."""

    def diagonal(self) -> Floats:
        """The diagonal of d2F/ds2, for preconditioning."""

    def exact_diagonal(self) -> Floats:
        """The same, also where a grader judged an item twice."""

    def probed_diagonal(self, seed: int) -> Floats:
        """The diagonal in expectation: one of Hutchinson's probes, signs from the seed."""

    def reviews_by_grader(self) -> NDArray[np.int64]:
        """How many items every grader has judged: their squares bound the size of the sparse Hessian."""

    def overlap(self, diagonal: Floats) -> float:
        """How many times over the likelihood counts what graders said, 1 or more; by the exact diagonal."""
