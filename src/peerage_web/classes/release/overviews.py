"""The instructor's overview: is everything in, how sure are the grades, whom to talk to, what to review next.

For several assignments at once, with a number of queries that does not grow with any of them.
"""

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
from peerage_web.classes.enums import GRADES_SHOWN, REVIEWED, Phase, Role, Standing, SubmissionState
from peerage_web.classes.grading.models import GradingRun, RunGrade, RunReviewer
from peerage_web.classes.progress.queries import OpenTask, ProgressRow, open_tasks
from peerage_web.classes.release.feedback import NOT_HELPFUL
from peerage_web.classes.release.models import (
    CommentReport,
    Helpfulness,
    HiddenComment,
    ReleasedGrade,
    Reply,
)
from peerage_web.classes.reviewing.models import Ranking, SubmittedRanking
from peerage_web.classes.reviewing.queries import sheet_of
from peerage_web.classes.submissions.models import Submission, SubmissionVersion

MOST = 6  # assignments on the page of a course
NAMES = 5  # of people and submissions in one answer; the rest is counted
NAMED = ("reversed", "chance")  # what the library finds of a reviewer that is worth a talk
SURE = 0.95
_OVER = REVIEWED


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
    with_submission: int = 0  # students, alone or with their team
    students: int = 0
    rankings: int = 0
    reviewers: int = 0
    # how sure are the grades
    run: GradingRun | None = None
    width: float | None = None  # the mean of the bands
    letters: int = 0
    unsure_letters: int = 0
    seen: int = 0
    notified: int = 0
    # whom to talk to, what to review next
    people: list[PersonToTalkTo] = field(default_factory=list)
    more_people: int = 0
    to_review: list[RunGrade] = field(default_factory=list)
    reports: int = 0
    appeals: int = 0
    unhelpful: int = 0

    @property
    def is_everything_in(self) -> bool:
        """As far as the phase asks for it."""
        submissions = self.with_submission >= self.students
        reviewed = self.assignment.phase in (Phase.REVIEWING, *_OVER)
        return submissions and (not reviewed or (bool(self.reviewers) and self.rankings >= self.reviewers))

    @property
    def missing_submissions(self) -> int:
        """Still to come, or never will."""
        return self.students - self.with_submission

    @property
    def missing_rankings(self) -> int:
        """Of those who have submissions to review."""
        return self.reviewers - self.rankings

    @property
    def scale(self) -> tuple[float, float]:
        return self.run.scale if self.run is not None else (0.0, 100.0)

    @property
    def needs_no_attention(self) -> bool:
        """Whether the fourth answer is empty."""
        return not (self.to_review or self.reports or self.appeals or self.unhelpful)


def most_urgent(assignments: Sequence[Assignment]) -> list[Assignment]:
    """Those that run, then those whose grades are out, the newest first; not those in set-up."""
    shown = [assignment for assignment in assignments if assignment.phase != Phase.SETUP]
    newest = sorted(shown, key=lambda assignment: assignment.pk, reverse=True)
    return sorted(newest, key=lambda assignment: assignment.phase in GRADES_SHOWN)[:MOST]


def assignment_summaries(
    assignments: Sequence[Assignment], now: datetime, *, with_grades: bool = True
) -> list[AssignmentSummary]:
    """Of these assignments of one course, in their order; without grades for who may not see them."""
    summaries = {assignment.pk: AssignmentSummary(assignment) for assignment in assignments}
    if summaries:
        _add_what_is_in(summaries, assignments[0].course_id)
    if summaries and with_grades:
        _add_runs(summaries)
        _add_people(summaries, now)
        _add_to_review(summaries)
    return list(summaries.values())


# -- is everything in -----------------------------------------------------------------------------------


def _add_what_is_in(summaries: dict[int, AssignmentSummary], course: int) -> None:
    """People are counted, not submissions: somebody's own or their team's is in, or it is not."""
    students = Membership.objects.filter(course=course, role=Role.STUDENT)
    everybody = set(students.values_list("pk", flat=True))
    submitted = Submission.objects.filter(assignment__in=summaries, versions__submitted_at__isnull=False)
    with_submission: dict[int, set[int]] = defaultdict(set)
    for number, author in submitted.exclude(author=None).values_list("assignment", "author"):
        with_submission[number].add(author)
    placed = TeamMember.objects.filter(assignment__in=summaries, team__in=submitted.values("team"))
    for number, member in placed.values_list("assignment", "membership"):
        with_submission[number].add(member)
    for number, overview in summaries.items():
        overview.students, overview.with_submission = len(everybody), len(everybody & with_submission[number])
    asked = Review.objects.filter(assignment__in=summaries, state=Review.State.OPEN).order_by()
    # a submission that came after the ranking was submitted opens it again
    waiting = asked.exclude(_has_submitted(submitted_at__gte=OuterRef("created_at")))
    reviewer = Count("reviewer", distinct=True)
    for number, count in asked.values_list("assignment").annotate(reviewer):
        summaries[number].reviewers = summaries[number].rankings = count
    for number, count in waiting.values_list("assignment").annotate(reviewer):
        summaries[number].rankings -= count


def _has_submitted(**when: object) -> Exists:
    """Of a review: whether its reviewer has submitted a ranking."""
    return Exists(
        SubmittedRanking.objects.filter(
            ranking__assignment=OuterRef("assignment"), ranking__reviewer=OuterRef("reviewer"), **when
        )
    )


# -- how sure are the grades ------------------------------------------------------------------------------


def _add_runs(summaries: dict[int, AssignmentSummary]) -> None:
    """The approved run, else the newest that has grades."""
    drawn = GradingRun.objects.filter(
        assignment__in=summaries, purpose=GradingRun.Purpose.GRADES, drawn_at__isnull=False
    )
    for run in drawn.order_by("number"):
        before = summaries[run.assignment_id].run
        if before is None or before.approved_at is None or _is_later(run, before):
            summaries[run.assignment_id].run = run
    by_run = {summary.run.pk: summary for summary in summaries.values() if summary.run is not None}
    grades = RunGrade.objects.filter(run__in=by_run).order_by().values_list("run")
    counted = grades.annotate(
        width=Avg(F("points_high") - F("points_low"), filter=Q(staff=None)),  # of a staff grade it is 0
        letters=Count("letter_chance"),
        unsure=Count("pk", filter=Q(letter_chance__lt=SURE)),
    )
    for number, width, letters, unsure in counted:
        overview = by_run[number]
        overview.width, overview.letters, overview.unsure_letters = width, letters, unsure
    released = ReleasedGrade.objects.filter(
        release__assignment__in=summaries, release__ended_at=None
    ).order_by()
    for number, notified, seen in released.values_list("release__assignment").annotate(
        Count("pk"), Count("seen_at")
    ):
        summaries[number].notified, summaries[number].seen = notified, seen


def _is_later(run: GradingRun, before: GradingRun) -> bool:
    return run.approved_at is not None and (
        before.approved_at is None or run.approved_at > before.approved_at
    )


# -- whom to talk to --------------------------------------------------------------------------------------


def _add_people(summaries: dict[int, AssignmentSummary], now: datetime) -> None:
    """Appeals first, then orders that run against the class, hidden words, and rankings that never came."""
    people: dict[int, dict[int, str]] = defaultdict(dict)

    def add(rows: object, why: str) -> None:
        for number, member in rows:  # type: ignore[attr-defined]
            people[number].setdefault(member, why)

    here = Membership.objects.exclude(role=Role.DROPPED)
    appeals = Appeal.objects.filter(assignment__in=summaries, state=Appeal.State.OPEN, membership__in=here)
    add(appeals.values_list("assignment", "membership"), "appeal")
    runs = [summary.run for summary in summaries.values() if summary.run is not None]
    named = RunReviewer.objects.filter(run__in=runs, membership__in=here).order_by("reliability", "pk")
    for why in NAMED:
        add(named.filter(flag=why).values_list("run__assignment", "membership"), why)
    hidden = HiddenComment.objects.filter(comment__review__assignment__in=summaries, shown_again_at=None)
    wrote = ("comment__review__assignment", "comment__review__reviewer")
    add(hidden.filter(comment__review__reviewer__in=here).values_list(*wrote), "hidden")
    over = [number for number, overview in summaries.items() if _reviews_are_over(overview.assignment, now)]
    absent = Review.objects.filter(assignment__in=over, state=Review.State.OPEN, reviewer__in=here)
    absent = absent.exclude(_has_submitted()).order_by("reviewer")
    add(absent.values_list("assignment", "reviewer").distinct(), "absent")
    # a large class may have hundreds, of whom a few are named
    shown = {number: list(some.items())[:NAMES] for number, some in people.items()}
    members = here.select_related("person").in_bulk({who for some in shown.values() for who, _why in some})
    for number, some in shown.items():
        summaries[number].people = [PersonToTalkTo(members[who], why) for who, why in some if who in members]
        summaries[number].more_people = len(people[number]) - len(some)


def _reviews_are_over(assignment: Assignment, now: datetime) -> bool:
    due = assignment.reviews_due_at
    late = assignment.phase == Phase.REVIEWING and due is not None and due < now
    return late or assignment.phase in _OVER


# -- what to review next -----------------------------------------------------------------------------------


def _add_to_review(summaries: dict[int, AssignmentSummary]) -> None:
    """The library's list of submissions where a staff review helps most, and what waits for an answer."""
    by_run = {summary.run.pk: summary for summary in summaries.values() if summary.run is not None}
    listed = RunGrade.objects.filter(run__in=by_run, attention__lte=NAMES, staff=None)
    for grade in listed.select_related("submission__author__person", "submission__team").order_by(
        "attention", "pk"
    ):
        by_run[grade.run_id].to_review.append(grade)
    reports = Report.objects.filter(review__assignment__in=summaries, settled_at=None)
    appeals = Appeal.objects.filter(assignment__in=summaries, state=Appeal.State.OPEN)
    unhelpful = Helpfulness.objects.filter(review__assignment__in=summaries, rating__lte=NOT_HELPFUL)
    comments = CommentReport.objects.filter(review__assignment__in=summaries, settled_at=None)
    replies = Reply.objects.filter(submission__assignment__in=summaries, settled_at=None)
    for name, rows, where in (
        ("reports", reports, "review__assignment"),
        ("reports", comments, "review__assignment"),
        ("reports", replies.exclude(reported_at=None), "submission__assignment"),
        ("appeals", appeals, "assignment"),
        ("unhelpful", unhelpful, "review__assignment"),
    ):
        for number, count in rows.order_by().values_list(where).annotate(Count("pk")):
            setattr(summaries[number], name, getattr(summaries[number], name) + count)


# -- A student's overview of a course: what is due, what is saved, what came back. Few queries for all of it


@dataclass(frozen=True, slots=True)
class SavedSubmission:
    """Something that was begun or submitted; `is_done` once it counts."""

    assignment: Assignment
    task: str  # submission, reviews, or changes to a ranking that was submitted
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
        """What does not count before it is submitted."""
        return [item for item in self.saved if not item.is_done]

    @property
    def done(self) -> list[SavedSubmission]:
        return [item for item in self.saved if item.is_done]


def student_overview(member: Membership, listed: list[dict[str, Any]], now: datetime) -> StudentOverview:
    """Of `overview.assignments_with_dates`, which have this member's own dates."""
    rows = {entry["assignment"].pk: _row(member, entry) for entry in listed}
    _add_submissions(member, rows)
    _add_reviews(member, rows)
    due: list[OpenTask] = []
    saved: list[SavedSubmission] = []
    for entry in listed:
        assignment, row = entry["assignment"], rows[entry["assignment"].pk]
        due += open_tasks(assignment, row, now)
        saved += _saved(assignment, row, _is_changed(assignment, row, member))
    return StudentOverview(sorted(due, key=lambda task: task.due_at), saved, _back(member))


def _row(member: Membership, entry: dict[str, Any]) -> ProgressRow:
    dates = {name: entry[name] for name in ("due_at", "late_until", "reviews_due_at")}
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


def _add_submissions(member: Membership, rows: dict[int, ProgressRow]) -> None:
    """Their own, and in assignments with teams their team's."""
    teams = TeamMember.objects.filter(membership=member, assignment__in_teams=True).values("team")
    mine = SubmissionVersion.objects.filter(Q(submission__author=member) | Q(submission__team__in=teams))
    fields = (
        "submission__assignment",
        "submitted_at",
        "uploaded_at",
        "is_late",
        "submission__reopened_until",
    )
    for number, at, uploaded, late, reopened in mine.order_by("submission", "number").values_list(*fields):
        row = rows.get(number)
        if row is None:
            continue
        row.reopened_until = reopened
        if at is not None:
            row.submission, row.submission_at, row.submission_is_late = SubmissionState.SUBMITTED, at, late
        elif row.submission == SubmissionState.NONE:
            row.submission, row.submission_at = SubmissionState.DRAFT, uploaded


def _add_reviews(member: Membership, rows: dict[int, ProgressRow]) -> None:
    asked = Review.objects.filter(reviewer=member, state=Review.State.OPEN).order_by()
    counted = asked.values_list("assignment").annotate(Count("pk"), Count("opened_at"), Max("created_at"))
    for number, count, opened, newest in counted:
        if number in rows:
            row = rows[number]
            row.reviews, row.opened, row.asked_at = count, opened, newest
    rankings = Ranking.objects.filter(reviewer=member).order_by("submitted__number")
    fields = ("assignment", "version", "saved_at", "submitted__submitted_at", "submitted__is_late")
    for number, version, saved, at, late in rankings.values_list(*fields):
        if number in rows and version:
            rows[number].drafted_at = saved
        if number in rows and at is not None:
            rows[number].ranked_at, rows[number].ranked_late = at, late


def _is_changed(assignment: Assignment, row: ProgressRow, member: Membership) -> bool:
    """Whether they have changed their ranking after submitting it, and can submit it again."""
    if assignment.phase != Phase.REVIEWING or row.ranked_at is None or row.drafted_at is None:
        return False
    return row.drafted_at > row.ranked_at and sheet_of(assignment, member).is_changed


def _saved(assignment: Assignment, row: ProgressRow, is_changed: bool) -> list[SavedSubmission]:
    saved = []
    if row.submission != SubmissionState.NONE:
        done = row.submission == SubmissionState.SUBMITTED
        saved.append(
            SavedSubmission(assignment, "submission", row.submission_at, done, row.submission_is_late)
        )
    if is_changed:
        saved.append(SavedSubmission(assignment, "changes", row.drafted_at, False))
    if row.standing == Standing.FINISHED and row.ranked_at is not None:
        saved.append(SavedSubmission(assignment, "reviews", row.ranked_at, True, row.ranked_late))
    elif row.drafted_at is not None and not is_changed:
        saved.append(SavedSubmission(assignment, "reviews", row.drafted_at, False))
    return saved


def _back(member: Membership) -> list[ReleasedGrade]:
    """What is released to them now, the newest first."""
    grades = ReleasedGrade.objects.filter(
        membership=member, release__ended_at=None, release__assignment__phase__in=GRADES_SHOWN
    )
    return list(
        grades.select_related("release__assignment__course", "release__run").order_by(
            "-release__made_at", "-pk"
        )
    )
