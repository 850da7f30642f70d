"""One part of the feedback, a run of graders: it solves their scales, and answers with sums by item.

The search (`Profile`) tells all parts where to stand and asks what it needs from there. Whatever cannot be
worked out again is with the search: a part that stands elsewhere, because it was read anew after its worker
was lost, says so and is sent a restore point, the scores and the scales of its graders as they were found.
From there all is as it was, to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal
from weakref import ref

import numpy as np

from peerage._parts import STALE, PartialSum
from peerage.models.solver.scales import FixedScales, scales_ahead

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models.solver.mean_constraint import ReliabilityConstraint
    from peerage.models.solver.objective import Objective

    Floats = NDArray[np.float64]

Scaling = Literal["fixed", "free", "constrained"]  # how scales follow the scores
Move = Literal["", "begin", "refine", "step"]
AS_FOUND = np.inf  # the tolerance that takes scales as they are


@dataclass(slots=True)
class PartRequest:
    """A question to every part.

    report : what to answer, a method of the part
    point : the number of the point to stand at
    scaling : whether scales stay, follow the scores, or follow them under the mean constraint
    move : how to get there, if not there already: begin anew, refine the scales, or take a step
    origin : the number of the point that the move starts from, 0 for none
    direction : the number of the direction of the step, and its length
    tolerance : how well the scales are solved
    multipliers, shift, pull : by group of graders under the constraint, its multiplier; what was missing at
        the origin; and how the multiplier changes in the direction
    """

    report: str
    point: int
    scaling: Scaling
    move: Move = ""
    origin: int = 0
    direction: int = 0
    step: float = 1.0
    tolerance: float = 0.0
    multipliers: Floats | None = None
    shift: Floats | None = None
    pull: Floats | None = None
    seed: int = 0
    with_diagonal: bool = False  # whether to send the diagonal of the Hessian with the value


@dataclass(frozen=True, slots=True)
class RestorePoint:
    """Where a part stood; its scales come part by part."""

    point: int
    scores: Floats
    multipliers: Floats | None


class Part:
    """A share of the objective, without the prior of the scores, and the scales of its graders.

    recipe : how a copy of it is made elsewhere: a function and its arguments
    active : the solver of the scales that the last request asked for
    """

    point = 0  # the number of the point where it stands
    direction = 0  # and of the direction that it has prepared a step in

    def __init__(
        self,
        objective: Objective,
        solver: FixedScales,
        constraint: ReliabilityConstraint | None = None,
        recipe: tuple[Callable[..., Part], tuple[Any, ...]] | None = None,
    ) -> None:
        self.objective, self.solver, self.constraint, self.recipe = objective, solver, constraint, recipe
        self.active, self.fixed, self.prior = solver, FixedScales(objective), solver.prior
        self.lock = Lock()
        self.value = 0.0
        self.response: Floats | None = None
        self.scores = self.line_scores = self.line_scales = np.empty(0)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy knows the feedback, and has to be told where to stand."""
        assert self.recipe is not None
        return self.recipe

    def __sizeof__(self) -> int:
        """Of all arrays: Dask decides by it whether there is room."""
        return self.objective.nbytes

    def answer(
        self, request: PartRequest, vector: Any, restore: RestorePoint | None, scales: Floats | None
    ) -> PartialSum:
        """Stand where the request says and report; stale where that cannot be."""
        with self.lock:
            self.active = self.fixed if request.scaling == "fixed" else self.solver
            if self.point != request.point and not self._move(request, vector, restore, scales):
                return STALE
            report: PartialSum = getattr(self, request.report)(request, vector)
            return report

    # -- moving ---------------------------------------------------------------------------------------

    def _move(
        self, request: PartRequest, vector: Any, restore: RestorePoint | None, scales: Floats | None
    ) -> bool:
        if request.move == "begin":
            start = np.ones(self.objective.n_graders) if scales is None else scales
            self._stand(vector, start, request.tolerance, request.multipliers)
        else:
            prepared = request.move == "step" and self.direction == request.direction
            if not request.move or not (prepared or self.point == request.origin):
                if restore is None:
                    return False
                start = np.ones(self.objective.n_graders) if scales is None else scales
                self._stand(restore.scores, start, AS_FOUND, restore.multipliers)
                self.point, self.direction = restore.point, 0
            if request.move == "refine":
                start = self.settled(request)
                self._stand(self.scores, start, request.tolerance, request.multipliers)
            elif request.move == "step":
                self._step(request, vector)
                self.direction = request.direction
        self.point = request.point
        return True

    def _step(self, request: PartRequest, direction: Floats) -> None:
        """From the origin along a direction, scales from where they should be by then."""
        if self.direction != request.direction:
            self.line_scores, self.line_scales = self.scores, self.settled(request)
            self.response = self.active.response(direction)
            if self.response is not None and self.constraint is not None and request.pull is not None:
                self.response = self.response - self.constraint.response(request.pull)
        start = self.line_scales
        if self.response is not None:
            start = scales_ahead(start, self.response, request.step)
        scores = shared_step.take((request.direction, request.step), self.line_scores, direction)
        self._stand(scores, start, request.tolerance, request.multipliers)

    def _stand(self, scores: Floats, start: Floats, tolerance: float, multipliers: Floats | None) -> None:
        solver, self.scores = self.active, scores
        constraint = None if multipliers is None else self.constraint
        if constraint is not None and multipliers is not None and self.prior is not None:
            solver.prior = constraint.prior(self.prior, multipliers)
        solver.inner_tolerance = tolerance
        self.value = solver.evaluate(scores, start)
        if constraint is not None:
            constraint.respond(self.objective.scales, solver.scale_step, solver.scale_curvature)

    def settled(self, request: PartRequest) -> Floats:
        """The scales after their last step."""
        solver = self.active
        if self.constraint is None or request.shift is None or solver is self.fixed:
            return solver.scales
        return self.constraint.settled(self.objective.scales + solver.scale_step, request.shift)

    # -- reports --------------------------------------------------------------------------------------

    def report_value(self, request: PartRequest, vector: Any) -> PartialSum:
        """Value, gradient, and the scales that go with them."""
        solver = self.active
        sums: tuple[Any, ...] = (self.value, solver.gradient())
        if request.scaling == "constrained" and self.constraint is not None:
            coupling = np.zeros(self.objective.n_items)
            self.objective.add_mixed(self.constraint.along, coupling)
            sums = (*sums, self.constraint.mean, self.constraint.fall, coupling)
        if request.with_diagonal:
            sums = (*sums, self.objective.diagonal())
        told = solver is not self.fixed and not solver.closed_form
        return PartialSum(sums, [(self.objective.scales,)] if told else [])

    def report_product(self, request: PartRequest, direction: Floats) -> PartialSum:
        """The Hessian times a direction, scales following."""
        return PartialSum((self.active.hessian_product(direction),))

    def report_hessian(self, request: PartRequest, vector: Any) -> PartialSum:
        return PartialSum((self.active.hessian(),))

    def report_diagonal(self, request: PartRequest, vector: Any) -> PartialSum:
        """Of the Hessian for given scales."""
        return PartialSum((self.objective.diagonal(),))

    def report_probe(self, request: PartRequest, vector: Any) -> PartialSum:
        """The same in expectation."""
        return PartialSum((self.objective.probed_diagonal(request.seed),))

    def report_graders(self, request: PartRequest, vector: Any) -> PartialSum:
        """What was found out about every grader, the scale first, after its last step."""
        _, *others = self.active.estimates()
        return PartialSum((), [(self.settled(request), *others)])


def answer(
    part: Part, request: PartRequest, vector: Any, restore: RestorePoint | None, scales: Floats | None
) -> PartialSum:
    """What the part answers; a function, so that it can be sent."""
    return part.answer(request, vector, restore, scales)


class _SharedStep:
    """The last point that a step in this process led to, as long as someone stands there.

    The search and the parts that take the same step share one array of scores in place of one for each.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._ends: tuple[ref[Floats], ref[Floats], ref[Floats]] | None = None
        self._way = (0, 0.0)

    def take(self, way: tuple[int, float], origin: Floats, direction: Floats) -> Floats:
        """``origin + step * direction``, to be read only; the way is the direction's number and the step."""
        with self._lock:
            point = self._last(way, origin, direction)
            if point is None:
                point = origin + way[1] * direction
                self._way, self._ends = way, (ref(origin), ref(direction), ref(point))
            return point

    def _last(self, way: tuple[int, float], origin: Floats, direction: Floats) -> Floats | None:
        if self._ends is None or self._way != way:  # numbers are those of a fit: the arrays count, too
            return None
        start, along, point = self._ends
        return point() if start() is origin and along() is direction else None


shared_step = _SharedStep()
