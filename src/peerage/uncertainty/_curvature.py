"""The curvature of the posterior at its mode, as sparse matrices in the scores and in log reliabilities.

With u = log eta and H = [[A, C], [C', D]] the Hessian in (scores, u), D diagonal, the covariance of the
scores is the inverse of the Schur complement S = A - C D^-1 C', and given the scores the u are independent
with variance 1 / D around -D^-1 C' (change of the scores). Where the mean of reliabilities is held, D^-1 is
the inverse of D on the moves that leave it alone (`Tangent`), which adds a vector times itself to S.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.linalg import LinAlgError
from scipy import sparse

from peerage.errors import MethodError
from peerage.models.solver.dense import factorise
from peerage.models.solver.mean_constraint import Tangent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models.solver.mode import Mode
    from peerage.models.solver.objective import Objective

MOST_CELLS = 40_000_000  # products of two reviews by one grader; beyond, memory runs out before patience
FLAT = 1e-6  # a reliability of which nothing at all is known


class Curvature(NamedTuple):
    """S, C and D at a mode; C has no columns without reliabilities, and D comes with the moves that are free.

    ``overlap`` is how many times over the likelihood counts what the graders said; it has been divided out.
    ``held`` is what holding the mean of reliabilities adds to S: its product with itself, group by group.
    """

    schur: sparse.csr_array
    mixed: sparse.csr_array
    tangent: Tangent
    held: NDArray[np.float64]
    overlap: float = 1.0

    @classmethod
    def of(
        cls, hessian: sparse.csr_array, mixed: sparse.csr_array, tangent: Tangent, overlap: float = 1.0
    ) -> Curvature:
        """Eliminate the reliabilities from the Hessian blocks."""
        schur = sparse.csr_array(hessian - (mixed * tangent.inverse) @ mixed.T)
        held = tangent.outer(mixed @ (tangent.inverse * tangent.gradient))
        return cls(schur, mixed, tangent, np.asarray(held), overlap)

    def dense(self) -> NDArray[np.float64]:
        """S as a matrix."""
        groups = self.tangent.constraint.item_groups
        return np.asarray(self.schur.toarray() + same_group(self.held, groups))

    def diagonal(self) -> NDArray[np.float64]:
        """That of S."""
        return np.asarray(self.schur.diagonal() + self.held**2)

    def times(self, v: NDArray[np.float64]) -> NDArray[np.float64]:
        """S times every column."""
        product = np.asarray(self.schur @ v)
        add_held(product, v, self.held, self.tangent)
        return product


def same_group(held: NDArray[np.float64], groups: NDArray[np.int64]) -> NDArray[np.float64]:
    """The product of a vector with itself within every group of items."""
    if not groups.any():
        return np.outer(held, held)
    return np.where(groups[:, None] == groups, np.outer(held, held), 0.0)


def curvature_of(mode: Mode, *, tempered: bool = False) -> Curvature:
    """Assemble it; refuses lists so long that the matrices would not fit in memory.

    A likelihood over the pairs of a list takes them as independent, which they are not: ``tempered``, it is
    divided by how much more the gradients of the graders vary than such a likelihood would have it.
    """
    objective = mode.objective
    _check_size(objective)
    hessian = objective.sparse_hessian()
    overlap = objective.overlap(hessian.diagonal()) if tempered else 1.0
    if overlap > 1.0:
        prior = objective.precision * sparse.eye_array(hessian.shape[0])
        hessian = sparse.csr_array(prior + (hessian - prior) / overlap)
    if mode.prior is None:
        none = sparse.csr_array((hessian.shape[0], 0))
        return Curvature.of(hessian, none, Tangent.free(np.empty(0), hessian.shape[0]), overlap)
    turn = mode.scales / mode.power  # d scale / d log eta
    mixed = sparse.csr_array(objective.sparse_mixed() * (turn / overlap))
    return Curvature.of(hessian, mixed, log_tangent(mode, overlap), overlap)


class Implicit:
    """The same curvature for large classes, where S would not fit in memory: products alone, never a matrix.

    Columns are of single precision, whose rounding is far below the noise of draws.
    """

    def __init__(self, mode: Mode) -> None:
        self.objective = mode.objective
        own = self.objective.exact_diagonal()
        self.overlap = self.objective.overlap(own)
        self.precision = self.objective.precision
        own = self.precision + (own - self.precision) / self.overlap
        n = len(own)
        if mode.prior is None:
            self.mixed, self.tangent = sparse.csr_array((n, 0)), Tangent.free(np.empty(0), n)
        else:
            turn = mode.scales / mode.power
            self.mixed = sparse.csr_array(self.objective.sparse_mixed() * (turn / self.overlap))
            self.tangent = log_tangent(mode, self.overlap)
        pull = self.mixed @ (self.tangent.inverse * self.tangent.gradient)
        self.held = np.asarray(self.tangent.outer(pull))
        self._diagonal = np.asarray(own - self.mixed.power(2) @ self.tangent.inverse + self.held**2)
        followed = self.mixed * np.sqrt(np.maximum(self.tangent.inverse, 0.0))
        self._followed = sparse.csc_array(followed.astype(np.float32))

    def diagonal(self) -> NDArray[np.float64]:
        """That of S."""
        return self._diagonal

    def times(self, v: NDArray[Any]) -> NDArray[np.float32]:
        """S times every column."""
        product = self.objective.hessian_products(v)
        if self.overlap != 1.0:
            product -= np.float32(self.precision) * v
            product /= np.float32(self.overlap)
            product += np.float32(self.precision) * v
        if self.mixed.shape[1]:
            product -= self._followed @ (self._followed.T @ v)
            add_held(product, v, self.held.astype(np.float32), self.tangent)
        return np.asarray(product)


def add_held(
    product: NDArray[Any], v: NDArray[Any], held: NDArray[np.floating[Any]], tangent: Tangent
) -> None:
    """Add what holding the mean of reliabilities adds to S, times every column."""
    if tangent.constraint.n_groups == 1:
        product += np.outer(held, held @ v)
        return
    groups = tangent.constraint.item_groups
    for column, one in zip(product.T, v.T, strict=True):
        column += held * np.bincount(groups, held * one)[groups]


def log_tangent(mode: Mode, overlap: float = 1.0) -> Tangent:
    """The curvature D in log reliabilities, and the moves of them that are free."""
    prior, tangent = mode.prior, mode.tangent
    assert prior is not None
    turn = mode.scales / mode.power
    own = prior.curvature(mode.scales)
    curvature = np.maximum((own + (mode.scale_curvature - own) / overlap) * turn**2, FLAT)
    if tangent is None:
        return Tangent.free(curvature, mode.n_items)
    return Tangent(tangent.constraint, tangent.gradient * turn, curvature)


def cholesky(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """The lower factor, with the same bits on any number of cores; above the diagonal stands anything."""
    factor = np.array(matrix)
    if not factorise(factor):
        msg = "the matrix is not positive definite"
        raise LinAlgError(msg)
    return factor


def _check_size(objective: Objective) -> None:
    counts = objective.reviews_by_grader()
    cells = float(np.sum(counts.astype(float) ** 2))
    if cells > MOST_CELLS and objective.n_items**2 > MOST_CELLS:
        msg = (
            f"the Laplace approximation needs about {cells:.1e} numbers for these lists (one grader has"
            f" {counts.max()} reviews), and takes at most {MOST_CELLS:.0e}: use source='bootstrap'"
        )
        raise MethodError(msg)
