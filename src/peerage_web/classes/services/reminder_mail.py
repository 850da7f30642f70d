"""Noted reminders in words: one mail per person and course, with all that is open when it is written."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils import timezone

from peerage_web.accounts.models import Mail
from peerage_web.accounts.services.mail import queue_mail, unsubscribe_path, write_mail
from peerage_web.classes.models import Assignment, Course, Membership, Reminder
from peerage_web.classes.queries.open_tasks import OpenTask, open_in_course
from peerage_web.classes.services.reminding import QUIET, is_near
from peerage_web.classes.words import Phase
from peerage_web.shared.database import exclusively

KIND = "reminder"
BATCH = 50  # people in one transaction: others want to write, too
ROUND = 200  # people in one round of maintenance


@dataclass(frozen=True, slots=True)
class Letter:
    """A mail as its reader will see it."""

    subject: str
    text: str
    language: str


def write_waiting_reminders() -> int:
    """Write the mail for reminders that wait; how many people were dealt with."""
    waiting = (
        Reminder.objects.filter(settled_at=None).order_by().values_list("membership__course", "membership")
    )
    by_course: dict[int, list[int]] = {}
    for course, member in waiting.distinct()[:ROUND]:
        by_course.setdefault(course, []).append(member)
    for number, members in by_course.items():
        for start in range(0, len(members), BATCH):
            _write(number, members[start : start + BATCH])
    return sum(map(len, by_course.values()))


def _write(number: int, members: list[int]) -> None:
    with exclusively(f"reminders of course {number}"):
        now = timezone.now()
        course = Course.objects.get(pk=number)
        tasks = open_in_course(_published(course), members, now)
        waiting = Reminder.objects.filter(settled_at=None, membership__in=members)
        firsts = dict(waiting.order_by("-pk").values_list("membership", "pk"))
        people = Membership.objects.filter(pk__in=firsts).select_related("person", "course")
        for member in people:
            mail = _queue(member, tasks.get(member.pk, []), once=f"{KIND} {firsts[member.pk]}")
            mine = waiting.filter(membership=member)
            mine.update(settled_at=now, mail=mail)
            if mail is not None:
                _spare(member, tasks[member.pk], mail, now)


def _published(course: Course) -> list[Assignment]:
    found = Assignment.objects.filter(course=course).exclude(
        phase__in=(Phase.SETUP, Phase.CLOSED, Phase.RELEASED)
    )
    return list(found.select_related("course"))


def _queue(member: Membership, tasks: list[OpenTask], once: str) -> Mail | None:
    """None where nothing is open any more, or the person wants no reminders."""
    person = member.person
    if not tasks or not person.wants_reminders or not person.is_active:
        return None
    with timezone.override(member.course.zone):
        queue_mail(
            person=person,
            kind=KIND,
            context=_context(member, tasks),
            language=member.course.language,
            about=f"course {member.course_id}",
            once=once,
        )
    return Mail.objects.get(once=once)


def _context(member: Membership, tasks: list[OpenTask]) -> dict[str, object]:
    course = member.course
    listed = [
        {"open": one, "path": reverse("assignment", args=[course.key, one.assignment.key])} for one in tasks
    ]
    return {"course": course, "tasks": listed, "way_out": unsubscribe_path(member.person)}


def _spare(member: Membership, tasks: list[OpenTask], mail: Mail, now: datetime) -> None:
    """What this mail has told already would be told again within hours: that reminder counts as given."""
    Reminder.objects.bulk_create(
        (
            Reminder(
                membership=member,
                assignment=one.assignment,
                task=one.task,
                due_at=one.due_at,
                made_at=now,
                settled_at=now,
                mail=mail,
            )
            for one in tasks
            if is_near(one, now, ahead=QUIET)
        ),
        ignore_conflicts=True,
    )


def preview(*, member: Membership) -> Letter | None:
    """The mail that this person would get now; None where they would get none."""
    tasks = open_in_course(_published(member.course), [member.pk], timezone.now()).get(member.pk, [])
    if not tasks:
        return None
    with timezone.override(member.course.zone):
        subject, text, language = write_mail(
            person=member.person,
            kind=KIND,
            context={**_context(member, tasks), "way_out": "…"},
            language=member.course.language,
        )
    return Letter(subject, text, language)
