"""Courses that are not kept for ever: announced to their instructors, then deleted. Done by maintenance."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from peerage_web.accounts.models import Person
from peerage_web.accounts.services.mail import queue_mail
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.enums import Role
from peerage_web.classes.quarantine import course_by_course
from peerage_web.classes.retention.deletion import delete_course
from peerage_web.classes.retention.queries import kept_until
from peerage_web.shared.database import exclusively

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
    kept = Course.objects.filter(Q(keep_months__gt=0) | Q(delete_at__isnull=False)).order_by("pk")
    return course_by_course("retention", kept, lambda course: _keep(course.pk), course="pk")


def _keep(number: int) -> bool:
    """Looked up anew under the lock: somebody may just have chosen to keep it."""
    with exclusively(f"keeping course {number}"):
        course = Course.objects.filter(pk=number).select_related("created_by").first()
        until = kept_until(course) if course is not None else None
        now = timezone.now()
        if course is None or until is None or now < until - AHEAD:
            return False
        announcement = announced(course) or _announce(course, until, now)
        if now < announcement.at:
            _notify_again(announcement, now)
            return False
        instructors = _instructors(course)
        delete_course(course=course, by=None)
        for person in instructors:
            queue_mail(person=person, kind="deleted", context={"course": course}, language=course.language)
    return True


def request_deletion(*, course: Course, by: Person) -> Announced:
    """An instructor wants it deleted: announced at once, done after two weeks, and cancelled until then."""
    now = timezone.now()
    with exclusively(f"keeping course {course.pk}"):
        course.refresh_from_db()
        if course.delete_at is None:
            course.delete_at = (now + LEAST).replace(second=0, microsecond=0)
            course.save(update_fields=["delete_at"])
            record("deletion-requested", by=by, course=course, after=course.delete_at)
        return announced(course) or _announce(course, course.delete_at, now)


def cancel_deletion(*, course: Course, by: Person) -> None:
    """It is kept after all, as long as its settings say."""
    with exclusively(f"keeping course {course.pk}"):
        if Course.objects.filter(pk=course.pk, delete_at__isnull=False).update(delete_at=None):
            record("deletion-cancelled", by=by, course=course)
    course.refresh_from_db()


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
    announcement = Announced(course, max(until, now + LEAST).replace(second=0, microsecond=0))
    with transaction.atomic():
        record(VERB, by=None, course=course, after=announcement.at, until=until)
        _notify(announcement, "first")
    return announcement


def _notify_again(announcement: Announced, now: datetime) -> None:
    if now >= announcement.at - AGAIN:
        _notify(announcement, "last")


def _notify(announcement: Announced, which: str) -> None:
    """A mail to every instructor; once for each date, however often this is done."""
    course = announcement.course
    path = reverse("course-settings", args=[course.key])
    for person in _instructors(course):
        with timezone.override(course.zone):
            queue_mail(
                person=person,
                kind="deletion",
                context={"course": course, "at": announcement.at, "path": path},
                language=course.language,
                about=f"course {course.pk}",
                once=f"deletion {course.pk} {announcement.at:%Y-%m-%dT%H:%M} {which} {person.pk}",
            )


def _instructors(course: Course) -> list[Person]:
    instructors = Membership.objects.filter(course=course, role=Role.INSTRUCTOR, person__is_active=True)
    return [member.person for member in instructors.select_related("person")]
