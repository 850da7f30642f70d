"""Submissions: who submits together, until when, and the lists of staff."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from peerage_web.classes.allocation.models import Review
from peerage_web.classes.assignments.models import Assignment, Extension, Team, TeamMember
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Phase, Role
from peerage_web.classes.names import by_author, by_name
from peerage_web.classes.permissions import Action, when
from peerage_web.classes.reviewing.models import SubmittedRanking
from peerage_web.classes.submissions.models import Submission, SubmissionFile, SubmissionVersion


@dataclass(frozen=True, slots=True)
class Authors:
    """A student, or a team with all its members."""

    assignment: Assignment
    members: tuple[Membership, ...]
    team: Team | None = None

    @property
    def as_fields(self) -> dict[str, Any]:
        """How a submission names them."""
        return {"team": self.team} if self.team is not None else {"author": self.members[0]}

    @property
    def name(self) -> str:
        return self.team.name if self.team is not None else self.members[0].shown_name


def authors_with(assignment: Assignment, member: Membership) -> Authors:
    """Those with whom a student submits; alone, where there are no teams or the student is in none."""
    place = None
    if assignment.in_teams:
        places = TeamMember.objects.filter(assignment=assignment, membership=member)
        place = places.select_related("team").first()
    return Authors(assignment, (member,)) if place is None else _team(assignment, place.team)


def authors_of(submission: Submission) -> Authors:
    if submission.team is not None:
        return _team(submission.assignment, submission.team)
    assert submission.author is not None  # a constraint of the database
    return Authors(submission.assignment, (submission.author,))


def _team(assignment: Assignment, team: Team) -> Authors:
    places = team.members.select_related("membership__person")
    return Authors(assignment, tuple(by_name(place.membership for place in places)), team)


def submission_of(authors: Authors) -> Submission | None:
    return Submission.objects.filter(assignment=authors.assignment, **authors.as_fields).first()


def draft_of(submission: Submission | None) -> SubmissionVersion | None:
    """Files that were uploaded and not submitted yet."""
    if submission is None:
        return None
    return submission.versions.filter(submitted_at=None).order_by("-number").first()


def current_and_draft(authors: Authors) -> tuple[SubmissionVersion | None, SubmissionVersion | None]:
    """What counts, and what was uploaded and not submitted yet."""
    whose = {f"submission__{name}": value for name, value in authors.as_fields.items()}
    versions = SubmissionVersion.objects.filter(submission__assignment=authors.assignment, **whose)
    ordered = versions.select_related("submission").order_by("number")
    newest = {version.submitted_at is not None: version for version in ordered}
    return newest.get(True), newest.get(False)


def missing_members(assignment: Assignment) -> Q:
    """Of memberships: students of whom there is no submission yet, neither their own nor their team's."""
    submitted = Submission.objects.filter(assignment=assignment, versions__submitted_at__isnull=False)
    in_teams = TeamMember.objects.filter(assignment=assignment, team__in=submitted.values("team"))
    return (
        Q(course=assignment.course_id, role=Role.STUDENT)
        & ~Q(pk__in=submitted.filter(author__isnull=False).values("author"))
        & ~Q(pk__in=in_teams.values("membership"))
    )


# -- until when -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SubmissionWindow:
    """Until when these authors may submit; of a team, the longest of its members' extensions counts."""

    due_at: datetime | None
    late_until: datetime | None
    grace: timedelta
    is_extended: bool


@dataclass(frozen=True, slots=True)
class DeadlineVerdict:
    """Whether something can be submitted now; `reason` is a code of `texts.SUBMIT`."""

    is_open: bool
    is_late: bool = False
    reason: str = ""


def window_of(authors: Authors, submission: Submission | None = None) -> SubmissionWindow:
    """Their dates; of a submission that staff have reopened, those alone."""
    assignment = authors.assignment
    if submission is not None and submission.reopened_until is not None:
        return SubmissionWindow(submission.reopened_until, None, timedelta(0), True)
    due, late = assignment.due_at, assignment.late_until
    granted = Extension.objects.filter(assignment=assignment, membership__in=_keys(authors.members))
    longest = max((each.due_at for each in granted if each.due_at is not None), default=None)
    extended = longest is not None and (due is None or longest > due)
    if extended:
        due = longest
        late = max(late, due) if late is not None and due is not None else late
    return SubmissionWindow(due, late, timedelta(minutes=assignment.grace_minutes), extended)


def _keys(members: Sequence[Membership]) -> list[int]:
    return [member.pk for member in members]


def verdict(authors: Authors, submission: Submission | None, now: datetime) -> DeadlineVerdict:
    """Whether the authors themselves may submit now."""
    if authors.assignment.phase not in when(Action.SUBMIT):
        return DeadlineVerdict(False, reason="closed")
    before = _newest(submission)
    if is_reopened(submission, now):
        return DeadlineVerdict(True, is_late=before is not None and before.is_late)
    window = window_of(authors)
    if is_under_review(submission):
        return DeadlineVerdict(False, reason="reviewed")
    if submission is not None and submission.excluded_at is not None:
        return DeadlineVerdict(False, reason="excluded")
    on_time = window.due_at is None or now <= window.due_at
    if before is not None and not window.is_extended and authors.assignment.phase != Phase.SUBMITTING:
        return DeadlineVerdict(False, reason="stopped")
    if on_time:
        return DeadlineVerdict(True)
    assert window.due_at is not None
    if before is not None and not before.is_late:
        in_grace = now <= window.due_at + window.grace
        return DeadlineVerdict(True) if in_grace else DeadlineVerdict(False, reason="replaced-too-late")
    if window.late_until is not None and now <= window.late_until:
        return DeadlineVerdict(True, is_late=True)
    return DeadlineVerdict(False, reason="over")


def verdict_for_staff(authors: Authors, submission: Submission | None, now: datetime) -> DeadlineVerdict:
    """Staff may submit at any time; late is late, but what they replace under review stays as it was."""
    if authors.assignment.phase not in when(Action.SUBMIT_FOR_STUDENT):
        return DeadlineVerdict(False, reason="closed")
    before = _newest(submission)
    if before is not None and (is_under_review(submission) or is_reopened(submission, now)):
        return DeadlineVerdict(True, is_late=before.is_late)
    window = window_of(authors)
    return DeadlineVerdict(True, is_late=window.due_at is not None and now > window.due_at)


def is_reopened(submission: Submission | None, now: datetime) -> bool:
    """Whether staff let its authors replace it now."""
    return (
        submission is not None and submission.reopened_until is not None and now <= submission.reopened_until
    )


def is_under_review(submission: Submission | None) -> bool:
    """Whether somebody was given it to review."""
    return submission is not None and Review.objects.filter(submission=submission).exists()


def reviewers_of_earlier(submission: Submission) -> list[Membership]:
    """Those whose newest ranking was submitted before the version that counts, and has this submission."""
    newest = _newest(submission)
    if newest is None or newest.submitted_at is None:
        return []
    reviews = Review.objects.filter(submission=submission).select_related("reviewer__person")
    ranked: dict[int, SubmittedRanking] = {}
    rankings = SubmittedRanking.objects.filter(
        ranking__assignment=submission.assignment_id, ranking__reviewer__in=reviews.values("reviewer")
    )
    for ranking in rankings.select_related("ranking").order_by("number"):
        ranked[ranking.ranking.reviewer_id] = ranking
    return [
        review.reviewer
        for review in reviews.order_by("reviewer__name", "pk")
        if (last := ranked.get(review.reviewer_id)) is not None
        and last.submitted_at < newest.submitted_at
        and any(review.pk in tier for tier in last.tiers)
    ]


def _newest(submission: Submission | None) -> SubmissionVersion | None:
    if submission is None:
        return None
    return submission.versions.filter(submitted_at__isnull=False).order_by("-number").first()


# -- All submissions of an assignment: lists for staff, with a bounded number of queries whatever their number


FILTERS = ("late", "out", "drafts")


@dataclass(frozen=True, slots=True)
class SubmissionRow:
    """A submission in the list; `version` is the one that counts, None as long as there is only a draft."""

    submission: Submission
    names: list[str]
    version: SubmissionVersion | None
    files: list[SubmissionFile]

    @property
    def has_problem(self) -> bool:
        """Whether reviewers would see nothing of one of its files."""
        return any(file.state == SubmissionFile.State.FAILED for file in self.files)


def submissions_list(assignment: Assignment, wanted: str = "") -> Any:
    """Submissions in the order of their authors' names."""
    submissions = _with_newest(assignment).select_related("author__person", "team")
    if wanted == "late":
        late = SubmissionVersion.objects.filter(submitted_at__isnull=False, is_late=True)
        submissions = submissions.filter(newest__in=late.values("pk"))
    elif wanted == "out":
        submissions = submissions.filter(excluded_at__isnull=False)
    elif wanted == "drafts":
        submissions = submissions.filter(newest=None)
    else:
        submissions = submissions.filter(newest__isnull=False)
    return by_author(submissions)


def _with_newest(assignment: Assignment) -> Any:
    """Submissions with the number of the submission that counts; no type knows such an extra field."""
    submitted = SubmissionVersion.objects.filter(submission=OuterRef("pk"), submitted_at__isnull=False)
    newest = Subquery(submitted.order_by("-number").values("pk")[:1])
    return Submission.objects.filter(assignment=assignment).annotate(newest=newest)


def counts(assignment: Assignment) -> dict[str, int]:
    submissions = _with_newest(assignment)
    late = SubmissionVersion.objects.filter(
        submission__assignment=assignment, is_late=True, submitted_at__isnull=False
    )
    return {
        "all": submissions.filter(newest__isnull=False).count(),
        "late": submissions.filter(newest__in=late.values("pk")).count(),
        "out": submissions.filter(excluded_at__isnull=False).count(),
        "drafts": submissions.filter(newest=None).count(),
        "missing": missing_people(assignment).count(),
    }


def missing_people(assignment: Assignment) -> QuerySet[Membership]:
    """Students without a submission."""
    return Membership.objects.filter(missing_members(assignment)).select_related("person")


def rows_of(assignment: Assignment, submissions: Sequence[Any]) -> list[SubmissionRow]:
    newest = {
        version.pk: version
        for version in SubmissionVersion.objects.filter(
            pk__in=[submission.newest for submission in submissions]
        )
    }
    files: dict[int, list[SubmissionFile]] = defaultdict(list)
    for file in SubmissionFile.objects.filter(version__in=newest):
        files[file.version_id].append(file)
    members = members_of_teams(
        assignment, [submission.team_id for submission in submissions if submission.team_id]
    )
    return [
        SubmissionRow(
            submission,
            _names(submission, members),
            newest.get(submission.newest),
            files.get(submission.newest, []),
        )
        for submission in submissions
    ]


def members_of_teams(assignment: Assignment, teams: Sequence[int]) -> dict[int, list[Membership]]:
    members: dict[int, list[Membership]] = defaultdict(list)
    places = TeamMember.objects.filter(assignment=assignment, team__in=teams)
    for place in places.select_related("membership__person"):
        members[place.team_id].append(place.membership)
    return {team: by_name(people) for team, people in members.items()}


def _names(submission: Submission, members: dict[int, list[Membership]]) -> list[str]:
    if submission.author is not None:
        return [submission.author.shown_name]
    return [member.shown_name for member in members.get(submission.team_id or 0, [])]


def everything(assignment: Assignment) -> list[dict[str, Any]]:
    """Every file that counts, with all that an index says of it."""
    submissions = list(
        _with_newest(assignment).filter(newest__isnull=False).select_related("author__person", "team")
    )
    members = members_of_teams(
        assignment, [submission.team_id for submission in submissions if submission.team_id]
    )
    by_version = {submission.newest: submission for submission in submissions}
    files = SubmissionFile.objects.filter(version__submission__assignment=assignment)
    files = files.filter(Q(version__submitted_at__isnull=False)).select_related("version")
    rows = []
    for file in files.order_by(F("version__submission_id"), "position"):
        submission = by_version.get(file.version_id)
        if submission is not None:
            people = (
                [submission.author] if submission.author is not None else members.get(submission.team_id, [])
            )
            rows.append({"submission": submission, "file": file, "people": people})
    return rows
