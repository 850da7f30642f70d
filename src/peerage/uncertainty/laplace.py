"""The Laplace approximation: normal around the estimate, with the curvature of the posterior there.

Scores and log reliabilities are taken as jointly normal. On the log scale a reliability's posterior is nearly
symmetric and its interval stays positive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import LinAlgError, cho_solve, cholesky, eigh, solve_triangular

from peerage.models import SmoothModel
from peerage.uncertainty._average import Averaged, averaged
from peerage.uncertainty._curvature import Curvature, curvature_of, overlapping
from peerage.uncertainty._lanczos import inverse_root
from peerage.uncertainty._place import place_of
from peerage.uncertainty.posterior import COVERS, Posterior, from_log

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models import Estimator
    from peerage.uncertainty._place import Place

    Floats = NDArray[np.float64]

DENSE_ITEMS = 2_000  # up to here the covariance is a matrix
DENSE_DRAWS, SPARSE_DRAWS = 1_000, 200
AVERAGED_ITEMS, AVERAGED_GRADERS = 400, 2_000  # up to here averaging takes a second or so


class _Scores(NamedTuple):
    """Draws of the scores around zero, their variances, and the covariance where it is known."""

    moves: Floats
    variance: Floats
    covariance: Floats | None
    note: str


def laplace(
    estimator: Estimator, *, draws: int | None = None, seed: int = 0, average: bool | None = None
) -> Posterior:
    """The normal approximation of a fitted smooth model's posterior (BT, THUR, PL, MALS, NCS, Combined).

    ``average`` takes centre and curvature not at the estimate but averaged over the posterior; None does so
    where orders or pairs come from a class of up to 400 items.
    """
    place = place_of(estimator)
    rng = np.random.default_rng(seed)
    curvature = curvature_of(place, pairs=overlapping(estimator))
    at, note = _Centre(estimator.scores_, _log_eta(place)), "Laplace approximation around the estimate"
    if _wants_average(estimator, curvature, average):
        better = averaged(estimator, place, rng)  # type: ignore[arg-type]  # smooth, or it would not want it
        if better is not None:
            at = _Centre(better.scores, better.log_eta if estimator.reliability else None)
            curvature = _sparse_matrices(better)
            note = "Laplace approximation, centre and curvature averaged over the posterior"
    levels = _Levels(place, estimator.feedback_.item_tasks)
    if len(at.scores) <= DENSE_ITEMS:
        scores = _dense(curvature, levels, draws or DENSE_DRAWS, rng)
    else:
        scores = _sparse(curvature, levels, draws or SPARSE_DRAWS, rng)
    log_reliability, reliability_draws = _reliabilities(at.log_eta, curvature, scores, rng)
    location = levels.centred(at.scores[:, None])[:, 0]
    unit = place.unit
    return Posterior(
        estimator=estimator,
        source="laplace",
        note=f"{note}, {scores.note}.{_widened(curvature)} {COVERS}",
        location=location,
        score_se=unit * np.sqrt(scores.variance),
        draws=location.astype(scores.moves.dtype) + unit * scores.moves,
        reliability_draws=reliability_draws,
        log_reliability=log_reliability,
        covariance=None if scores.covariance is None else unit**2 * scores.covariance,
    )


class _Centre(NamedTuple):
    scores: Floats
    log_eta: Floats | None


def _log_eta(place: Place) -> Floats | None:
    return None if place.profiled is None else place.power * np.log(place.profiled.scales)


def _widened(curvature: Curvature) -> str:
    if curvature.overlap <= 1.0:
        return ""
    return (
        " The pairs of one list are not independent, and the method counts what they say"
        f" {curvature.overlap:.1f} times: the intervals are widened for it."
    )


def _wants_average(estimator: Estimator, curvature: Curvature, average: bool | None) -> bool:
    possible = isinstance(estimator, SmoothModel) and curvature.overlap == 1.0
    small = len(estimator.scores_) <= AVERAGED_ITEMS and estimator.feedback_.n_graders <= AVERAGED_GRADERS
    return possible and (small if average is None else average)


def _sparse_matrices(better: Averaged) -> Curvature:
    return Curvature(sparse.csr_array(better.curvature), sparse.csr_array(better.cross), better.stiffness)


class _Levels:
    """The mean of each task, which the prior alone decides where only differences mean anything.

    There, the vector of ones on a task is an eigenvector of the curvature, with the prior's precision: the
    mean of a task is independent of everything else and can be taken out exactly.
    """

    def __init__(self, place: Place, tasks: NDArray[np.int32]) -> None:
        self.tasks, self.sizes = tasks, np.bincount(tasks)
        self.precision = place.objective.precision if place.floating else 0.0

    @property
    def variance(self) -> Floats:
        """Variance of the mean of each item's task; zero where it is no convention."""
        if self.precision == 0.0:
            return np.zeros(len(self.tasks))
        return np.asarray(1.0 / (self.precision * self.sizes[self.tasks]))

    def centred(self, columns: Floats) -> Floats:
        """Columns less their mean in each task."""
        return columns - self.means(columns) if self.precision else columns

    def means(self, columns: Floats) -> Floats:
        """The mean of each item's task, in every column."""
        if len(self.sizes) == 1:
            return np.broadcast_to(columns.mean(axis=0), columns.shape)
        sums = np.stack([np.bincount(self.tasks, column) for column in columns.T], axis=1)
        return np.asarray((sums / self.sizes[:, None])[self.tasks])


def _dense(curvature: Curvature, levels: _Levels, draws: int, rng: np.random.Generator) -> _Scores:
    matrix = curvature.scores.toarray()
    try:
        factor = cholesky(matrix, lower=True, check_finite=False)
    except LinAlgError:
        factor = cholesky(_positive(matrix), lower=True)
    covariance = cho_solve((factor, True), np.eye(len(matrix)), check_finite=False)
    same_task = levels.tasks[:, None] == levels.tasks
    covariance -= np.where(same_task, levels.variance, 0.0)
    noise = rng.standard_normal((len(matrix), draws))
    moves = levels.centred(solve_triangular(factor.T, noise, lower=False, check_finite=False))
    return _Scores(
        moves.T, np.diag(covariance).copy(), covariance, "its covariance computed exactly as a matrix"
    )


def _positive(matrix: Floats) -> Floats:
    """The nearest matrix without directions of (almost) no or negative curvature."""
    values, vectors = eigh(matrix)
    floor = 1e-6 * float(values[-1])
    return np.asarray((vectors * np.maximum(values, floor)) @ vectors.T)


def _sparse(curvature: Curvature, levels: _Levels, draws: int, rng: np.random.Generator) -> _Scores:
    """Draws by Lanczos' method; variances as the exact part plus the draws' variance of the rest.

    Given all others, item i has variance 1 / S_ii around i's draw less (S draw)_i / S_ii; the variance of i
    is the first plus the variance of the second. The first is exact and the larger one by far.
    """
    matrix, diagonal = curvature.scores, curvature.scores.diagonal()
    boost = float(diagonal.mean()) if levels.precision else 0.0  # a stiff level: better conditioned

    def multiply(v: Floats) -> Floats:
        product = matrix @ v
        return np.asarray(product + boost * levels.means(v) if boost else product)

    noise = rng.standard_normal((len(diagonal), draws))
    moves = levels.centred(inverse_root(multiply, diagonal, noise))
    rest = moves - (matrix @ moves) / diagonal[:, None]
    level = levels.variance
    variance = 1.0 / diagonal + (rest**2).mean(axis=1)
    variance += ((1.0 - levels.precision / diagonal) ** 2 - 1.0) * level
    note = f"for {len(diagonal):,} items from {draws} joint draws (standard errors within a few per cent)"
    return _Scores(moves.T.astype(np.float32), np.maximum(variance, 1e-12), None, note)


def _reliabilities(
    centre: Floats | None, curvature: Curvature, scores: _Scores, rng: np.random.Generator
) -> tuple[tuple[Floats, Floats] | None, Floats | None]:
    """Centre and standard error of log reliabilities, and draws that go with those of the scores."""
    if centre is None:
        return None, None
    cross, stiffness = curvature.cross, curvature.stiffness
    through = -np.asarray(cross.T @ scores.moves.T).T / stiffness
    if scores.covariance is None:
        variance = (through**2).mean(axis=0)
    else:
        variance = np.asarray((cross * (scores.covariance @ cross)).sum(axis=0)) / stiffness**2
    error = np.sqrt(1.0 / stiffness + variance)
    noise = rng.standard_normal(through.shape) / np.sqrt(stiffness)
    return (centre, error), from_log(centre + through + noise).astype(scores.moves.dtype)
