"""The activity log: every service that changes something adds an entry, in the same transaction."""

from datetime import datetime
from typing import Any

from django.db import models

from peerage_web.accounts.models import Person
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.texts import VERBS
from peerage_web.classes.webhooks.events import notify


def record(
    verb: str,
    *,
    by: Person | None,
    course: Course | None = None,
    assignment: Assignment | None = None,
    subject: Membership | None = None,
    **data: Any,
) -> Event:
    """Add an entry. `verb` must be one that pages can put into words."""
    if verb not in VERBS:
        raise ValueError(f"{verb!r} is not a verb of the activity log; add it to texts.VERBS")
    if course is None and assignment is not None:
        course = assignment.course
    event = Event.objects.create(
        verb=verb,
        actor=by,
        course=course,
        assignment=assignment,
        subject=subject,
        data={name: _plain(value) for name, value in data.items()},
    )
    notify(event)
    return event


def changed_fields(instance: models.Model, changes: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Field to what it was and what it shall be, for those that differ."""
    before = {name: getattr(instance, name) for name in changes}
    return {name: (before[name], after) for name, after in changes.items() if before[name] != after}


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat(timespec="minutes")
    if isinstance(value, list | tuple):
        return ", ".join(str(part) for part in value)
    if value is None:
        return ""
    return value if isinstance(value, int | str | float) else str(value)
