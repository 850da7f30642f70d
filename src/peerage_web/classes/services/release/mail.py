"""Telling students that grades are there or have changed: one mail each, written by maintenance.

The mail has no grade in it: comments are rated before, and mail is read over shoulders.
"""

from __future__ import annotations

from django.urls import reverse
from django.utils import timezone

from peerage_web.accounts.models import Mail
from peerage_web.accounts.services.mail import queue_mail
from peerage_web.classes.models import Course, ReleasedGrade
from peerage_web.classes.words import Role
from peerage_web.shared.database import exclusively

KIND = "grades"
BATCH = 50  # in one transaction: others want to write, too
ROUNDS = 4  # of such in one round of maintenance


def write_grade_mail() -> int:
    """Write the mail of those who were not told yet; how many were dealt with."""
    told = 0
    for _round in range(ROUNDS):
        batch = _write()
        told += batch
        if batch < BATCH:
            break
    return told


def _write() -> int:
    waiting = ReleasedGrade.objects.filter(told_at=None)
    if not waiting.exists():  # nobody should wait for a lock where there is nothing to do
        return 0
    with exclusively("mail about grades"):
        rows = list(
            waiting.order_by("pk").select_related(
                "membership__person", "membership__course", "release__assignment__course"
            )[:BATCH]
        )
        for one in rows:
            if one.release.ended_at is None:  # what was taken back meanwhile is not told
                _tell(one)
        ReleasedGrade.objects.filter(pk__in=[one.pk for one in rows]).update(told_at=timezone.now())
    return len(rows)


def _tell(grade: ReleasedGrade) -> None:
    member, assignment = grade.membership, grade.release.assignment
    if member.role != Role.STUDENT or not member.person.is_active:
        return
    course: Course = assignment.course
    with timezone.override(course.zone):
        queue_mail(
            person=member.person,
            kind=KIND,
            context={
                "assignment": assignment,
                "course": course,
                "is_again": _was_told(grade),
                "why": grade.release.why,
                "path": reverse("grade", args=[course.key, assignment.key]),
            },
            language=course.language,
            about=f"course {course.pk}",
            once=_once(grade.pk),
        )


def _was_told(grade: ReleasedGrade) -> bool:
    """Of an earlier release; not where that one was taken back before the mail was written."""
    earlier = ReleasedGrade.objects.filter(
        release__assignment=grade.release.assignment_id,
        membership=grade.membership_id,
        release__number__lt=grade.release.number,
    )
    return Mail.objects.filter(once__in=[_once(pk) for pk in earlier.values_list("pk", flat=True)]).exists()


def _once(pk: int) -> str:
    return f"{KIND} {pk}"
