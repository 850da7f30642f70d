"""The calendar that somebody subscribes to: its secret address, and what stands in it."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.icalendar import Moment, calendar
from peerage_web.classes.models.keys import secret_key
from peerage_web.classes.queries.deadlines import Deadline, deadlines_of
from peerage_web.classes.words import Task


def renew_calendar(*, person: Person) -> None:
    """Give the calendar an address, or another one; the one before is dead at once."""
    person.calendar_key = secret_key()
    person.save(update_fields=["calendar_key"])


def end_calendar(*, person: Person) -> None:
    """Take the address back; there is none until the person asks for it."""
    person.calendar_key = None
    person.save(update_fields=["calendar_key"])


def calendar_of(person: Person) -> str:
    """The file, in the person's language or else in that of each course."""
    language = person.language or settings.LANGUAGE_CODE
    with translation.override(language):
        name = _("Peerage: deadlines")
    return calendar(name=name, moments=[_moment(one, person) for one in deadlines_of(person)])


def _moment(one: Deadline, person: Person) -> Moment:
    course = one.assignment.course
    host = urlsplit(settings.BASE_URL).hostname
    language = person.language or course.language or settings.LANGUAGE_CODE
    with translation.override(language), timezone.override(course.zone):
        title = _("Work due: %(title)s") if one.task == Task.WORK else _("Reviews due: %(title)s")
        lines = [
            f"{course.name} {course.term}".strip(),
            f"{date_format(timezone.localtime(one.at), 'DATETIME_FORMAT')} ({course.time_zone})",
        ]
        if one.is_own:
            lines.append(_("This is your own date, by an extension."))
        return Moment(
            uid=f"{one.assignment.key}.{one.task.value}@{host}",
            at=one.at,
            changed_at=one.changed_at,
            title=title % {"title": one.assignment.title},
            text="\n".join(lines),
            url=settings.BASE_URL + reverse("assignment", args=[course.key, one.assignment.key]),
        )
