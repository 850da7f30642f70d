"""The objective as a function of the scores alone, reliabilities held at one or always at their best.

With reliabilities, F(s) = min over a of F(s, a): each grader's scale is solved exactly for given scores, a
convex problem of one variable. Gradient and Hessian of this profile are those of F with the scales eliminated
(the Schur complement), so Newton's method on it converges where alternation would only creep.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._numba import kernel
from peerage.models.solver.dense import dot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models.solver.held_mean import Tangent
    from peerage.models.solver.objective import Objective
    from peerage.models.solver.prior import GammaPrior

LOWEST, HIGHEST = 1e-6, 1e3  # reliabilities beyond these say nothing more
SCALE_STEPS = 60
CLOSE = 1e-9  # this near to a limit is at it
SETTLED = 1e-10  # a relative step this small is none; its square is below rounding


class FixedScales:
    """Every reliability is one."""

    reuse_ratio = 0.15  # while a step shrinks the gradient to this, the factor it used is good for another
    step_limit = 2.0  # how far a score may go in one step
    inner_tolerance = 0.0  # how far, relatively, a scale may be from its best
    prior: GammaPrior | None = None  # of the reliabilities, where they are estimated
    held_rate: float | NDArray[np.float64] = 0.0  # what holding their mean adds to the rate of their prior
    tangent: Tangent | None = None  # the moves of the scales that are free, where their mean is held
    scale_curvature: NDArray[np.float64]
    aimed_from: NDArray[np.float64]
    response: NDArray[np.float64]

    def __init__(self, objective: Objective) -> None:
        self.objective = objective
        self.scales = np.ones(objective.n_graders)
        self.scale_curvature = np.full(objective.n_graders, np.inf)

    @property
    def most_evidence(self) -> float:
        """What gradients are measured by."""
        return self.objective.most_evidence

    @property
    def n_items(self) -> int:
        """Length of the scores."""
        return self.objective.n_items

    @property
    def n_graders(self) -> int:
        """Length of the scales."""
        return self.objective.n_graders

    def evaluate(self, scores: NDArray[np.float64], start: NDArray[np.float64] | None = None) -> float:
        """Go to these scores; the value there."""
        return self.objective.evaluate(scores, self.scales)

    def aim_at(self, direction: NDArray[np.float64]) -> None:
        """Remember the scales here, and how they move along a direction."""
        self.aimed_from, self.response = self.scales, self.scale_response(direction)

    def evaluate_ahead(self, scores: NDArray[np.float64], step: float) -> float:
        """Go to scores that are so far ahead; the scales are sought from where they should be."""
        start = ahead(self.aimed_from, self.response, step) if len(self.response) else None
        return self.evaluate(scores, start)

    def retreat(self, scores: NDArray[np.float64]) -> None:
        """Back to these scores, where it was aimed."""
        self.evaluate(scores, self.aimed_from)

    def gradient(self) -> NDArray[np.float64]:
        """Gradient where it was last evaluated."""
        return self.objective.gradient()

    def hessian_product(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """Hessian there, times a direction."""
        return self.objective.hessian_product(direction)

    def hessian(self) -> NDArray[np.float64]:
        """Hessian there, as a matrix."""
        return self.objective.hessian()

    def diagonal(self) -> NDArray[np.float64]:
        """Roughly the diagonal of the Hessian there."""
        return self.objective.diagonal()

    def scale_response(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """How the scales move along a direction in the scores: they do not."""
        return np.zeros(0)

    def set_inner_tolerance(self, tolerance: float) -> None:
        """Solve the scales no better than this from now on; here there is nothing to solve."""

    # -- the mean of a component, of which lists say nothing ----------------------------------------------

    def solve_null_space(self, right: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Solve Hessian * x = right as far as component means go: x, and what is left of the right side."""
        components = self.objective.components
        if components is None:
            return np.zeros_like(right), right
        means = components.means(right)
        return means / self.objective.precision, right - means

    def deflated(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """The direction without its component means."""
        components = self.objective.components
        return direction if components is None else direction - components.means(direction)


class ProfileObjective(FixedScales):
    """Every reliability is the best one for the scores: the profile likelihood, with priors."""

    prior: GammaPrior
    reuse_ratio = 0.03  # every evaluation solves the scales anew, so fewer and better steps are cheaper

    def __init__(self, objective: Objective, prior: GammaPrior) -> None:
        super().__init__(objective)
        self.prior = prior
        self.scale_step = np.zeros(objective.n_graders)

    def set_inner_tolerance(self, tolerance: float) -> None:
        """Solve the scales no better than this from now on: while scores are far off, more is wasted."""
        self.inner_tolerance = tolerance

    def evaluate(self, scores: NDArray[np.float64], start: NDArray[np.float64] | None = None) -> float:
        """Go to these scores, solve the scales there; the value there.

        The last step of the scales is not taken, only its effect on value and gradient is foreseen; that is
        right to second order, and saves a pass over the data.
        """
        low = np.full(len(self.scales), LOWEST ** (1 / self.prior.power))
        high = np.full(len(self.scales), HIGHEST ** (1 / self.prior.power))
        scales = np.clip(self.scales if start is None else start, low, high)
        for left in reversed(range(SCALE_STEPS)):
            value = self.objective.evaluate(scores, scales)
            first, second = self.objective.scale_derivatives()
            first += self.prior.gradient(scales)
            second += self.prior.curvature(scales)
            new = _newton_step(scales, first, second, low, high, self.prior.power)
            if not left or np.all(np.abs(new - scales) <= self.inner_tolerance * scales):
                break
            scales = new
        value += self.prior.value(scales)
        self.scale_curvature = np.where(self._at_bound(scales, first), np.inf, second)
        self.scale_step = np.where(self.scale_curvature > 0, -first / self.scale_curvature, 0.0)
        self.scales = np.clip(scales + self.scale_step, low, high)
        return value + 0.5 * dot(first, self.scale_step)

    def gradient(self) -> NDArray[np.float64]:
        """Gradient where it was last evaluated, as it is once the scales have taken their foreseen step."""
        return self.objective.gradient() + self.objective.mixed_by_item(self.scale_step)

    def _at_bound(self, scales: NDArray[np.float64], first: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which scales are held at a limit that the gradient presses them against: these stay."""
        low, high = LOWEST ** (1 / self.prior.power), HIGHEST ** (1 / self.prior.power)
        held = ((scales < low * (1 + CLOSE)) & (first > 0)) | ((scales > high * (1 - CLOSE)) & (first < 0))
        return np.asarray(held)

    def hessian_product(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """Hessian there, times a direction."""
        held = self.objective.hessian_product(direction)
        return held + self.objective.mixed_by_item(self.scale_response(direction))

    def hessian(self) -> NDArray[np.float64]:
        """Hessian there, as a matrix."""
        matrix = self.objective.hessian()
        subtract_schur(np.ascontiguousarray(self.objective.mixed_matrix().T), self.scale_curvature, matrix)
        return matrix

    def scale_response(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """How the best scales move along a direction in the scores, to first order."""
        return -self.objective.mixed_by_grader(direction) / self.scale_curvature


def ahead(scales: NDArray[np.float64], response: NDArray[np.float64], step: float) -> NDArray[np.float64]:
    """Where scales should be after a step in the direction of this response; never all but gone."""
    return np.maximum(scales + step * response, 0.2 * scales)


@kernel
def subtract_schur(mixed: Any, curvature: Any, matrix: Any) -> None:
    """Subtract mixed' diag(1 / curvature) mixed from a matrix, where a row of mixed has few entries.

    A dense product would wake the threads of the linear algebra, which takes longer than the sum.
    """
    present = np.empty(mixed.shape[1], dtype=np.int64)
    for g in range(len(curvature)):
        count = 0
        for i in range(len(present)):
            if mixed[g, i] != 0.0:
                present[count] = i
                count += 1
        for i in present[:count]:
            part = mixed[g, i] / curvature[g]
            for j in present[:count]:
                matrix[i, j] -= part * mixed[g, j]


def _newton_step(
    scales: NDArray[np.float64],
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    power: int,
) -> NDArray[np.float64]:
    """One safeguarded Newton step for every grader; narrows the brackets low and high in place.

    The step is Newton's for scale * derivative = 0, in the reliability, scale ** power. Of the prior, and of
    all pairs in which the grader errs, that product is a straight line, so that the step is right from afar.
    Newton's step for derivative = 0 would jump below zero from far above, and double the scale from far
    below; it is taken where the product falls.
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
