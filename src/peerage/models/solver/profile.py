"""The objective as a function of the scores alone, reliabilities held at one or always at their best.

With reliabilities, F(s) = min over a of F(s, a): each grader's scale is solved exactly for given scores, a
convex problem of one variable. Slope and curvature of that minimum are those of F with the scales eliminated
(the Schur complement), so Newton's method on it converges where alternation would only creep.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._numba import kernel
from peerage.models.solver.dense import dot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models.smooth import Objective
    from peerage.models.solver.prior import GammaPrior

LOWEST, HIGHEST = 1e-6, 1e3  # reliabilities beyond these say nothing more
SCALE_STEPS = 60
CLOSE = 1e-9  # this near to a limit is at it
SETTLED = 1e-10  # a relative step this small is none; its square is below rounding


class Fixed:
    """Every reliability is one."""

    keep = 0.15  # while a step shrinks the slope to this, the curvature it used is good for another
    leap = 2.0  # how far a score may go in one step
    ease = 0.0  # how far, relatively, a scale may be from its best

    def __init__(self, objective: Objective) -> None:
        self.objective = objective
        self.scales = np.ones(objective.n_graders)

    def move(self, scores: NDArray[np.float64], guess: NDArray[np.float64] | None = None) -> float:
        """Go to these scores; the value there."""
        return self.objective.evaluate(scores, self.scales)

    def slope(self) -> NDArray[np.float64]:
        """Slope at the place last moved to."""
        return self.objective.score_slope()

    def curve(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """Curvature there, times a direction."""
        return self.objective.curve(direction)

    def hessian(self) -> NDArray[np.float64]:
        """Curvature there, as a matrix."""
        return self.objective.hessian()

    def diagonal(self) -> NDArray[np.float64]:
        """Roughly the diagonal of the curvature there."""
        return self.objective.diagonal()

    def follow(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """How the scales move along a direction in the scores: they do not."""
        return np.zeros(0)

    def demand(self, ease: float) -> None:
        """Solve the scales no better than this from now on; here there is nothing to solve."""

    # -- the level of the scores, of which lists say nothing ---------------------------------------------

    def levelled(self, right: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Solve curvature * x = right as far as levels go: x, and what is left of the right side."""
        if self.objective.pieces is None:
            return np.zeros_like(right), right
        levels = self.objective.pieces.levels(right)
        return levels / self.objective.precision, right - levels

    def centred(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """The direction without its levels."""
        pieces = self.objective.pieces
        return direction if pieces is None else direction - pieces.levels(direction)


class Profiled(Fixed):
    """Every reliability is the best one for the scores."""

    keep = 0.03  # every move solves the scales anew, so fewer and better steps are cheaper

    def __init__(self, objective: Objective, prior: GammaPrior) -> None:
        super().__init__(objective)
        self.prior = prior
        self.stiffness = np.ones(objective.n_graders)
        self.ahead = np.zeros(objective.n_graders)

    def demand(self, ease: float) -> None:
        """Solve the scales no better than this from now on: while scores are far off, more is wasted."""
        self.ease = ease

    def move(self, scores: NDArray[np.float64], guess: NDArray[np.float64] | None = None) -> float:
        """Go to these scores, solve the scales there; the value there.

        The last step of the scales is not walked, only its effect on value and slope is foreseen; that is
        right to second order, and saves a look at the data.
        """
        low = np.full(len(self.scales), LOWEST ** (1 / self.prior.power))
        high = np.full(len(self.scales), HIGHEST ** (1 / self.prior.power))
        scales = np.clip(self.scales if guess is None else guess, low, high)
        for _ in range(SCALE_STEPS):
            value = self.objective.evaluate(scores, scales)
            first, second = self.objective.scale_slopes()
            first += self.prior.slope(scales)
            second += self.prior.curvature(scales)
            new = _newton_step(scales, first, second, low, high, self.prior.power)
            if np.all(np.abs(new - scales) <= self.ease * scales):
                break
            scales = new
        value += self.prior.value(scales)
        self.stiffness = np.where(self._pinned(scales, first), np.inf, second)
        self.ahead = np.where(self.stiffness > 0, -first / self.stiffness, 0.0)
        self.scales = np.clip(scales + self.ahead, low, high)
        return value + 0.5 * dot(first, self.ahead)

    def slope(self) -> NDArray[np.float64]:
        """Slope at the place last moved to, as it is once the scales have taken the step ahead of them."""
        return self.objective.score_slope() + self.objective.cross_up(self.ahead)

    def _pinned(self, scales: NDArray[np.float64], first: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which scales are held at a limit that the slope presses them against: these do not follow."""
        low, high = LOWEST ** (1 / self.prior.power), HIGHEST ** (1 / self.prior.power)
        held = ((scales < low * (1 + CLOSE)) & (first > 0)) | ((scales > high * (1 - CLOSE)) & (first < 0))
        return np.asarray(held)

    def curve(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """Curvature there, times a direction."""
        return self.objective.curve(direction) + self.objective.cross_up(self.follow(direction))

    def hessian(self) -> NDArray[np.float64]:
        """Curvature there, as a matrix."""
        matrix = self.objective.hessian()
        take_off(np.ascontiguousarray(self.objective.cross_matrix().T), self.stiffness, matrix)
        return matrix

    def follow(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """How the best scales move along a direction in the scores, to first order."""
        return -self.objective.cross_down(direction) / self.stiffness


@kernel
def take_off(cross: Any, stiffness: Any, matrix: Any) -> None:
    """Take cross' diag(1 / stiffness) cross off a matrix, where a row of cross has few entries.

    A dense product would wake the threads of the linear algebra, which takes longer than the sum.
    """
    seen = np.empty(cross.shape[1], dtype=np.int64)
    for g in range(len(stiffness)):
        count = 0
        for i in range(len(seen)):
            if cross[g, i] != 0.0:
                seen[count] = i
                count += 1
        for i in seen[:count]:
            part = cross[g, i] / stiffness[g]
            for j in seen[:count]:
                matrix[i, j] -= part * cross[g, j]


def _newton_step(
    scales: NDArray[np.float64],
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    power: int,
) -> NDArray[np.float64]:
    """One safeguarded Newton step for every grader; narrows the brackets low and high in place.

    The step is Newton's for scale * slope = 0, in the reliability, scale ** power. Of the prior, and of all
    pairs in which the grader errs, that product is a straight line, so that the step is right from afar.
    Newton's step for slope = 0 would jump below zero from far above, and double the scale from far below; it
    is taken where the product falls.
    """
    np.copyto(high, scales, where=first > 0)
    np.copyto(low, scales, where=first < 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        step = first / second
        factor = 1.0 - power * first / (first + second * scales)
        straight = (first + second * scales > 0) & (factor > 0)
        new = np.where(straight, scales * np.maximum(factor, 0.0) ** (1 / power), scales - step)
    settled = (first == 0) | ((second > 0) & (np.abs(step) <= SETTLED * scales))
    astray = ~settled & ~((second > 0) & (new > low) & (new < high))
    new[settled] = scales[settled]
    new[astray] = np.sqrt(low[astray] * high[astray])
    return new
