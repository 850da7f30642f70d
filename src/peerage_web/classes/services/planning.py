"""The planner's figures for a course: what the library expects of a number of reviews per student."""

from __future__ import annotations

import json
from typing import Any

from django.utils.translation import gettext as _

from peerage.errors import PeerageError
from peerage_web.accounts.models import Person
from peerage_web.classes.models import Course, Membership
from peerage_web.classes.words import Role
from peerage_web.sandbox.contract.errors import SandboxError
from peerage_web.sandbox.work.allocation import plan_workload
from peerage_web.shared.errors import Busy
from peerage_web.shared.services.sandbox_slots import ask_sandbox

MOST_STUDENTS, MOST_REVIEWS, MOST_KNOWN = 2000, 50, 256
_KNOWN: dict[tuple[int, int, int], dict[str, Any]] = {}


def expected_error(*, course: Course, by: Person, reviews: int, in_teams: bool = False) -> dict[str, Any]:
    """`tau_error` and the rest of a workload, or `problem`: why there is no figure."""
    students = Membership.objects.filter(course=course, role=Role.STUDENT)
    count = students.count()
    items = _works(students, count) if in_teams else count
    if not count >= 3 or items < 3:
        return {"problem": _("Once three students are in the course, the expected error stands here.")}
    if not 2 <= reviews <= min(MOST_REVIEWS, items - 1):
        return {
            "problem": _("There is a figure for 2 to %(most)d reviews.")
            % {"most": min(MOST_REVIEWS, items - 1)}
        }
    try:
        return _planned(min(count, MOST_STUDENTS), min(items, MOST_STUDENTS), reviews, f"person {by.pk}")
    except (Busy, SandboxError, PeerageError):
        return {"problem": _("The expected error could not be found just now.")}


def _works(students: Any, count: int) -> int:
    """Teams as the groups of the roster have them, and students without one."""
    grouped = students.exclude(group="")
    teams: int = grouped.order_by().values("group").distinct().count()
    return teams + count - int(grouped.count())


def _planned(students: int, items: int, reviews: int, visitor: str) -> dict[str, Any]:
    """From simulated classes; kept, for the same question comes back with every look at the form."""
    key = (students, items, reviews)
    if key not in _KNOWN:
        if len(_KNOWN) >= MOST_KNOWN:
            _KNOWN.clear()
        _KNOWN[key] = _workload(students, items, reviews, visitor)
    return _KNOWN[key]


def _workload(students: int, items: int, reviews: int, visitor: str) -> dict[str, Any]:
    setting = {"students": students, "per_student": reviews, "items": items if items != students else None}
    found = json.loads(ask_sandbox(plan_workload, setting, visitor=visitor))
    (figures,) = (dict(one) for one in found["workloads"] if one["reviews_per_student"] == reviews)
    return figures
