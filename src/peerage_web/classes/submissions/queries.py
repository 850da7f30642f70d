"""Submissions: who submits together, until when, and the lists of staff."""

from __future__ import annotations

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
from peerage_web.classes.submissions.models import Submission, SubmissionFile, Work


@dataclass(frozen=True, slots=True)
class Authors:
    """A student, or a team with all its members."""

    assignment: Assignment
    members: tuple[Membership, ...]
    team: Team | None = None

    @property
    def as_fields(self) -> dict[str, Any]:
        """How a work names them."""
        return {"team": self.team} if self.team is not None else {"author": self.members[0]}

    @property
    def name(self) -> str:
        """What staff read."""
        return self.team.name if self.team is not None else self.members[0].shown_name


def authors_with(assignment: Assignment, member: Membership) -> Authors:
    """Those with whom a student hands in; alone, where there are no teams or the student is in none."""
    place = None
    if assignment.in_teams:
        found = TeamMember.objects.filter(assignment=assignment, membership=member)
        place = found.select_related("team").first()
    return Authors(assignment, (member,)) if place is None else _team(assignment, place.team)


def authors_of(work: Work) -> Authors:
    """Whose work it is."""
    if work.team is not None:
        return _team(work.assignment, work.team)
    assert work.author is not None  # a constraint of the database
    return Authors(work.assignment, (work.author,))


def _team(assignment: Assignment, team: Team) -> Authors:
    places = team.members.select_related("membership__person").order_by("membership__name", "pk")
    return Authors(assignment, tuple(place.membership for place in places), team)


def work_of(makers: Authors) -> Work | None:
    """What they have begun or handed in."""
    return Work.objects.filter(assignment=makers.assignment, **makers.as_fields).first()


def draft_of(work: Work | None) -> Submission | None:
    """Files that were uploaded and not handed in yet."""
    if work is None:
        return None
    return work.submissions.filter(handed_in_at=None).order_by("-number").first()


def missing_members(assignment: Assignment) -> Q:
    """Of memberships: students of whom there is no work yet, neither their own nor their team's."""
    handed = Work.objects.filter(assignment=assignment, submissions__handed_in_at__isnull=False)
    in_teams = TeamMember.objects.filter(assignment=assignment, team__in=handed.values("team"))
    return (
        Q(course=assignment.course_id, role=Role.STUDENT)
        & ~Q(pk__in=handed.filter(author__isnull=False).values("author"))
        & ~Q(pk__in=in_teams.values("membership"))
    )


# -- until when -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SubmissionWindow:
    """Until when these makers may hand in; of a team, the longest of its members' extensions counts."""

    due_at: datetime | None
    late_until: datetime | None
    grace: timedelta
    is_extended: bool


@dataclass(frozen=True, slots=True)
class DeadlineVerdict:
    """Whether something can be handed in now; `reason` is a code of `texts.HAND_IN`."""

    is_open: bool
    is_late: bool = False
    reason: str = ""


def window_of(makers: Authors) -> SubmissionWindow:
    """Their dates."""
    one = makers.assignment
    due, late = one.due_at, one.late_until
    granted = Extension.objects.filter(assignment=one, membership__in=_keys(makers.members))
    longest = max((each.due_at for each in granted if each.due_at is not None), default=None)
    extended = longest is not None and (due is None or longest > due)
    if extended:
        due = longest
        late = max(late, due) if late is not None and due is not None else late
    return SubmissionWindow(due, late, timedelta(minutes=one.grace_minutes), extended)


def _keys(members: Sequence[Membership]) -> list[int]:
    return [one.pk for one in members]


def verdict(makers: Authors, work: Work | None, now: datetime) -> DeadlineVerdict:
    """Whether the makers themselves may hand in now."""
    window = window_of(makers)
    before = _newest(work)
    if work is not None and Review.objects.filter(work=work).exists():
        return DeadlineVerdict(False, reason="reviewed")
    if work is not None and work.taken_out_at is not None:
        return DeadlineVerdict(False, reason="taken-out")
    on_time = window.due_at is None or now <= window.due_at
    if before is not None and not window.is_extended and makers.assignment.phase != Phase.SUBMITTING:
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


def verdict_for_staff(makers: Authors, work: Work | None, now: datetime) -> DeadlineVerdict:
    """Staff may hand in at any time, as long as nobody reviews the work; late is late."""
    if work is not None and Review.objects.filter(work=work).exists():
        return DeadlineVerdict(False, reason="reviewed")
    window = window_of(makers)
    return DeadlineVerdict(True, is_late=window.due_at is not None and now > window.due_at)


def _newest(work: Work | None) -> Submission | None:
    if work is None:
        return None
    return work.submissions.filter(handed_in_at__isnull=False).order_by("-number").first()


# -- All works of an assignment: lists for staff, with a bounded number of queries whatever their number


FILTERS = ("late", "out", "drafts")


@dataclass(frozen=True, slots=True)
class SubmissionRow:
    """A work in the list; `submission` is the one that counts, None as long as there is only a draft."""

    work: Work
    names: list[str]
    submission: Submission | None
    files: list[SubmissionFile]

    @property
    def has_problem(self) -> bool:
        """Whether reviewers would see nothing of one of its files."""
        return any(one.state == SubmissionFile.State.FAILED for one in self.files)


def works_list(assignment: Assignment, wanted: str = "") -> Any:
    """Works in the order of their makers' names."""
    works = _with_newest(assignment).select_related("author__person", "team")
    if wanted == "late":
        late = Submission.objects.filter(handed_in_at__isnull=False, is_late=True)
        works = works.filter(newest__in=late.values("pk"))
    elif wanted == "out":
        works = works.filter(taken_out_at__isnull=False)
    elif wanted == "drafts":
        works = works.filter(newest=None)
    else:
        works = works.filter(newest__isnull=False)
    return works.order_by("team__name", "author__name", "pk")


def _with_newest(assignment: Assignment) -> Any:
    """Works with the number of the submission that counts; no type knows such an extra field."""
    handed = Submission.objects.filter(work=OuterRef("pk"), handed_in_at__isnull=False)
    newest = Subquery(handed.order_by("-number").values("pk")[:1])
    return Work.objects.filter(assignment=assignment).annotate(newest=newest)


def counts(assignment: Assignment) -> dict[str, int]:
    """How many there are of each."""
    works = _with_newest(assignment)
    late = Submission.objects.filter(work__assignment=assignment, is_late=True, handed_in_at__isnull=False)
    return {
        "all": works.filter(newest__isnull=False).count(),
        "late": works.filter(newest__in=late.values("pk")).count(),
        "out": works.filter(taken_out_at__isnull=False).count(),
        "drafts": works.filter(newest=None).count(),
        "missing": missing_people(assignment).count(),
    }


def missing_people(assignment: Assignment) -> QuerySet[Membership]:
    """Students without a work."""
    return (
        Membership.objects.filter(missing_members(assignment)).select_related("person").order_by("name", "pk")
    )


def rows_of(assignment: Assignment, works: Sequence[Any]) -> list[SubmissionRow]:
    """What a page of the list shows of each."""
    newest = {one.pk: one for one in Submission.objects.filter(pk__in=[work.newest for work in works])}
    files: dict[int, list[SubmissionFile]] = defaultdict(list)
    for file in SubmissionFile.objects.filter(submission__in=newest):
        files[file.submission_id].append(file)
    members = members_of_teams(assignment, [work.team_id for work in works if work.team_id])
    return [
        SubmissionRow(work, _names(work, members), newest.get(work.newest), files.get(work.newest, []))
        for work in works
    ]


def members_of_teams(assignment: Assignment, teams: Sequence[int]) -> dict[int, list[Membership]]:
    """Team to its members."""
    found: dict[int, list[Membership]] = defaultdict(list)
    places = TeamMember.objects.filter(assignment=assignment, team__in=teams)
    for place in places.select_related("membership__person").order_by("membership__name", "pk"):
        found[place.team_id].append(place.membership)
    return found


def _names(work: Work, members: dict[int, list[Membership]]) -> list[str]:
    if work.author is not None:
        return [work.author.shown_name]
    return [one.shown_name for one in members.get(work.team_id or 0, [])]


def everything(assignment: Assignment) -> list[dict[str, Any]]:
    """Every file that counts, with all that an index says of it."""
    works = list(
        _with_newest(assignment).filter(newest__isnull=False).select_related("author__person", "team")
    )
    members = members_of_teams(assignment, [work.team_id for work in works if work.team_id])
    by_submission = {work.newest: work for work in works}
    files = SubmissionFile.objects.filter(submission__work__assignment=assignment)
    files = files.filter(Q(submission__handed_in_at__isnull=False)).select_related("submission")
    rows = []
    for file in files.order_by(F("submission__work_id"), "position"):
        work = by_submission.get(file.submission_id)
        if work is not None:
            people = [work.author] if work.author is not None else members.get(work.team_id, [])
            rows.append({"work": work, "file": file, "people": people})
    return rows
