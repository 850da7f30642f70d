"""The curvature of the posterior at its mode, as sparse matrices in the scores and in log reliabilities.

With u = log eta and H = [[A, C], [C', D]] the Hessian in (scores, u), D diagonal, the covariance of the
scores is the inverse of the Schur complement S = A - C D^-1 C', and given the scores the u are independent
with variance 1 / D around -D^-1 C' (change of the scores).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.linalg import LinAlgError
from scipy import sparse

from peerage.errors import MethodError
from peerage.models import factorise

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models import Mode, Objective

MOST_CELLS = 40_000_000  # products of two reviews by one grader; beyond, memory runs out before patience
FLAT = 1e-6  # a reliability of which nothing at all is known


class Curvature(NamedTuple):
    """S, C and D at a mode; C and D have no columns without reliabilities.

    ``overlap`` is how many times over the likelihood counts what the graders said; it has been divided out.
    """

    schur: sparse.csr_array
    mixed: sparse.csr_array
    log_eta: NDArray[np.float64]
    overlap: float = 1.0


def curvature_of(mode: Mode, *, tempered: bool = False) -> Curvature:
    """Assemble it; refuses lists so long that the matrices would not fit in memory.

    A likelihood over the pairs of a list takes them as independent, which they are not: ``tempered``, it is
    divided by how much more the gradients of the graders vary than such a likelihood would have it.
    """
    objective, profile = mode.objective, mode.profile
    _check_size(objective)
    hessian = objective.sparse_hessian()
    overlap = objective.overlap(hessian) if tempered else 1.0
    if overlap > 1.0:
        prior = objective.precision * sparse.eye_array(hessian.shape[0])
        hessian = sparse.csr_array(prior + (hessian - prior) / overlap)
    if profile.prior is None:
        return Curvature(hessian, sparse.csr_array((hessian.shape[0], 0)), np.empty(0), overlap)
    turn = profile.scales / mode.power  # d scale / d log eta
    own = profile.prior.curvature(profile.scales)
    log_eta = np.maximum((own + (profile.scale_curvature - own) / overlap) * turn**2, FLAT)
    mixed = sparse.csr_array(objective.sparse_mixed() * (turn / overlap))
    return Curvature(sparse.csr_array(hessian - (mixed / log_eta) @ mixed.T), mixed, log_eta, overlap)


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
