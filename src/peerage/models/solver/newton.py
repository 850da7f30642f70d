"""Newton's method to the optimum: Cholesky for small classes, conjugate gradients for large ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage.models.solver.dense import dot, factorise, largest, substitute
from peerage.models.solver.profile import is_dense

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models.solver.profile import Profile

CG_STEPS = 250
ARMIJO = 1e-4
HALVINGS = 40
ROUNDING_SLACK = 1e3  # where rounding ends the search, a gradient of so many times the tolerance will do
LOOSEST = 0.1  # inner tolerance, relative error of the scales, that will do at the beginning
TIGHTEST = 1e-6  # and the one that is good enough for anything, once the last step is foreseen
FORCING_FLOOR = 0.1  # of the gradient still allowed: solving a step better than this is wasted


@dataclass(frozen=True, slots=True)
class Outcome:
    """Where the search ended."""

    scores: NDArray[np.float64]
    value: float
    converged: bool
    n_iter: int


def minimise(
    profile: Profile,
    scores: NDArray[np.float64],
    *,
    tol: float,
    max_iter: int,
    keep: Callable[[dict[str, Any]], None] | None = None,
    state: dict[str, Any] | None = None,
) -> Outcome:
    """Descend until the largest part of the gradient is at most `tol` times the largest item's evidence.

    After every step, `keep` is given a state from which another search goes on to the same end.
    """
    search = _Newton(profile, scores, tol, state)
    del scores  # they may be millions
    while not search.converged() and search.steps < max_iter and search.step():
        if keep is not None:
            keep(search.state())
    while search.tighten():
        pass
    tolerance = search.tolerance if search.steps == max_iter else ROUNDING_SLACK * search.tolerance
    return Outcome(search.scores, search.value, search.gradient_norm <= tolerance, search.steps)


class _Newton:
    """Where the search is, and how it goes on."""

    def __init__(
        self,
        profile: Profile,
        scores: NDArray[np.float64],
        tol: float,
        state: dict[str, Any] | None = None,
    ) -> None:
        self.profile, self.descent, self.scores = profile, _DescentDirection(profile), scores
        self.evidence = profile.most_evidence
        self.tolerance = tol * self.evidence
        self.steps = 0
        if state is not None:
            self._resume(state)
            return
        self._evaluate(LOOSEST)
        self.first_norm = self.gradient_norm

    def state(self) -> dict[str, Any]:
        """All that another search needs to go on from here."""
        kept: dict[str, Any] = {"steps": self.steps, "first_norm": self.first_norm}
        kept["reused"] = self.descent.reused
        if self.descent.factor is not None:
            kept["factor"] = self.descent.factor
        return kept | self.profile.state()

    def _resume(self, state: dict[str, Any]) -> None:
        self.steps, self.first_norm = int(state["steps"]), float(state["first_norm"])
        self.descent.factor, self.descent.reused = state.get("factor"), bool(state["reused"])
        self._accept(state["scores"], self.profile.resume(state))

    def _evaluate(self, inner_tolerance: float) -> None:
        """Once more where the search is, with scales solved this well."""
        self.profile.set_inner_tolerance(inner_tolerance)
        self._accept(self.scores, self.profile.evaluate(self.scores))

    def _accept(self, scores: NDArray[np.float64], value: float) -> None:
        self.scores, self.value, self.gradient = scores, value, self.profile.gradient()
        self.gradient_norm = largest(self.gradient)

    def converged(self) -> bool:
        """Whether the gradient is as small as was asked for, and the scales exact enough to say so."""
        while self._inner_error_dominates():
            self.tighten()
        return self.gradient_norm <= self.tolerance

    def _inner_error_dominates(self) -> bool:
        """Whether the gradient may owe more to the scales, whose error shows squared, than to the scores."""
        inner, norm = self.profile.inner_tolerance, self.gradient_norm
        return inner > TIGHTEST and (inner**2 * self.evidence > norm or norm <= self.tolerance)

    def tighten(self) -> bool:
        """Solve the scales better; false where they are good enough for anything."""
        if self.profile.inner_tolerance <= TIGHTEST:
            return False
        self._evaluate(max(TIGHTEST, self.profile.inner_tolerance**2))
        return True

    def _forcing(self) -> float:
        """How much of the gradient a step may leave: less and less, as the search comes nearer."""
        norm = self.gradient_norm
        shrunk: float = (norm / self.first_norm) ** 0.5
        return max(min(0.1, shrunk, norm), FORCING_FLOOR * self.tolerance / norm)

    def step(self) -> bool:
        """One step; whether there may be another."""
        norm = self.gradient_norm
        direction = self.descent.direction(self.gradient, self._forcing)
        direction = _limited(self.profile.step_limit, direction, self.gradient)
        self.profile.set_inner_tolerance(max(TIGHTEST, min(LOOSEST, norm / self.evidence)))
        slope = dot(self.gradient, direction)
        found = _line_search(self.profile, self.value, slope, direction)
        if found is None:
            return self.descent.discard_factor() or self.tighten()
        below_rounding = abs(slope) <= _rounding(self.value)
        self._accept(*found)
        self.steps += 1
        if self.gradient_norm <= self.profile.reuse_ratio * norm:
            return True
        stalled = not self.descent.discard_factor() and below_rounding and self.gradient_norm > 0.5 * norm
        return not stalled


def _rounding(value: float) -> float:
    """How far rounding may carry the value, a sum of very many terms."""
    return 1e-12 * (1.0 + abs(value))


def _limited(
    step_limit: float, direction: NDArray[np.float64], gradient: NDArray[np.float64]
) -> NDArray[np.float64]:
    """No score goes further than the step limit: beyond, the parabola knows nothing of the curve.

    Each score is held on its own. In a large class a few items always stand where the parabola is all but
    flat; shortening the step of all because of them would stop the whole class.
    """
    furthest = largest(direction)
    if furthest <= step_limit:
        return direction
    held = np.clip(direction, -step_limit, step_limit)
    return held if dot(gradient, held) < 0 else direction * (step_limit / furthest)


class _DescentDirection:
    """Newton directions: from a factorised Hessian where the class is small, else from a rough solve.

    Factorising costs as much as many gradients, so a factor is kept as long as it serves.
    """

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.small = is_dense(profile.n_items, profile.n_graders)
        self.factor: NDArray[np.float64] | None = None
        self.reused = False

    def direction(self, gradient: NDArray[np.float64], forcing: Callable[[], float]) -> NDArray[np.float64]:
        """Where to go from here."""
        if self.small and self.factor is None:
            matrix = self.profile.hessian()
            self.factor = matrix if factorise(matrix) else None
            self.reused = False
        else:
            self.reused = self.factor is not None
        if self.factor is None:  # large, or not convex here; conjugate gradients know what to do
            return _conjugate_gradients(self.profile, gradient, forcing())
        direction = -gradient
        substitute(self.factor, direction)
        return direction

    def discard_factor(self) -> bool:
        """Let go of the factor; whether it was from an earlier point, so that a new one may do better."""
        self.factor = None
        return self.reused


def _conjugate_gradients(
    profile: Profile, gradient: NDArray[np.float64], forcing: float
) -> NDArray[np.float64]:
    """Solve Hessian * x = -gradient to the forcing term; stop at a direction of negative curvature.

    The mean of a component is known to the prior alone, so that the curvature along it is hundreds of times
    less than elsewhere, which would cost most of the steps. This null space of the likelihood is solved
    beforehand and deflated from the rest.
    """
    inverse = 1.0 / profile.diagonal()
    solution, residual = profile.solve_null_space(-gradient)
    scaled = profile.deflated(inverse * residual)
    search = scaled.copy()
    size = dot(residual, scaled)
    goal = forcing**2 * size
    for step in range(CG_STEPS):
        product = profile.hessian_product(search)
        curvature = dot(search, product)
        if curvature <= 0:
            return solution + search if step == 0 else solution
        length = size / curvature
        solution += length * search
        residual -= length * product
        scaled = profile.deflated(inverse * residual)
        new_size = dot(residual, scaled)
        if new_size <= goal:
            break
        search *= new_size / size
        search += scaled
        size = new_size
    return solution


def _line_search(
    profile: Profile, value: float, slope: float, direction: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float] | None:
    """Halve the step until the value falls enough for its slope; None where it never does."""
    profile.begin_line_search(direction)
    step = 1.0
    for _ in range(HALVINGS):
        new = profile.evaluate_step(step)
        if new <= value + ARMIJO * step * slope + _rounding(value):
            return profile.point.scores, new
        step *= 0.5
    profile.reject_step()
    return None
