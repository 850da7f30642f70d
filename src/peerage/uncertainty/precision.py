"""The precision of the posterior at its mode: the Hessian in the scores and in log reliabilities.

With u = log eta and H = [[A, C], [C', D]] the Hessian in (scores, u), D diagonal, the covariance of the
scores is the inverse of the Schur complement S = A - C D^-1 C', and given the scores the u are independent
with variance 1 / D around -D^-1 C' (change of the scores). Where the mean of reliabilities is held, D^-1 is
the inverse of D on the moves that leave it alone (`Tangent`), which adds a vector times itself to S.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.linalg import LinAlgError
from scipy import sparse
from scipy.linalg import eigh_tridiagonal

from peerage.errors import MethodError
from peerage.models.solver.dense import dot, factorise
from peerage.models.solver.mean_constraint import Tangent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models.solver.mode import Mode
    from peerage.models.solver.objective import Objective

    Floats = NDArray[np.float64]

MOST_CELLS = 40_000_000  # products of two reviews by one grader; beyond, memory runs out before patience
FLAT = 1e-6  # a reliability of which nothing at all is known
STEPS, CHECK = 120, 10  # of Lanczos' method: at most, and from one look at what is left to the next
CHECK_SINGLE = 1  # of columns in single precision, whose class is large: every step takes long
CLOSE = 1e-3  # error of a draw; the noise of the draws themselves is far larger
BATCH = 32  # columns at once: enough to keep a product busy, few enough to fit in memory


class PosteriorPrecision(NamedTuple):
    """S, C and D at a mode; C has no columns without reliabilities, and D comes with the moves that are free.

    ``overlap`` is how many times over the likelihood counts what the graders said; it has been divided out.
    ``held`` is what holding the mean of reliabilities adds to S: its product with itself, group by group.
    """

    schur: sparse.csr_array
    mixed: sparse.csr_array
    tangent: Tangent
    held: Floats
    overlap: float = 1.0

    @classmethod
    def of(
        cls, hessian: sparse.csr_array, mixed: sparse.csr_array, tangent: Tangent, overlap: float = 1.0
    ) -> PosteriorPrecision:
        """Eliminate the reliabilities from the Hessian blocks."""
        schur = sparse.csr_array(hessian - (mixed * tangent.inverse) @ mixed.T)
        held = tangent.outer(mixed @ (tangent.inverse * tangent.gradient))
        return cls(schur, mixed, tangent, np.asarray(held), overlap)

    def dense(self) -> Floats:
        """S as a matrix."""
        groups = self.tangent.constraint.item_groups
        return np.asarray(self.schur.toarray() + outer_within_groups(self.held, groups))

    def diagonal(self) -> Floats:
        return np.asarray(self.schur.diagonal() + self.held**2)

    def times(self, v: Floats) -> Floats:
        """S times every column."""
        product = np.asarray(self.schur @ v)
        _add_constraint(product, v, self.held, self.tangent)
        return product


def outer_within_groups(held: Floats, groups: NDArray[np.int64]) -> Floats:
    """The product of a vector with itself within every group of items."""
    if not groups.any():
        return np.outer(held, held)
    return np.where(groups[:, None] == groups, np.outer(held, held), 0.0)


def posterior_precision(mode: Mode, *, tempered: bool = False) -> PosteriorPrecision:
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
        return PosteriorPrecision.of(hessian, none, Tangent.free(np.empty(0), hessian.shape[0]), overlap)
    turn = mode.scales / mode.power  # d scale / d log eta
    mixed = sparse.csr_array(objective.sparse_mixed() * (turn / overlap))
    return PosteriorPrecision.of(hessian, mixed, log_tangent(mode, overlap), overlap)


class ImplicitPrecision:
    """The same for large classes, where S would not fit in memory: products alone, never a matrix.

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

    def diagonal(self) -> Floats:
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
            _add_constraint(product, v, self.held.astype(np.float32), self.tangent)
        return np.asarray(product)


def _add_constraint(
    product: NDArray[Any], v: NDArray[Any], held: NDArray[np.floating[Any]], tangent: Tangent
) -> None:
    """Add what holding the mean of reliabilities adds to S, times every column."""
    if tangent.constraint.n_groups == 1:
        product += np.outer(held, held @ v)
        return
    groups = tangent.constraint.item_groups
    for column, factor in zip(product.T, v.T, strict=True):
        column += held * np.bincount(groups, held * factor)[groups]


def log_tangent(mode: Mode, overlap: float = 1.0) -> Tangent:
    """The curvature D in log reliabilities, and the moves of them that are free."""
    tangent, prior = mode.tangent, mode.prior
    assert prior is not None
    turn = mode.scales / mode.power
    own = prior.curvature(mode.scales)
    curvature = np.maximum((own + (mode.scale_curvature - own) / overlap) * turn**2, FLAT)
    if tangent is None:
        return Tangent.free(curvature, mode.n_items)
    return Tangent(tangent.constraint, tangent.gradient * turn, curvature)


def cholesky(matrix: Floats) -> Floats:
    """The lower factor, with the same bits on any number of cores; above the diagonal stands anything."""
    factor = np.array(matrix)
    if not factorise(factor):
        msg = "the matrix is not positive definite"
        raise LinAlgError(msg)
    return factor


def raise_to_prior(matrix: Floats, precision: float) -> Floats:
    """The curvature with what is below that of the prior raised to it, direction by direction.

    The feedback cannot tell less than nothing. Where it seems to, the point is no peak: camps of graders
    contradict each other, say. Along such a direction the prior is all that is known.
    """
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray((vectors * np.maximum(values, precision)) @ vectors.T)


def _check_size(objective: Objective) -> None:
    counts = objective.reviews_by_grader()
    cells = float(np.sum(counts.astype(float) ** 2))
    if cells > MOST_CELLS and objective.n_items**2 > MOST_CELLS:
        msg = (
            f"the Laplace approximation needs about {cells:.1e} numbers for these lists (one grader has"
            f" {counts.max()} reviews), and takes at most {MOST_CELLS:.0e}: use source='bootstrap'"
        )
        raise MethodError(msg)


# -- functions of S by Lanczos' method: S^(-1/2) z for many z at once, and log det S ----------------------

# A few dozen products with the matrix give z -> f(S) z to three digits where S, scaled to a unit diagonal, is
# well conditioned, which reviews dealt out at random see to.


def inverse_root(multiply: Callable[[Any], Any], diagonal: Floats, z: NDArray[Any]) -> NDArray[Any]:
    """One column x with covariance S^-1 for every column of white noise z, in the precision of z."""
    root = (1.0 / np.sqrt(diagonal)).astype(z.dtype)[:, None]

    def scaled(v: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(root * multiply(root * v))

    batches = range(0, z.shape[1], BATCH)
    return np.hstack([root * _apply(scaled, z[:, first : first + BATCH]) for first in batches])


def log_determinant(multiply: Callable[[Floats], Floats], diagonal: Floats, z: Floats) -> float:
    """log det S, its noise that of the mean over the columns of signs z."""
    root = 1.0 / np.sqrt(diagonal)[:, None]
    alphas, betas, _ = _tridiagonal(lambda v: root * multiply(root * v), z)
    inner = []
    for column in range(z.shape[1]):
        values, vectors = eigh_tridiagonal(alphas[:, column], betas[:-1, column])
        inner.append(dot(vectors[0] ** 2, np.log(np.maximum(values, 1e-12))))
    return float(np.log(diagonal).sum() + len(diagonal) * np.mean(inner))


def _apply(multiply: Callable[[Any], Any], z: NDArray[Any]) -> NDArray[Any]:
    check = CHECK_SINGLE if z.dtype == np.float32 else CHECK
    alphas, betas, basis = _tridiagonal(multiply, z, check)
    weights = np.stack([_first_column(a, b) for a, b in zip(alphas.T, betas.T, strict=True)], axis=1)
    total = np.zeros_like(z)
    for vector, weight in zip(basis, weights.astype(z.dtype), strict=True):
        total += weight * vector
    return np.asarray(total * np.linalg.norm(z, axis=0))


def _first_column(alpha: Floats, beta: Floats) -> Floats:
    """T^(-1/2) times the first unit vector, T the tridiagonal matrix."""
    values, vectors = eigh_tridiagonal(alpha, beta[:-1])
    return np.asarray(np.einsum("ij,j->i", vectors, vectors[0] / np.sqrt(np.maximum(values, 1e-12))))


def _tridiagonal(
    multiply: Callable[[Any], Any], z: NDArray[Any], check: int = CHECK
) -> tuple[Floats, Floats, list[NDArray[Any]]]:
    """Alphas, betas and the basis of every column, as far as they need to go: looked at every few steps."""
    v = z / np.linalg.norm(z, axis=0)
    before, beta = np.zeros_like(v), np.zeros(z.shape[1], dtype=z.dtype)
    alphas, betas, basis = [], [], []
    for step in range(1, min(STEPS, len(z)) + 1):
        basis.append(v)
        w = multiply(v) - beta * before
        alpha = np.einsum("nd,nd->d", w, v)
        w -= alpha * v
        beta = np.linalg.norm(w, axis=0)
        alphas.append(alpha)
        betas.append(beta)
        done = (
            step > 2
            and step % check == 0
            and _converged(np.array(alphas, dtype=float), np.array(betas, dtype=float))
        )
        if done or float(beta.min()) < 1e-10:
            break
        before, v = v, w / beta
    return np.array(alphas, dtype=float), np.array(betas, dtype=float), basis


def _converged(alphas: Floats, betas: Floats) -> bool:
    """Whether the last basis vector hardly takes part any more, and the one before not much more.

    Weights fall by a factor from step to step: what is left out is less than the last of them.
    """
    for alpha, beta in zip(alphas.T, betas.T, strict=True):
        weights = _first_column(alpha, beta)
        before, last = np.abs(weights[-2:]) / np.linalg.norm(weights)
        if last > CLOSE or before > 10.0 * CLOSE:
            return False
    return True
