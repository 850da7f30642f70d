"""The objective as a function of the scores alone: what Newton's method minimises.

F(s) = sum over parts of (min over their graders' scales) + prior of the scores. Parts know all about their
graders; here are the scores, and at every point the scales that were found there, so that a part that was
lost can be restored. A class is one part in this process, a large one several on threads, a huge one many on
the workers of a cluster: `Parts` is all that differs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage.models import thresholds
from peerage.models.solver.dense import dot
from peerage.models.solver.part import Move, Part, PartRequest, RestorePoint, Scaling, answer, shared_step
from peerage.models.solver.threads import LocalParts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage._parts import PartialSum, Parts
    from peerage.models.solver.components import Components
    from peerage.models.solver.mean_constraint import ReliabilityConstraint
    from peerage.models.solver.objective import Objective
    from peerage.models.solver.scales import FixedScales

    Floats = NDArray[np.float64]

FIRST_PROBES = 3  # of the diagonal of the Hessian
MULTIPLIER_STEPS = 60
CLOSEST = 1e-9  # of the constrained mean to 1: what is missing shows squared


@dataclass(slots=True, eq=False)
class PosteriorParts:
    """What is known of all parts together: sizes, the prior of the scores, and whoever holds the parts.

    edges : where the graders of each part begin, and the last one's end
    components : where means of components are known to the prior alone, says which items are linked; only
        conjugate gradients ask
    exact_diagonal : whether the diagonal of the Hessian is cheap; else it is sampled, and kept here
    """

    parts: Parts
    edges: NDArray[np.int64]
    n_items: int
    precision: float
    most_evidence: float
    components: Callable[[], Components] | None = None
    exact_diagonal: bool = True
    probe_sum: Floats | float = 0.0
    n_probes: int = 0
    numbers: int = 0  # of points and directions so far

    @classmethod
    def whole(
        cls, objective: Objective, solver: FixedScales, constraint: ReliabilityConstraint | None = None
    ) -> PosteriorParts:
        """One part in this process, whose objective has the prior of the scores in it."""
        return cls(
            LocalParts([Part(objective, solver, constraint)]),
            np.array([0, objective.n_graders]),
            objective.n_items,
            precision=0.0,
            most_evidence=objective.most_evidence,
        )

    def number(self) -> int:
        """A new one: no part stands at two points of the same number."""
        self.numbers += 1
        return self.numbers

    @property
    def n_graders(self) -> int:
        return int(self.edges[-1])

    def split(self, by_grader: Floats | None) -> list[Floats] | None:
        """An array of all graders, part by part."""
        if by_grader is None:
            return None
        return [by_grader[low:high] for low, high in pairwise(self.edges.tolist())]


@dataclass(slots=True, eq=False)
class Point:
    """Where the search stood: all that a part has to be told to stand there again."""

    number: int
    scores: Floats
    scales: Floats | None = None
    multipliers: Floats | None = None


NOWHERE = Point(0, np.empty(0))


class Profile:
    """Every scale stays, or is the best one for the scores: call `evaluate` first, then ask for derivatives.

    step_limit : how far a score may go in one step of Newton's method
    reuse_ratio : while a step shrinks the gradient to this, the factor it used is good for another
    inner_tolerance : how far, relatively, a scale may be from its best
    """

    reuse_ratio = 0.15
    step_limit = 2.0
    inner_tolerance = 0.0
    closed_form = False  # whether scales are always at their best

    def __init__(self, posterior: PosteriorParts, scaling: Scaling, scales: Floats | None = None) -> None:
        self.posterior, self.scaling = posterior, scaling
        self.start = scales  # of the graders; 1 where none are given
        self.point = self.origin = NOWHERE
        self.direction, self.direction_number = NOWHERE.scores, 0
        self.sum_gradient = NOWHERE.scores  # over all parts, without the prior
        self.sent_diagonal: Floats | None = None  # where it came with the value
        early = posterior.parts.latency_bound and posterior.exact_diagonal
        self.sends_diagonal = early and not is_dense(posterior.n_items, posterior.n_graders)
        if scaling != "fixed":
            self.reuse_ratio = 0.03  # every evaluation solves the scales: fewer, better steps are cheaper

    @property
    def most_evidence(self) -> float:
        """What gradients are measured by."""
        return self.posterior.most_evidence

    @property
    def n_items(self) -> int:
        return self.posterior.n_items

    @property
    def n_graders(self) -> int:
        return self.posterior.n_graders

    def set_inner_tolerance(self, tolerance: float) -> None:
        """Solve the scales no better than this from now on: while scores are far off, more is wasted."""
        if self.scaling != "fixed" and not self.closed_form:
            self.inner_tolerance = tolerance

    # -- moving ---------------------------------------------------------------------------------------

    def restart(self, scales: Floats) -> None:
        """Forget where this is: what comes next depends on these scales and the scores alone."""
        self.start, self.point = scales, NOWHERE

    def evaluate(self, scores: Floats) -> float:
        """Go to these scores, or solve the scales better there; the value there."""
        if self.point is NOWHERE or scores is not self.point.scores:
            request = self._request("begin")
            scales = self.posterior.split(self.start)
            return self._arrive(request, scores, self._ask(request, scores, NOWHERE, scales))
        request = self._request("refine", self.point.number)
        return self._arrive(request, scores, self._ask(request, None, self.point))

    def begin_line_search(self, direction: Floats) -> None:
        """Remember where this is, and which way to go from here."""
        self.origin, self.direction = self.point, direction
        self.direction_number = self.posterior.number()

    def evaluate_step(self, step: float) -> float:
        """Go a step ahead, scales from where they should be by then; the value there."""
        number, origin, direction = self.direction_number, self.origin, self.direction
        scores = shared_step.take((number, step), origin.scores, direction)
        request = self._request("step", origin.number, number, step)
        return self._arrive(request, scores, self._ask(request, direction, origin))

    def reject_step(self) -> None:
        """Back to where the line search began; parts are told when they are next asked."""
        self.point, self.sent_diagonal = self.origin, None

    def _request(self, move: Move, origin: int = 0, direction: int = 0, step: float = 1.0) -> PartRequest:
        return PartRequest(
            "report_value",
            self.posterior.number(),
            self.scaling,
            move,
            origin,
            direction,
            step,
            self.inner_tolerance,
            with_diagonal=self.sends_diagonal,
        )

    def _arrive(self, request: PartRequest, scores: Floats, answer: PartialSum) -> float:
        scales = answer.by_grader() if answer.by_part else self.start
        self.point = Point(request.point, scores, scales, request.multipliers)
        value, self.sum_gradient = answer.sums[:2]
        self.sent_diagonal = answer.sums[-1] if request.with_diagonal else None
        return float(value) + 0.5 * self.posterior.precision * dot(scores, scores)

    def _ask(
        self, request: PartRequest, vector: Floats | None, origin: Point, start: list[Floats] | None = None
    ) -> PartialSum:
        """All parts; and once more with a restore point, where one does not stand there."""
        parts = self.posterior.parts
        by_part: Sequence[Floats | None] = start or [None] * len(parts)
        found = parts.sum(answer, request, vector, None, by_part=by_part)
        while found.is_stale:
            restore = RestorePoint(origin.number, origin.scores, origin.multipliers)
            by_part = self.posterior.split(origin.scales) or [None] * len(parts)
            found = parts.sum(answer, request, vector, restore, by_part=by_part)
        return found

    def _ask_here(self, report: str, vector: Floats | None = None, **more: Any) -> PartialSum:
        here = self.point
        request = PartRequest(report, here.number, self.scaling, multipliers=here.multipliers, **more)
        return self._ask(request, vector, here)

    # -- derivatives ----------------------------------------------------------------------------------

    def gradient(self) -> Floats:
        """Where it was last evaluated; it came with the value. Who asks stays here and does not go back."""
        self.origin, self.direction = NOWHERE, NOWHERE.scores  # vectors of all items, no longer needed
        return self.sum_gradient + self.posterior.precision * self.point.scores

    def hessian_product(self, direction: Floats) -> Floats:
        (product,) = self._ask_here("report_product", direction).sums
        product += self.posterior.precision * direction
        return np.asarray(product)

    def hessian(self) -> Floats:
        """As a matrix; for small classes."""
        (matrix,) = self._ask_here("report_hessian").sums
        matrix.ravel()[:: self.n_items + 1] += self.posterior.precision
        return np.asarray(matrix)

    def diagonal(self) -> Floats:
        """The diagonal of the Hessian for given scales, the preconditioner: exact where that is cheap.

        Elsewhere it is right in expectation over random signs (Hutchinson's estimator): every call adds a
        probe with new signs to those before; the Hessian changes little on the way.
        """
        posterior = self.posterior
        if self.sent_diagonal is not None:
            diagonal, self.sent_diagonal = self.sent_diagonal, None
            diagonal += posterior.precision
            return diagonal
        if posterior.exact_diagonal:
            return np.asarray(self._ask_here("report_diagonal").sums[0] + posterior.precision)
        for _ in range(1 if posterior.n_probes else FIRST_PROBES):
            posterior.n_probes += 1
            (probe,) = self._ask_here("report_probe", seed=posterior.n_probes).sums
            posterior.probe_sum = posterior.probe_sum + np.maximum(probe, 0.0)
        return np.asarray(posterior.probe_sum / posterior.n_probes + posterior.precision)

    # -- the mean of a component, of which lists say nothing --------------------------------------------

    def solve_null_space(self, right: Floats) -> tuple[Floats, Floats]:
        """Solve Hessian * x = right as far as component means go: x, and what is left of the right side."""
        components = self.posterior.components
        if components is None:
            return np.zeros_like(right), right
        means = components().means(right)
        return means / self.posterior.precision, right - means

    def deflated(self, direction: Floats) -> Floats:
        """The direction without its component means."""
        components = self.posterior.components
        return direction if components is None else direction - components().means(direction)

    # -- the end, and a new beginning -----------------------------------------------------------------

    def by_grader(self) -> tuple[Floats, ...]:
        """What all parts have found out about their graders at this point, the scales first."""
        columns = zip(*self._settle().by_part, strict=True)
        return tuple(np.concatenate(column) if len(column) > 1 else column[0] for column in columns)

    def _settle(self) -> PartialSum:
        return self._ask_here("report_graders")

    @property
    def part(self) -> Part:
        """The only part, where there is but one, in this process; ask `by_grader` first."""
        assert isinstance(self.posterior.parts, LocalParts)
        (part,) = self.posterior.parts.parts
        return part  # type: ignore[no-any-return]

    def state(self) -> dict[str, Any]:
        """All that another search needs to go on from here, to the same bits."""
        kept = {"scores": self.point.scores, "inner_tolerance": self.inner_tolerance}
        kept |= {"n_probes": self.posterior.n_probes, "probe_sum": self.posterior.probe_sum}
        more = {"scales": self.point.scales, "multipliers": self.point.multipliers}
        return kept | {name: value for name, value in more.items() if value is not None}

    def resume(self, state: dict[str, Any]) -> float:
        """Stand where another search stood; the value there."""
        self.inner_tolerance = float(state["inner_tolerance"])
        self.posterior.n_probes = int(state["n_probes"])
        self.posterior.probe_sum = np.asarray(state["probe_sum"])
        here = Point(self.posterior.number(), state["scores"], state.get("scales"), state.get("multipliers"))
        self.point = here
        request = PartRequest("report_value", here.number, self.scaling, multipliers=here.multipliers)
        return self._arrive(request, here.scores, self._ask(request, None, here))


def is_dense(n_items: int, n_graders: int) -> bool:
    """Whether the Hessian is a matrix that is factorised."""
    return n_items <= thresholds.DENSE_ITEMS and n_items * n_graders <= thresholds.DENSE_CELLS


class ConstrainedProfile(Profile):
    """Every scale is the best one for the scores, given that the mean of the reliabilities is 1.

    For given multipliers (see `mean_constraint`) parts are independent, and tell by how much the mean misses
    1 and how fast it falls. What is missing at the end is foreseen, as the last step of the scales is: value
    and gradient are right to second order. Along a direction in the scores the multipliers are known
    beforehand to first order, so that hardly any point needs a second round.
    """

    def __init__(
        self,
        posterior: PosteriorParts,
        item_groups: NDArray[np.int64],
        evidence: Floats,
        scales: Floats | None = None,
    ) -> None:
        super().__init__(posterior, "constrained", scales)
        self.item_groups, self.n_groups = item_groups, len(evidence)
        self.empty = evidence <= 0  # groups of which nothing is known, and nothing is constrained
        self.multipliers = self.shift = np.zeros(self.n_groups)
        self.fall, self.coupling = np.ones(self.n_groups), np.zeros(posterior.n_items)
        self.pull = np.zeros(self.n_groups)
        self.line_start = (self.multipliers, self.shift)

    # -- moving -------------------------------------------------------------------------------------------

    def restart(self, scales: Floats) -> None:
        super().restart(scales)
        self.multipliers = self.shift = np.zeros(self.n_groups)

    def evaluate(self, scores: Floats) -> float:
        self.multipliers = self.multipliers + self.shift
        return super().evaluate(scores)

    def begin_line_search(self, direction: Floats) -> None:
        """Along the direction, the multipliers follow so that means stay."""
        super().begin_line_search(direction)
        self.pull = -self._by_group(self.coupling * direction) / self.fall
        self.line_start = (self.multipliers, self.shift)

    def evaluate_step(self, step: float) -> float:
        multipliers, self.shift = self.line_start
        self.multipliers = multipliers + self.shift + step * self.pull
        return super().evaluate_step(step)

    def reject_step(self) -> None:
        """What was reported there has to be asked for again."""
        super().reject_step()
        self.multipliers, self.shift = self.line_start
        self._note(self._ask_here("report_value"))

    def _request(self, move: Move, origin: int = 0, direction: int = 0, step: float = 1.0) -> PartRequest:
        request = super()._request(move, origin, direction, step)
        request.multipliers, request.shift = self.multipliers, self.shift
        request.pull = self.pull if move == "step" else None
        return request

    def _arrive(self, request: PartRequest, scores: Floats, answer: PartialSum) -> float:
        """Correct the multipliers until the means are about 1."""
        below, above = np.full(self.n_groups, -np.inf), np.full(self.n_groups, np.inf)
        for _ in range(MULTIPLIER_STEPS):
            value = super()._arrive(request, scores, answer)
            mean = self._note(answer)
            if (np.abs(mean - 1.0)[~self.empty] <= max(self.inner_tolerance, CLOSEST)).all():
                break
            self._correct(mean, below, above)
            here = self.point
            request = self._request("refine", here.number)
            answer = self._ask(request, None, here)
        missing = np.where(self.empty, 0.0, mean - 1.0)
        constrained = np.where(self.empty, 0.0, self.multipliers)
        return value - float(constrained.sum()) + 0.5 * float((missing * self.shift).sum())

    def _note(self, answer: PartialSum) -> Floats:
        """How the means fall, how they depend on the scores, and what is missing."""
        mean, fall, self.coupling = (np.asarray(part) for part in answer.sums[2:5])
        self.sum_gradient = answer.sums[1]
        self.fall = np.where(fall > 0, fall, np.inf)
        self.shift = np.where(self.empty, 0.0, (mean - 1.0) / self.fall)
        return np.asarray(mean)

    def _correct(self, mean: Floats, below: Floats, above: Floats) -> None:
        """One over the mean is nearly straight in the multiplier; bisection where that leads astray."""
        at = self.multipliers
        np.copyto(below, at, where=(mean > 1) & ~self.empty)
        np.copyto(above, at, where=(mean < 1) & ~self.empty)
        new = at + np.where(self.empty, 0.0, mean * (mean - 1.0) / self.fall)
        stuck = np.isinf(self.fall) & ~self.empty  # all at their limits
        new = np.where(stuck, np.where(mean > 1, 2.0 * np.abs(at) + 1.0, -2.0 * np.abs(at) - 1.0), new)
        with np.errstate(invalid="ignore"):
            middle = np.where(np.isfinite(below) & np.isfinite(above), 0.5 * (below + above), new)
        astray = ((new <= below) | (new >= above)) & (below < above)
        # the scales that the parts stand at are those of the old multipliers: they start from there
        self.multipliers, self.shift = np.where(astray, middle, new), np.zeros(self.n_groups)

    def _by_group(self, by_item: Floats) -> Floats:
        return np.asarray(np.bincount(self.item_groups, by_item, self.n_groups), dtype=np.float64)

    # -- derivatives ----------------------------------------------------------------------------------------

    def gradient(self) -> Floats:
        """As it is once the multipliers have taken their last step."""
        return np.asarray(super().gradient() - self.coupling * self.shift[self.item_groups])

    def hessian_product(self, direction: Floats) -> Floats:
        """That of free scales, and what the constraint adds."""
        along = self._by_group(self.coupling * direction) / self.fall
        return np.asarray(super().hessian_product(direction) + self.coupling * along[self.item_groups])

    def hessian(self) -> Floats:
        root = self.coupling / np.sqrt(self.fall)[self.item_groups]
        same = self.item_groups[:, None] == self.item_groups
        return np.asarray(super().hessian() + np.where(same, root[:, None] * root, 0.0))

    def _settle(self) -> PartialSum:
        """The scales after their last step, the multipliers having taken theirs."""
        return self._ask_here("report_graders", shift=self.shift)

    def resume(self, state: dict[str, Any]) -> float:
        self.multipliers = np.asarray(state["multipliers"])
        self.inner_tolerance = float(state["inner_tolerance"])
        return super().resume(state)
