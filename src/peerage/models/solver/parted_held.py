"""Reliabilities in parts whose weighted mean is held at 1: one more number per group and round.

F(s) = max over l of  sum over graders of min over a of (F_g(s, a) + prior + l w a^power)  - l. For a given
multiplier l parts are independent, and tell by how much the mean misses 1 and how fast it falls with l. What
is missing at the end is foreseen, as the last step of the scales is: value and gradient are right to second
order. Along a direction in the scores the multiplier is known beforehand to first order, so that hardly any
point needs a second round.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage.models.solver.orders import Order
from peerage.models.solver.parted import PartedProfile, PartsPosterior

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage._parts import Told

    Floats = NDArray[np.float64]

MULTIPLIER_STEPS = 60
CLOSEST = 1e-9  # of the mean to 1: what is missing shows squared


class HeldPartedProfile(PartedProfile):
    """Every reliability is the best one for the scores, given that their mean is 1."""

    def __init__(
        self,
        posterior: PartsPosterior,
        item_groups: NDArray[np.int32],
        evidence: Floats,
        scales: Floats | None = None,
    ) -> None:
        super().__init__(posterior, "held", scales)
        self.item_groups, self.n_groups = item_groups, len(evidence)
        self.empty = evidence <= 0  # groups of which nothing is known, and nothing is held
        self.multipliers = self.shift = np.zeros(self.n_groups)
        self.fall, self.coupling = np.ones(self.n_groups), np.zeros(posterior.n_items)
        self.pull = np.zeros(self.n_groups)
        self.aimed = (self.multipliers, self.shift)

    # -- moving -------------------------------------------------------------------------------------------

    def evaluate(self, scores: Floats) -> float:
        """Go to these scores, or solve the scales better there; the value there."""
        self.multipliers = self.multipliers + self.shift
        return super().evaluate(scores)

    def aim_at(self, direction: Floats) -> None:
        """Remember where this is; along the direction, the multipliers follow so that means stay."""
        super().aim_at(direction)
        self.pull = -self._by_group(self.coupling * direction) / self.fall
        self.aimed = (self.multipliers, self.shift)

    def evaluate_ahead(self, scores: Floats, step: float) -> float:
        """Go there, a step from where it was aimed; the value there."""
        multipliers, self.shift = self.aimed
        self.multipliers = multipliers + self.shift + step * self.pull
        return super().evaluate_ahead(scores, step)

    def retreat(self, scores: Floats) -> None:
        """Back to where it was aimed; what was told there has to be asked for again."""
        super().retreat(scores)
        self.multipliers, self.shift = self.aimed
        self._look(self._from_here("tell_value"))

    def _order(self, report: str, **how: Any) -> Order:
        order = super()._order(report, **how)
        pull = self.pull if order.move == "ahead" else None
        return replace(order, multipliers=self.multipliers, shift=self.shift, pull=pull)

    def _arrive(self, order: Order, scores: Floats, told: Told) -> float:
        """Mend the multipliers until the means are about 1."""
        below, above = np.full(self.n_groups, -np.inf), np.full(self.n_groups, np.inf)
        for _ in range(MULTIPLIER_STEPS):
            value = super()._arrive(order, scores, told)
            mean = self._look(told)
            if (np.abs(mean - 1.0)[~self.empty] <= max(self.inner_tolerance, CLOSEST)).all():
                break
            self._mend(mean, below, above)
            here = self.point
            order = self._order("tell_value", move="again", origin=here.number)
            told = self._ask(order, None, here)
        missing = np.where(self.empty, 0.0, mean - 1.0)
        kept = np.where(self.empty, 0.0, self.multipliers)
        return value - float(kept.sum()) + 0.5 * float((missing * self.shift).sum())

    def _look(self, told: Told) -> Floats:
        """What was told: how the means fall, how they hang on the scores, and what is missing."""
        mean, fall, self.coupling = (np.asarray(one) for one in told.sums[2:5])
        self.told = told.sums[:5]
        self.fall = np.where(fall > 0, fall, np.inf)
        self.shift = np.where(self.empty, 0.0, (mean - 1.0) / self.fall)
        return np.asarray(mean)

    def _mend(self, mean: Floats, below: Floats, above: Floats) -> None:
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
        """Where it was last evaluated, as it is once the multipliers have taken their last step."""
        return np.asarray(super().gradient() - self.coupling * self.shift[self.item_groups])

    def hessian_product(self, direction: Floats) -> Floats:
        """That of free reliabilities, and what holding their means adds."""
        along = self._by_group(self.coupling * direction) / self.fall
        return np.asarray(super().hessian_product(direction) + self.coupling * along[self.item_groups])

    def hessian(self) -> Floats:
        """The same as a matrix."""
        root = self.coupling / np.sqrt(self.fall)[self.item_groups]
        same = self.item_groups[:, None] == self.item_groups
        return np.asarray(super().hessian() + np.where(same, root[:, None] * root, 0.0))

    def settled(self) -> list[tuple[Any, ...]]:
        """The scales after their last step, the multipliers having taken theirs."""
        return self._from_here("tell_graders", shift=self.shift).kept

    # -- a new beginning ------------------------------------------------------------------------------------

    def resume(self, state: dict[str, Any]) -> float:
        """Stand where another search stood; the value there."""
        self.multipliers = np.asarray(state["multipliers"])
        self.inner_tolerance = float(state["inner_tolerance"])
        return super().resume(state)
