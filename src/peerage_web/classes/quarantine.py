"""Background work goes course by course: one that fails is noted, told to its instructors and held back.

The activity log is the memory: an entry says which step failed and how often in a row. A course waits longer
with every failure; a change of its settings, dates or assignments lets it be tried again at once.
"""

import logging
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import TypeVar

from django.db import InterfaceError, OperationalError, transaction
from django.db.models import Max, Model, QuerySet
from django.urls import reverse
from django.utils import timezone

from peerage_web.accounts.services.mail import queue_mail
from peerage_web.classes import texts
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.enums import Role

Row = TypeVar("Row", bound=Model)
log = logging.getLogger(__name__)
VERB = "background-failed"
MENDS = ("course-changed", "assignment-changed", "date-changed")  # after which it may be tried again
FIRST_WAIT, LONGEST_WAIT = timedelta(minutes=5), timedelta(days=1)


def course_by_course(
    step: str, rows: QuerySet[Row], do: Callable[[Row], int], *, course: str = "course"
) -> int:
    """Do it with every row whose course is not held back; the sum of what was done. `course` leads there.

    Each is read by itself: one that cannot even be read is its own course's trouble.
    """
    done = 0
    found = list(rows.values_list("pk", course))
    held = held_courses(step, {where for _number, where in found})
    for number, where in found:
        if where in held:
            continue
        with one_course(where, step):
            row = rows.filter(pk=number).first()
            done += do(row) if row is not None else 0
    return done


@contextmanager
def one_course(course: int, step: str) -> Iterator[None]:
    """Do a step for one course; where it fails, the others go on.

    A database that is away or locked is nobody's fault, and raised.
    """
    try:
        yield
    except (OperationalError, InterfaceError):
        raise
    except Exception:
        log.exception("background work failed in course %s: %s", course, step)
        try:
            _note(course, step)
        except (OperationalError, InterfaceError):
            raise
        except Exception:  # a course so broken that not even this can be noted does not stop the others
            log.exception("what failed in course %s could not be noted", course)


def held_courses(step: str, among: Collection[int]) -> set[int]:
    """Those of these courses for which the step waits after a failure."""
    if not among:
        return set()
    now = timezone.now()
    events = Event.objects.filter(course__in=among, at__gt=now - LONGEST_WAIT)
    failures = events.filter(verb=VERB, data__reason=step).order_by("at", "pk")
    last = {event.course_id: event for event in failures if event.course_id is not None}
    changes = events.filter(course__in=list(last), verb__in=MENDS).order_by().values_list("course")
    mended: dict[int | None, datetime] = dict(changes.annotate(Max("at"))) if last else {}
    return {
        course
        for course, event in last.items()
        if now < event.at + _wait(event) and mended.get(course, event.at) <= event.at
    }


def _wait(event: Event) -> timedelta:
    wait: timedelta = FIRST_WAIT * 4 ** min(event.data["count"] - 1, 9)
    return min(wait, LONGEST_WAIT)


def _note(number: int, step: str) -> None:
    """An entry in the activity log, and for the first in a row a mail to every instructor."""
    with transaction.atomic():
        course = Course.objects.filter(pk=number).first()
        if course is None:  # deleted meanwhile
            return
        before = Event.objects.filter(
            course=course, verb=VERB, data__reason=step, at__gt=timezone.now() - 2 * LONGEST_WAIT
        )
        times = before.count() + 1
        record(VERB, by=None, course=course, reason=step, count=times)
        if times == 1:
            _tell(course, step)


def _tell(course: Course, step: str) -> None:
    path = reverse("activity-log", args=[course.key])
    context = {"course": course, "step": texts.WHY[step], "path": path}
    staff = Membership.objects.filter(course=course, role=Role.INSTRUCTOR, person__is_active=True)
    for member in staff.select_related("person"):
        queue_mail(
            person=member.person,
            kind="failed_step",
            context=context,
            language=course.language,
            about=f"course {course.pk}",
        )
