"""How far everybody is: who has submitted, opened, drafted and finished. Few queries, whatever the size.

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
from peerage_web.classes.enums import MEMBERS, Phase, Role, Standing, SubmissionState, Task
from peerage_web.classes.names import name_key
from peerage_web.classes.progress.models import Reminder
from peerage_web.classes.reviewing.models import Ranking, SubmittedRanking
from peerage_web.classes.submissions.models import SubmissionVersion

DAY = timedelta(days=1)
Members = Collection[int] | None  # None: everybody


@dataclass(slots=True)
class ProgressRow:
    member: int
    name: str  # for staff; never shown across the blind
    email: str
    student_id: str
    section: str
    is_student: bool  # else staff who review, of whom no submission is expected
    due_at: datetime | None  # with the own extension, as are the next two
    late_until: datetime | None
    reviews_due_at: datetime | None
    gets_mail: bool  # the account is in use
    wants_reminders: bool
    team: str = ""
    submission: SubmissionState = SubmissionState.NONE
    submission_at: datetime | None = None
    submission_is_late: bool = False
    reopened_until: datetime | None = None  # staff let them replace their submission
    reviews: int = 0  # open ones
    opened: int = 0  # of these
    asked_at: datetime | None = None  # when the newest of these came
    drafted_at: datetime | None = None  # when the order was last saved
    ranked_at: datetime | None = None  # when it was last submitted
    ranked_late: bool = False
    reminded_at: datetime | None = None  # in the course
    reminded_today: int = 0

    @property
    def standing(self) -> Standing:
        """How far the reviews are; a submission that came after the ranking was submitted opens it again."""
        if self.reviews == 0:
            return Standing.FINISHED if self.ranked_at else Standing.NOTHING
        if self.ranked_at is not None and (self.asked_at is None or self.asked_at <= self.ranked_at):
            return Standing.FINISHED
        begun = self.opened or self.drafted_at or self.ranked_at
        return Standing.BEGUN if begun else Standing.NOT_BEGUN


def rows_of(assignment: Assignment, members: Members = None) -> list[ProgressRow]:
    """Everybody who is to submit or to review, in the order of the roster; or these members of them."""
    rows = {row.member: row for row in _people(assignment, members)}
    _add_submissions(assignment, rows)
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
    people = _only(everybody.filter(Q(role=Role.STUDENT) | Q(pk__in=reviewing)), "pk", members)
    extensions = _only(Extension.objects.filter(assignment=assignment), "membership", members)
    extended = {extension.membership_id: extension for extension in extensions}
    fields = ("pk", "name", "student_id", "section", "role", *_PERSON)
    return [
        _row(member, personal_dates(assignment, extended.get(member["pk"])))
        for member in people.values(*fields)
    ]


def _row(member: dict[str, Any], dates: dict[str, datetime | None]) -> ProgressRow:
    return ProgressRow(
        member=member["pk"],
        name=_shown_name(member),
        email=member["person__email"],
        student_id=member["student_id"],
        section=member["section"],
        is_student=member["role"] == Role.STUDENT,
        gets_mail=member["person__is_active"] and member["person__erased_at"] is None,
        wants_reminders=member["person__wants_reminders"],
        due_at=dates["due_at"],
        late_until=dates["late_until"],
        reviews_due_at=dates["reviews_due_at"],
    )


def _shown_name(member: dict[str, Any]) -> str:
    if member["person__erased_at"] is not None:
        return _("Erased person")
    name: str = member["name"] or member["person__name"] or member["person__email"]
    return name


def _only(rows: Any, field: str, members: Members) -> Any:
    return rows if members is None else rows.filter(**{f"{field}__in": list(members)})


def _add_submissions(assignment: Assignment, rows: dict[int, ProgressRow]) -> None:
    """A submission is its author's, or everybody's in its team; the newest submitted version counts."""
    teams: dict[int, list[int]] = {}
    placed = TeamMember.objects.filter(assignment=assignment).values_list("team", "membership", "team__name")
    for team, number, name in placed if assignment.in_teams else ():
        teams.setdefault(team, []).append(number)
        if number in rows:
            rows[number].team = name
    versions = SubmissionVersion.objects.filter(submission__assignment=assignment).order_by(
        "submission", "number"
    )
    for author, team, at, late, reopened in versions.values_list(
        "submission__author", "submission__team", "submitted_at", "is_late", "submission__reopened_until"
    ):
        for number in teams.get(team, ()) if team else (author,):
            if number in rows:
                _add_version(rows[number], at, late)
                rows[number].reopened_until = reopened


def _add_version(row: ProgressRow, at: datetime | None, late: bool) -> None:
    if at is not None:
        row.submission, row.submission_at, row.submission_is_late = SubmissionState.SUBMITTED, at, late
    elif row.submission == SubmissionState.NONE:
        row.submission = SubmissionState.DRAFT


def _add_reviews(assignment: Assignment, rows: dict[int, ProgressRow], members: Members) -> None:
    reviews = Review.objects.filter(assignment=assignment, state=Review.State.OPEN)
    counted = _only(reviews, "reviewer", members).order_by().values_list("reviewer")
    for number, count, opened, newest in counted.annotate(Count("pk"), Count("opened_at"), Max("created_at")):
        if number in rows:
            rows[number].reviews, rows[number].opened, rows[number].asked_at = count, opened, newest


def _add_rankings(assignment: Assignment, rows: dict[int, ProgressRow], members: Members) -> None:
    drafts = _only(Ranking.objects.filter(assignment=assignment, version__gt=0), "reviewer", members)
    for number, at in drafts.values_list("reviewer", "saved_at"):
        if number in rows:
            rows[number].drafted_at = at
    rankings = SubmittedRanking.objects.filter(ranking__assignment=assignment).order_by("number")
    fields = ("ranking__reviewer", "submitted_at", "is_late")
    for number, at, late in _only(rankings, "ranking__reviewer", members).values_list(*fields):
        if number in rows:
            rows[number].ranked_at, rows[number].ranked_late = at, late


def _add_reminders(assignment: Assignment, rows: dict[int, ProgressRow], members: Members) -> None:
    """In the whole course: a mail tells of everything that is open there. One mail may tell of several."""
    reminders = Reminder.objects.filter(membership__course=assignment.course_id)
    today = Q(made_at__gt=timezone.now() - DAY, made_by__isnull=False)
    counted = _only(reminders, "membership", members).order_by().values_list("membership")
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
        lambda row: row.is_student and row.submission != SubmissionState.SUBMITTED,
    ),
    "late": (gettext_lazy("Submitted late"), lambda row: row.submission_is_late),
    "unfinished": (
        gettext_lazy("Reviews not finished"),
        lambda row: row.standing in (Standing.NOT_BEGUN, Standing.BEGUN),
    ),
    "not-begun": (gettext_lazy("Reviews not started"), lambda row: row.standing == Standing.NOT_BEGUN),
    "begun": (gettext_lazy("Reviews started, not submitted"), lambda row: row.standing == Standing.BEGUN),
    "finished": (gettext_lazy("Reviews submitted"), lambda row: row.standing == Standing.FINISHED),
}
_SUBMISSIONS, _STANDINGS = list(SubmissionState), list(Standing)
SORTS: dict[str, Callable[[ProgressRow], Any]] = {
    "name": lambda row: name_key(row.name),
    "section": lambda row: (name_key(row.section), name_key(row.name)),
    "submission": lambda row: (_SUBMISSIONS.index(row.submission), row.submission_at or LONG_AGO),
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
    def of(cls, query: Mapping[str, str]) -> ProgressFilter:
        """Out of an address, where a minus before the order turns it round."""
        sort = query.get("sort", "")
        name = sort.removeprefix("-")
        return cls(
            query.get("show", "") if query.get("show", "") in SHOWN else "",
            query.get("section", ""),
            query.get("search", ""),
            name if name in SORTS else "name",
            sort.startswith("-") and name in SORTS,
        )


def chosen(rows: list[ProgressRow], choice: ProgressFilter) -> list[ProgressRow]:
    """The rows, in their order; what compares equal stays in that of the roster."""
    fits, text = SHOWN[choice.show][1], choice.search.casefold()
    chosen = [
        row
        for row in rows
        if fits(row)
        and (not choice.section or row.section == choice.section)
        and (not text or any(text in value.casefold() for value in (row.name, row.email, row.student_id)))
    ]
    return sorted(chosen, key=SORTS[choice.sort], reverse=choice.down)


def counts(rows: list[ProgressRow]) -> dict[str, int]:
    students = [row for row in rows if row.is_student]
    reviewers = [row for row in rows if row.reviews or row.ranked_at]
    return {
        "students": len(students),
        "submitted": sum(row.submission == SubmissionState.SUBMITTED for row in students),
        "drafts": sum(row.submission == SubmissionState.DRAFT for row in students),
        "reviewers": len(reviewers),
        "opened": sum(row.opened > 0 for row in reviewers),
        "drafted": sum(row.drafted_at is not None for row in reviewers),
        "finished": sum(row.standing == Standing.FINISHED for row in reviewers),
    }


# -- What somebody still has to do in an assignment, and can -------------------------------------------


_SUBMITTING = frozenset({Phase.SUBMITTING, Phase.ALLOCATING, Phase.REVIEWING})


@dataclass(frozen=True, slots=True)
class OpenTask:
    """One thing to do, by a date that is still to come."""

    assignment: Assignment
    task: Task
    due_at: datetime
    is_late: bool = False  # only as a late submission
    reviews: int = 0
    replaces: bool = False  # a submission that staff have reopened


def open_tasks(assignment: Assignment, row: ProgressRow, now: datetime) -> list[OpenTask]:
    """What this person can still do; what nobody takes any more is not asked for."""
    tasks = []
    if assignment.phase in _SUBMITTING and row.is_student and row.submission != SubmissionState.SUBMITTED:
        if row.due_at is not None and row.due_at > now:
            tasks.append(OpenTask(assignment, Task.SUBMISSION, row.due_at))
        elif row.late_until is not None and row.late_until > now:
            tasks.append(OpenTask(assignment, Task.SUBMISSION, row.late_until, is_late=True))
    reopened = row.reopened_until
    if assignment.phase in _SUBMITTING and row.is_student and reopened is not None and reopened > now:
        tasks.append(OpenTask(assignment, Task.SUBMISSION, reopened, replaces=True))
    unfinished = row.standing in (Standing.NOT_BEGUN, Standing.BEGUN)
    due = row.reviews_due_at
    if assignment.phase == Phase.REVIEWING and unfinished and due is not None and due > now:
        tasks.append(OpenTask(assignment, Task.REVIEWS, due, reviews=row.reviews))
    return tasks


def open_in_course(
    assignments: list[Assignment], members: Members, now: datetime
) -> dict[int, list[OpenTask]]:
    """Member to everything that is open, the most urgent first."""
    by_member: dict[int, list[OpenTask]] = {}
    for assignment in assignments:
        for row in rows_of(assignment, members):
            by_member.setdefault(row.member, []).extend(open_tasks(assignment, row, now))
    return {number: sorted(tasks, key=lambda task: task.due_at) for number, tasks in by_member.items()}
