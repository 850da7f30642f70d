"""Announcements as members of a course see them, and who is mailed one."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from peerage_web.classes import visibility
from peerage_web.classes.announcements.models import Announcement
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.enums import Role
from peerage_web.classes.submissions.queries import missing_people


def announcements_shown(member: Membership) -> list[Announcement]:
    """Newest first. What is for those who have not submitted, a student sees as long as they have not."""
    shown = Announcement.objects.filter(course=member.course_id, withdrawn_at=None)
    shown = shown.select_related("assignment", "made_by")
    if member.role != Role.STUDENT:
        return list(shown)
    found = list(shown.filter(Q(assignment=None) | Q(assignment__in=visibility.assignments_for(member))))
    for_missing = {
        one.assignment for one in found if one.assignment and one.audience == Announcement.Audience.MISSING
    }
    is_missing: dict[int | None, bool] = {
        assignment.pk: missing_people(assignment).filter(pk=member.pk).exists() for assignment in for_missing
    }
    return [
        one
        for one in found
        if one.audience == Announcement.Audience.STUDENTS or is_missing[one.assignment_id]
    ]


def recipients_of(course: Course, assignment: Assignment | None, audience: str) -> QuerySet[Membership]:
    """Students with an account that is in use."""
    if assignment is not None and audience == Announcement.Audience.MISSING:
        students = missing_people(assignment)
    else:
        students = Membership.objects.filter(course=course, role=Role.STUDENT)
    return students.filter(person__is_active=True).select_related("person").order_by("pk")
