"""One part of the lists, a run of graders: it knows all about its graders, and answers with sums by item."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from peerage._parts import Told
from peerage.models.smooth.block_sum import BlockSum
from peerage.models.smooth.blocks import margins
from peerage.models.solver.orders import Part
from peerage.models.solver.points import point_ahead
from peerage.models.solver.prior import GammaPrior
from peerage.models.solver.profile import ProfileObjective, ahead, subtract_schur

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.smooth.held_part import HeldPart
    from peerage.models.smooth.model import SmoothModel
    from peerage.models.solver.objective import Objective
    from peerage.models.solver.orders import Back, Order

    Floats = NDArray[np.float64]

ALL_FOUND = np.inf  # the tolerance that takes scales as they are


@dataclass(frozen=True, slots=True)
class ListSettings:
    """What a part is told about the model, and what was decided from all parts together.

    size : pairs and entries of all lists
    item_groups, evidence : where the mean of reliabilities is held, the group of every item, and what
        graders of each group know in all
    """

    model: SmoothModel
    size: tuple[int, int]
    prior: GammaPrior | None = None
    item_groups: NDArray[np.int32] | None = None
    evidence: Floats | None = None


class ListPart(Part):
    """Implements `Part` for smooth models of lists."""

    def __init__(self, feedback: Feedback, settings: ListSettings) -> None:
        super().__init__()
        needs_scores = getattr(settings.model, "margin", False)
        offsets = margins(feedback) if needs_scores else None
        if not needs_scores:
            feedback = replace(feedback, scores=None)  # eight bytes a review that may be let go
        self.feedback, self.settings = feedback, settings
        likelihood = settings.model.likelihood()
        self.lists = BlockSum(feedback, likelihood, offsets, curvature=likelihood.curvature(*settings.size))
        self.scores, self.value = np.empty(0), 0.0
        self.profile: ProfileObjective | None = None
        self.held: HeldPart | None = None
        if settings.prior is not None:
            self.profile = ProfileObjective(cast("Objective", self.lists), settings.prior)
        if settings.item_groups is not None and settings.evidence is not None:
            from peerage.models.smooth.held_part import HeldPart

            self.held = HeldPart(feedback, settings.item_groups, settings.evidence)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy knows the lists, and has to be told where to stand."""
        return ListPart, (self.feedback, self.settings)

    def __sizeof__(self) -> int:
        """Of all arrays: others decide by it whether there is room."""
        blocks = [(block, block.lists) for block in self.lists.blocks]
        arrays = [value for pair in blocks for one in pair for value in _arrays(one)]
        return sum(array.nbytes for array in arrays) + 100 * self.lists.n_graders

    # -- moving -------------------------------------------------------------------------------------------

    def begin(self, order: Order, scores: Floats, scales: Floats | None) -> None:
        """Go to these scores; the scales are sought from the given ones, or from 1."""
        start = np.ones(self.lists.n_graders) if scales is None else scales
        self._go(order, scores, start, order.tolerance)

    def again(self, order: Order) -> None:
        """Solve the scales once more, from where they are."""
        self._go(order, self.scores, self._settled(order), order.tolerance)

    def ahead(self, order: Order, direction: Floats) -> None:
        """Go ahead from the origin, scales from where they should be by then."""
        if self.aim != order.aim:
            self.aimed_scores, self.aimed_scales = self.scores, self._settled(order)
            self.response = self._response(order, direction)
        start = self.aimed_scales
        if self.response is not None:
            start = ahead(start, self.response, order.step)
        self._go(order, point_ahead(order, self.aimed_scores, direction), start, order.tolerance)

    def back(self, order: Order, back: Back, scales: Floats | None) -> None:
        """Stand where it stood, scales as they were found."""
        start = np.ones(self.lists.n_graders) if scales is None else scales
        self._go(replace(order, multipliers=back.multipliers), back.scores, start, ALL_FOUND)

    def _go(self, order: Order, scores: Floats, start: Floats, tolerance: float) -> None:
        self.scores = scores
        if order.kind == "fixed" or self.profile is None:
            self.value = self.lists.evaluate(scores, start)
            return
        if self.held is not None and order.multipliers is not None:
            self.profile.prior = self.held.prior(cast("GammaPrior", self.settings.prior), order.multipliers)
        self.profile.inner_tolerance = tolerance
        self.value = self.profile.evaluate(scores, start)
        if self.held is not None:
            self.held.look(self.profile, self.lists.scales)

    def _settled(self, order: Order) -> Floats:
        """The scales after their last step."""
        if order.kind == "fixed" or self.profile is None:
            return self.lists.scales
        if self.held is not None and order.shift is not None:
            return self.held.settled(self.profile, self.lists.scales, order.shift)
        return self.profile.scales

    def _response(self, order: Order, direction: Floats) -> Floats | None:
        if order.kind == "fixed" or self.profile is None:
            return None
        response = self.profile.scale_response(direction)
        if self.held is not None and order.pull is not None:
            response = response - self.held.moved(order.pull)
        return response

    # -- telling ------------------------------------------------------------------------------------------

    def tell_value(self, order: Order, vector: Any) -> Told:
        """Value, gradient, and the scales that go with them."""
        gradient = self.lists.gradient()
        more = (self.lists.diagonal(),) if order.with_diagonal else ()
        if order.kind == "fixed" or self.profile is None:
            return Told((self.value, gradient, *more))
        self.lists.add_mixed(self.profile.scale_step, gradient)
        sums: tuple[Any, ...] = (self.value, gradient)
        if self.held is not None:
            coupling = np.zeros(self.lists.n_items)
            self.lists.add_mixed(self.held.along, coupling)
            sums = (*sums, self.held.mean, self.held.fall, coupling)
        return Told((*sums, *more), [(self.lists.scales,)])

    def tell_product(self, order: Order, direction: Floats) -> Told:
        """The Hessian times a direction, reliabilities following."""
        product = self.lists.hessian_product(direction)
        if order.kind != "fixed" and self.profile is not None:
            self.lists.add_mixed(self.profile.scale_response(direction), product)
        return Told((product,))

    def tell_hessian(self, order: Order, vector: Any) -> Told:
        """The same as a matrix."""
        matrix = np.zeros((self.lists.n_items, self.lists.n_items))
        self.lists.add_hessian(matrix)
        if order.kind != "fixed" and self.profile is not None:
            mixed = np.ascontiguousarray(self.lists.mixed_matrix().T)
            subtract_schur(mixed, self.profile.scale_curvature, matrix)
        return Told((matrix,))

    def tell_diagonal(self, order: Order, vector: Any) -> Told:
        """The diagonal for given scales."""
        return Told((self.lists.diagonal(),))

    def tell_probe(self, order: Order, vector: Any) -> Told:
        """The same in expectation."""
        return Told((self.lists.probed_diagonal(order.seed),))

    def tell_graders(self, order: Order, vector: Any) -> Told:
        """The scales after their last step."""
        return Told((), [(self._settled(order),)])


def make_part(feedback: Feedback, settings: ListSettings) -> ListPart:
    """A part; a function, so that it can be sent."""
    return ListPart(feedback, settings)


def _arrays(one: Any) -> list[NDArray[Any]]:
    values = one if isinstance(one, tuple) else vars(one).values()
    return [value for value in values if isinstance(value, np.ndarray)]
