"""What somebody still has to do in an assignment, and can."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from peerage_web.classes.models import Assignment
from peerage_web.classes.queries.progress import Members, Row, rows_of
from peerage_web.classes.words import Phase, Standing, Task, WorkState

_HANDING_IN = frozenset({Phase.SUBMITTING, Phase.ALLOCATING, Phase.REVIEWING})


@dataclass(frozen=True, slots=True)
class OpenTask:
    """One thing to do, by a date that is still to come."""

    assignment: Assignment
    task: Task
    due_at: datetime
    is_late: bool = False  # only as a late work
    reviews: int = 0


def open_tasks(assignment: Assignment, row: Row, now: datetime) -> list[OpenTask]:
    """What this person can still do; what nobody takes any more is not asked for."""
    found = []
    if assignment.phase in _HANDING_IN and row.is_student and row.work != WorkState.HANDED_IN:
        if row.due_at is not None and row.due_at > now:
            found.append(OpenTask(assignment, Task.WORK, row.due_at))
        elif row.late_until is not None and row.late_until > now:
            found.append(OpenTask(assignment, Task.WORK, row.late_until, is_late=True))
    unfinished = row.standing in (Standing.NOT_BEGUN, Standing.BEGUN)
    due = row.reviews_due_at
    if assignment.phase == Phase.REVIEWING and unfinished and due is not None and due > now:
        found.append(OpenTask(assignment, Task.REVIEWS, due, reviews=row.reviews))
    return found


def open_in_course(
    assignments: list[Assignment], members: Members, now: datetime
) -> dict[int, list[OpenTask]]:
    """Member to everything that is open, the most urgent first."""
    found: dict[int, list[OpenTask]] = {}
    for assignment in assignments:
        for row in rows_of(assignment, members):
            found.setdefault(row.member, []).extend(open_tasks(assignment, row, now))
    return {number: sorted(tasks, key=lambda one: one.due_at) for number, tasks in found.items()}
