"""The graders' scales for given scores: held at one, or each at its best.

Given the scores s, a grader's scale a solves a convex problem of one variable, min over a of F(s, a) + prior.
Gradient and Hessian of this minimum are those of F with the scales eliminated (the Schur complement), so that
Newton's method on it converges where alternation would only creep.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._numba import kernel
from peerage.models.solver.dense import dot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models.solver.objective import Objective

    Floats = NDArray[np.float64]

LOWEST, HIGHEST = 1e-6, 1e3  # reliabilities beyond these say nothing more
SCALE_STEPS = 60
CLOSE = 1e-9  # this near to a limit is at it
SETTLED = 1e-10  # a relative step this small is none; its square is below rounding


@dataclass(frozen=True, slots=True)
class GammaPrior:
    """Minus the log of a Gamma(shape, rate) density of eta = a ** power, as a function of the scale a."""

    shape: float
    rate: float | NDArray[np.float64]
    power: int

    def value(self, scales: NDArray[np.float64]) -> float:
        """Sum over graders, without the constant."""
        return float(np.sum(self.rate * scales**self.power - (self.shape - 1) * self.power * np.log(scales)))

    def gradient(self, scales: NDArray[np.float64]) -> NDArray[np.float64]:
        """First derivative in each scale."""
        p = self.power
        return np.asarray(self.rate * p * scales ** (p - 1) - (self.shape - 1) * p / scales)

    def curvature(self, scales: NDArray[np.float64]) -> NDArray[np.float64]:
        """Second derivative in each scale."""
        p = self.power
        return np.asarray(self.rate * p * (p - 1) * scales ** (p - 2) + (self.shape - 1) * p / scales**2)


class FixedScales:
    """Every scale stays where it is: at one, or as given."""

    prior: GammaPrior | None = None  # of the reliabilities, where they are estimated
    closed_form = False  # whether the best scales need no search, and no start
    inner_tolerance = 0.0  # how far, relatively, a scale may be from its best
    scales: Floats
    scale_curvature: Floats = np.array(np.inf)  # that of every scale
    scale_step: Floats

    def __init__(self, objective: Objective) -> None:
        self.objective = objective

    def evaluate(self, scores: Floats, start: Floats) -> float:
        """Go to these scores, scales sought from a start; the value there."""
        self.scales = start
        return self.objective.evaluate(scores, start)

    def gradient(self) -> Floats:
        return self.objective.gradient()

    def hessian_product(self, direction: Floats) -> Floats:
        return self.objective.hessian_product(direction)

    def hessian(self) -> Floats:
        return self.objective.hessian()

    def response(self, direction: Floats) -> Floats | None:
        """How the scales move along a direction in the scores, to first order; None where they do not."""
        return None

    def estimates(self) -> tuple[Floats, ...]:
        """What was found out about every grader: the scale first."""
        return (self.scales,)


class BestScales(FixedScales):
    """Every scale is the best one for the scores: the profile likelihood, with priors."""

    prior: GammaPrior

    def __init__(self, objective: Objective, prior: GammaPrior) -> None:
        super().__init__(objective)
        self.prior = prior

    def evaluate(self, scores: Floats, start: Floats) -> float:
        """Go to these scores, solve the scales there; the value there.

        The last step of the scales is not taken, only its effect on value and gradient is foreseen; that is
        right to second order, and saves a pass over the data.
        """
        low = np.full(len(start), LOWEST ** (1 / self.prior.power))
        high = np.full(len(start), HIGHEST ** (1 / self.prior.power))
        scales = np.clip(start, low, high)
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

    def _at_bound(self, scales: Floats, first: Floats) -> NDArray[np.bool_]:
        """Which scales are held at a limit that the gradient presses them against: these stay."""
        low, high = LOWEST ** (1 / self.prior.power), HIGHEST ** (1 / self.prior.power)
        held = ((scales < low * (1 + CLOSE)) & (first > 0)) | ((scales > high * (1 - CLOSE)) & (first < 0))
        return np.asarray(held)

    def gradient(self) -> Floats:
        """As it is once the scales have taken their foreseen step."""
        gradient = self.objective.gradient()
        self.objective.add_mixed(self.scale_step, gradient)
        return gradient

    def hessian_product(self, direction: Floats) -> Floats:
        product = self.objective.hessian_product(direction)
        self.objective.add_mixed(self._response(direction), product)
        return product

    def hessian(self) -> Floats:
        matrix = self.objective.hessian()
        subtract_schur(np.ascontiguousarray(self.objective.mixed_matrix().T), self.scale_curvature, matrix)
        return matrix

    def response(self, direction: Floats) -> Floats | None:
        return self._response(direction)

    def _response(self, direction: Floats) -> Floats:
        return -self.objective.mixed_by_grader(direction) / self.scale_curvature


def scales_ahead(scales: Floats, response: Floats, step: float) -> Floats:
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


@kernel
def _newton_step(scales: Any, first: Any, second: Any, low: Any, high: Any, power: int) -> Any:
    """One safeguarded Newton step for every grader; narrows the brackets low and high in place.

    The step is Newton's for scale * derivative = 0, in the reliability, scale ** power. Of the prior, and of
    all pairs in which the grader errs, that product is a straight line, so that the step is right from afar.
    Newton's step for derivative = 0 would jump below zero from far above, and double the scale from far
    below; it is taken where the product falls.
    """
    new = scales.copy()
    for g in range(len(scales)):
        if first[g] > 0:
            high[g] = scales[g]
        elif first[g] < 0:
            low[g] = scales[g]
        step = first[g] / second[g]
        if first[g] == 0 or (second[g] > 0 and abs(step) <= SETTLED * scales[g]):
            continue
        slope = first[g] + second[g] * scales[g]  # of the product
        factor = 1.0 - power * first[g] / slope
        if slope > 0 and factor > 0:
            new[g] = scales[g] * (math.sqrt(factor) if power == 2 else factor ** (1 / power))
        else:
            new[g] = scales[g] - step
        if not (second[g] > 0 and low[g] < new[g] < high[g]):
            new[g] = math.sqrt(low[g] * high[g])
    return new
