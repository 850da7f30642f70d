"""Figures and lists for the first pages: a bounded number of queries, whatever the size of the course."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import Count

from peerage_web.classes.assignments.models import Assignment, Extension
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.enums import Role
from peerage_web.classes.visibility import assignments_for


def people_by_role(course: Course) -> dict[str, int]:
    """Role to how many have it."""
    counted = Membership.objects.filter(course=course).order_by().values_list("role").annotate(Count("pk"))
    return dict.fromkeys(Role.values, 0) | dict(counted)


def sections_of(course: Course) -> list[str]:
    """The sections that students are in, sorted."""
    named = Membership.objects.filter(course=course, role=Role.STUDENT).exclude(section="")
    return sorted(named.order_by().values_list("section", flat=True).distinct())


def assignments_with_dates(member: Membership) -> list[dict[str, Any]]:
    """The assignments of a course, with the dates that hold for this member."""
    assignments = list(assignments_for(member))
    extensions = _extensions(member, assignments)
    return [
        {"assignment": assignment, **personal_dates(assignment, extensions.get(assignment.pk))}
        for assignment in assignments
    ]


def _extensions(member: Membership, assignments: Sequence[Assignment]) -> dict[int, Extension]:
    if member.role != Role.STUDENT:
        return {}
    theirs = Extension.objects.filter(membership=member, assignment__in=assignments)
    return {extension.assignment_id: extension for extension in theirs}


def extension_of(assignment: Assignment, member: Membership) -> Extension | None:
    return Extension.objects.filter(assignment=assignment, membership=member).first()


def personal_dates(assignment: Assignment, extension: Extension | None) -> dict[str, datetime | None]:
    """Until when one student may submit, late or not, and review."""
    due, late, reviews = assignment.due_at, assignment.late_until, assignment.reviews_due_at
    if extension is not None:
        due = extension.due_at or due
        late = max(late, due) if late is not None and due is not None else late
        reviews = extension.reviews_due_at or reviews
    return {"due_at": due, "late_until": late, "reviews_due_at": reviews}
