"""The instructor's overview: is everything in, how sure are the grades, whom to talk to, where to look next.

For several assignments at once, with a number of queries that does not grow with any of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Avg, Count, Exists, F, Max, OuterRef, Q

from peerage_web.classes.allocation.models import Report, Review
from peerage_web.classes.appeals.models import Appeal
from peerage_web.classes.assignments.models import Assignment, TeamMember
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Phase, Role, Standing, WorkState
from peerage_web.classes.grading.models import GradingRun, RunGrade, RunReviewer
from peerage_web.classes.progress.queries import OpenTask, ProgressRow, open_tasks
from peerage_web.classes.release.feedback import NOT_HELPFUL
from peerage_web.classes.release.models import Helpfulness, HiddenComment, ReleasedGrade
from peerage_web.classes.release.queries import scale_of
from peerage_web.classes.reviewing.models import HandedInRanking, Ranking
from peerage_web.classes.submissions.models import Submission, Work

MOST = 6  # assignments on the page of a course
NAMES = 5  # of people and works in one answer; the rest is counted
NAMED = ("reversed", "chance")  # what the library finds of a reviewer that is worth a talk
SURE = 0.95
_OVER = (Phase.CLOSED, Phase.RELEASED)


@dataclass(frozen=True, slots=True)
class PersonToTalkTo:
    """Somebody to talk to, and why: a code of `texts.TALK`."""

    membership: Membership
    why: str


@dataclass(slots=True)
class AssignmentSummary:
    """The four answers about one assignment."""

    assignment: Assignment
    # is everything in
    with_work: int = 0  # students, alone or with their team
    students: int = 0
    rankings: int = 0
    reviewers: int = 0
    # how sure are the grades
    run: GradingRun | None = None
    width: float | None = None  # the mean of the bands
    letters: int = 0
    unsure_letters: int = 0
    seen: int = 0
    told: int = 0
    # whom to talk to, where to look next
    people: list[PersonToTalkTo] = field(default_factory=list)
    more_people: int = 0
    look: list[RunGrade] = field(default_factory=list)
    reports: int = 0
    appeals: int = 0
    unhelpful: int = 0

    @property
    def is_everything_in(self) -> bool:
        """As far as the phase asks for it."""
        works = self.with_work >= self.students
        reviewed = self.assignment.phase in (Phase.REVIEWING, *_OVER)
        return works and (not reviewed or (bool(self.reviewers) and self.rankings >= self.reviewers))

    @property
    def missing_works(self) -> int:
        """Still to come, or never will."""
        return self.students - self.with_work

    @property
    def missing_rankings(self) -> int:
        """Of those who have works to review."""
        return self.reviewers - self.rankings

    @property
    def scale(self) -> tuple[float, float]:
        """Of the run."""
        return scale_of(self.run) if self.run is not None else (0.0, 100.0)

    @property
    def nothing_to_look_at(self) -> bool:
        """Whether the fourth answer is empty."""
        return not (self.look or self.reports or self.appeals or self.unhelpful)


def most_urgent(assignments: Sequence[Assignment]) -> list[Assignment]:
    """Those that run, then those whose grades are out, the newest first; not those in set-up."""
    shown = [one for one in assignments if one.phase != Phase.SETUP]
    newest = sorted(shown, key=lambda one: one.pk, reverse=True)
    return sorted(newest, key=lambda one: one.phase == Phase.RELEASED)[:MOST]


def assignment_summaries(
    assignments: Sequence[Assignment], now: datetime, *, with_grades: bool = True
) -> list[AssignmentSummary]:
    """Of these assignments of one course, in their order; without grades for who may not see them."""
    found = {one.pk: AssignmentSummary(one) for one in assignments}
    if found:
        _add_what_is_in(found, assignments[0].course_id)
    if found and with_grades:
        _add_runs(found)
        _add_people(found, now)
        _add_where_to_look(found)
    return list(found.values())


# -- is everything in -----------------------------------------------------------------------------------


def _add_what_is_in(found: dict[int, AssignmentSummary], course: int) -> None:
    """People are counted, not works: somebody's own or their team's is in, or it is not."""
    students = Membership.objects.filter(course=course, role=Role.STUDENT)
    everybody = set(students.values_list("pk", flat=True))
    handed = Work.objects.filter(assignment__in=found, submissions__handed_in_at__isnull=False)
    with_work: dict[int, set[int]] = defaultdict(set)
    for number, author in handed.exclude(author=None).values_list("assignment", "author"):
        with_work[number].add(author)
    placed = TeamMember.objects.filter(assignment__in=found, team__in=handed.values("team"))
    for number, member in placed.values_list("assignment", "membership"):
        with_work[number].add(member)
    for number, one in found.items():
        one.students, one.with_work = len(everybody), len(everybody & with_work[number])
    asked = Review.objects.filter(assignment__in=found, state=Review.State.OPEN).order_by()
    # a work that came after the ranking was handed in opens it again
    waiting = asked.exclude(_has_handed_in(handed_in_at__gte=OuterRef("created_at")))
    reviewer = Count("reviewer", distinct=True)
    for number, count in asked.values_list("assignment").annotate(reviewer):
        found[number].reviewers = found[number].rankings = count
    for number, count in waiting.values_list("assignment").annotate(reviewer):
        found[number].rankings -= count


def _has_handed_in(**when: object) -> Exists:
    """Of a review: whether its reviewer has handed in a ranking."""
    return Exists(
        HandedInRanking.objects.filter(
            ranking__assignment=OuterRef("assignment"), ranking__reviewer=OuterRef("reviewer"), **when
        )
    )


# -- how sure are the grades ------------------------------------------------------------------------------


def _add_runs(found: dict[int, AssignmentSummary]) -> None:
    """The approved run, else the newest that has grades."""
    drawn = GradingRun.objects.filter(
        assignment__in=found, purpose=GradingRun.Purpose.GRADES, drawn_at__isnull=False
    )
    for run in drawn.order_by("number"):
        before = found[run.assignment_id].run
        if before is None or before.approved_at is None or _is_later(run, before):
            found[run.assignment_id].run = run
    by_run = {one.run.pk: one for one in found.values() if one.run is not None}
    grades = RunGrade.objects.filter(run__in=by_run).order_by().values_list("run")
    counted = grades.annotate(
        width=Avg(F("points_high") - F("points_low")),
        letters=Count("letter_chance"),
        unsure=Count("pk", filter=Q(letter_chance__lt=SURE)),
    )
    for number, width, letters, unsure in counted:
        one = by_run[number]
        one.width, one.letters, one.unsure_letters = width, letters, unsure
    released = ReleasedGrade.objects.filter(release__assignment__in=found, release__ended_at=None).order_by()
    for number, told, seen in released.values_list("release__assignment").annotate(
        Count("pk"), Count("seen_at")
    ):
        found[number].told, found[number].seen = told, seen


def _is_later(run: GradingRun, before: GradingRun) -> bool:
    return run.approved_at is not None and (
        before.approved_at is None or run.approved_at > before.approved_at
    )


# -- whom to talk to --------------------------------------------------------------------------------------


def _add_people(found: dict[int, AssignmentSummary], now: datetime) -> None:
    """Appeals first, then orders that run against the class, hidden words, and rankings that never came."""
    people: dict[int, dict[int, str]] = defaultdict(dict)

    def add(rows: object, why: str) -> None:
        for number, member in rows:  # type: ignore[attr-defined]
            people[number].setdefault(member, why)

    here = Membership.objects.exclude(role=Role.DROPPED)
    appeals = Appeal.objects.filter(assignment__in=found, state=Appeal.State.OPEN, membership__in=here)
    add(appeals.values_list("assignment", "membership"), "appeal")
    runs = [one.run for one in found.values() if one.run is not None]
    named = RunReviewer.objects.filter(run__in=runs, membership__in=here).order_by("reliability", "pk")
    for why in NAMED:
        add(named.filter(flag=why).values_list("run__assignment", "membership"), why)
    hidden = HiddenComment.objects.filter(comment__review__assignment__in=found, shown_again_at=None)
    wrote = ("comment__review__assignment", "comment__review__reviewer")
    add(hidden.filter(comment__review__reviewer__in=here).values_list(*wrote), "hidden")
    over = [number for number, one in found.items() if _reviews_are_over(one.assignment, now)]
    absent = Review.objects.filter(assignment__in=over, state=Review.State.OPEN, reviewer__in=here)
    absent = absent.exclude(_has_handed_in()).order_by("reviewer")
    add(absent.values_list("assignment", "reviewer").distinct(), "absent")
    # a large class may have hundreds, of whom a few are named
    shown = {number: list(some.items())[:NAMES] for number, some in people.items()}
    members = here.select_related("person").in_bulk({who for some in shown.values() for who, _why in some})
    for number, some in shown.items():
        found[number].people = [PersonToTalkTo(members[who], why) for who, why in some if who in members]
        found[number].more_people = len(people[number]) - len(some)


def _reviews_are_over(assignment: Assignment, now: datetime) -> bool:
    due = assignment.reviews_due_at
    late = assignment.phase == Phase.REVIEWING and due is not None and due < now
    return late or assignment.phase in _OVER


# -- where to look next -----------------------------------------------------------------------------------


def _add_where_to_look(found: dict[int, AssignmentSummary]) -> None:
    """The library's list of works where a look of staff helps most, and what waits for an answer."""
    by_run = {one.run.pk: one for one in found.values() if one.run is not None}
    listed = RunGrade.objects.filter(run__in=by_run, attention__lte=NAMES, staff=None)
    for grade in listed.select_related("work__author__person", "work__team").order_by("attention", "pk"):
        by_run[grade.run_id].look.append(grade)
    reports = Report.objects.filter(review__assignment__in=found, settled_at=None)
    appeals = Appeal.objects.filter(assignment__in=found, state=Appeal.State.OPEN)
    unhelpful = Helpfulness.objects.filter(review__assignment__in=found, rating__lte=NOT_HELPFUL)
    for name, rows, where in (
        ("reports", reports, "review__assignment"),
        ("appeals", appeals, "assignment"),
        ("unhelpful", unhelpful, "review__assignment"),
    ):
        for number, count in rows.order_by().values_list(where).annotate(Count("pk")):
            setattr(found[number], name, count)


# -- A student's overview of a course: what is due, what is saved, what came back. Few queries for all of it


@dataclass(frozen=True, slots=True)
class SavedSubmission:
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
    saved: list[SavedSubmission]
    back: list[ReleasedGrade]  # their figures are shown only where `seen_at` is set

    @property
    def drafts(self) -> list[SavedSubmission]:
        """What does not count before it is handed in."""
        return [one for one in self.saved if not one.is_done]

    @property
    def done(self) -> list[SavedSubmission]:
        """What counts."""
        return [one for one in self.saved if one.is_done]


def student_overview(member: Membership, listed: list[dict[str, Any]], now: datetime) -> StudentOverview:
    """Of `overview.assignments_with_dates`, which have this member's own dates."""
    rows = {one["assignment"].pk: _row(member, one) for one in listed}
    _add_works(member, rows)
    _add_reviews(member, rows)
    due: list[OpenTask] = []
    saved: list[SavedSubmission] = []
    for one in listed:
        assignment, row = one["assignment"], rows[one["assignment"].pk]
        due += open_tasks(assignment, row, now)
        saved += _saved(assignment, row)
    return StudentOverview(sorted(due, key=lambda one: one.due_at), saved, _back(member))


def _row(member: Membership, one: dict[str, Any]) -> ProgressRow:
    dates = {name: one[name] for name in ("due_at", "late_until", "reviews_due_at")}
    return ProgressRow(
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


def _add_works(member: Membership, rows: dict[int, ProgressRow]) -> None:
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


def _add_reviews(member: Membership, rows: dict[int, ProgressRow]) -> None:
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


def _saved(assignment: Assignment, row: ProgressRow) -> list[SavedSubmission]:
    found = []
    if row.work != WorkState.NONE:
        done = row.work == WorkState.HANDED_IN
        found.append(SavedSubmission(assignment, "work", row.work_at, done, row.work_is_late))
    if row.standing == Standing.FINISHED and row.ranked_at is not None:
        found.append(SavedSubmission(assignment, "reviews", row.ranked_at, True, row.ranked_late))
    elif row.drafted_at is not None:
        found.append(SavedSubmission(assignment, "reviews", row.drafted_at, False))
    return found


def _back(member: Membership) -> list[ReleasedGrade]:
    """What is released to them now, the newest first."""
    grades = ReleasedGrade.objects.filter(
        membership=member, release__ended_at=None, release__assignment__phase=Phase.RELEASED
    )
    return list(grades.select_related("release__assignment__course").order_by("-release__made_at", "-pk"))
