"""Announcing something to students: on their page and once by mail; correcting it, and withdrawing it."""

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Mail, Person
from peerage_web.accounts.services.mail import queue_mail
from peerage_web.classes import visibility
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.announcements.models import Announcement
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.enums import Role
from peerage_web.classes.submissions.queries import missing_people
from peerage_web.shared.errors import Busy, Refused
from peerage_web.shared.services.rate_limits import count_request


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


KIND = "announcement"
MOST_AN_HOUR = 10  # of one course


def announce(
    *,
    course: Course,
    by: Person,
    title: str,
    text: str,
    assignment: Assignment | None = None,
    audience: str = Announcement.Audience.STUDENTS,
) -> Announcement:
    """Show it to its students, and queue the mail to them."""
    if course.hidden_at is not None:
        raise Refused(_("The course is hidden from students. Show it to them first."))
    if assignment is not None and not assignment.is_published:
        raise Refused(_("Students do not see this assignment yet. Publish it first."))
    asked = count_request(client=f"course {course.pk}", kind=KIND, window=timedelta(hours=1))
    if asked > MOST_AN_HOUR:
        raise Busy(
            _("%(count)d announcements were sent within the last hour. Try again later.")
            % {"count": MOST_AN_HOUR}
        )
    with transaction.atomic():
        announcement = Announcement.objects.create(
            course=course,
            assignment=assignment,
            audience=audience,
            title=" ".join(title.split()),
            text=text,
            made_by=by,
        )
        announcement.recipients = _mail(announcement)
        announcement.save(update_fields=["recipients"])
        _record("announcement-made", announcement, by, count=announcement.recipients)
    return announcement


def _mail(announcement: Announcement) -> int:
    """To how many people."""
    course = announcement.course
    students = recipients_of(course, announcement.assignment, announcement.audience)
    context = {
        "course": course,
        "announcement": announcement,
        "path": reverse("announcements", args=[course.key]),
    }
    return sum(
        queue_mail(
            person=student.person,
            kind=KIND,
            context=context,
            language=course.language,
            about=f"course {course.pk}",
            once=f"{_mails_of(announcement)}{student.pk}",
        )
        for student in students
    )


def _mails_of(announcement: Announcement) -> str:
    return f"{KIND} {announcement.pk} "


def edit_announcement(*, announcement: Announcement, by: Person, title: str, text: str) -> None:
    """Correct what students see; nobody is mailed again."""
    title = " ".join(title.split())
    if announcement.withdrawn_at is not None:
        raise Refused(_("This announcement was withdrawn. Write a new one."))
    if (title, text) == (announcement.title, announcement.text):
        return
    with transaction.atomic():
        announcement.title, announcement.text, announcement.edited_at = title, text, timezone.now()
        announcement.save(update_fields=["title", "text", "edited_at"])
        _record("announcement-changed", announcement, by)


def withdraw_announcement(*, announcement: Announcement, by: Person) -> None:
    """Students no longer see it, and mail that was not sent yet is not sent. Twice is once."""
    with transaction.atomic():
        if Announcement.objects.filter(pk=announcement.pk, withdrawn_at=None).update(
            withdrawn_at=timezone.now()
        ):
            Mail.objects.filter(once__startswith=_mails_of(announcement), sent_at=None).delete()
            _record("announcement-withdrawn", announcement, by)


def _record(verb: str, announcement: Announcement, by: Person, **data: Any) -> None:
    record(
        verb,
        by=by,
        course=announcement.course,
        assignment=announcement.assignment,
        title=announcement.title,
        **data,
    )
