"""How grades of ours are said to a platform: points out of a whole number."""

from __future__ import annotations

from dataclasses import dataclass

from peerage_web.classes.models import Assignment, GradingPlan
from peerage_web.lti.models import LtiLineItem

PER_CENT = 100.0


@dataclass(frozen=True, slots=True)
class Scale:
    """The scale of an assignment's grades. Platforms take whole numbers as a maximum, and nothing below 0."""

    low: float
    high: float

    def maximum(self, kind: str) -> float:
        """Out of how many."""
        as_it_is = kind == LtiLineItem.Kind.WORK and self.low >= 0 and self.high == int(self.high)
        return float(self.high) if as_it_is else PER_CENT

    def said(self, kind: str, points: float | None) -> float | None:
        """The points of a work, or the mark for reviewing, as the platform is told them."""
        if points is None:
            return None
        if kind == LtiLineItem.Kind.WORK and (self.low < 0 or self.high != int(self.high)):
            points = PER_CENT * (points - self.low) / (self.high - self.low)
        return round(max(points, 0.0), 4)


def scale_of(assignment: Assignment) -> Scale:
    """As staff have set it, or as it is by default."""
    plan = GradingPlan.objects.filter(assignment=assignment).first() or GradingPlan()
    return Scale(plan.scale_low, plan.scale_high)
