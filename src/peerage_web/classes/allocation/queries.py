"""The class as an allocation sees it: who can review, what there is to review, and who has seen what.

The library gets keys instead of names, in an order that follows from the instance's secret: whoever knows
the program, the seed and the list of students still cannot tell who reviews whom.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.crypto import salted_hmac

from peerage_web.classes.allocation.models import Review
from peerage_web.classes.assignments.models import Assignment, TeamMember
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import STAFF, Role
from peerage_web.classes.reviewing.models import Comment, HandedInRanking, Ranking
from peerage_web.classes.submissions.models import Work

State = Review.State


@dataclass(frozen=True, slots=True)
class Reviewer:
    """Somebody who can review: a student, whose own work is theirs or their team's, or staff."""

    pk: int
    section: str
    is_staff: bool
    work: int | None = None

    @property
    def key(self) -> str:
        """What the library calls them."""
        return f"m{self.pk}"


@dataclass(frozen=True, slots=True)
class AllocationInput:
    """Everybody who can review, and every work that can be reviewed with those who made it.

    A work can be reviewed once it was handed in, as long as it was not taken out and one of its makers is
    still in the course. Students review once they, or their team, have handed in, even if it was taken out.
    """

    students: list[Reviewer]
    staff: list[Reviewer]
    makers: dict[int, list[int]]  # of each work, members
    sections: dict[int, str] = field(default_factory=dict)  # of each work: that of its first maker

    @property
    def by_pk(self) -> dict[int, Reviewer]:
        """Everybody."""
        return {one.pk: one for one in (*self.students, *self.staff)}

    def fingerprint(self, *more: Any) -> str:
        """The same for the same class (and whatever else): another one means that something has changed."""
        people = sorted((one.pk, one.section, one.is_staff, one.work or 0) for one in self.by_pk.values())
        whole = repr((people, sorted(self.makers), *more))
        return hashlib.sha256(whole.encode()).hexdigest()[:20]


def allocation_input(assignment: Assignment) -> AllocationInput:
    """The class as it is now; a bounded number of queries."""
    people = Membership.objects.filter(course=assignment.course_id).exclude(role=Role.DROPPED)
    members = {pk: (role, section) for pk, role, section in people.values_list("pk", "role", "section")}
    handed_in = _makers(assignment, {pk for pk, (role, _section) in members.items() if role == Role.STUDENT})
    own = {member: work for work, (theirs, _out) in handed_in.items() for member in theirs}
    makers = {work: theirs for work, (theirs, out) in handed_in.items() if not out}
    students = [Reviewer(pk, members[pk][1], False, work) for pk, work in own.items()]
    staff = [Reviewer(pk, section, True) for pk, (role, section) in members.items() if role in STAFF]
    sections = {work: members[theirs[0]][1] for work, theirs in makers.items()}
    shuffled = _shuffled(assignment)
    return AllocationInput(sorted(students, key=shuffled), sorted(staff, key=shuffled), makers, sections)


def _makers(assignment: Assignment, students: set[int]) -> dict[int, tuple[list[int], bool]]:
    """Works that were handed in: the students who made them, and whether they were taken out."""
    places: dict[int, list[int]] = defaultdict(list)
    for team, member in TeamMember.objects.filter(assignment=assignment).values_list("team", "membership"):
        places[team].append(member)
    works = Work.objects.filter(assignment=assignment, submissions__handed_in_at__isnull=False).distinct()
    found = {}
    for work, author, team, out in works.order_by("pk").values_list("pk", "author", "team", "taken_out_at"):
        theirs = sorted(places[team]) if team is not None else [author]
        here = [one for one in theirs if one in students]
        if here:
            found[work] = here, out is not None
    return found


def _shuffled(assignment: Assignment) -> Any:
    def key(one: Reviewer) -> bytes:
        return salted_hmac("peerage.allocation", f"{assignment.pk}:{one.pk}", algorithm="sha256").digest()

    return key


def work_key(work: int) -> str:
    """What the library calls a work."""
    return f"w{work}"


def number_of(key: str) -> int:
    """The primary key of a person or a work again."""
    return int(key[1:])


def roster_of(
    people: Iterable[Reviewer],
    works: Iterable[int],
    *,
    numbers: Mapping[int, int] | None = None,
    seen: Mapping[int, Iterable[int]] | None = None,
    makers: Mapping[int, list[int]] | None = None,
) -> dict[str, list[Any]]:
    """The library's roster: `numbers` are people's own numbers of reviews, `seen` what they must not get."""
    known, listed = set(works), list(people)
    columns: dict[str, list[Any]] = {
        "student": [one.key for one in listed],
        "item": [work_key(one.work) if one.work in known and one.work else None for one in listed],
        "submits": ["yes" if one.work in known else "no" for one in listed],
        "role": ["staff" if one.is_staff else "student" for one in listed],
        "section": [one.section or None for one in listed],
        "reviews": [str(numbers[one.pk]) if numbers and one.pk in numbers else None for one in listed],
    }
    if seen is not None and makers is not None:
        here = {one.pk for one in listed}
        columns["conflicts"] = [_conflicts(one, seen, makers, here) for one in listed]
    return {name: cells for name, cells in columns.items() if any(cell is not None for cell in cells)}


def _conflicts(
    one: Reviewer, seen: Mapping[int, Iterable[int]], makers: Mapping[int, list[int]], here: set[int]
) -> str | None:
    """A conflict with a maker keeps their work away."""
    whose = [
        next((maker for maker in makers.get(work, ()) if maker in here), None)
        for work in seen.get(one.pk, ())
    ]
    return ";".join(f"m{maker}" for maker in whose if maker is not None) or None


# -- what was given out ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CurrentAllocation:
    """The reviews of an assignment: pairs of reviewer and work that are open, and all ever given."""

    open: set[tuple[int, int]]
    seen: dict[int, set[int]]  # reviewer to works, ended reviews included
    released: set[int]  # reviewers whose works were given to others, and who have none now

    def fingerprint(self) -> str:
        """Another one means that something has changed."""
        whole = repr((sorted(self.open), sorted((who, sorted(works)) for who, works in self.seen.items())))
        return hashlib.sha256(whole.encode()).hexdigest()[:20]


def current_allocation(assignment: Assignment) -> CurrentAllocation:
    """All reviews in one query."""
    now: set[tuple[int, int]] = set()
    seen: dict[int, set[int]] = defaultdict(set)
    released: set[int] = set()
    rows = Review.objects.filter(assignment=assignment).order_by()
    for reviewer, work, state in rows.values_list("reviewer", "work", "state"):
        seen[reviewer].add(work)
        if state == State.OPEN:
            now.add((reviewer, work))
        elif state == State.RELEASED:
            released.add(reviewer)
    return CurrentAllocation(now, dict(seen), released - {reviewer for reviewer, _work in now})


def has_reviews(assignment: Assignment) -> bool:
    """Whether reviews are allocated."""
    return Review.objects.filter(assignment=assignment, state=Review.State.OPEN).exists()


def begun_by(assignment: Assignment) -> set[int]:
    """Reviewers who have looked at a work, ranked, written or handed in anything: their lists stay."""
    ours = {"assignment": assignment}
    opened = Review.objects.filter(**ours, opened_at__isnull=False).order_by()
    written = Comment.objects.filter(review__assignment=assignment).exclude(text="").order_by()
    return (
        set(Ranking.objects.filter(**ours).values_list("reviewer", flat=True))
        | set(opened.values_list("reviewer", flat=True).distinct())
        | set(written.values_list("review__reviewer", flat=True).distinct())
    )


def finished_by(assignment: Assignment) -> set[int]:
    """Reviewers who have handed in a ranking."""
    handed = HandedInRanking.objects.filter(ranking__assignment=assignment).order_by()
    return set(handed.values_list("ranking__reviewer", flat=True).distinct())
