"""How an assignment is graded."""

from __future__ import annotations

from typing import Any

from peerage_web.classes.models import Assignment, GradingPlan
from peerage_web.sandbox.contract.jobs import JobOptions


def plan_of(assignment: Assignment) -> GradingPlan:
    """What staff decided; where nobody has decided anything, what is usual (not saved yet)."""
    found = GradingPlan.objects.filter(assignment=assignment).first()
    return found if found is not None else GradingPlan(assignment=assignment)


def scale_text(low: float, high: float) -> str:
    """As `peerage grade --scale` has it."""
    return f"{low:.10g}:{high:.10g}"


def options_of(plan: GradingPlan, *, seed: int = 0, staff_grades: bool = False) -> JobOptions:
    """What the library is asked for. A work that staff graded gets their grade, and others learn from it."""
    return JobOptions(
        method=plan.method or None,
        scale=scale_text(plan.scale_low, plan.scale_high),
        letters=plan.letters or None,
        seed=seed,
        anchors_as_evidence=staff_grades,
        title=plan.assignment.title,
    )


def weights_of(plan: GradingPlan) -> dict[str, Any]:
    """What a run keeps of the plan: per cents of the mark for reviewing, and of the whole."""
    quality = 100 - plan.completeness_weight - plan.helpfulness_weight
    return {
        "quality": quality,
        "completeness": plan.completeness_weight,
        "helpfulness": plan.helpfulness_weight,
        "reviewing": plan.assignment.review_weight,
    }
