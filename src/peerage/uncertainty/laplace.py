"""The Laplace approximation: normal around the estimate, with the curvature of the posterior there.

Scores and log reliabilities are taken as jointly normal. On the log scale a reliability's posterior is nearly
symmetric and its interval stays positive.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.linalg import LinAlgError
from scipy.special import polygamma

from peerage.errors import MethodError
from peerage.feedback.weak_links import weakly_linked_parts
from peerage.models.solver.dense import dot, inverse, multiply, solve_transposed
from peerage.uncertainty.evidence import prior_derivatives
from peerage.uncertainty.levels import Levels, add_levels
from peerage.uncertainty.posterior import COVERS, Posterior, from_log
from peerage.uncertainty.precision import (
    ImplicitPrecision,
    PosteriorPrecision,
    cholesky,
    inverse_root,
    posterior_precision,
    raise_to_prior,
)
from peerage.uncertainty.variational import can_average, fit_normal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.base import Estimator
    from peerage.models.solver.mean_constraint import Tangent
    from peerage.models.solver.mode import Mode
    from peerage.models.solver.scales import GammaPrior

    Floats = NDArray[np.float64]
    Precision = PosteriorPrecision | ImplicitPrecision

WIDE = 1e-5  # precision of the prior over the curvature below which the prior says nothing
DENSE_ITEMS = 2_000  # up to here the covariance is a matrix
DENSE_DRAWS, SPARSE_DRAWS = 1_000, 200
JOINT_ITEMS = 10_000  # beyond, joint draws are few and serve the standard errors alone
JOINT_DRAWS = 32
DRAWN = 100_000_000  # numbers in all draws together: what memory should hold of them
LARGE_TASK = 500  # items from which a rank is near its expectation, given the item's score
LEAST_KNOWN = 0.25  # of a learned log variance, as a precision: it is known to a factor of seven either way
GRADERS_AT_ONCE = 4_096  # columns of items-by-graders matrices that are held in memory together
NO_PEAK = (
    " The posterior has no peak at the estimate (its curvature is not positive): camps of graders contradict"
    " each other, perhaps. Where that is so, the intervals know no more than the prior."
)


class _ScoreDraws(NamedTuple):
    """Draws of the scores around zero, their variances, and the covariance where it is known."""

    moves: NDArray[Any]  # of single precision in large classes
    variance: Floats
    covariance: Floats | None
    note: str
    warning: str = ""
    shift: Floats | float = 0.0  # of the centre


def laplace(
    estimator: Estimator,
    *,
    draws: int | None = None,
    seed: int = 0,
    average: bool | None = None,
    parts: NDArray[np.int64] | None = None,
) -> Posterior:
    """The normal approximation of a fitted smooth model's posterior (BT, THUR, PL, MALS, NCS, Combined).

    ``average`` takes centre and curvature not at the estimate but averaged over the posterior; None does so
    where orders or pairs come from a class of up to 400 items. ``parts`` are the sections of the items, each
    with a level of its own; None looks for parts that are hardly linked.
    """
    mode = estimator.mode()
    rng = np.random.default_rng(seed)
    large, by_item = _size_of(estimator.feedback_)
    precision = ImplicitPrecision(mode) if large else posterior_precision(mode, tempered=True)
    at, note = (
        _Centre(mode.reported(mode.objective.scores), _log_eta(mode)),
        "Laplace approximation around the estimate",
    )
    tasks = _TaskMeans(mode, estimator.feedback_.item_tasks)
    order = None if mode.order is None else _moved_by_order(mode, tasks)
    better = fit_normal(mode, rng) if _wants_average(mode, precision, average) else None
    if better is not None:
        at = _Centre(mode.reported(better.scores), None if mode.prior is None else better.log_eta)
        precision = better.precision
        note = "Laplace approximation, centre and curvature averaged over the posterior"
    if order is not None:
        at = at._replace(scores=at.scores + order)
    count = draws or (SPARSE_DRAWS if len(at.scores) > DENSE_ITEMS else DENSE_DRAWS)
    if isinstance(precision, PosteriorPrecision) and len(at.scores) <= DENSE_ITEMS:
        learned = estimator.prior_learned_ and mode.floating
        prior = mode.objective.precision
        levels = _levels(mode, at.scores, estimator.feedback_, parts)
        scores = _dense(precision, tasks, prior, count, rng, at.scores if learned else None, levels)
        at = at._replace(scores=at.scores + mode.unit * scores.shift)
    else:
        scores = _sparse(precision, tasks, JOINT_DRAWS if by_item else count, rng)
    log_reliability, reliability_draws = _reliabilities(at.log_eta, precision, scores, rng)
    if log_reliability is not None and mode.prior is not None:
        log_reliability = _unknown_alone(log_reliability, precision.tangent, mode.prior)
    location = tasks.centred(at.scores[:, None])[:, 0]
    unit = mode.unit
    if by_item:
        scores, reliability_draws = _by_item(scores, count, rng), None
    return Posterior(
        estimator=estimator,
        source="laplace",
        note=f"{note}, {scores.note}.{scores.warning}{_explain_widening(precision)} {COVERS}",
        location=location,
        score_se=unit * np.sqrt(scores.variance),
        draws=_shift(location, unit, scores.moves),
        reliability_draws=reliability_draws,
        log_reliability=log_reliability,
        covariance=None if scores.covariance is None else unit**2 * scores.covariance,
        by_item=by_item,
    )


def _shift(location: Floats, unit: float, moves: NDArray[Any]) -> NDArray[Any]:
    """Draws around a place, in the memory of their moves, which in a large class is much."""
    moves *= unit
    moves += location.astype(moves.dtype)
    return moves


def _size_of(feedback: Feedback) -> tuple[bool, bool]:
    """Whether the class is large, and whether so are all its tasks: then every item is drawn by itself."""
    large = feedback.n_items > JOINT_ITEMS
    return large, large and bool(np.diff(feedback.task_starts).min() >= LARGE_TASK)


def _by_item(scores: _ScoreDraws, draws: int, rng: np.random.Generator) -> _ScoreDraws:
    """Draws of every item by itself, with the variances that the joint ones have told."""
    count = max(min(draws, DRAWN // len(scores.variance)), JOINT_DRAWS)
    moves = rng.standard_normal((count, len(scores.variance)), dtype=np.float32)
    moves *= np.sqrt(scores.variance).astype(np.float32)
    note = (
        f"{scores.note}; ranks and chances take items one by one, as normal and independent of each other,"
        " which in a class of this size they nearly are"
    )
    return _ScoreDraws(moves, scores.variance, None, note)


class _Centre(NamedTuple):
    scores: Floats
    log_eta: Floats | None


def _moved_by_order(mode: Mode, tasks: _TaskMeans) -> Floats:
    """From the mode to the better scores in its own unit; the mean of the posterior moves likewise."""
    assert mode.order is not None
    own, better = (tasks.centred(each[:, None])[:, 0] for each in (mode.objective.scores, mode.order))
    return np.asarray(better * max(dot(own, better), 0.0) / max(dot(better, better), 1e-300) - own)


def _log_eta(mode: Mode) -> Floats | None:
    return None if mode.prior is None else mode.log_reliabilities


def _explain_widening(precision: Precision) -> str:
    if precision.overlap <= 1.0:
        return ""
    return (
        " The pairs of one list are not independent, and the method counts what they say"
        f" {precision.overlap:.1f} times: the intervals are widened for it."
    )


def _wants_average(mode: Mode, precision: Precision, average: bool | None) -> bool:
    possible = mode.floating and precision.overlap == 1.0
    if not possible or not (can_average(mode) if average is None else average):
        return False
    return mode.objective.precision >= WIDE * float(
        precision.diagonal().mean()
    )  # or draws are of means alone


class _TaskMeans:
    """The mean of each task, which the prior alone decides where only differences mean anything.

    There, the vector of ones on a task is an eigenvector of the curvature, with the prior's precision: the
    mean of a task is independent of everything else and can be taken out exactly.
    """

    def __init__(self, mode: Mode, tasks: NDArray[np.int32]) -> None:
        self.tasks, self.sizes = tasks, np.bincount(tasks)
        self.precision = mode.objective.precision if mode.floating else 0.0

    added = 0.0  # to the precision of the means

    def stiffened(self, curvature: float) -> _TaskMeans:
        """The same with means held more firmly where their prior is wide beside this curvature of the scores.

        What the means do is taken out again, and of numbers that differ by many orders little would be left.
        """
        stiff = copy(self)
        if 0.0 < self.precision < WIDE * curvature:
            stiff.added = curvature
            stiff.precision = self.precision + curvature
        return stiff

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


def _dense(
    precision: PosteriorPrecision,
    tasks: _TaskMeans,
    prior: float,
    draws: int,
    rng: np.random.Generator,
    learned: Floats | None,
    levels: Callable[[Floats], Levels] | None,
) -> _ScoreDraws:
    """Draws and covariance; both know how well a learned variance of the scores is known.

    `prior` is the precision of the scores' prior; `levels` says what those of parts add to a covariance.
    """
    matrix = precision.dense()
    same_task = tasks.tasks[:, None] == tasks.tasks
    stiff = tasks.stiffened(float(np.diag(matrix).mean()))
    matrix += np.where(same_task, stiff.added / stiff.sizes[stiff.tasks], 0.0)
    factor, warning = _factor(matrix, prior)
    covariance = inverse(factor)
    added = None
    if levels is not None:
        added = levels(covariance + np.where(same_task, tasks.variance - stiff.variance, 0.0))
    covariance -= np.where(same_task, stiff.variance, 0.0)
    noise = rng.standard_normal((len(matrix), draws))
    moves = tasks.centred(solve_transposed(factor, noise))
    if learned is not None:
        stretch = _stretch(covariance, tasks, learned)
        covariance += np.outer(stretch, stretch)
        moves += stretch[:, None] * rng.standard_normal(draws)
    if added is not None:
        columns = tasks.centred(added.columns)
        covariance += multiply(columns, columns.T)
        moves += multiply(columns, rng.standard_normal((columns.shape[1], draws)))
    variance = np.maximum(np.diag(covariance), 0.0)  # of an item alone in its task it is 0 but for rounding
    note = "its covariance computed exactly as a matrix"
    return _ScoreDraws(moves.T, variance, covariance, note, warning, 0.0 if added is None else added.shift)


def _levels(
    mode: Mode, scores: Floats, feedback: Feedback, parts: NDArray[np.int64] | None
) -> Callable[[Floats], Levels] | None:
    """What levels add to a covariance; None where all items of every task are one part."""
    parts = weakly_linked_parts(feedback) if parts is None else parts
    if len(parts) == 0 or int(parts.max()) + 1 <= feedback.n_tasks:
        return None
    own = (scores - mode.shift) / mode.unit
    return lambda covariance: add_levels(own, covariance, parts, 1.0 / mode.objective.precision)


def _stretch(covariance: Floats, tasks: _TaskMeans, scores: Floats) -> Floats:
    """How the scores move with one standard error of the log of their learned prior variance.

    With precision p of the prior, the scores move by p covariance scores for one unit of the log. As for the
    standard error, the EM algorithm's steps to the learned variance shrink by the share of information that
    is missing; what is there is the rest of freedom / 2, and the weak prior of the variance.
    """
    scores = tasks.centred(scores[:, None])[:, 0]
    freedom = len(scores) - len(tasks.sizes)
    moves = tasks.precision * multiply(covariance, scores[:, None])[:, 0]
    square = dot(scores, scores) + float(np.trace(covariance))
    change = 2.0 * dot(scores, moves) + tasks.precision * float((covariance**2).sum())
    there = 0.5 * freedom * max(1.0 - change / max(square, 1e-300), 0.0)
    _, doubt = prior_derivatives(-math.log(tasks.precision))
    return np.asarray(moves / np.sqrt(max(there + doubt, LEAST_KNOWN)))


def _factor(matrix: Floats, precision: float) -> tuple[Floats, str]:
    """Cholesky's factor, and what is to be said where the curvature had to be raised for it."""
    try:
        return cholesky(matrix), ""
    except LinAlgError:
        pass
    try:
        return cholesky(raise_to_prior(matrix, precision)), NO_PEAK
    except LinAlgError as error:
        msg = "the curvature of this posterior is not a number"
        raise MethodError(msg) from error


def _sparse(precision: Precision, tasks: _TaskMeans, draws: int, rng: np.random.Generator) -> _ScoreDraws:
    """Draws by Lanczos' method; variances as the exact part plus the draws' variance of the rest.

    Given all others, item i has variance 1 / S_ii around i's draw less (S draw)_i / S_ii; the variance of i
    is the first plus the variance of the second. The first is exact and the larger one by far.
    """
    diagonal = precision.diagonal()
    boost = float(diagonal.mean()) if tasks.precision else 0.0  # stiff task means: better conditioned

    def multiply(v: NDArray[Any]) -> NDArray[Any]:
        product = precision.times(v)
        if boost:
            product += (boost * tasks.means(v)).astype(v.dtype)
        return np.asarray(product)

    dtype = np.float32 if isinstance(precision, ImplicitPrecision) else np.float64
    noise = rng.standard_normal((len(diagonal), draws)).astype(dtype)
    moves = tasks.centred(inverse_root(multiply, diagonal, noise))
    rest = moves - precision.times(moves) / diagonal[:, None].astype(dtype)
    mean_variance = tasks.variance
    variance = 1.0 / diagonal + (rest**2).mean(axis=1, dtype=np.float64)
    variance += ((1.0 - tasks.precision / diagonal) ** 2 - 1.0) * mean_variance
    note = f"for {len(diagonal):,} items from {draws} joint draws (standard errors within a few per cent)"
    return _ScoreDraws(moves.T.astype(np.float32), np.maximum(variance, 1e-12), None, note)


def _reliabilities(
    centre: Floats | None, precision: Precision, scores: _ScoreDraws, rng: np.random.Generator
) -> tuple[tuple[Floats, Floats] | None, Floats | None]:
    """Centre and standard error of log reliabilities, and draws that go with those of the scores."""
    if centre is None:
        return None, None
    mixed, tangent = precision.mixed, precision.tangent
    variance = tangent.variance()
    if scores.covariance is not None and isinstance(precision, PosteriorPrecision):
        variance = variance + _variance_through_scores(precision, scores.covariance)
    shift = np.zeros(tangent.constraint.n_groups)
    eta = np.empty((len(scores.moves), len(centre)), dtype=scores.moves.dtype)
    for row, move in zip(eta, scores.moves, strict=True):  # one by one: all at once would not fit in memory
        through = -tangent.solve(mixed.T @ move)
        drawn = from_log(centre + through + tangent.project(rng.standard_normal(len(centre))))
        mean = tangent.constraint.totals(tangent.constraint.weights * drawn)
        row[:] = drawn / tangent.constraint.means(drawn)
        shift += np.log(np.where(mean > 0, mean, 1.0)) / len(eta)
        if scores.covariance is None:
            variance = variance + through**2 / len(eta)
    centre = centre - np.where(tangent.constraint.weights > 0, tangent.constraint.spread(shift), 0.0)
    return (centre, np.sqrt(variance)), eta


def _unknown_alone(
    known: tuple[Floats, Floats], tangent: Tangent, prior: GammaPrior
) -> tuple[Floats, Floats]:
    """Whoever shares no item with another sets the scale of their items, and is known by the prior alone."""
    constraint = tangent.constraint
    counted = constraint.weights > 0
    alone = counted & (constraint.spread(constraint.totals(counted.astype(float))) == 1)
    centre, error = known
    return centre, np.where(alone, np.sqrt(polygamma(1, prior.shape)), error)


def _variance_through_scores(precision: PosteriorPrecision, covariance: Floats) -> Floats:
    """The variance of log reliabilities that comes from the scores: the diagonal of K C' covariance C K.

    K is the inverse on the moves that are free, D^-1 (C' - c r' / size) with r the pull of the held mean.
    """
    tangent, columns = precision.tangent, precision.mixed.tocsc()
    runs = range(0, columns.shape[1], GRADERS_AT_ONCE)
    parts = (columns[:, first : first + GRADERS_AT_ONCE] for first in runs)
    own = np.concatenate([np.asarray((part * (covariance @ part)).sum(axis=0)) for part in parts])
    constraint, held, c = tangent.constraint, precision.held, tangent.gradient
    groups = constraint.item_groups
    same = covariance if constraint.n_groups == 1 else np.where(groups[:, None] == groups, covariance, 0.0)
    with_held = multiply(same, held[:, None])[:, 0]
    size = tangent.constraint.spread(np.sqrt(tangent.size))
    square = np.bincount(groups, held * with_held, tangent.constraint.n_groups)[tangent.constraint.groups]
    crossed = precision.mixed.T @ with_held
    variance = own - 2.0 * c / size * crossed + (c / size) ** 2 * square
    return np.asarray(np.maximum(variance, 0.0) * tangent.inverse**2)
