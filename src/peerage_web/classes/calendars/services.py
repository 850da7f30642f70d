"""The calendar of one's own deadlines: what is in it, its secret address, and the file (RFC 5545)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import Max
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.assignments.models import Assignment, Extension
from peerage_web.classes.assignments.queries import personal_dates
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Phase, Role, Task
from peerage_web.classes.keys import secret_key
from peerage_web.classes.visibility import memberships_of


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
    return calendar(name=name, moments=[_moment(deadline, person) for deadline in deadlines_of(person)])


def _moment(deadline: Deadline, person: Person) -> CalendarEntry:
    course = deadline.assignment.course
    host = urlsplit(settings.BASE_URL).hostname
    language = person.language or course.language or settings.LANGUAGE_CODE
    with translation.override(language), timezone.override(course.zone):
        title = (
            _("Submission due: %(title)s")
            if deadline.task == Task.SUBMISSION
            else _("Reviews due: %(title)s")
        )
        lines = [
            f"{course.name} {course.term}".strip(),
            f"{date_format(timezone.localtime(deadline.at), 'DATETIME_FORMAT')} ({course.time_zone})",
        ]
        if deadline.is_own:
            lines.append(_("You have an extension until this date."))
        return CalendarEntry(
            uid=f"{deadline.assignment.key}.{deadline.task.value}@{host}",
            at=deadline.at,
            changed_at=deadline.changed_at,
            title=title % {"title": deadline.assignment.title},
            text="\n".join(lines),
            url=settings.BASE_URL + reverse("assignment", args=[course.key, deadline.assignment.key]),
        )


# -- A calendar as RFC 5545 has it: lines of at most 75 octets, ended by CRLF, with what is special escaped


WIDTH = 75  # octets
_ESCAPED = {"\\": "\\\\", ";": "\\;", ",": "\\,", "\n": "\\n"}


@dataclass(frozen=True, slots=True)
class CalendarEntry:
    uid: str  # the same for as long as it is the same thing, whatever its date
    at: datetime
    changed_at: datetime
    title: str
    text: str
    url: str


def calendar(*, name: str, moments: Iterable[CalendarEntry]) -> str:
    """The whole file; times in UTC, so that it needs no definitions of time zones."""
    head = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Peerage//Deadlines//EN", "CALSCALE:GREGORIAN"]
    head += [f"NAME:{_text(name)}", f"X-WR-CALNAME:{_text(name)}", "REFRESH-INTERVAL;VALUE=DURATION:PT6H"]
    lines = [*head, *(line for moment in moments for line in _entry(moment)), "END:VCALENDAR"]
    return "".join(folded + "\r\n" for line in lines for folded in _fold(line))


def _entry(entry: CalendarEntry) -> list[str]:
    return [
        "BEGIN:VEVENT",
        f"UID:{entry.uid}",
        f"DTSTAMP:{_time(entry.changed_at)}",
        f"LAST-MODIFIED:{_time(entry.changed_at)}",
        f"DTSTART:{_time(entry.at)}",
        f"SUMMARY:{_text(entry.title)}",
        f"DESCRIPTION:{_text(entry.text)}",
        f"URL:{entry.url}",
        "TRANSP:TRANSPARENT",
        "CLASS:PRIVATE",
        "END:VEVENT",
    ]


def _time(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _text(text: str) -> str:
    """Without control characters, which the format has no way to hold."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    kept = "".join(line for line in lines if line == "\n" or line.isprintable())
    return "".join(_ESCAPED.get(character, character) for character in kept)


def _fold(line: str) -> Iterator[str]:
    """Pieces of a long line, none of which breaks a character; all but the first begin with a blank."""
    piece, used = "", 0
    for character in line:
        size = len(character.encode())
        if used + size > WIDTH:
            yield piece
            piece, used = " ", 1
        piece, used = piece + character, used + size
    yield piece


# -- All deadlines of one person, in every course they are in, with their own extensions ---------------


_TELLING = ("date-changed", "extension-granted", "extension-removed", "assignment-changed", "phase-moved")


@dataclass(frozen=True, slots=True)
class Deadline:
    assignment: Assignment
    task: Task
    at: datetime
    changed_at: datetime
    is_own: bool  # by an extension


def deadlines_of(person: Person) -> list[Deadline]:
    """What was published, in courses that are not over, by date; five queries, however many there are."""
    members = {
        membership.course_id: membership
        for membership in memberships_of(person).filter(course__hidden_at=None)
    }
    assignments = list(
        Assignment.objects.filter(course__in=list(members))
        .exclude(phase=Phase.SETUP)
        .select_related("course")
    )
    students = [member.pk for member in members.values() if member.role == Role.STUDENT]
    extensions = {
        extension.assignment_id: extension for extension in Extension.objects.filter(membership__in=students)
    }
    changed = _changes(assignments, list(members.values()))
    deadlines = []
    for assignment in assignments:
        dates = personal_dates(assignment, extensions.get(assignment.pk))
        last = changed.get(assignment.pk, assignment.created_at)
        for task, name in ((Task.SUBMISSION, "due_at"), (Task.REVIEWS, "reviews_due_at")):
            at = dates[name]
            if at is not None:
                deadlines.append(Deadline(assignment, task, at, last, at != getattr(assignment, name)))
    return sorted(deadlines, key=lambda deadline: (deadline.at, deadline.assignment.pk, deadline.task))


def _changes(assignments: list[Assignment], members: list[Membership]) -> dict[int, datetime]:
    """When something that these dates show was last changed; others' extensions are none of it."""
    events = Event.objects.filter(assignment__in=assignments, verb__in=_TELLING).order_by()
    general = events.filter(subject=None) | events.filter(subject__in=members)
    return dict(general.values_list("assignment").annotate(Max("at")))
