"""Normal scores as a function of the item scores alone: bias and reliability of every grader in closed form.

Given the scores, a grader's best eta minimises  A eta + c eta / (1 + k eta) - C log eta,  with
A = within / 2 + rate, c = n mean^2 / 2, k = n bias_variance, C = n / 2 + shape - 1. Its derivative
vanishes at the positive roots of a cubic, one or three of them; of the outer two we take the better one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._numba import kernel
from peerage.models.solver.scales import BestScales

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models.normal.objective import ScoreObjective
    from peerage.models.solver.scales import GammaPrior

LEAST = 1e-12  # the reliability of a grader of whom nothing is known under a prior whose mode is zero


class ScoreScales(BestScales):
    """Every bias and reliability is the best one for the scores."""

    objective: ScoreObjective
    closed_form = True

    def __init__(self, objective: ScoreObjective, prior: GammaPrior) -> None:
        super().__init__(objective, prior)

    def evaluate(self, scores: NDArray[np.float64], start: NDArray[np.float64] | None = None) -> float:
        """Go to these scores, solve biases and reliabilities there; the value there."""
        mean, within = self.objective.moments(scores)
        weight = self.objective.reviews.weight
        eta = np.empty(len(weight))
        best_reliabilities(
            0.5 * within + self.prior.rate,
            0.5 * weight * mean**2,
            weight * self.objective.bias_variance,
            0.5 * weight + self.prior.shape - 1.0,
            eta,
        )
        value = self.objective.evaluate(scores, eta) + self.prior.value(eta)
        self.scales = eta
        self.scale_curvature = self.objective.scale_derivatives()[1] + self.prior.curvature(eta)
        np.copyto(
            self.scale_curvature, np.inf, where=self.scale_curvature <= 0
        )  # a prior without mode, and no reviews
        return value

    def hessian_product(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """Hessian there, times a direction."""
        return self.objective.eliminated_product(direction, 1.0 / self.scale_curvature)

    def gradient(self) -> NDArray[np.float64]:
        """Gradient where it was last evaluated."""
        return self.objective.gradient()

    def response(self, direction: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Reliabilities are solved without a start."""
        return None

    def estimates(self) -> tuple[NDArray[np.float64], ...]:
        """Reliabilities and biases."""
        return self.scales, self.objective.bias


@kernel
def best_reliabilities(A: Any, c: Any, k: Any, C: Any, eta: Any) -> None:
    """The eta > 0 of every grader where A eta + c eta / (1 + k eta) - C log eta is least."""
    for g in range(len(eta)):
        if C[g] <= 0.0:
            eta[g] = LEAST
            continue
        low, high = C[g] / (A[g] + c[g]), C[g] / A[g]  # no root lies outside
        left, right = _turns(A[g], c[g], k[g], C[g])
        eta[g] = _root(A[g], c[g], k[g], C[g], low, left if low < left < high else high)
        if low < right < high:
            other = _root(A[g], c[g], k[g], C[g], right, high)
            if _cost(A[g], c[g], k[g], C[g], other) < _cost(A[g], c[g], k[g], C[g], eta[g]):
                eta[g] = other


@kernel
def _cost(A: float, c: float, k: float, C: float, x: float) -> float:
    return A * x + c * x / (1.0 + k * x) - C * math.log(x)


@kernel
def _scaled_derivative(A: float, c: float, k: float, C: float, x: float) -> float:
    """x times the derivative of the cost: negative below a best point, positive above."""
    return A * x + c * x / (1.0 + k * x) ** 2 - C


@kernel
def _turns(A: float, c: float, k: float, C: float) -> tuple[float, float]:
    """Where the cubic turns, if between its turns it changes sign; otherwise infinity, twice."""
    a, b, d = 3.0 * A * k * k, 2.0 * (2.0 * A * k - C * k * k), A + c - 2.0 * C * k
    inside = b * b - 4.0 * a * d
    if k == 0.0 or inside <= 0.0 or b >= 0.0 or d <= 0.0:
        return math.inf, math.inf
    q = 0.5 * (-b + math.sqrt(inside))
    left, right = d / q, q / a
    if _scaled_derivative(A, c, k, C, left) > 0.0 > _scaled_derivative(A, c, k, C, right):
        return left, right
    return math.inf, math.inf


@kernel
def _root(A: float, c: float, k: float, C: float, low: float, high: float) -> float:
    """The root of the derivative between two points, by Newton steps kept inside the bracket."""
    x = 0.5 * (low + high)
    for _ in range(100):
        scaled = _scaled_derivative(A, c, k, C, x)
        if scaled == 0.0:
            return x
        if scaled > 0.0:
            high = x
        else:
            low = x
        second = A + c * (1.0 - k * x) / (1.0 + k * x) ** 3
        new = x - scaled / second if second > 0.0 else low
        if not low < new < high:
            new = 0.5 * (low + high)
        if abs(new - x) <= 4e-16 * x:
            return new
        x = new
    return x
