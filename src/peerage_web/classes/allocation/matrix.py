"""One matrix of who reviews whom and how far they are; for staff alone. Few queries a page."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Q, QuerySet

from peerage_web.classes.allocation.models import Report, Review
from peerage_web.classes.assignments.models import Assignment, Team
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.names import by_author, by_name
from peerage_web.classes.reviewing.models import Comment, Ranking, SubmittedRanking
from peerage_web.classes.submissions.models import Submission

AT_ONCE = 500
SMALL = 60  # reviewers and submissions up to which the whole grid is shown
State = Review.State


@dataclass(frozen=True, slots=True)
class MatrixEntry:
    """One review: who, what, under which label, and how far: a code of `texts.HOW_FAR`."""

    review: int
    reviewer: int
    submission: int
    label: str
    how_far: str
    is_open: bool


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """A reviewer with what they review, or a submission with who reviews it."""

    key: int
    name: str
    entries: list[MatrixEntry] = field(default_factory=list)
    finished: bool = False


# -- names, as staff read them ---------------------------------------------------------------------------


def submission_names(assignment: Assignment, submissions: Iterable[int] | None = None) -> dict[int, str]:
    """The author of each submission, or the team."""
    rows = Submission.objects.filter(assignment=assignment).select_related("author__person", "team")
    if submissions is not None:
        rows = rows.filter(pk__in=list(submissions))
    return {submission.pk: author_name(submission) for submission in rows}


def author_name(submission: Submission) -> str:
    if submission.author is not None:
        return submission.author.shown_name
    return submission.team.name if isinstance(submission.team, Team) else ""


def reviewers_of(assignment: Assignment, search: str = "", unfinished: bool = False) -> list[Membership]:
    """Everybody with reviews, whatever became of them."""
    having = Review.objects.filter(assignment=assignment).order_by().values("reviewer")
    reviewers = Membership.objects.filter(pk__in=having).select_related("person")
    if search:
        reviewers = reviewers.filter(
            Q(name__icontains=search) | Q(person__email__icontains=search) | Q(student_id__icontains=search)
        )
    if unfinished:
        done = SubmittedRanking.objects.filter(ranking__assignment=assignment).values("ranking__reviewer")
        reviewers = reviewers.exclude(pk__in=done)
    return by_name(reviewers)


def submissions_of(assignment: Assignment, search: str = "") -> list[Submission]:
    """Every submission of which a version was submitted."""
    shown = Submission.objects.filter(assignment=assignment, versions__submitted_at__isnull=False).distinct()
    if search:
        shown = shown.filter(
            Q(author__name__icontains=search)
            | Q(author__person__email__icontains=search)
            | Q(team__name__icontains=search)
        )
    return by_author(shown.select_related("author__person", "team"))


# -- rows ------------------------------------------------------------------------------------------------


def rows_by_reviewer(assignment: Assignment, reviewers: Sequence[Membership]) -> list[MatrixRow]:
    keys = [reviewer.pk for reviewer in reviewers]
    finished = _finished(assignment, keys)
    entries: dict[int, list[MatrixEntry]] = defaultdict(list)
    for entry in _entries(assignment, Review.objects.filter(reviewer__in=keys)):
        entries[entry.reviewer].append(entry)
    return [
        MatrixRow(reviewer.pk, reviewer.shown_name, entries[reviewer.pk], reviewer.pk in finished)
        for reviewer in reviewers
    ]


def rows_by_submission(assignment: Assignment, submissions: Sequence[Submission]) -> list[MatrixRow]:
    entries: dict[int, list[MatrixEntry]] = defaultdict(list)
    for entry in _entries(
        assignment, Review.objects.filter(submission__in=[submission.pk for submission in submissions])
    ):
        entries[entry.submission].append(entry)
    return [
        MatrixRow(submission.pk, author_name(submission), entries[submission.pk])
        for submission in submissions
    ]


def all_entries(assignment: Assignment) -> list[MatrixEntry]:
    return _entries(assignment, Review.objects.all())


def _entries(assignment: Assignment, which: QuerySet[Review]) -> list[MatrixEntry]:
    reviews = which.filter(assignment=assignment).order_by("reviewer", "position", "pk")
    rows = list(reviews.values_list("pk", "reviewer", "submission", "label", "state", "opened_at"))
    people = {row[1] for row in rows}
    ranked, done = _ranked(assignment, people), _done(assignment, people)
    written = set(
        Comment.objects.filter(review__assignment=assignment, review__in=which.values("pk"))
        .exclude(text="")
        .values_list("review", flat=True)
    )
    entries = []
    for pk, reviewer, submission, label, state, opened_at in rows:
        if state != State.OPEN:
            how_far = state
        elif pk in done[reviewer]:
            how_far = "done"
        elif label in ranked[reviewer] or pk in written:
            how_far = "written"
        else:
            how_far = "opened" if opened_at else "waiting"
        entries.append(MatrixEntry(pk, reviewer, submission, label, how_far, state == State.OPEN))
    return entries


def _ranked(assignment: Assignment, people: set[int]) -> dict[int, set[str]]:
    """Labels that stand in an order that is being made."""
    ranked: dict[int, set[str]] = defaultdict(set)
    rankings = _of(Ranking.objects.filter(assignment=assignment), "reviewer", people)
    for reviewer, tiers in rankings.values_list("reviewer", "tiers"):
        ranked[reviewer] = {label for tier in tiers for label in tier}
    return ranked


def _of(rows: Any, field: str, people: set[int]) -> Any:
    """Of these people; databases bound how much one question may hold, and then it is for everybody."""
    return rows.filter(**{f"{field}__in": people}) if len(people) <= AT_ONCE else rows


def _done(assignment: Assignment, people: set[int]) -> dict[int, set[int]]:
    """Reviews in the newest ranking that was submitted."""
    ranked: dict[int, set[int]] = defaultdict(set)
    submitted = SubmittedRanking.objects.filter(ranking__assignment=assignment).order_by("number")
    submitted = _of(submitted, "ranking__reviewer", people)
    for reviewer, tiers in submitted.values_list("ranking__reviewer", "tiers"):
        ranked[reviewer] = {review for tier in tiers for review in tier}
    return ranked


def _finished(assignment: Assignment, people: Iterable[int]) -> set[int]:
    submitted = SubmittedRanking.objects.filter(
        ranking__assignment=assignment, ranking__reviewer__in=list(people)
    )
    return set(submitted.order_by().values_list("ranking__reviewer", flat=True).distinct())


# -- reports ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reported:
    """A submission with its reports that nobody has settled, or that is out."""

    submission: Submission
    name: str
    reports: list[Report]


def reported_submissions(assignment: Assignment) -> list[Reported]:
    """Submissions with open reports first, then what is out."""
    reports: dict[int, list[Report]] = defaultdict(list)
    rows = Report.objects.filter(review__assignment=assignment).select_related("review__reviewer__person")
    for report in rows:
        reports[report.review.submission_id].append(report)
    unsettled = {
        submission
        for submission, theirs in reports.items()
        if any(report.settled_at is None for report in theirs)
    }
    submissions = Submission.objects.filter(assignment=assignment).filter(
        Q(pk__in=unsettled) | Q(excluded_at__isnull=False)
    )
    listed = [
        Reported(submission, author_name(submission), reports[submission.pk])
        for submission in submissions.select_related("author__person", "team").order_by("pk")
    ]
    return sorted(listed, key=lambda row: row.submission.pk not in unsettled)


def open_reports(assignment: Assignment) -> int:
    return Report.objects.filter(review__assignment=assignment, settled_at=None).count()
