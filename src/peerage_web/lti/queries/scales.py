"""How grades of ours are said to a platform: points out of a whole number."""

from __future__ import annotations

from peerage_web.classes.models import Assignment, GradingPlan
from peerage_web.lti.models import LtiLineItem

PER_CENT = 100.0


def maximum_of(assignment: Assignment, kind: str) -> float:
    """Out of how many; platforms take whole numbers only, and no score below zero."""
    low, high = _scale(assignment)
    plain = kind == LtiLineItem.Kind.WORK and low >= 0 and high == int(high)
    return float(high) if plain else PER_CENT


def said(assignment: Assignment, kind: str, points: float | None) -> float | None:
    """The points of a work, or the mark for reviewing, as the platform is told them."""
    if points is None:
        return None
    low, high = _scale(assignment)
    if kind == LtiLineItem.Kind.REVIEWING:
        return _within(points, PER_CENT)
    if maximum_of(assignment, kind) == high and low >= 0:
        return _within(points, high)
    return _within(PER_CENT * (points - low) / (high - low), PER_CENT)


def _within(value: float, most: float) -> float:
    """Nothing below zero; staff may give more than the most there is, and platforms take that."""
    return round(max(value, 0.0), 4) if most else 0.0


def _scale(assignment: Assignment) -> tuple[float, float]:
    plan = GradingPlan.objects.filter(assignment=assignment).first() or GradingPlan()
    return plan.scale_low, plan.scale_high
