"""Who hands in together, their work, and until when they may hand it in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q

from peerage_web.classes.models import (
    Assignment,
    Extension,
    Membership,
    Review,
    Submission,
    Team,
    TeamMember,
    Work,
)
from peerage_web.classes.words import Phase, Role


@dataclass(frozen=True, slots=True)
class Makers:
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


def makers_with(assignment: Assignment, member: Membership) -> Makers:
    """Those with whom a student hands in; alone, where there are no teams or the student is in none."""
    place = None
    if assignment.in_teams:
        found = TeamMember.objects.filter(assignment=assignment, membership=member)
        place = found.select_related("team").first()
    return Makers(assignment, (member,)) if place is None else _team(assignment, place.team)


def makers_of(work: Work) -> Makers:
    """Whose work it is."""
    if work.team is not None:
        return _team(work.assignment, work.team)
    assert work.author is not None  # a constraint of the database
    return Makers(work.assignment, (work.author,))


def _team(assignment: Assignment, team: Team) -> Makers:
    places = team.members.select_related("membership__person").order_by("membership__name", "pk")
    return Makers(assignment, tuple(place.membership for place in places), team)


def work_of(makers: Makers) -> Work | None:
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
class Window:
    """Until when these makers may hand in; of a team, the longest of its members' extensions counts."""

    due_at: datetime | None
    late_until: datetime | None
    grace: timedelta
    is_extended: bool


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether something can be handed in now; `reason` is a code of `sentences.HAND_IN`."""

    is_open: bool
    is_late: bool = False
    reason: str = ""


def window_of(makers: Makers) -> Window:
    """Their dates."""
    one = makers.assignment
    due, late = one.due_at, one.late_until
    granted = Extension.objects.filter(assignment=one, membership__in=_keys(makers.members))
    longest = max((each.due_at for each in granted if each.due_at is not None), default=None)
    extended = longest is not None and (due is None or longest > due)
    if extended:
        due = longest
        late = max(late, due) if late is not None and due is not None else late
    return Window(due, late, timedelta(minutes=one.grace_minutes), extended)


def _keys(members: Sequence[Membership]) -> list[int]:
    return [one.pk for one in members]


def verdict(makers: Makers, work: Work | None, now: datetime) -> Verdict:
    """Whether the makers themselves may hand in now."""
    window = window_of(makers)
    before = _newest(work)
    if work is not None and Review.objects.filter(work=work).exists():
        return Verdict(False, reason="reviewed")
    if work is not None and work.taken_out_at is not None:
        return Verdict(False, reason="taken-out")
    on_time = window.due_at is None or now <= window.due_at
    if before is not None and not window.is_extended and makers.assignment.phase != Phase.SUBMITTING:
        return Verdict(False, reason="stopped")
    if on_time:
        return Verdict(True)
    assert window.due_at is not None
    if before is not None and not before.is_late:
        in_grace = now <= window.due_at + window.grace
        return Verdict(True) if in_grace else Verdict(False, reason="replaced-too-late")
    if window.late_until is not None and now <= window.late_until:
        return Verdict(True, is_late=True)
    return Verdict(False, reason="over")


def verdict_for_staff(makers: Makers, work: Work | None, now: datetime) -> Verdict:
    """Staff may hand in at any time, as long as nobody reviews the work; late is late."""
    if work is not None and Review.objects.filter(work=work).exists():
        return Verdict(False, reason="reviewed")
    window = window_of(makers)
    return Verdict(True, is_late=window.due_at is not None and now > window.due_at)


def _newest(work: Work | None) -> Submission | None:
    if work is None:
        return None
    return work.submissions.filter(handed_in_at__isnull=False).order_by("-number").first()
