"""Classes for tests of allocations: students with submissions, their lists, and what must hold of them."""

from tests.web.classes.cast import Cast, assignment, move, students, submit, team_up

from peerage_web.classes.allocation.models import Review
from peerage_web.classes.allocation.queries import allocation_input
from peerage_web.classes.allocation.services import Options, commit_allocation, try_allocation
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Phase
from peerage_web.classes.submissions.models import Submission


class Room:
    """A course of the cast with an assignment of its own: `count` students who have all submitted."""

    def __init__(
        self, cast: Cast, count: int = 12, teams: int = 0, word: str = "reviewer", **fields: object
    ) -> None:
        self.cast, self.by = cast, cast.people["instructor"]
        Membership.objects.filter(pk__in=[one.pk for one in cast.students]).delete()
        self.students = students(cast.course, count, word)
        self.assignment: Assignment = assignment(
            cast.course, in_teams=bool(teams), **{"reviews_per_student": 3, **fields}
        )
        self.submissions = (
            _team_submissions(self, teams) if teams else [self.submit(one) for one in self.students]
        )
        move(self.assignment, Phase.ALLOCATING)

    def submit(self, member: Membership) -> Submission:
        return submit(self.assignment, member)

    def allocate(self, **options: object) -> int:
        chosen = Options(**{**_as_is(self.assignment), **options})
        found = try_allocation(assignment=self.assignment, options=chosen, by=self.by)
        assert found.problem is None, found.problem
        return commit_allocation(
            assignment=self.assignment, options=chosen, by=self.by, expected=found.fingerprint
        )

    def review(self) -> None:
        """Lists are out, and reviewing has begun."""
        self.allocate()
        move(self.assignment, Phase.REVIEWING)

    def lists(self) -> dict[int, set[int]]:
        """Reviewer to submissions that are open."""
        found: dict[int, set[int]] = {}
        rows = Review.objects.filter(assignment=self.assignment, state="open")
        for who, submission in rows.values_list("reviewer", "submission"):
            found.setdefault(who, set()).add(submission)
        return found

    def loads(self) -> dict[int, int]:
        """Submission to its open reviews."""
        lists = self.lists().values()
        return {one.pk: sum(one.pk in mine for mine in lists) for one in self.submissions}

    def check(self) -> None:
        """What holds of all lists at all times, looked at one by one."""
        own = {one.pk: one.submission for one in allocation_input(self.assignment).students}
        seen: set[tuple[int, int]] = set()
        labels: set[tuple[int, str]] = set()
        for one in Review.objects.filter(assignment=self.assignment):
            assert own.get(one.reviewer_id) != one.submission_id, (
                "nobody reviews their own or their team's submission"
            )
            assert (one.reviewer_id, one.submission_id) not in seen, "nobody gets a submission twice"
            assert (one.reviewer_id, one.label) not in labels
            seen.add((one.reviewer_id, one.submission_id))
            labels.add((one.reviewer_id, one.label))


def parts(lists: dict[int, set[int]], submissions: set[int]) -> int:
    """Groups of submissions that no list connects, by the slowest way there is."""
    groups = [{one} for one in submissions]
    for mine in lists.values():
        touched = [group for group in groups if group & mine]
        groups = [group for group in groups if not group & mine] + [set().union(*touched, mine)]
    return len(groups)


def _as_is(one: Assignment) -> dict[str, object]:
    return {name: getattr(one, name) for name in Options.__slots__}


def _team_submissions(room: Room, count: int) -> list[Submission]:
    made = []
    for number in range(count):
        members = room.students[number::count]
        submission = room.submit(members[0])
        submission.author, submission.team = None, team_up(room.assignment, members, f"Team {number + 1}")
        submission.save()
        made.append(submission)
    return made
