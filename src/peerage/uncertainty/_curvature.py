"""The curvature of the posterior at a place, as sparse matrices in the scores and in log reliabilities.

With u = log eta and H = [[A, C], [C', D]] the Hessian in (scores, u), D diagonal, the covariance of the
scores is the inverse of the Schur complement S = A - C D^-1 C', and given the scores the u are independent
with variance 1 / D around -D^-1 C' (change of the scores).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import sparse

from peerage.errors import MethodError
from peerage.models import ScoreObjective, SmoothModel, Sum
from peerage.models.smooth import blocks as on

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models import Block, Estimator, Objective
    from peerage.uncertainty._place import Place

MOST_CELLS = 40_000_000  # products of two reviews by one grader; beyond, memory runs out before patience
FLAT = 1e-6  # a reliability of which nothing at all is known


class Curvature(NamedTuple):
    """S, C and D at a place; C and D have no columns without reliabilities.

    ``overlap`` is how many times over the likelihood counts what the graders said; it has been divided out.
    """

    scores: sparse.csr_array
    cross: sparse.csr_array
    stiffness: NDArray[np.float64]
    overlap: float = 1.0


def overlapping(estimator: Estimator) -> bool:
    """Whether the likelihood counts every pair of a list as if it had been judged on its own."""
    if not isinstance(estimator, SmoothModel):
        return False
    from peerage.models import (
        BradleyTerry,  # these bring their kernels with them
        Thurstone,
    )

    longest = int(estimator.feedback_.list_lengths.max(initial=0))
    return isinstance(estimator, BradleyTerry | Thurstone) and longest > 2


def curvature_of(place: Place, *, pairs: bool = False) -> Curvature:
    """Assemble it; refuses lists so long that the matrices would not fit in memory.

    With ``pairs``, the likelihood is a product over the pairs of a list, which are not independent: it is
    tempered by how much more the slopes of the graders vary than such a likelihood would have it.
    """
    _check_size(place.objective)
    whole, profiled = _scores(place.objective), place.profiled
    overlap = _overlap(place.objective, whole) if pairs else 1.0
    if overlap > 1.0:
        prior = place.objective.precision * sparse.eye_array(whole.shape[0])
        whole = sparse.csr_array(prior + (whole - prior) / overlap)
    if profiled is None:
        return Curvature(whole, sparse.csr_array((whole.shape[0], 0)), np.empty(0), overlap)
    turn = profiled.scales / place.power  # d scale / d log eta
    own = profiled.prior.curvature(profiled.scales)
    stiffness = np.maximum((own + (profiled.stiffness - own) / overlap) * turn**2, FLAT)
    cross = sparse.csr_array(_cross(place.objective) * (turn / overlap))
    return Curvature(sparse.csr_array(whole - (cross / stiffness) @ cross.T), cross, stiffness, overlap)


def _overlap(objective: Objective, whole: sparse.csr_array) -> float:
    """Summed squares of the graders' slopes over what the curvature says they should be; at least 1.

    At the estimate slopes are smaller than at the truth, by the share of comparisons that the scores used up.
    """
    squares, comparisons = 0.0, 0
    for block in objective.blocks:
        lists, lengths = block.lists, np.diff(block.lists.starts)
        factor = np.repeat(lists.weights * objective.scales[lists.graders], lengths)
        places = (lists.items, np.repeat(lists.graders, lengths))
        shape = (objective.n_items, objective.n_graders)
        slopes = sparse.coo_array((factor * block.grad, places), shape=shape).tocsr()
        squares += float((slopes.data**2).sum())
        comparisons += int((lengths - 1).sum())
    expected = whole.diagonal() - objective.precision
    used = float((expected / whole.diagonal()).sum())
    left = max(1.0 - used / max(comparisons, 1), 0.25)
    return max(1.0, squares / max(float(expected.sum()), 1e-300) / left)


def _check_size(objective: Objective) -> None:
    counts = _reviews_by_grader(objective)
    cells = float(np.sum(counts.astype(float) ** 2))
    if cells > MOST_CELLS and objective.n_items**2 > MOST_CELLS:
        msg = (
            f"the Laplace approximation needs about {cells:.1e} numbers for these lists (one grader has"
            f" {counts.max()} reviews), and takes at most {MOST_CELLS:.0e}: use source='bootstrap'"
        )
        raise MethodError(msg)


def _reviews_by_grader(objective: Objective) -> NDArray[np.int64]:
    if isinstance(objective, Sum):
        return _reviews_by_grader(objective.parts[0])
    if isinstance(objective, ScoreObjective):
        return np.diff(objective.reviews.starts)
    lengths = np.concatenate([np.diff(block.lists.starts) for block in objective.blocks])
    graders = np.concatenate([block.lists.graders for block in objective.blocks])
    return np.bincount(graders, lengths, objective.n_graders).astype(np.int64)


def _scores(objective: Objective) -> sparse.csr_array:
    """d2F/ds2, with biases eliminated but reliabilities held."""
    if isinstance(objective, Sum):
        return sum((_scores(part) for part in objective.parts[1:]), start=_scores(objective.parts[0]))
    if isinstance(objective, ScoreObjective):
        return _normal(objective)
    matrix = sparse.csr_array(objective.precision * sparse.eye_array(objective.n_items))
    for block in objective.blocks:
        matrix = matrix + _lists(objective, block)
    return sparse.csr_array(matrix)


def _lists(objective: Objective, block: Block) -> sparse.csr_array:
    """The lists of one block: one column of every list's Hessian at a time."""
    lists, like = block.lists, objective.likelihood
    lengths = np.diff(lists.starts)
    owner = np.repeat(np.arange(len(lengths)), lengths)
    factor = (lists.weights * objective.scales[lists.graders] ** 2)[owner]
    block.v_t[:] = 0.0
    rows, columns, values = [], [], []
    for column in range(int(lengths.max(initial=0))):
        on.probe(lists, column, block.v)
        like.bend(
            block.x, block.t, lists.opens, lists.starts, like.options,
            block.v, block.v_t, block.out, block.out_t,
        )  # fmt: skip
        reached = np.flatnonzero(lengths[owner] > column)
        rows.append(lists.items[reached])
        columns.append(lists.items[lists.starts[owner[reached]] + column])
        values.append(-factor[reached] * block.out[reached])
    return _gathered(rows, columns, values, objective.n_items)


def _gathered(
    rows: list[NDArray[np.int32]],
    columns: list[NDArray[np.int32]],
    values: list[NDArray[np.float64]],
    size: int,
) -> sparse.csr_array:
    if not rows:
        return sparse.csr_array((size, size))
    places = (np.concatenate(rows), np.concatenate(columns))
    return sparse.coo_array((np.concatenate(values), places), shape=(size, size)).tocsr()


def _normal(objective: ScoreObjective) -> sparse.csr_array:
    reviews, eta = objective.reviews, objective.scales
    seen = objective.slope * _by_review(objective, reviews.w)
    give = eta**2 * objective.bias_variance / (1.0 + reviews.weight * objective.bias_variance * eta)
    own = np.bincount(reviews.items, reviews.w * np.repeat(eta, np.diff(reviews.starts)), objective.n_items)
    diagonal = sparse.diags_array(objective.precision + objective.slope**2 * own)
    return sparse.csr_array(diagonal - (seen * give) @ seen.T)


def _by_review(objective: ScoreObjective, entry: NDArray[np.float64]) -> sparse.csr_array:
    graders = np.repeat(np.arange(objective.n_graders), np.diff(objective.reviews.starts))
    shape = (objective.n_items, objective.n_graders)
    return sparse.coo_array((entry, (objective.reviews.items, graders)), shape=shape).tocsr()


def _cross(objective: Objective) -> sparse.csr_array:
    """Mixed derivatives of F in the scores and the scales, items by graders."""
    if isinstance(objective, Sum):
        return sum((_cross(part) for part in objective.parts[1:]), start=_cross(objective.parts[0]))
    if isinstance(objective, ScoreObjective):
        return _by_review(objective, objective.cross)
    matrix = sparse.csr_array((objective.n_items, objective.n_graders))
    for block in objective.blocks:
        graders = np.repeat(block.lists.graders, np.diff(block.lists.starts))
        part = sparse.coo_array((block.cross, (block.lists.items, graders)), shape=matrix.shape)
        matrix = matrix + part.tocsr()
    return matrix
