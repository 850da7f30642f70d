"""Newton's method to the optimum: Cholesky for small classes, conjugate gradients for large ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from peerage.models.solver.dense import dot, factorise, substitute

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models.solver.profile import Fixed

DENSE_ITEMS = 150  # up to here a factorised matrix is faster than conjugate gradients
DENSE_CELLS = 2_000_000  # of the items-by-graders matrix that goes with it
CG_STEPS = 250
ARMIJO = 1e-4
HALVINGS = 40
SLACK = 1e3  # where rounding ends the search, a slope of so many times the goal will do
EASY = 0.1  # relative error of the scales that will do at the beginning
FINE = 1e-6  # and the one that is good enough for anything, once the last step is foreseen
EXCESS = 0.1  # of the slope still allowed: solving a step better than this is wasted


@dataclass(frozen=True, slots=True)
class Outcome:
    """Where the search ended."""

    scores: NDArray[np.float64]
    value: float
    converged: bool
    n_iter: int


def minimise(landscape: Fixed, scores: NDArray[np.float64], *, tol: float, max_iter: int) -> Outcome:
    """Walk down to where the largest slope is at most `tol` times the largest item's evidence."""
    walk = _Walk(landscape, scores, tol)
    while not walk.arrived() and walk.steps < max_iter and walk.step():
        pass
    while walk.sharpen():
        pass
    goal = walk.goal if walk.steps == max_iter else SLACK * walk.goal
    return Outcome(walk.scores, walk.value, walk.steepest <= goal, walk.steps)


class _Walk:
    """Where the search stands, and how it goes on."""

    def __init__(self, landscape: Fixed, scores: NDArray[np.float64], tol: float) -> None:
        self.landscape, self.compass, self.scores = landscape, _Compass(landscape), scores
        self.evidence = landscape.objective.most_evidence
        self.goal = tol * self.evidence
        self.steps = 0
        self._look(EASY)
        self.start = self.steepest

    def _look(self, ease: float) -> None:
        """At the place where the search stands, with scales solved this well."""
        self.landscape.demand(ease)
        self._stand(self.scores, self.landscape.move(self.scores))

    def _stand(self, scores: NDArray[np.float64], value: float) -> None:
        self.scores, self.value, self.slope = scores, value, self.landscape.slope()
        self.steepest = _largest(self.slope)

    def arrived(self) -> bool:
        """Whether the slope is as small as was asked for, and the scales sharp enough to say so."""
        while self._blurred():
            self.sharpen()
        return self.steepest <= self.goal

    def _blurred(self) -> bool:
        """Whether the slope may owe more to the scales, whose error shows squared, than to the scores."""
        ease = self.landscape.ease
        return ease > FINE and (ease**2 * self.evidence > self.steepest or self.steepest <= self.goal)

    def sharpen(self) -> bool:
        """Solve the scales better; false where they are good enough for anything."""
        if self.landscape.ease <= FINE:
            return False
        self._look(max(FINE, self.landscape.ease**2))
        return True

    def step(self) -> bool:
        """One step; whether there may be another."""
        steepest = self.steepest
        forcing = max(min(0.1, (steepest / self.start) ** 0.5, steepest), EXCESS * self.goal / steepest)
        direction = _within(self.landscape.leap, self.compass.direction(self.slope, forcing), self.slope)
        self.landscape.demand(max(FINE, min(EASY, steepest / self.evidence)))
        found = _search(self.landscape, self.scores, self.value, self.slope, direction)
        if found is None:
            return self.compass.renew() or self.sharpen()
        blind = abs(dot(self.slope, direction)) <= _rounding(self.value)
        self._stand(*found)
        self.steps += 1
        if self.steepest <= self.landscape.keep * steepest:
            return True
        at_bottom = not self.compass.renew() and blind and self.steepest > 0.5 * steepest
        return not at_bottom


def _rounding(value: float) -> float:
    """How far rounding may carry the value, a sum of very many terms."""
    return 1e-12 * (1.0 + abs(value))


def _largest(slope: NDArray[np.float64]) -> float:
    return float(np.abs(slope).max(initial=0.0))


def _within(leap: float, direction: NDArray[np.float64], slope: NDArray[np.float64]) -> NDArray[np.float64]:
    """No score goes further than a leap: beyond, the parabola knows nothing of the curve.

    Each score is held on its own. In a large class a few items always stand where the parabola is all but
    flat; shortening the step of all because of them would stop the whole class.
    """
    furthest = _largest(direction)
    if furthest <= leap:
        return direction
    held = np.clip(direction, -leap, leap)
    return held if dot(slope, held) < 0 else direction * (leap / furthest)


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
    """Solve curvature * x = -slope roughly; stop at a direction of negative curvature.

    The level of the scores is known to the prior alone, so that the curvature along it is hundreds of times
    less than elsewhere, which would cost most of the steps. It is solved beforehand and kept out of the rest.
    """
    inverse = 1.0 / landscape.diagonal()
    solution, residual = landscape.levelled(-slope)
    scaled = landscape.centred(inverse * residual)
    search = scaled.copy()
    size = dot(residual, scaled)
    goal = forcing**2 * size
    for step in range(CG_STEPS):
        bent = landscape.curve(search)
        curvature = dot(search, bent)
        if curvature <= 0:
            return solution + search if step == 0 else solution
        length = size / curvature
        solution += length * search
        residual -= length * bent
        scaled = landscape.centred(inverse * residual)
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
    step = 1.0
    for _ in range(HALVINGS):
        guess = np.maximum(scales + step * drift, 0.2 * scales) if len(drift) else None
        trial = scores + step * direction
        new = landscape.move(trial, guess)
        if new <= value + ARMIJO * step * descent + _rounding(value):
            return trial, new
        step *= 0.5
    landscape.move(scores, scales)
    return None
