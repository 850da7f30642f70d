"""The class as an allocation sees it: who can review, what there is to review, and who has seen what.

The library gets keys instead of names, in an order that follows from the instance's secret: whoever knows
the program, the seed and the list of students still cannot tell who reviews whom.
"""

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
from peerage_web.classes.reviewing.models import Comment, Ranking, SubmittedRanking
from peerage_web.classes.submissions.models import Submission

State = Review.State


@dataclass(frozen=True, slots=True)
class Reviewer:
    """Somebody who can review: a student, whose own submission is theirs or their team's, or staff."""

    pk: int
    section: str
    is_staff: bool
    submission: int | None = None

    @property
    def key(self) -> str:
        """What the library calls them."""
        return f"m{self.pk}"


@dataclass(frozen=True, slots=True)
class AllocationInput:
    """Everybody who can review, and every submission that can be reviewed with those who made it.

    A submission can be reviewed once it was submitted, as long as it was not excluded and one of its
    authors is still in the course. Students review once they, or their team, have submitted, even if it was
    excluded.
    """

    students: list[Reviewer]
    staff: list[Reviewer]
    authors: dict[int, list[int]]  # of each submission, members
    sections: dict[int, str] = field(default_factory=dict)  # of each submission: that of its first author

    @property
    def by_pk(self) -> dict[int, Reviewer]:
        return {reviewer.pk: reviewer for reviewer in (*self.students, *self.staff)}

    def fingerprint(self, *more: Any) -> str:
        """The same for the same class (and whatever else): another one means that something has changed."""
        people = sorted(
            (reviewer.pk, reviewer.section, reviewer.is_staff, reviewer.submission or 0)
            for reviewer in self.by_pk.values()
        )
        whole = repr((people, sorted(self.authors), *more))
        return hashlib.sha256(whole.encode()).hexdigest()[:20]


def allocation_input(assignment: Assignment) -> AllocationInput:
    """The class as it is now; a bounded number of queries."""
    people = Membership.objects.filter(course=assignment.course_id).exclude(role=Role.DROPPED)
    members = {pk: (role, section) for pk, role, section in people.values_list("pk", "role", "section")}
    submitted = _authors(assignment, {pk for pk, (role, _section) in members.items() if role == Role.STUDENT})
    own = {member: submission for submission, (theirs, _out) in submitted.items() for member in theirs}
    authors = {submission: theirs for submission, (theirs, out) in submitted.items() if not out}
    students = [Reviewer(pk, members[pk][1], False, submission) for pk, submission in own.items()]
    staff = [Reviewer(pk, section, True) for pk, (role, section) in members.items() if role in STAFF]
    sections = {submission: members[theirs[0]][1] for submission, theirs in authors.items()}
    shuffled = _shuffled(assignment)
    return AllocationInput(sorted(students, key=shuffled), sorted(staff, key=shuffled), authors, sections)


def _authors(assignment: Assignment, students: set[int]) -> dict[int, tuple[list[int], bool]]:
    """Submissions that were submitted: the students who made them, and whether they were excluded."""
    places: dict[int, list[int]] = defaultdict(list)
    for team, member in TeamMember.objects.filter(assignment=assignment).values_list("team", "membership"):
        places[team].append(member)
    submissions = Submission.objects.filter(
        assignment=assignment, versions__submitted_at__isnull=False
    ).distinct()
    states = {}
    for submission, author, team, out in submissions.order_by("pk").values_list(
        "pk", "author", "team", "excluded_at"
    ):
        theirs = sorted(places[team]) if team is not None else [author]
        here = [member for member in theirs if member in students]
        if here:
            states[submission] = here, out is not None
    return states


def _shuffled(assignment: Assignment) -> Any:
    def key(reviewer: Reviewer) -> bytes:
        return salted_hmac(
            "peerage.allocation", f"{assignment.pk}:{reviewer.pk}", algorithm="sha256"
        ).digest()

    return key


def submission_key(submission: int) -> str:
    """What the library calls a submission."""
    return f"s{submission}"


def number_of(key: str) -> int:
    """The primary key of a person or a submission again."""
    return int(key[1:])


def roster_of(
    people: Iterable[Reviewer],
    submissions: Iterable[int],
    *,
    numbers: Mapping[int, int] | None = None,
    seen: Mapping[int, Iterable[int]] | None = None,
    authors: Mapping[int, list[int]] | None = None,
) -> dict[str, list[Any]]:
    """The library's roster: `numbers` are people's own numbers of reviews, `seen` what they must not get."""
    known, listed = set(submissions), list(people)
    columns: dict[str, list[Any]] = {
        "student": [reviewer.key for reviewer in listed],
        "item": [
            submission_key(reviewer.submission)
            if reviewer.submission in known and reviewer.submission
            else None
            for reviewer in listed
        ],
        "submits": ["yes" if reviewer.submission in known else "no" for reviewer in listed],
        "role": ["staff" if reviewer.is_staff else "student" for reviewer in listed],
        "section": [reviewer.section or None for reviewer in listed],
        "reviews": [
            str(numbers[reviewer.pk]) if numbers and reviewer.pk in numbers else None for reviewer in listed
        ],
    }
    if seen is not None and authors is not None:
        here = {reviewer.pk for reviewer in listed}
        columns["conflicts"] = [_conflicts(reviewer, seen, authors, here) for reviewer in listed]
    return {name: cells for name, cells in columns.items() if any(cell is not None for cell in cells)}


def _conflicts(
    reviewer: Reviewer, seen: Mapping[int, Iterable[int]], authors: Mapping[int, list[int]], here: set[int]
) -> str | None:
    """A conflict with a author keeps their submission away."""
    whose = [
        next((author for author in authors.get(submission, ()) if author in here), None)
        for submission in seen.get(reviewer.pk, ())
    ]
    return ";".join(f"m{author}" for author in whose if author is not None) or None


# -- what was given out ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CurrentAllocation:
    """The reviews of an assignment: pairs of reviewer and submission that are open, and all ever given."""

    open: set[tuple[int, int]]
    seen: dict[int, set[int]]  # reviewer to submissions, ended reviews included
    released: set[int]  # reviewers whose submissions were given to others, and who have none now

    def fingerprint(self) -> str:
        """Another one means that something has changed."""
        whole = repr(
            (sorted(self.open), sorted((who, sorted(submissions)) for who, submissions in self.seen.items()))
        )
        return hashlib.sha256(whole.encode()).hexdigest()[:20]


def current_allocation(assignment: Assignment) -> CurrentAllocation:
    """All reviews in one query."""
    now: set[tuple[int, int]] = set()
    seen: dict[int, set[int]] = defaultdict(set)
    released: set[int] = set()
    rows = Review.objects.filter(assignment=assignment).order_by()
    for reviewer, submission, state in rows.values_list("reviewer", "submission", "state"):
        seen[reviewer].add(submission)
        if state == State.OPEN:
            now.add((reviewer, submission))
        elif state == State.RELEASED:
            released.add(reviewer)
    return CurrentAllocation(now, dict(seen), released - {reviewer for reviewer, _submission in now})


def has_reviews(assignment: Assignment) -> bool:
    return Review.objects.filter(assignment=assignment, state=Review.State.OPEN).exists()


def begun_by(assignment: Assignment) -> set[int]:
    """Reviewers who have looked at a submission, ranked, written or submitted anything: their lists stay."""
    ours = {"assignment": assignment}
    opened = Review.objects.filter(**ours, opened_at__isnull=False).order_by()
    written = Comment.objects.filter(review__assignment=assignment).exclude(text="").order_by()
    return (
        set(Ranking.objects.filter(**ours).values_list("reviewer", flat=True))
        | set(opened.values_list("reviewer", flat=True).distinct())
        | set(written.values_list("review__reviewer", flat=True).distinct())
    )


def finished_by(assignment: Assignment) -> set[int]:
    """Reviewers who have submitted a ranking."""
    submitted = SubmittedRanking.objects.filter(ranking__assignment=assignment).order_by()
    return set(submitted.values_list("ranking__reviewer", flat=True).distinct())
