"""Announcements as members of a course see them, and who is mailed one."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from peerage_web.classes import visibility
from peerage_web.classes.announcements.models import Announcement
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.enums import Role
from peerage_web.classes.submissions.queries import missing_people


def announcements_shown(member: Membership) -> QuerySet[Announcement]:
    """Newest first. What is for those who have not submitted, a student sees as long as they have not."""
    shown = Announcement.objects.filter(course=member.course_id, withdrawn_at=None)
    shown = shown.select_related("assignment", "made_by")
    if member.role != Role.STUDENT:
        return shown
    for_missing = Assignment.objects.filter(
        announcements__in=shown.filter(audience=Announcement.Audience.MISSING).order_by()
    )
    missing = [
        assignment.pk
        for assignment in for_missing.distinct()
        if missing_people(assignment).filter(pk=member.pk).exists()
    ]
    return shown.filter(
        Q(assignment=None) | Q(assignment__in=visibility.assignments_for(member)),
        Q(audience=Announcement.Audience.STUDENTS) | Q(assignment__in=missing),
    )


def recipients_of(course: Course, assignment: Assignment | None, audience: str) -> QuerySet[Membership]:
    """Students with an account that is in use."""
    if assignment is not None and audience == Announcement.Audience.MISSING:
        students = missing_people(assignment)
    else:
        students = Membership.objects.filter(course=course, role=Role.STUDENT)
    return students.filter(person__is_active=True).select_related("person").order_by("pk")
