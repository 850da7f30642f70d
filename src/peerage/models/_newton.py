"""Newton's method to the optimum: Cholesky for small classes, conjugate gradients for large ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from peerage.models._dense import dot, factorise, substitute

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models._landscape import Fixed

DENSE_ITEMS = 150  # up to here a factorised matrix is faster than conjugate gradients
DENSE_CELLS = 2_000_000  # of the items-by-graders matrix that goes with it
CG_STEPS = 250
ARMIJO = 1e-4
HALVINGS = 40
LEAP = 8.0  # no score moves further in one step: beyond, the parabola knows nothing of the curve


@dataclass(frozen=True, slots=True)
class Outcome:
    """Where the search ended."""

    scores: NDArray[np.float64]
    value: float
    converged: bool
    n_iter: int


def minimise(landscape: Fixed, scores: NDArray[np.float64], *, tol: float, max_iter: int) -> Outcome:
    """Walk down to where the largest slope is at most `tol` times the largest item's evidence."""
    goal = tol * landscape.objective.most_evidence
    value = landscape.move(scores)
    slope = landscape.slope()
    steepest = start = _largest(slope)
    compass = _Compass(landscape)
    steps = 0
    at_bottom = False
    while steepest > goal and steps < max_iter and not at_bottom:
        direction = compass.direction(slope, forcing=min(0.1, (steepest / start) ** 0.5, steepest))
        found = _search(landscape, scores, value, slope, direction)
        if found is None:
            if compass.renew():
                continue
            break
        blind = abs(dot(slope, direction)) <= _rounding(value)
        scores, value = found
        slope = landscape.slope()
        before, steepest = steepest, _largest(slope)
        if steepest > landscape.keep * before:
            at_bottom = not compass.renew() and blind and steepest > 0.5 * before
        steps += 1
    return Outcome(scores, value, steepest <= 1e3 * goal if steps < max_iter else steepest <= goal, steps)


def _rounding(value: float) -> float:
    """How far rounding may carry the value, a sum of very many terms."""
    return 1e-12 * (1.0 + abs(value))


def _largest(slope: NDArray[np.float64]) -> float:
    return float(np.abs(slope).max(initial=0.0))


class _Compass:
    """Directions downhill: from a factorised curvature where the class is small, else from a rough solve.

    Factorising costs as much as many looks at the slope, so a factor is kept as long as it serves.
    """

    def __init__(self, landscape: Fixed) -> None:
        self.landscape = landscape
        n_items, n_graders = landscape.objective.n_items, landscape.objective.n_graders
        self.small = n_items <= DENSE_ITEMS and n_items * n_graders <= DENSE_CELLS
        self.factor: NDArray[np.float64] | None = None
        self.used = False

    def direction(self, slope: NDArray[np.float64], forcing: float) -> NDArray[np.float64]:
        """Where to go from here."""
        if self.small and self.factor is None:
            matrix = self.landscape.hessian()
            self.factor = matrix if factorise(matrix) else None
            self.used = False
        else:
            self.used = self.factor is not None
        if self.factor is None:  # large, or not convex here; conjugate gradients know what to do
            return _conjugate_gradients(self.landscape, slope, forcing)
        direction = -slope
        substitute(self.factor, direction)
        return direction

    def renew(self) -> bool:
        """Let go of the factor; whether it was from an earlier place, so that a new one may do better."""
        self.factor = None
        return self.used


def _conjugate_gradients(landscape: Fixed, slope: NDArray[np.float64], forcing: float) -> NDArray[np.float64]:
    """Solve curvature * x = -slope roughly; stop at a direction of negative curvature."""
    inverse = 1.0 / landscape.diagonal()
    solution, residual = np.zeros_like(slope), -slope
    scaled = inverse * residual
    search = scaled.copy()
    size = dot(residual, scaled)
    goal = forcing**2 * size
    for step in range(CG_STEPS):
        bent = landscape.curve(search)
        curvature = dot(search, bent)
        if curvature <= 0:
            return search if step == 0 else solution
        length = size / curvature
        solution += length * search
        residual -= length * bent
        scaled = inverse * residual
        new_size = dot(residual, scaled)
        if new_size <= goal:
            break
        search *= new_size / size
        search += scaled
        size = new_size
    return solution


def _search(
    landscape: Fixed,
    scores: NDArray[np.float64],
    value: float,
    slope: NDArray[np.float64],
    direction: NDArray[np.float64],
) -> tuple[NDArray[np.float64], float] | None:
    """Halve the step until the value falls enough; None where it never does."""
    descent = dot(slope, direction)
    scales, drift = landscape.scales, landscape.follow(direction)
    leap = getattr(landscape, "leap", LEAP)
    step = min(1.0, leap / (_largest(direction) + 1e-300))
    for _ in range(HALVINGS):
        guess = np.maximum(scales + step * drift, 0.2 * scales) if len(drift) else None
        trial = scores + step * direction
        new = landscape.move(trial, guess)
        if new <= value + ARMIJO * step * descent + _rounding(value):
            return trial, new
        step *= 0.5
    landscape.move(scores, scales)
    return None
