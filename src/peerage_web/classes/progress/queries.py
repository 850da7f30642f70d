"""How far everybody is: who has handed in, opened, drafted and finished. Few queries, whatever the size.

A row per person is put together here, in plain Python, so that the page, its file and the reminders cannot
tell different stories.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import Count, Max, Q
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from peerage_web.classes.allocation.models import Review
from peerage_web.classes.assignments.models import Assignment, Extension, TeamMember
from peerage_web.classes.assignments.queries import personal_dates
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import MEMBERS, Phase, Role, Standing, Task, WorkState
from peerage_web.classes.progress.models import Reminder
from peerage_web.classes.reviewing.models import HandedInRanking, Ranking
from peerage_web.classes.submissions.models import Submission

DAY = timedelta(days=1)
Members = Collection[int] | None  # None: everybody


@dataclass(slots=True)
class ProgressRow:
    """One person in one assignment."""

    member: int
    name: str  # for staff; never shown across the blind
    email: str
    student_id: str
    section: str
    is_student: bool  # else staff who review, of whom no work is expected
    due_at: datetime | None  # with the own extension, as are the next two
    late_until: datetime | None
    reviews_due_at: datetime | None
    gets_mail: bool  # the account is in use
    wants_reminders: bool
    team: str = ""
    work: WorkState = WorkState.NONE
    work_at: datetime | None = None
    work_is_late: bool = False
    reviews: int = 0  # open ones
    opened: int = 0  # of these
    asked_at: datetime | None = None  # when the newest of these came
    drafted_at: datetime | None = None  # when the order was last saved
    ranked_at: datetime | None = None  # when it was last handed in
    ranked_late: bool = False
    reminded_at: datetime | None = None  # in the course
    reminded_today: int = 0

    @property
    def standing(self) -> Standing:
        """How far the reviews are; a work that came after the ranking was handed in opens it again."""
        if self.reviews == 0:
            return Standing.FINISHED if self.ranked_at else Standing.NOTHING
        if self.ranked_at is not None and (self.asked_at is None or self.asked_at <= self.ranked_at):
            return Standing.FINISHED
        begun = self.opened or self.drafted_at or self.ranked_at
        return Standing.BEGUN if begun else Standing.NOT_BEGUN


def rows_of(assignment: Assignment, members: Members = None) -> list[ProgressRow]:
    """Everybody who is to hand in or to review, in the order of the roster; or these members of them."""
    rows = {row.member: row for row in _people(assignment, members)}
    _add_works(assignment, rows)
    _add_reviews(assignment, rows, members)
    _add_rankings(assignment, rows, members)
    _add_reminders(assignment, rows, members)
    return list(rows.values())


_PERSON = (
    "person__name",
    "person__email",
    "person__erased_at",
    "person__is_active",
    "person__wants_reminders",
)


def _people(assignment: Assignment, members: Members) -> list[ProgressRow]:
    reviewing = Review.objects.filter(assignment=assignment, state=Review.State.OPEN).values("reviewer")
    everybody = Membership.objects.filter(course=assignment.course_id, role__in=MEMBERS)
    found = _only(everybody.filter(Q(role=Role.STUDENT) | Q(pk__in=reviewing)), "pk", members)
    extensions = _only(Extension.objects.filter(assignment=assignment), "membership", members)
    extended = {one.membership_id: one for one in extensions}
    fields = ("pk", "name", "student_id", "section", "role", *_PERSON)
    return [_row(one, personal_dates(assignment, extended.get(one["pk"]))) for one in found.values(*fields)]


def _row(one: dict[str, Any], dates: dict[str, datetime | None]) -> ProgressRow:
    return ProgressRow(
        member=one["pk"],
        name=_shown_name(one),
        email=one["person__email"],
        student_id=one["student_id"],
        section=one["section"],
        is_student=one["role"] == Role.STUDENT,
        gets_mail=one["person__is_active"] and one["person__erased_at"] is None,
        wants_reminders=one["person__wants_reminders"],
        due_at=dates["due_at"],
        late_until=dates["late_until"],
        reviews_due_at=dates["reviews_due_at"],
    )


def _shown_name(one: dict[str, Any]) -> str:
    if one["person__erased_at"] is not None:
        return _("Erased person")
    name: str = one["name"] or one["person__name"] or one["person__email"]
    return name


def _only(found: Any, field: str, members: Members) -> Any:
    return found if members is None else found.filter(**{f"{field}__in": list(members)})


def _add_works(assignment: Assignment, rows: dict[int, ProgressRow]) -> None:
    """A work is its author's, or that of everybody in its team; the newest that was handed in counts."""
    teams: dict[int, list[int]] = {}
    placed = TeamMember.objects.filter(assignment=assignment).values_list("team", "membership", "team__name")
    for team, number, name in placed if assignment.in_teams else ():
        teams.setdefault(team, []).append(number)
        if number in rows:
            rows[number].team = name
    submissions = Submission.objects.filter(work__assignment=assignment).order_by("work", "number")
    for author, team, at, late in submissions.values_list(
        "work__author", "work__team", "handed_in_at", "is_late"
    ):
        for number in teams.get(team, ()) if team else (author,):
            if number in rows:
                _add_submission(rows[number], at, late)


def _add_submission(row: ProgressRow, at: datetime | None, late: bool) -> None:
    if at is not None:
        row.work, row.work_at, row.work_is_late = WorkState.HANDED_IN, at, late
    elif row.work == WorkState.NONE:
        row.work = WorkState.DRAFT


def _add_reviews(assignment: Assignment, rows: dict[int, ProgressRow], members: Members) -> None:
    found = Review.objects.filter(assignment=assignment, state=Review.State.OPEN)
    counted = _only(found, "reviewer", members).order_by().values_list("reviewer")
    for number, count, opened, newest in counted.annotate(Count("pk"), Count("opened_at"), Max("created_at")):
        if number in rows:
            rows[number].reviews, rows[number].opened, rows[number].asked_at = count, opened, newest


def _add_rankings(assignment: Assignment, rows: dict[int, ProgressRow], members: Members) -> None:
    drafts = _only(Ranking.objects.filter(assignment=assignment, version__gt=0), "reviewer", members)
    for number, at in drafts.values_list("reviewer", "saved_at"):
        if number in rows:
            rows[number].drafted_at = at
    found = HandedInRanking.objects.filter(ranking__assignment=assignment).order_by("number")
    fields = ("ranking__reviewer", "handed_in_at", "is_late")
    for number, at, late in _only(found, "ranking__reviewer", members).values_list(*fields):
        if number in rows:
            rows[number].ranked_at, rows[number].ranked_late = at, late


def _add_reminders(assignment: Assignment, rows: dict[int, ProgressRow], members: Members) -> None:
    """In the whole course: a mail tells of everything that is open there. One mail may tell of several."""
    found = Reminder.objects.filter(membership__course=assignment.course_id)
    today = Q(made_at__gt=timezone.now() - DAY, made_by__isnull=False)
    counted = _only(found, "membership", members).order_by().values_list("membership")
    for number, last, count in counted.annotate(
        Max("made_at"), today=Count("made_at", filter=today, distinct=True)
    ):
        if number in rows:
            rows[number].reminded_at, rows[number].reminded_today = last, count


# -- The list of progress: which rows are shown and in which order, and the counts above it ------------


LONG_AGO = datetime(1, 1, 1, tzinfo=UTC)

# what can be shown: its name in addresses, on the page, and which rows it means
SHOWN: dict[str, tuple[Any, Callable[[ProgressRow], bool]]] = {
    "": (gettext_lazy("Everybody"), lambda row: True),
    "missing": (
        gettext_lazy("Not submitted"),
        lambda row: row.is_student and row.work != WorkState.HANDED_IN,
    ),
    "late": (gettext_lazy("Submitted late"), lambda row: row.work_is_late),
    "unfinished": (
        gettext_lazy("Reviews not finished"),
        lambda row: row.standing in (Standing.NOT_BEGUN, Standing.BEGUN),
    ),
    "not-begun": (gettext_lazy("Reviews not started"), lambda row: row.standing == Standing.NOT_BEGUN),
    "begun": (gettext_lazy("Reviews started, not submitted"), lambda row: row.standing == Standing.BEGUN),
    "finished": (gettext_lazy("Reviews submitted"), lambda row: row.standing == Standing.FINISHED),
}
_WORKS, _STANDINGS = list(WorkState), list(Standing)
SORTS: dict[str, Callable[[ProgressRow], Any]] = {
    "name": lambda row: row.name.casefold(),
    "section": lambda row: (row.section.casefold(), row.name.casefold()),
    "work": lambda row: (_WORKS.index(row.work), row.work_at or LONG_AGO),
    "reviews": lambda row: (_STANDINGS.index(row.standing), row.opened),
    "ranked": lambda row: row.ranked_at or LONG_AGO,
    "reminded": lambda row: row.reminded_at or LONG_AGO,
}


@dataclass(frozen=True, slots=True)
class ProgressFilter:
    """What somebody wants to see; unknown words mean everything, by name."""

    show: str = ""
    section: str = ""
    search: str = ""
    sort: str = "name"
    down: bool = False

    @classmethod
    def of(cls, given: Mapping[str, str]) -> ProgressFilter:
        """Out of an address, where a minus before the order turns it round."""
        sort = given.get("sort", "")
        name = sort.removeprefix("-")
        return cls(
            given.get("show", "") if given.get("show", "") in SHOWN else "",
            given.get("section", ""),
            given.get("search", ""),
            name if name in SORTS else "name",
            sort.startswith("-") and name in SORTS,
        )


def chosen(rows: list[ProgressRow], choice: ProgressFilter) -> list[ProgressRow]:
    """The rows, in their order; what compares equal stays in that of the roster."""
    fits, text = SHOWN[choice.show][1], choice.search.casefold()
    found = [
        row
        for row in rows
        if fits(row)
        and (not choice.section or row.section == choice.section)
        and (not text or any(text in one.casefold() for one in (row.name, row.email, row.student_id)))
    ]
    return sorted(found, key=SORTS[choice.sort], reverse=choice.down)


def counts(rows: list[ProgressRow]) -> dict[str, int]:
    """Figures for the top of the page."""
    students = [row for row in rows if row.is_student]
    reviewers = [row for row in rows if row.reviews or row.ranked_at]
    return {
        "students": len(students),
        "handed_in": sum(row.work == WorkState.HANDED_IN for row in students),
        "drafts": sum(row.work == WorkState.DRAFT for row in students),
        "reviewers": len(reviewers),
        "opened": sum(row.opened > 0 for row in reviewers),
        "drafted": sum(row.drafted_at is not None for row in reviewers),
        "finished": sum(row.standing == Standing.FINISHED for row in reviewers),
    }


# -- What somebody still has to do in an assignment, and can -------------------------------------------


_HANDING_IN = frozenset({Phase.SUBMITTING, Phase.ALLOCATING, Phase.REVIEWING})


@dataclass(frozen=True, slots=True)
class OpenTask:
    """One thing to do, by a date that is still to come."""

    assignment: Assignment
    task: Task
    due_at: datetime
    is_late: bool = False  # only as a late work
    reviews: int = 0


def open_tasks(assignment: Assignment, row: ProgressRow, now: datetime) -> list[OpenTask]:
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
