"""Courses that are not kept for ever: announced to their instructors, then deleted. Done by maintenance."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from peerage_web.accounts.models import Person
from peerage_web.accounts.services.mail import queue_mail
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.enums import Role
from peerage_web.classes.record.models import Event
from peerage_web.classes.record.services import record
from peerage_web.classes.retention.deletion import delete_course
from peerage_web.classes.retention.queries import kept_until
from peerage_web.shared.database import exclusively

log = logging.getLogger(__name__)
AHEAD = timedelta(days=30)  # before its day, a deletion is announced
LEAST = timedelta(days=14)  # between that and the deletion, also where somebody chose a shorter time just now
AGAIN = timedelta(days=3)  # before the deletion, it is told once more
VERB = "deletion-announced"


@dataclass(frozen=True, slots=True)
class Announced:
    """A deletion that instructors know of."""

    course: Course
    at: datetime


def keep_courses() -> int:
    """Announce and delete what is due; how many courses were deleted."""
    deleted = 0
    for course in Course.objects.filter(keep_months__gt=0).order_by("pk"):
        try:
            deleted += _keep(course.pk)
        except Exception:  # one course does not keep the others waiting
            log.exception("a course whose time is up could not be dealt with")
    return deleted


def _keep(number: int) -> bool:
    """Looked up anew under the lock: somebody may just have chosen to keep it."""
    with exclusively(f"keeping course {number}"):
        course = Course.objects.filter(pk=number).select_related("created_by").first()
        until = kept_until(course) if course is not None else None
        now = timezone.now()
        if course is None or until is None or now < until - AHEAD:
            return False
        told = announced(course) or _announce(course, until, now)
        if now < told.at:
            _tell_again(told, now)
            return False
        instructors = _instructors(course)
        delete_course(course=course, by=None)
        for person in instructors:
            queue_mail(person=person, kind="deleted", context={"course": course}, language=course.language)
    return True


def announced(course: Course) -> Announced | None:
    """The deletion that was announced for the date that holds now; None where none was."""
    until = kept_until(course)
    if until is None:
        return None
    for entry in Event.objects.filter(course=course, verb=VERB):
        if entry.data.get("until") == until.isoformat(timespec="minutes"):
            return Announced(course, datetime.fromisoformat(entry.data["after"]))
    return None


def _announce(course: Course, until: datetime, now: datetime) -> Announced:
    told = Announced(course, max(until, now + LEAST).replace(second=0, microsecond=0))
    with transaction.atomic():
        record(VERB, by=None, course=course, after=told.at, until=until)
        _tell(told, "first")
    return told


def _tell_again(told: Announced, now: datetime) -> None:
    if now >= told.at - AGAIN:
        _tell(told, "last")


def _tell(told: Announced, which: str) -> None:
    """A mail to every instructor; once for each date, however often this is done."""
    course = told.course
    path = reverse("course-settings", args=[course.key])
    for person in _instructors(course):
        with timezone.override(course.zone):
            queue_mail(
                person=person,
                kind="deletion",
                context={"course": course, "at": told.at, "path": path},
                language=course.language,
                about=f"course {course.pk}",
                once=f"deletion {course.pk} {told.at:%Y-%m-%dT%H:%M} {which} {person.pk}",
            )


def _instructors(course: Course) -> list[Person]:
    found = Membership.objects.filter(course=course, role=Role.INSTRUCTOR, person__is_active=True)
    return [one.person for one in found.select_related("person")]
