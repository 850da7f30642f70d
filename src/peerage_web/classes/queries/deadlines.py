"""All deadlines of one person, in every course they are in, with their own extensions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max

from peerage_web.accounts.models import Person
from peerage_web.classes.models import Assignment, Event, Extension, Membership
from peerage_web.classes.queries.overview import personal_dates
from peerage_web.classes.queries.visible import memberships_of
from peerage_web.classes.words import Phase, Role, Task

_TELLING = ("date-changed", "extension-granted", "extension-removed", "assignment-changed", "phase-moved")


@dataclass(frozen=True, slots=True)
class Deadline:
    """By when something is due."""

    assignment: Assignment
    task: Task
    at: datetime
    changed_at: datetime
    is_own: bool  # by an extension


def deadlines_of(person: Person) -> list[Deadline]:
    """What was published, in courses that are not over, by date; five queries, however many there are."""
    members = {one.course_id: one for one in memberships_of(person).filter(course__archived_at=None)}
    assignments = list(
        Assignment.objects.filter(course__in=list(members))
        .exclude(phase=Phase.SETUP)
        .select_related("course")
    )
    students = [one.pk for one in members.values() if one.role == Role.STUDENT]
    extensions = {one.assignment_id: one for one in Extension.objects.filter(membership__in=students)}
    changed = _changes(assignments, list(members.values()))
    found = []
    for one in assignments:
        dates = personal_dates(one, extensions.get(one.pk))
        last = changed.get(one.pk, one.created_at)
        for task, name in ((Task.WORK, "due_at"), (Task.REVIEWS, "reviews_due_at")):
            at = dates[name]
            if at is not None:
                found.append(Deadline(one, task, at, last, at != getattr(one, name)))
    return sorted(found, key=lambda one: (one.at, one.assignment.pk, one.task))


def _changes(assignments: list[Assignment], members: list[Membership]) -> dict[int, datetime]:
    """When something that these dates show was last changed; others' extensions are none of it."""
    events = Event.objects.filter(assignment__in=assignments, verb__in=_TELLING).order_by()
    general = events.filter(subject=None) | events.filter(subject__in=members)
    return dict(general.values_list("assignment").annotate(Max("at")))
