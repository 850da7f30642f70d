"""Reassigning reviews: late submissions join, missing reviewers' reviews go to others and come back."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field, replace
from typing import Any

from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.allocation.models import AllocationRun, Review
from peerage_web.classes.allocation.queries import (
    AllocationInput,
    CurrentAllocation,
    Reviewer,
    allocation_input,
    begun_by,
    current_allocation,
    finished_by,
    number_of,
    roster_of,
    submission_key,
)
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Phase
from peerage_web.classes.progress.reminders import note_reviews_open
from peerage_web.classes.quarantine import course_by_course
from peerage_web.classes.reassignment.lists import add_reviews, end_reviews, locked_lists, new_run
from peerage_web.classes.submissions.models import Submission
from peerage_web.sandbox.contract.errors import SandboxError
from peerage_web.sandbox.work.allocation import repair_class
from peerage_web.shared.errors import Busy, Refused
from peerage_web.shared.services.sandbox_slots import NOBODY, ask_sandbox

log = logging.getLogger(__name__)
MOST_EXTRA = 2  # reviews above their number that come to somebody by themselves
ATTEMPTS = 3  # at joining, while others change the same lists
Pair = tuple[int, int]  # a reviewer and a submission


@dataclass(frozen=True, slots=True)
class RepairRequest:
    """What is to be mended, and within what bounds."""

    leaving: frozenset[int] = frozenset()  # reviewers whose open reviews go to others
    staff_each: int = 0  # reviews that every member of staff may take
    volunteers: frozenset[int] = frozenset()  # students who may take more, without counting as extra
    volunteers_each: int = 0
    most_extra: int = MOST_EXTRA
    ask_finished: bool = False  # whether those who have submitted their ranking may get another submission


@dataclass(frozen=True, slots=True)
class ReassignmentPlan:
    """What would change. `moved` are reviews of people who have not begun: nobody has seen them."""

    fingerprint: str
    released: list[Pair]
    add: list[Pair]
    moved: list[Pair]
    extra: dict[int, int]
    wanted: int  # reviews of every submission, as planned
    coverage: int  # that every submission will have at least
    quality: dict[str, Any] = field(default_factory=dict)


def find_changes(*, assignment: Assignment, wish: RepairRequest, by: Person | None) -> ReassignmentPlan:
    """What the library would change; nothing is changed yet."""
    state = _ReassignmentState.of(assignment, wish)
    visitor = f"person {by.pk}" if by is not None else NOBODY
    try:
        answer = ask_sandbox(repair_class, state.asked(), cost=len(state.given.open) / 4000, visitor=visitor)
    except SandboxError as error:
        log.warning("an allocation could not be mended: %s", type(error).__name__)
        raise Busy(_("The allocation could not be calculated just now. Try again in a moment.")) from None
    return ReassignmentPlan(
        fingerprint=state.fingerprint,
        released=sorted(pair for pair in state.given.open if pair[0] in wish.leaving),
        add=_pairs(answer["add"]),
        moved=_pairs(answer["remove"]),
        extra={number_of(who): number for who, number in answer["extra"].items()},
        wanted=state.wanted,
        coverage=answer["coverage"],
        quality=answer["quality"] or {},
    )


def _pairs(pairs: list[list[str]]) -> list[Pair]:
    return [(number_of(who), number_of(submission)) for who, submission in pairs]


@dataclass(frozen=True, slots=True)
class _ReassignmentState:
    """The lists as they are, in one place."""

    assignment: Assignment
    wish: RepairRequest
    room: AllocationInput
    given: CurrentAllocation
    begun: set[int]
    finished: set[int]
    wanted: int

    @classmethod
    def of(cls, assignment: Assignment, wish: RepairRequest) -> _ReassignmentState:
        room, current = allocation_input(assignment), current_allocation(assignment)
        wanted = planned_coverage(assignment, room)
        return cls(assignment, wish, room, current, begun_by(assignment), finished_by(assignment), wanted)

    @property
    def fingerprint(self) -> str:
        return self.room.fingerprint(
            self.given.fingerprint(),
            sorted(self.begun),
            sorted(self.finished),
            [sorted(value) if isinstance(value, frozenset) else value for value in astuple(self.wish)],
        )

    def asked(self) -> dict[str, Any]:
        """For `sandbox.work.allocation.repair_class`: the class as a whole, or each section for itself."""
        return {
            "parts": [self._part(section) for section in self._sections()],
            "per_grader": self.assignment.reviews_per_student,
            "coverage": self.wanted,
            "most_extra": self.wish.most_extra,
            "seed": self.assignment.seed,
        }

    def _sections(self) -> list[str | None]:
        if self.assignment.sections != Assignment.Sections.APART:
            return [None]
        return [*sorted(set(self.room.sections.values()))]

    def _part(self, section: str | None) -> dict[str, Any]:
        submissions = [submission for submission, its in self.room.sections.items() if section in (None, its)]
        people = [person for person in self._people() if section in (None, person.section) or person.is_staff]
        numbers = self._numbers(people)
        inside, here = {person.pk for person in people}, set(submissions)
        # by somebody or of a submission that is gone: it counts, and stays as it is
        pairs = [
            (who, submission)
            for who, submission in sorted(self.given.open)
            if who in inside and who not in self.wish.leaving and (section is None or submission in here)
        ]
        left = [
            (who, submission)
            for who, submission in sorted(self.given.open)
            if who not in inside and who not in self.wish.leaving and submission in here
        ]
        fixed = [*(pair for pair in pairs if pair[0] in self.begun or pair[1] not in here), *left]
        held = Counter(who for who, _submission in pairs)
        return {
            "roster": roster_of(
                people, submissions, numbers=numbers, seen=self._ended(), authors=self.room.authors
            ),
            "planned": [[f"m{who}", submission_key(submission)] for who, submission in (*pairs, *left)],
            "done": [[f"m{who}", submission_key(submission)] for who, submission in fixed],
            "above": {f"m{who}": held[who] - numbers[who] for who in held if 0 < numbers[who] < held[who]},
        }

    def _people(self) -> list[Reviewer]:
        """Staff are in where they have something, or may take something."""
        busy = {who for who, _submission in self.given.open}
        staff = [reviewer for reviewer in self.room.staff if self.wish.staff_each or reviewer.pk in busy]
        return [*self.room.students, *staff]

    def _numbers(self, people: list[Reviewer]) -> dict[int, int]:
        """How many reviews everybody has or may have; those who leave, and who have left, none."""
        held = Counter(who for who, _submission in self.given.open)
        common = self.assignment.reviews_per_student
        numbers = {}
        for person in people:
            if person.pk in self.wish.leaving or person.pk in self.given.released:
                numbers[person.pk] = 0
            elif person.is_staff:
                numbers[person.pk] = held[person.pk] + self.wish.staff_each
            elif person.pk in self.wish.volunteers:
                numbers[person.pk] = max(held[person.pk], common) + self.wish.volunteers_each
            elif person.pk in self.finished and not self.wish.ask_finished:
                numbers[person.pk] = 0  # what they have is done, and stays
            else:
                numbers[person.pk] = common
        return numbers

    def _ended(self) -> dict[int, set[int]]:
        """Submissions that somebody had and does not have now: they never come back to the same reviewer."""
        return {
            who: ended
            for who, submissions in self.given.seen.items()
            if (
                ended := {
                    submission for submission in submissions if (who, submission) not in self.given.open
                }
            )
        }


def planned_coverage(assignment: Assignment, room: AllocationInput) -> int:
    """The reviews that every submission was to have at least when lists were first given out."""
    first = AllocationRun.objects.filter(assignment=assignment, kind=AllocationRun.Kind.FIRST).first()
    loads: Mapping[str, int] = (first.quality if first is not None else {}).get("loads", {})
    if loads:
        return min(int(load) for load in loads)
    whole = len(room.students) * assignment.reviews_per_student
    return whole // max(len(room.authors), 1)


def apply_changes(*, run: AllocationRun, changes: ReassignmentPlan) -> list[Review]:
    """Inside the lock. What moved was seen by nobody and has nothing in it: the row goes."""
    free: dict[int, list[tuple[str, int]]] = {}
    for who, submission in changes.moved:
        gone = Review.objects.get(assignment=run.assignment_id, reviewer=who, submission=submission)
        free.setdefault(who, []).append((gone.label, gone.position))
        gone.delete()
    return add_reviews(run=run, pairs=changes.add, free=free)


def commit_changes(
    *, assignment: Assignment, wish: RepairRequest, by: Person | None, expected: str, kind: AllocationRun.Kind
) -> ReassignmentPlan:
    """Find the changes again and make them; Refused where the class is not the one that was looked at."""
    changes = find_changes(assignment=assignment, wish=wish, by=by)
    if expected and changes.fingerprint != expected:
        raise Refused(_("The class has changed since your preview. This is what would change now."))
    with locked_lists(assignment):
        locked = Assignment.objects.select_for_update(of=("self",)).get(pk=assignment.pk)
        if locked.phase != Phase.REVIEWING:
            raise Refused(_("The assignment is in a different phase now. Reload the page."))
        if _ReassignmentState.of(locked, wish).fingerprint != changes.fingerprint:
            raise Refused(_("The class has changed since your preview. This is what would change now."))
        _make(locked, wish, changes, by, kind)
    return changes


def _make(
    assignment: Assignment,
    wish: RepairRequest,
    changes: ReassignmentPlan,
    by: Person | None,
    kind: AllocationRun.Kind,
) -> None:
    if wish.leaving & finished_by(assignment):
        raise Refused(
            _(
                "One of these reviewers has submitted a ranking in the meantime. It "
                "counts, so their reviews cannot be reassigned."
            )
        )
    if not (changes.add or changes.released):
        return
    run = new_run(assignment, kind, by, options={"coverage": changes.coverage}, quality=changes.quality)
    leaving = Review.objects.filter(assignment=assignment, reviewer__in=wish.leaving, state=Review.State.OPEN)
    end_reviews(list(leaving), Review.State.RELEASED)
    reviews = apply_changes(run=run, changes=changes)
    note_reviews_open(assignment)  # whoever joined late has submissions to review only now
    verb = "joined-late" if kind == AllocationRun.Kind.LATE else "repaired"
    record(
        verb,
        by=by,
        assignment=assignment,
        count=len(reviews),
        people=len(wish.leaving),
        released=len(changes.released),
    )


# -- late submissions join by themselves ---------------------------------------------------------------


def join_late(*, submission: Submission) -> bool:
    """A submission that came while others review gets reviewers, and its authors get some to review.

    Whoever has not begun may get it instead of a submission of theirs, which the authors then review; else
    people get one more. False where that has to wait: a task worker (`join_waiting`) tries again. Nothing
    that goes wrong here is in the way of whoever has just submitted.
    """
    try:
        return _join(submission.assignment)
    except Exception:
        log.exception("a late submission could not join yet")
        return False


def join_waiting() -> int:
    """All submissions that wait for reviewers; in how many assignments they got some."""
    waiting = Assignment.objects.filter(
        phase=Phase.REVIEWING,
        course__hidden_at=None,
        submissions__excluded_at=None,
        submissions__reviews=None,
        submissions__versions__submitted_at__isnull=False,
    )
    return course_by_course("late-submissions", waiting.distinct().select_related("course"), _join)


_FRUITLESS: dict[int, str] = {}  # of this process: assignments where nothing could be done, as they were


def _join(assignment: Assignment) -> bool:
    for _attempt in range(ATTEMPTS):
        state = _ReassignmentState.of(assignment, RepairRequest())
        if assignment.phase != Phase.REVIEWING or not _has_late_submissions(state):
            return False
        if _FRUITLESS.get(assignment.pk) == state.fingerprint:
            return False
        try:
            changes = _join_once(assignment)
        except Busy:
            return False
        except Refused:  # others have changed the lists meanwhile
            continue
        if not changes.add:
            _FRUITLESS[assignment.pk] = state.fingerprint
        return bool(changes.add)
    return False


def _join_once(assignment: Assignment) -> ReassignmentPlan:
    """Those who have submitted are asked only where the others are too few."""
    wish = RepairRequest()
    changes = find_changes(assignment=assignment, wish=wish, by=None)
    if changes.coverage < changes.wanted:
        more = replace(wish, ask_finished=True)
        better = find_changes(assignment=assignment, wish=more, by=None)
        if better.coverage > changes.coverage:
            wish, changes = more, better
    return commit_changes(
        assignment=assignment, wish=wish, by=None, expected=changes.fingerprint, kind=AllocationRun.Kind.LATE
    )


def _has_late_submissions(state: _ReassignmentState) -> bool:
    assigned = {submission for submissions in state.given.seen.values() for submission in submissions}
    busy = state.given.seen.keys()
    return any(submission not in assigned for submission in state.room.authors) or any(
        student.pk not in busy for student in state.room.students
    )


# -- No-shows: what they hold goes to others, and comes back to them if they do. Nothing is deleted ----


State = Review.State


def preview_repair(*, assignment: Assignment, wish: RepairRequest, by: Person) -> ReassignmentPlan:
    """Who would lose which reviews, and who would get them."""
    if not wish.leaving:
        raise Refused(_("Choose whose reviews to reassign."))
    return find_changes(assignment=assignment, wish=wish, by=by)


def commit_repair(
    *, assignment: Assignment, wish: RepairRequest, by: Person, expected: str
) -> ReassignmentPlan:
    if not wish.leaving:
        raise Refused(_("Choose whose reviews to reassign."))
    return commit_changes(
        assignment=assignment, wish=wish, by=by, expected=expected or "none", kind=AllocationRun.Kind.REPAIR
    )


def return_reviews(*, assignment: Assignment, member: Membership, by: Person) -> int:
    """A no-show came back: their list is open again as they left it. Who got the submissions keeps them."""
    with locked_lists(assignment):
        theirs = Review.objects.filter(
            assignment=assignment, reviewer=member, state=State.RELEASED, submission__excluded_at=None
        )
        count = theirs.update(state=State.OPEN, ended_at=None)
        if not count:
            raise Refused(_("There is nothing to give back to this person."))
        record("reviews-returned", by=by, assignment=assignment, subject=member, count=count)
    return count
