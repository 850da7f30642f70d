"""Changing how an assignment is graded; what makes no sense, the library refuses."""

from __future__ import annotations

import math
from typing import Any

from django.utils.translation import gettext as _

from peerage._options import option_style
from peerage.errors import PeerageError
from peerage.models.registry import METHODS
from peerage_web.accounts.models import Person
from peerage_web.classes.models import Assignment, GradingPlan, Override, StaffGrade
from peerage_web.classes.queries.grading.plans import options_of, plan_of
from peerage_web.classes.services.grading.runs import lock_name
from peerage_web.classes.services.record import changed_fields, record
from peerage_web.sandbox.contract.jobs import PageFields
from peerage_web.shared.database import exclusively
from peerage_web.shared.errors import Refused

SCALE = ("scale_low", "scale_high")


def change_plan(*, assignment: Assignment, by: Person, **changes: Any) -> GradingPlan:
    """Change any of the plan's fields; every change is recorded.

    A scale on which staff have graded already stays: their numbers would mean something else.
    """
    with exclusively(lock_name(assignment)):
        plan = plan_of(assignment)
        changed = changed_fields(plan, changes)
        for field, (_before, after) in changed.items():
            setattr(plan, field, after)
        _refuse_nonsense(plan)
        if set(SCALE) & changed.keys():
            _refuse_used_scale(assignment)
        plan.save()
        for field, (before, after) in changed.items():
            record("plan-changed", by=by, assignment=assignment, field=field, before=before, after=after)
    return plan


def offered_methods() -> list[tuple[str, list[tuple[str, str]]]]:
    """Methods for orders, each under its one honest line; `+G` counts careful reviewers for more."""
    found = []
    for method in METHODS.values():
        if "orders" not in method.takes:
            continue
        kinds = [(method.code, method.code)]
        if method.with_reliability is not None:
            kinds.insert(0, (method.with_reliability, method.with_reliability))
        found.append((method.summary, kinds))
    return found


def _refuse_nonsense(plan: GradingPlan) -> None:
    if not (math.isfinite(plan.scale_low) and math.isfinite(plan.scale_high)):
        raise Refused(_("The ends of the scale are numbers."))
    if plan.scale_low >= plan.scale_high:
        raise Refused(_("The highest points of the scale have to be above the lowest."))
    if plan.completeness_weight + plan.helpfulness_weight > 100:
        raise Refused(_("The parts of the mark for reviewing add up to more than 100 %."))
    codes = {code for _summary, kinds in offered_methods() for code, _label in kinds}
    if plan.method and plan.method not in codes:
        raise Refused(_("There is no such method for rankings."))
    try:
        with option_style(PageFields()):
            options_of(plan).check()
    except PeerageError as error:  # the library's words: it names value, rule and remedy
        raise Refused(str(error)) from None


def _refuse_used_scale(assignment: Assignment) -> None:
    staff = StaffGrade.objects.filter(work__assignment=assignment, withdrawn_at=None).count()
    by_hand = Override.objects.filter(work__assignment=assignment, withdrawn_at=None).count()
    if staff or by_hand:
        text = _(
            "Staff gave %(staff)s grades and set %(by_hand)s by hand on the scale as it is. Take them back"
            " first: on another scale the same numbers would mean something else."
        )
        raise Refused(text % {"staff": staff, "by_hand": by_hand})
