"""What webhooks are told: a message for each of a course's, written in the transaction that causes it.

Messages name the course and the assignment by their keys and no person; who wants grades asks the API for
them with a token. Their form and signature are those of Standard Webhooks (standardwebhooks.com).
"""

from typing import Any

from django.utils import timezone

from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.courses.models import Course
from peerage_web.classes.webhooks.models import Delivery, Webhook

EVENTS = {  # verbs of the activity log, and what webhooks call them
    "phase-moved": "phase.changed",
    "grades-released": "grades.released",
    "grades-released-on-date": "grades.released",
    "grades-released-again": "grades.released",
    "grades-retracted": "grades.retracted",
}
FIGURES = ("before", "after", "number", "count")  # of the entry; never a reason, which may name somebody


def notify(event: Event) -> None:
    """Queue a message for every webhook of the course, if webhooks send this verb."""
    kind = EVENTS.get(event.verb)
    if kind is None or event.course is None:
        return
    data: dict[str, Any] = {name: event.data[name] for name in FIGURES if name in event.data}
    if event.assignment is not None:
        where = event.assignment
        data |= {"assignment": where.key, "title": where.title, "phase": where.phase}
    queue(event.course, kind, data)


def queue(course: Course, kind: str, data: dict[str, Any], hooks: Any = None) -> int:
    """Write the messages; how many."""
    if hooks is None:
        hooks = Webhook.objects.filter(course=course, ended_at=None)
    now = timezone.now()
    body = {
        "type": kind,
        "timestamp": now.isoformat(timespec="seconds"),
        "data": {"course": course.key, **data},
    }
    deliveries = [Delivery(webhook=hook, event=kind, body=body, next_at=now) for hook in hooks]
    return len(Delivery.objects.bulk_create(deliveries))
