"""Variational approximation for small classes: centre and curvature averaged over the posterior itself.

Plain Laplace takes both at the mode. Where lists are few the posterior leans to one side, and many
reliabilities that lean a little each move all scores together; then the mode is not the middle. The normal
distribution q nearest to the posterior (in Kullback-Leibler divergence) has E_q[gradient] = 0 and precision
E_q[Hessian].
Both means are taken over the same mirrored draws every round, so the result is a fixed point, and seeded.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.linalg import LinAlgError
from scipy import sparse

from peerage.models.solver.dense import multiply, solve_transposed, substitute
from peerage.models.solver.mean_constraint import Tangent
from peerage.models.solver.scales import GammaPrior, subtract_schur
from peerage.uncertainty.precision import PosteriorPrecision, cholesky, outer_within_groups

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models.solver.mode import Mode

    Floats = NDArray[np.float64]

FEWEST, MOST, SHARED = 8, 32, 4_000  # pairs of draws: as many as SHARED / items
BOUND_DRAWS = 200  # pairs
LEAST_ROUNDS, ROUNDS = 5, 10  # every round halves what is left of the curvature at the mode
AVERAGED_ITEMS, AVERAGED_GRADERS = 400, 2_000  # up to here averaging takes a second or so
SETTLED, USABLE = 0.03, 0.2  # largest step, in standard errors, to stop at and to make do with


class NormalApproximation(NamedTuple):
    """Centre of scores and log reliabilities, and the precision around it."""

    scores: Floats
    log_eta: Floats
    precision: PosteriorPrecision


class _Derivatives(NamedTuple):
    """Gradient in scores and log reliabilities, and Hessian blocks A, C, D, at a point or averaged.

    ``mean_gradient`` is the gradient of the held mean of the reliabilities in their logarithms.
    """

    gradient: Floats
    log_eta_gradient: Floats
    hessian: Floats
    mixed: Floats
    log_eta_curvature: Floats
    mean_gradient: Floats


def can_average(mode: Mode) -> bool:
    """Whether it is worth it: scores that graders gave hold a posterior upright, a few differences do not."""
    objective = mode.objective
    small = objective.n_items <= AVERAGED_ITEMS and objective.n_graders <= AVERAGED_GRADERS
    return mode.floating and small


def fit_normal(mode: Mode, rng: np.random.Generator) -> NormalApproximation | None:
    """The nearest normal distribution; None where the rounds find none, and plain Laplace has to do."""
    posterior = _LogPosterior(mode)
    scores = mode.objective.scores
    log_eta = np.empty(0) if mode.prior is None else mode.log_reliabilities
    pairs = min(max(FEWEST, SHARED // len(scores)), MOST)
    noise = rng.standard_normal((pairs, len(scores))), rng.standard_normal((pairs, len(log_eta)))
    try:
        return _fixed_point(posterior, scores, log_eta, noise)
    except LinAlgError:
        return None


def evidence_bound(mode: Mode, nearest: NormalApproximation, rng: np.random.Generator) -> float:
    """The mean of the log posterior under the nearest normal distribution, and its entropy.

    A bound of the log evidence from below, for methods that hold the mean reliability at 1. The evidence
    at the joint mode, which believes one of a few graders with long lists, is several units off.
    """
    assert mode.prior is not None
    tangent, held, rate = nearest.precision.tangent, _LogPosterior(mode).held, float(np.mean(mode.prior.rate))
    factor, mixed = cholesky(nearest.precision.dense()), nearest.precision.mixed.toarray()
    noise = rng.standard_normal((BOUND_DRAWS, len(nearest.scores)))
    log_eta_noise = rng.standard_normal((BOUND_DRAWS, mode.n_graders))
    moves = np.ascontiguousarray(solve_transposed(factor, noise.T).T)
    follow = tangent.project(log_eta_noise) - tangent.solve(multiply(moves, mixed))
    used = log_eta_noise - tangent.unused(log_eta_noise)
    bound = 0.5 * float((noise**2).sum() + (used**2).sum()) / BOUND_DRAWS
    bound += mode.n_graders * (mode.prior.shape * math.log(rate) - math.lgamma(mode.prior.shape))
    for sign in (1.0, -1.0):
        for move, with_it in zip(moves, follow, strict=True):
            log_eta = held(nearest.log_eta + sign * with_it)
            value = mode.objective.evaluate(nearest.scores + sign * move, np.exp(log_eta / mode.power))
            value += float((rate * np.exp(log_eta) - mode.prior.shape * log_eta).sum())
            bound -= value / (2 * BOUND_DRAWS)
    bound += 0.5 * len(moves[0]) * math.log(mode.objective.precision) - float(np.log(np.diag(factor)).sum())
    bound += tangent.log_volume()
    lengths = tangent.constraint.totals(tangent.gradient**2)
    shares = tangent.constraint.totals(tangent.constraint.weights**2)
    for length, share in zip(lengths[lengths > 0], shares[lengths > 0], strict=True):
        # in ratios of reliabilities given their mean, whose own density at 1 is that of a Gamma distribution
        shape, own = mode.prior.shape / share, rate / share
        bound -= 0.5 * math.log(length) + shape * math.log(own) - math.lgamma(shape) - own
    return bound


def _fixed_point(
    posterior: _LogPosterior, scores: Floats, log_eta: Floats, noise: tuple[Floats, Floats]
) -> NormalApproximation | None:
    here = posterior.derivatives(scores, log_eta)
    for turn in range(1, ROUNDS + 1):
        if not (here.log_eta_curvature > 0).all():
            return None
        free = posterior.free(here)
        moves = np.ascontiguousarray(solve_transposed(cholesky(_schur(here, free)), noise[0].T).T)
        follow = free.project(noise[1]) - free.solve(multiply(moves, here.mixed))
        here = _damp(here, posterior.mean_derivatives(scores, log_eta, moves, follow))
        if not (here.log_eta_curvature > 0).all():
            return None
        free = posterior.free(here)
        pull = here.log_eta_gradient
        step = multiply(here.mixed, free.solve(pull)[:, None])[:, 0] - here.gradient
        substitute(cholesky(_schur(here, free)), step)
        scores = scores + step
        log_eta = log_eta - free.solve(pull + multiply(step[None], here.mixed)[0])
        largest = float(np.abs(step).max()) / float(moves.std())
        if largest < SETTLED and turn >= LEAST_ROUNDS:
            break
    if largest >= USABLE:
        return None
    blocks = sparse.csr_array(here.hessian), sparse.csr_array(here.mixed)
    precision = PosteriorPrecision.of(*blocks, posterior.free(here))
    return NormalApproximation(scores, posterior.held(log_eta), precision)


def _damp(old: _Derivatives, new: _Derivatives) -> _Derivatives:
    """Gradients as they are, Hessians halfway: whole steps overshoot, draws widening as curvature falls."""
    mixed = (0.5 * (before + after) for before, after in zip(old[2:], new[2:], strict=True))
    return _Derivatives(new.gradient, new.log_eta_gradient, *mixed)


def _schur(here: _Derivatives, free: Tangent) -> Floats:
    schur = here.hessian.copy()
    subtract_schur(np.ascontiguousarray(here.mixed.T), here.log_eta_curvature, schur)
    pull = multiply(here.mixed, (free.inverse * free.gradient)[:, None])[:, 0]
    return schur + outer_within_groups(free.outer(pull), free.constraint.item_groups)


class _LogPosterior:
    """Gradient and Hessian in scores and log reliabilities anywhere.

    Where the mean of the reliabilities is held, any log reliabilities stand for those of the same ratios
    whose mean is 1: the posterior is a function of ratios alone.
    """

    def __init__(self, mode: Mode) -> None:
        self.objective, self.power, self.prior = mode.objective, mode.power, mode.prior
        if self.prior is not None:  # the density of log eta is eta times that of eta
            self.prior = GammaPrior(self.prior.shape + 1, self.prior.rate, self.prior.power)
        tangent, none = mode.tangent, np.zeros(0 if self.prior is None else mode.n_graders)
        self.means = (Tangent.free(none, mode.n_items) if tangent is None else tangent).constraint

    def free(self, here: _Derivatives) -> Tangent:
        """The moves of log reliabilities that leave the mean alone, and the curvature along them."""
        return Tangent(self.means, here.mean_gradient, here.log_eta_curvature)

    def held(self, log_eta: Floats) -> Floats:
        """The log reliabilities of the same ratios whose mean is 1."""
        return np.asarray(log_eta - np.log(self.means.means(np.exp(log_eta))))

    def derivatives(self, scores: Floats, log_eta: Floats) -> _Derivatives:
        objective, none = self.objective, np.empty(0)
        if self.prior is None:
            objective.evaluate(scores, np.ones(objective.n_graders))
            mixed = np.zeros((len(scores), 0))
            return _Derivatives(objective.gradient(), none, objective.hessian(), mixed, none, none)
        log_eta = self.held(log_eta)
        scales = np.exp(log_eta / self.power)
        objective.evaluate(scores, scales)
        gradient = objective.gradient()
        first, second = objective.scale_derivatives()
        first, second = first + self.prior.gradient(scales), second + self.prior.curvature(scales)
        turn = scales / self.power
        pull, weights = first * turn, self.means.weights
        share = weights * np.exp(log_eta)
        # to hold the mean, all others follow where one goes: the multiplier of the constraint
        hold = -share * self.means.spread(self.means.totals(np.where(weights > 0, pull, 0.0)))
        return _Derivatives(
            gradient,
            pull + hold,
            objective.hessian(),
            objective.mixed_matrix() * turn,
            second * turn**2 + pull / self.power + hold,
            share,
        )

    def mean_derivatives(
        self, scores: Floats, log_eta: Floats, moves: Floats, follow: Floats
    ) -> _Derivatives:
        """The mean over draws and their mirror images."""
        points = [
            (scores + sign * move, log_eta + sign * with_it)
            for move, with_it in zip(moves, follow, strict=True)
            for sign in (1.0, -1.0)
        ]
        total = self.derivatives(*points[0])
        for point in points[1:]:
            terms = zip(total, self.derivatives(*point), strict=True)
            total = _Derivatives(*(part + term for part, term in terms))
        return _Derivatives(*(part / len(points) for part in total))
