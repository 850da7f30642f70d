"""Mail to a student about an appeal; who answered is not in it, and neither is the answer."""

from __future__ import annotations

from django.urls import reverse
from django.utils import timezone

from peerage_web.accounts.services.mail import queue_mail
from peerage_web.classes.models import Appeal
from peerage_web.classes.words import Role


def tell(*, appeal: Appeal) -> None:
    """That one was opened for them, or was answered; once for each."""
    member, assignment = appeal.membership, appeal.assignment
    if member.role != Role.STUDENT or not member.person.is_active:
        return
    course = assignment.course
    with timezone.override(course.zone):
        queue_mail(
            person=member.person,
            kind="appeal",
            context={
                "assignment": assignment,
                "course": course,
                "state": appeal.state,
                "path": reverse("appeal", args=[course.key, assignment.key]),
            },
            language=course.language,
            about=f"course {course.pk}",
            once=f"appeal {appeal.pk} {appeal.state}",
        )
