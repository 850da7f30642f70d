"""The objective as a function of the scores alone, from parts that may be anywhere.

F(s) = sum over parts of (min over their graders' reliabilities) + prior of the scores. Parts know all about
their graders; here are the scores, and at every point the scales that were found there, so that a part that
is lost can be told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage.models.solver.dense import dot
from peerage.models.solver.newton import has_small_hessian
from peerage.models.solver.orders import Back, Kind, Order, answer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage._parts import Parts, Told
    from peerage.models.solver.components import Components

    Floats = NDArray[np.float64]

FIRST_PROBES = 3  # of the diagonal of the Hessian


@dataclass(slots=True, eq=False)
class PartsPosterior:
    """What is known of all parts together: sizes, the prior of the scores, and whoever holds the parts.

    edges : where the graders of each part begin, and the last one's end
    components : those whose mean only the prior knows, if any
    exact_diagonal : whether the diagonal of the Hessian is cheap; else it is sampled, and kept here
    """

    parts: Parts
    edges: NDArray[np.int64]
    n_items: int
    precision: float
    most_evidence: float
    components: Components | None = None
    exact_diagonal: bool = True
    probe_sum: Floats | float = 0.0
    n_probes: int = 0
    numbers: int = 0  # of points and directions so far

    def number(self) -> int:
        """A new one: no part stands at two points of the same number."""
        self.numbers += 1
        return self.numbers

    @property
    def n_graders(self) -> int:
        """Of all parts."""
        return int(self.edges[-1])

    def split(self, by_grader: Floats | None) -> list[Floats] | None:
        """An array of all graders, part by part."""
        if by_grader is None:
            return None
        return [by_grader[low:high] for low, high in pairwise(self.edges.tolist())]


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """Where the search stood: all that a part has to be told to stand there again."""

    number: int
    scores: Floats
    scales: Floats | None = None
    multipliers: Floats | None = None


NOWHERE = Point(0, np.empty(0))


class PartedProfile:
    """Implements `ProfileFunction`: every reliability stays, or is the best one for the scores."""

    reuse_ratio = 0.15
    step_limit = 2.0
    inner_tolerance = 0.0
    solves_exactly = False  # whether reliabilities are always at their best

    def __init__(self, posterior: PartsPosterior, kind: Kind, scales: Floats | None = None) -> None:
        self.posterior, self.kind = posterior, kind
        self.start = scales  # of the graders; 1 where none are given
        self.point = self.origin = NOWHERE
        self.aim = 0
        self.direction = np.empty(0)
        self.told: tuple[Any, ...] = ()
        self.found_diagonal: Floats | None = None  # where it came with the value
        self.factorised = has_small_hessian(posterior.n_items, posterior.n_graders)
        if kind != "fixed":
            self.reuse_ratio = 0.03  # every evaluation solves the scales: fewer, better steps are cheaper

    @property
    def most_evidence(self) -> float:
        """What gradients are measured by."""
        return self.posterior.most_evidence

    @property
    def n_items(self) -> int:
        """Length of the scores."""
        return self.posterior.n_items

    @property
    def n_graders(self) -> int:
        """Length of the scales."""
        return self.posterior.n_graders

    def set_inner_tolerance(self, tolerance: float) -> None:
        """Solve the scales no better than this from now on."""
        if self.kind != "fixed" and not self.solves_exactly:
            self.inner_tolerance = tolerance

    # -- moving ---------------------------------------------------------------------------------------

    def evaluate(self, scores: Floats) -> float:
        """Go to these scores, or solve the scales better there; the value there."""
        if self.point is NOWHERE or scores is not self.point.scores:
            order = self._order("tell_value", move="begin")
            scales = self.posterior.split(self.start)
            return self._arrive(order, scores, self._ask(order, scores, NOWHERE, scales))
        here = self.point
        order = self._order("tell_value", move="again", origin=here.number)
        return self._arrive(order, scores, self._ask(order, None, here))

    def aim_at(self, direction: Floats) -> None:
        """Remember where this is, and which way to go from here."""
        self.origin, self.direction = self.point, direction
        self.aim = self.posterior.number()

    def evaluate_ahead(self, scores: Floats, step: float) -> float:
        """Go there, a step from where it was aimed; the value there."""
        order = self._order("tell_value", move="ahead", origin=self.origin.number, aim=self.aim, step=step)
        return self._arrive(order, scores, self._ask(order, self.direction, self.origin))

    def retreat(self, scores: Floats) -> None:
        """Back to these scores, where it was aimed; parts are told when they are next asked."""
        self.point, self.found_diagonal = self.origin, None

    def _order(self, report: str, **how: Any) -> Order:
        dear = self.posterior.parts.rounds_are_dear and self.posterior.exact_diagonal
        how |= {"tolerance": self.inner_tolerance, "with_diagonal": dear and not self.factorised}
        return Order(report, self.posterior.number(), self.kind, **how)

    def _arrive(self, order: Order, scores: Floats, told: Told) -> float:
        scales = told.of_graders() if told.kept else self.start
        self.point = Point(order.point, scores, scales, order.multipliers)
        *sums, self.found_diagonal = told.sums if order.with_diagonal else (*told.sums, None)
        self.told = tuple(sums)
        return float(told.sums[0]) + 0.5 * self.posterior.precision * dot(scores, scores)

    def _ask(
        self, order: Order, vector: Floats | None, origin: Point, start: list[Floats] | None = None
    ) -> Told:
        """All parts; and once more with the way back, where one does not stand there."""
        parts = self.posterior.parts
        by_part: Sequence[Floats | None] = start or [None] * len(parts)
        told = parts.sum(answer, order, vector, None, by_part=by_part)
        while told.is_stale:
            back = Back(origin.number, origin.scores, origin.multipliers)
            by_part = self.posterior.split(origin.scales) or [None] * len(parts)
            told = parts.sum(answer, order, vector, back, by_part=by_part)
        return told

    def _from_here(self, report: str, vector: Floats | None = None, **more: Any) -> Told:
        order = Order(report, self.point.number, self.kind, multipliers=self.point.multipliers, **more)
        return self._ask(order, vector, self.point)

    # -- derivatives ----------------------------------------------------------------------------------

    def gradient(self) -> Floats:
        """Where it was last evaluated; it came with the value. Who asks stays here and does not go back."""
        self.origin, self.direction = NOWHERE, np.empty(0)  # vectors of all items, which there is no need of
        return np.asarray(self.told[1] + self.posterior.precision * self.point.scores)

    def hessian_product(self, direction: Floats) -> Floats:
        """Hessian there, times a direction."""
        (product,) = self._from_here("tell_product", direction).sums
        product += self.posterior.precision * direction
        return np.asarray(product)

    def hessian(self) -> Floats:
        """Hessian there, as a matrix; for small classes."""
        (matrix,) = self._from_here("tell_hessian").sums
        matrix[np.diag_indices(self.n_items)] += self.posterior.precision
        return np.asarray(matrix)

    def diagonal(self) -> Floats:
        """The diagonal of the Hessian for given scales: exact where it is cheap, else about right."""
        posterior = self.posterior
        if self.found_diagonal is not None:
            found, self.found_diagonal = self.found_diagonal, None
            found += posterior.precision
            return found
        if posterior.exact_diagonal:
            return np.asarray(self._from_here("tell_diagonal").sums[0] + posterior.precision)
        for _ in range(1 if posterior.n_probes else FIRST_PROBES):
            posterior.n_probes += 1
            (probe,) = self._from_here("tell_probe", seed=posterior.n_probes).sums
            posterior.probe_sum = posterior.probe_sum + np.maximum(probe, 0.0)
        return np.asarray(posterior.probe_sum / posterior.n_probes + posterior.precision)

    def solve_null_space(self, right: Floats) -> tuple[Floats, Floats]:
        """Solve Hessian * x = right as far as component means go: x, and what is left of the right side."""
        components = self.posterior.components
        if components is None:
            return np.zeros_like(right), right
        means = components.means(right)
        return means / self.posterior.precision, right - means

    def deflated(self, direction: Floats) -> Floats:
        """The direction without its component means."""
        components = self.posterior.components
        return direction if components is None else direction - components.means(direction)

    # -- the end, and a new beginning -----------------------------------------------------------------

    def settled(self) -> list[tuple[Any, ...]]:
        """What every part has found out about its graders."""
        return self._from_here("tell_graders").kept

    def state(self) -> dict[str, Any]:
        """All that another search needs to go on from here."""
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
        order = Order("tell_value", here.number, self.kind, multipliers=here.multipliers)
        told = self._ask(order, None, here)
        return self._arrive(replace(order, multipliers=here.multipliers), here.scores, told)
