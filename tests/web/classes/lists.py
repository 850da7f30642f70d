"""Classes for tests of allocations: students with submissions, their lists, and what must hold of them."""

from dataclasses import replace

from tests.web.classes.cast import Cast, assignment, move, students, submit, team_up

from peerage_web.classes.allocation.queries import allocation_input
from peerage_web.classes.allocation.services import Options, commit_allocation, try_allocation
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Phase


class Room:
    """A course of the cast with an assignment of its own: `count` students who have all submitted."""

    def __init__(self, cast: Cast, count: int, teams: int = 0, word: str = "reviewer", **fields) -> None:
        self.cast, self.by = cast, cast.people["instructor"]
        Membership.objects.filter(pk__in=[one.pk for one in cast.students]).delete()
        self.students = students(cast.course, count, word)
        fields = {"reviews_per_student": 3, "in_teams": bool(teams), **fields}
        self.assignment = assignment(cast.course, **fields)
        authors = self.students[:teams] if teams else self.students
        self.submissions = [self.submit(one) for one in authors]
        for number, submission in enumerate(self.submissions if teams else ()):
            members = self.students[number::teams]
            submission.author, submission.team = None, team_up(self.assignment, members, f"Team {number + 1}")
            submission.save()
        move(self.assignment, Phase.ALLOCATING)

    def submit(self, member: Membership):
        return submit(self.assignment, member)

    def allocate(self, **options: object) -> int:
        chosen = replace(Options.of(self.assignment), **options)
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
        rows = self.assignment.reviews.filter(state="open")
        for who, submission in rows.values_list("reviewer", "submission"):
            found.setdefault(who, set()).add(submission)
        return found

    def loads(self) -> dict[int, int]:
        """Submission to its open reviews."""
        lists = self.lists().values()
        return {one.pk: sum(one.pk in mine for mine in lists) for one in self.submissions}

    def check(self) -> None:
        """Nobody reviews their own or their team's submission; that none comes twice, the database sees."""
        own = {one.pk: one.submission for one in allocation_input(self.assignment).students}
        for reviewer, submission in self.assignment.reviews.values_list("reviewer", "submission"):
            assert own.get(reviewer) != submission


def parts(lists: dict[int, set[int]], submissions: set[int]) -> int:
    """Groups of submissions that no list connects, by the slowest way there is."""
    groups = [{one} for one in submissions]
    for mine in lists.values():
        touched = [group for group in groups if group & mine]
        groups = [group for group in groups if not group & mine] + [set().union(*touched, mine)]
    return len(groups)
