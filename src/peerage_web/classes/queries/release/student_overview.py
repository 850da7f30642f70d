"""A student's overview of a course: what is due, what is saved, what came back. Few queries for all of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Q

from peerage_web.classes.models import (
    Assignment,
    HandedInRanking,
    Membership,
    Ranking,
    ReleasedGrade,
    Review,
    Submission,
    TeamMember,
)
from peerage_web.classes.queries.open_tasks import OpenTask, open_tasks
from peerage_web.classes.queries.progress import Row
from peerage_web.classes.words import Phase, Role, Standing, WorkState


@dataclass(frozen=True, slots=True)
class Saved:
    """Something that was begun or handed in; `is_done` once it counts."""

    assignment: Assignment
    task: str  # work or reviews
    at: datetime | None
    is_done: bool
    is_late: bool = False


@dataclass(frozen=True, slots=True)
class StudentOverview:
    """The three lists."""

    due: list[OpenTask]
    saved: list[Saved]
    back: list[ReleasedGrade]  # their figures are shown only where `seen_at` is set

    @property
    def drafts(self) -> list[Saved]:
        """What does not count before it is handed in."""
        return [one for one in self.saved if not one.is_done]

    @property
    def done(self) -> list[Saved]:
        """What counts."""
        return [one for one in self.saved if one.is_done]


def student_overview(member: Membership, listed: list[dict[str, Any]], now: datetime) -> StudentOverview:
    """Of `overview.assignments_with_dates`, which have this member's own dates."""
    rows = {one["assignment"].pk: _row(member, one) for one in listed}
    _add_works(member, rows)
    _add_reviews(member, rows)
    due: list[OpenTask] = []
    saved: list[Saved] = []
    for one in listed:
        assignment, row = one["assignment"], rows[one["assignment"].pk]
        due += open_tasks(assignment, row, now)
        saved += _saved(assignment, row)
    return StudentOverview(sorted(due, key=lambda one: one.due_at), saved, _back(member))


def _row(member: Membership, one: dict[str, Any]) -> Row:
    dates = {name: one[name] for name in ("due_at", "late_until", "reviews_due_at")}
    return Row(
        member=member.pk,
        name="",
        email="",
        student_id="",
        section="",
        is_student=member.role == Role.STUDENT,
        gets_mail=True,
        wants_reminders=True,
        **dates,
    )


def _add_works(member: Membership, rows: dict[int, Row]) -> None:
    """Their own, and in assignments with teams their team's."""
    teams = TeamMember.objects.filter(membership=member, assignment__in_teams=True).values("team")
    mine = Submission.objects.filter(Q(work__author=member) | Q(work__team__in=teams))
    fields = ("work__assignment", "handed_in_at", "uploaded_at", "is_late")
    for number, at, uploaded, late in mine.order_by("work", "number").values_list(*fields):
        row = rows.get(number)
        if row is None:
            continue
        if at is not None:
            row.work, row.work_at, row.work_is_late = WorkState.HANDED_IN, at, late
        elif row.work == WorkState.NONE:
            row.work, row.work_at = WorkState.DRAFT, uploaded


def _add_reviews(member: Membership, rows: dict[int, Row]) -> None:
    asked = Review.objects.filter(reviewer=member, state=Review.State.OPEN).order_by()
    counted = asked.values_list("assignment").annotate(Count("pk"), Count("opened_at"), Max("created_at"))
    for number, count, opened, newest in counted:
        if number in rows:
            row = rows[number]
            row.reviews, row.opened, row.asked_at = count, opened, newest
    drafts = Ranking.objects.filter(reviewer=member, version__gt=0)
    for number, at in drafts.values_list("assignment", "saved_at"):
        if number in rows:
            rows[number].drafted_at = at
    handed = HandedInRanking.objects.filter(ranking__reviewer=member).order_by("number")
    for number, at, late in handed.values_list("ranking__assignment", "handed_in_at", "is_late"):
        if number in rows:
            rows[number].ranked_at, rows[number].ranked_late = at, late


def _saved(assignment: Assignment, row: Row) -> list[Saved]:
    found = []
    if row.work != WorkState.NONE:
        done = row.work == WorkState.HANDED_IN
        found.append(Saved(assignment, "work", row.work_at, done, row.work_is_late))
    if row.standing == Standing.FINISHED and row.ranked_at is not None:
        found.append(Saved(assignment, "reviews", row.ranked_at, True, row.ranked_late))
    elif row.drafted_at is not None:
        found.append(Saved(assignment, "reviews", row.drafted_at, False))
    return found


def _back(member: Membership) -> list[ReleasedGrade]:
    """What is released to them now, the newest first."""
    grades = ReleasedGrade.objects.filter(
        membership=member, release__ended_at=None, release__assignment__phase=Phase.RELEASED
    )
    return list(grades.select_related("release__assignment__course").order_by("-release__made_at", "-pk"))
