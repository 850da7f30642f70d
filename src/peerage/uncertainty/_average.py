"""A better normal approximation for small classes: centre and curvature averaged over the posterior itself.

Plain Laplace takes both at the mode. Where lists are few the posterior leans to one side, and many
reliabilities that lean a little each move all scores together; then the mode is not the middle. The normal
distribution q nearest to the posterior (in Kullback-Leibler divergence) has E_q[gradient] = 0 and precision
E_q[Hessian].
Both means are taken over the same mirrored draws every round, so the result is a fixed point, and seeded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.linalg import LinAlgError

from peerage.models import GammaPrior, multiply, solve_transposed, substitute, subtract_schur
from peerage.uncertainty._curvature import cholesky

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models import Mode

    Floats = NDArray[np.float64]

FEWEST, MOST, SHARED = 8, 32, 4_000  # pairs of draws: as many as SHARED / items
ROUNDS = 10
SETTLED, USABLE = 0.03, 0.2  # largest step, in standard errors, to stop at and to make do with


class Averaged(NamedTuple):
    """Centre of scores and log reliabilities; Schur complement S, mixed terms C, curvature D of the logs."""

    scores: Floats
    log_eta: Floats
    schur: Floats
    mixed: Floats
    log_eta_curvature: Floats


class _Derivatives(NamedTuple):
    """Gradient in scores and log reliabilities, and Hessian blocks A, C, D, at a point or averaged."""

    gradient: Floats
    log_eta_gradient: Floats
    hessian: Floats
    mixed: Floats
    log_eta_curvature: Floats


def averaged(mode: Mode, rng: np.random.Generator) -> Averaged | None:
    """The nearest normal distribution; None where the rounds find none, and plain Laplace has to do."""
    posterior = _Posterior(mode)
    scores = mode.objective.scores
    log_eta = np.empty(0) if mode.prior is None else mode.log_reliabilities
    pairs = min(max(FEWEST, SHARED // len(scores)), MOST)
    noise = rng.standard_normal((pairs, len(scores))), rng.standard_normal((pairs, len(log_eta)))
    try:
        return _fixed_point(posterior, scores, log_eta, noise)
    except LinAlgError:
        return None


def _fixed_point(
    posterior: _Posterior, scores: Floats, log_eta: Floats, noise: tuple[Floats, Floats]
) -> Averaged | None:
    here = posterior.derivatives(scores, log_eta)
    for _ in range(ROUNDS):
        moves = np.ascontiguousarray(solve_transposed(cholesky(_schur(here)), noise[0].T).T)
        curvature = here.log_eta_curvature
        follow = noise[1] / np.sqrt(curvature) - multiply(moves, here.mixed) / curvature
        here = _damped(here, posterior.mean_derivatives(scores, log_eta, moves, follow))
        curvature = here.log_eta_curvature
        if not (curvature > 0).all():
            return None
        step = multiply(here.mixed, (here.log_eta_gradient / curvature)[:, None])[:, 0] - here.gradient
        substitute(cholesky(_schur(here)), step)
        scores = scores + step
        log_eta = log_eta - (here.log_eta_gradient + multiply(step[None], here.mixed)[0]) / curvature
        largest = float(np.abs(step).max()) / float(moves.std())
        if largest < SETTLED:
            break
    settled = Averaged(scores, log_eta, _schur(here), here.mixed, here.log_eta_curvature)
    return settled if largest < USABLE else None


def _damped(old: _Derivatives, new: _Derivatives) -> _Derivatives:
    """Gradients as they are, Hessians halfway: whole steps overshoot, draws widening as curvature falls."""
    mixed = (0.5 * (one + other) for one, other in zip(old[2:], new[2:], strict=True))
    return _Derivatives(new.gradient, new.log_eta_gradient, *mixed)


def _schur(here: _Derivatives) -> Floats:
    schur = here.hessian.copy()
    subtract_schur(np.ascontiguousarray(here.mixed.T), here.log_eta_curvature, schur)
    return schur


class _Posterior:
    """Gradient and Hessian in scores and log reliabilities anywhere."""

    def __init__(self, mode: Mode) -> None:
        self.objective, self.power, self.prior = mode.objective, mode.power, mode.prior
        if self.prior is not None:  # the density of log eta is eta times that of eta
            self.prior = GammaPrior(self.prior.shape + 1, self.prior.rate, self.prior.power)

    def derivatives(self, scores: Floats, log_eta: Floats) -> _Derivatives:
        """At one point."""
        objective = self.objective
        if self.prior is None:
            objective.evaluate(scores, np.ones(objective.n_graders))
            mixed = np.zeros((len(scores), 0))
            return _Derivatives(objective.gradient(), np.empty(0), objective.hessian(), mixed, np.empty(0))
        scales = np.exp(log_eta / self.power)
        objective.evaluate(scores, scales)
        gradient = objective.gradient()
        first, second = objective.scale_derivatives()
        first, second = first + self.prior.gradient(scales), second + self.prior.curvature(scales)
        turn = scales / self.power
        return _Derivatives(
            gradient,
            first * turn,
            objective.hessian(),
            objective.mixed_matrix() * turn,
            second * turn**2 + first * turn / self.power,
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
            parts = zip(total, self.derivatives(*point), strict=True)
            total = _Derivatives(*(one + other for one, other in parts))
        return _Derivatives(*(part / len(points) for part in total))
