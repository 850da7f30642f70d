"""A better normal approximation for small classes: centre and curvature averaged over the posterior itself.

Plain Laplace takes both at the mode. Where lists are few the posterior leans to one side, and many
reliabilities that lean a little each move all scores together; then the mode is not the middle. The normal
distribution q nearest to the posterior (in Kullback-Leibler divergence) has E_q[slope] = 0 and precision
E_q[curvature].
Both means are taken over the same mirrored draws every round, so the result is a fixed point, and seeded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_solve, cholesky, solve_triangular

from peerage.models import GammaPrior

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models import SmoothModel
    from peerage.uncertainty._place import Place

    Floats = NDArray[np.float64]

FEWEST, MOST, SHARED = 8, 32, 4_000  # pairs of draws: as many as SHARED / items
ROUNDS = 10
SETTLED, USABLE = 0.03, 0.2  # largest step, in standard errors, to stop at and to make do with


class Averaged(NamedTuple):
    """Centre of scores and log reliabilities; Schur complement S, cross terms C and stiffness D."""

    scores: Floats
    log_eta: Floats
    curvature: Floats
    cross: Floats
    stiffness: Floats


class _Look(NamedTuple):
    """Slopes in scores and log reliabilities, and curvatures A, C, D, at a point or averaged."""

    slope: Floats
    pull: Floats
    hessian: Floats
    cross: Floats
    stiffness: Floats


def averaged(model: SmoothModel, place: Place, rng: np.random.Generator) -> Averaged | None:
    """The nearest normal distribution; None where the rounds find none, and plain Laplace has to do."""
    prior = GammaPrior(model.reliability_shape + 1, model.reliability_rate, place.power)
    posterior = _Posterior(place, prior if model.reliability else None)
    scores = model.scores_
    log_eta = place.power * np.log(place.landscape.scales) if model.reliability else np.empty(0)
    pairs = min(max(FEWEST, SHARED // len(scores)), MOST)
    noise = rng.standard_normal((pairs, len(scores))), rng.standard_normal((pairs, len(log_eta)))
    try:
        return _fixed_point(posterior, scores, log_eta, noise)
    except LinAlgError:
        return None


def _fixed_point(
    posterior: _Posterior, scores: Floats, log_eta: Floats, noise: tuple[Floats, Floats]
) -> Averaged | None:
    look = posterior.look(scores, log_eta)
    for _ in range(ROUNDS):
        factor = cholesky(_schur(look), lower=True)
        moves = solve_triangular(factor, noise[0].T, lower=True, trans="T").T
        follow = noise[1] / np.sqrt(look.stiffness) - (moves @ look.cross) / look.stiffness
        look = _damped(look, posterior.mean_look(scores, log_eta, moves, follow))
        if not (look.stiffness > 0).all():
            return None
        factor = cholesky(_schur(look), lower=True)
        step = -cho_solve((factor, True), look.slope - look.cross @ (look.pull / look.stiffness))
        scores = scores + step
        log_eta = log_eta - (look.pull + look.cross.T @ step) / look.stiffness
        largest = float(np.abs(step).max()) / float(moves.std())
        if largest < SETTLED:
            break
    settled = Averaged(scores, log_eta, _schur(look), look.cross, look.stiffness)
    return settled if largest < USABLE else None


def _damped(old: _Look, new: _Look) -> _Look:
    """Slopes as they are, curvatures halfway: whole steps overshoot, draws widening as curvature falls."""
    mixed = (0.5 * (one + other) for one, other in zip(old[2:], new[2:], strict=True))
    return _Look(new.slope, new.pull, *mixed)


def _schur(look: _Look) -> Floats:
    return np.asarray(look.hessian - (look.cross / look.stiffness) @ look.cross.T)


class _Posterior:
    """Slopes and curvature in scores and log reliabilities anywhere."""

    def __init__(self, place: Place, prior: GammaPrior | None) -> None:
        self.objective, self.power, self.prior = place.objective, place.power, prior

    def look(self, scores: Floats, log_eta: Floats) -> _Look:
        """At one point. (The prior's shape has one more: the density of log eta is eta times that of eta.)"""
        objective = self.objective
        if self.prior is None:
            objective.evaluate(scores, np.ones(objective.n_graders))
            cross = np.zeros((len(scores), 0))
            return _Look(objective.score_slope(), np.empty(0), objective.hessian(), cross, np.empty(0))
        scales = np.exp(log_eta / self.power)
        objective.evaluate(scores, scales)
        slope = objective.score_slope()
        first, second = objective.scale_slopes()
        first, second = first + self.prior.slope(scales), second + self.prior.curvature(scales)
        turn = scales / self.power
        return _Look(
            slope,
            first * turn,
            objective.hessian(),
            objective.cross_matrix() * turn,
            second * turn**2 + first * turn / self.power,
        )

    def mean_look(self, scores: Floats, log_eta: Floats, moves: Floats, follow: Floats) -> _Look:
        """The mean over draws and their mirror images."""
        points = [
            (scores + sign * move, log_eta + sign * with_it)
            for move, with_it in zip(moves, follow, strict=True)
            for sign in (1.0, -1.0)
        ]
        total = self.look(*points[0])
        for point in points[1:]:
            total = _Look(*(one + other for one, other in zip(total, self.look(*point), strict=True)))
        return _Look(*(part / len(points) for part in total))
