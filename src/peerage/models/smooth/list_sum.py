"""The sum over lists as an interface: all that an objective asks of the data, whoever adds it up, and where.

`BlockSum` adds up here, by threads. Another engine, with lists on other machines, implements the same
protocol; priors, probes of the diagonal and the search stay with the objective and the solver.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from peerage.models.solver.components import Components
    from peerage.models.solver.held_mean import HeldMeans

    Floats = NDArray[np.float64]


class ListSum(Protocol):
    """Minus the log-likelihood of all lists, each by its weight, at a point (scores, scales); no priors.

    Call `evaluate` first, then ask for derivatives there. `scale_derivatives` makes the mixed ones ready.
    """

    n_items: int
    n_graders: int
    scales: Floats  # where it was last evaluated

    @property
    def exact_diagonal_is_cheap(self) -> bool:
        """Whether `diagonal` costs no more than a Hessian product; decided once, from all lists."""

    def evaluate(self, scores: Floats, scales: Floats) -> float:
        """Move to a point; the value there."""

    def gradient(self) -> Floats:
        """In the scores."""

    def scale_gradient(self) -> Floats:
        """In the scales."""

    def scale_derivatives(self) -> tuple[Floats, Floats]:
        """First and second derivative in each scale."""

    def mixed_by_grader(self, direction: Floats) -> Floats:
        """How the derivative in every scale changes along a direction in the scores."""

    def mixed_by_item(self, moves: Floats) -> Floats:
        """How the gradient in the scores changes with moves of the scales."""

    def mixed_matrix(self) -> Floats:
        """Mixed derivatives as a dense matrix, items by graders; for small classes."""

    def sparse_mixed(self) -> csr_array:
        """The same as a sparse matrix."""

    def hessian_product(self, direction: Floats) -> Floats:
        """Hessian in the scores, times a direction."""

    def hessian_products(self, columns: NDArray[np.float32]) -> NDArray[np.float32]:
        """The same for many directions, columns of single precision."""

    def add_hessian(self, matrix: Floats) -> None:
        """Add the Hessian in the scores to a dense matrix; for small classes."""

    def sparse_hessian(self, prior: csr_array) -> csr_array:
        """The prior's Hessian and that of the lists, as a sparse matrix."""

    def diagonal(self) -> Floats:
        """The diagonal of the Hessian in the scores."""

    def probed_diagonal(self, seed: int) -> Floats:
        """The diagonal in expectation: one of Hutchinson's probes, signs from the seed."""

    def components(self) -> Components:
        """Which items are linked by lists."""

    def most_compared(self) -> float:
        """The largest number of comparisons that an item has, lists by weight; at least 1."""

    def held_means(self) -> HeldMeans:
        """Which graders share a scale, and what each knows of it: the strict pairs, lists by weight."""

    def reviews_by_grader(self) -> NDArray[np.int64]:
        """How many entries every grader's lists have."""

    def longest(self) -> int:
        """Length of the longest list."""

    def gradient_squares(self) -> tuple[float, int]:
        """Summed squares of the graders' gradients by item, and how many comparisons the lists amount to."""
