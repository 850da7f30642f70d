"""An example class in any phase, made step by step as classes get there; each is a course of its own.

None of its people exists; their addresses are reserved for examples.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from peerage_web.accounts.models import OneTimeLink, Person
from peerage_web.accounts.services.links import make_link
from peerage_web.accounts.services.users import get_or_create_person
from peerage_web.classes.allocation.services import Options, commit_allocation, try_allocation
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.assignments.services import create_assignment
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.enums import ORDER, Phase, Role
from peerage_web.classes.phases.services import take_step
from peerage_web.classes.reassignment.reports import report_submission
from peerage_web.classes.rubrics.services import CriterionDraft, LevelDraft, add_criterion
from peerage_web.demo import reviews, submissions
from peerage_web.shared.database import exclusively
from peerage_web.shared.errors import Refused

FIRST_NAMES = (
    "Ada", "Ben", "Cem", "Dia", "Eli", "Fay", "Gus", "Hana", "Ivo", "Jun", "Kim", "Lea",
    "Mio", "Noa", "Ole", "Pia", "Quy", "Rui", "Sol", "Tam", "Uma", "Vic", "Wen", "Yara",
)  # fmt: skip
SURNAME = "Example"
DOMAIN = "example.org"
TEAM_SIZE = 3
STAFF = {"instructor": "Ina", "assistant": "Ari", "observer": "Obi"}


RUBRIC = {  # criteria, and what their levels mean, from the least
    "Question": ("One has to guess it.", "It is there.", "It makes one curious."),
    "Evidence": ("Nothing is measured.", "Something is measured.", "It answers the question."),
}


def address(first: str) -> str:
    """Where nobody reads mail."""
    return f"{first.lower()}@{DOMAIN}"


def full_name(first: str) -> str:
    return f"{first} {SURNAME}"


def team_of(number: int) -> str:
    """Team of the student with this number, from 0."""
    return f"Team {number // TEAM_SIZE + 1}"


DAY = timedelta(days=1)
STUDENTS = len(FIRST_NAMES)
LATE, NO_SHOW, ABSENT = -1, -2, -3  # students: submits late, never reviews, never submits
# what has happened when a phase begins, in days from now: due, late until, reviews due
DATES = {
    Phase.SETUP: (14, 16, 21),
    Phase.SUBMITTING: (7, 9, 14),
    Phase.ALLOCATING: (-0.1, 2, 7),
    Phase.REVIEWING: (-2, 1, 5),
    Phase.CLOSED: (-12, -10, -1),
    Phase.RELEASED: (-20, -18, -9),
}
WITH_GRADES = (Phase.CLOSED, Phase.RELEASED)
INSTRUCTIONS = """Write **one page** about something that you see every day and cannot explain.

1. Say what you see.
2. Give two explanations.
3. Say how you would find out which one is right.

*This course is an example. Its people and submissions are fictitious.*
"""


@dataclass(frozen=True, slots=True)
class ExampleClass:
    """An example class, and the ways into it: who, and a path that signs in once."""

    course: Course
    assignment: Assignment
    links: list[tuple[str, str]]


def make_example(
    *, phase: Phase, in_teams: bool = False, on_step: Callable[[str], None] = lambda step: None
) -> ExampleClass:
    """A course of 24 students with an assignment in this phase; people of an earlier one are in it again.

    `on_step` hears what each step is about to do: one for the course, one for every phase that is reached.
    """
    on_step("making the course")
    with exclusively("example class"):
        staff = {role: _person(first) for role, first in STAFF.items()}
        course, members = _course(staff, in_teams)
        assignment = _assignment(course, staff["instructor"], phase, in_teams)
    for words, take in STEPS[: ORDER.index(phase)]:
        on_step(words)
        take(assignment, members, staff["instructor"], phase)
    return ExampleClass(course, assignment, _links(staff, members, phase))


def _person(first: str) -> Person:
    return get_or_create_person(email=address(first), name=full_name(first))


def _course(staff: dict[str, Person], in_teams: bool) -> tuple[Course, list[Membership]]:
    before = Course.objects.filter(name__startswith="Example course").count()
    name = "Example course" if not before else f"Example course {before + 1}"
    course = Course.objects.create(name=name, term="made up", created_by=staff["instructor"])
    for role, person in staff.items():
        Membership.objects.create(course=course, person=person, role=Role(role), name=person.name)
    members = [
        Membership.objects.create(
            course=course,
            person=_person(first),
            role=Role.STUDENT,
            name=full_name(first),
            student_id=f"example-{number + 1:02d}",
            section="AB"[number % 2],
            group=team_of(number) if in_teams else "",
        )
        for number, first in enumerate(FIRST_NAMES)
    ]
    return course, members


def _assignment(course: Course, by: Person, phase: Phase, in_teams: bool) -> Assignment:
    """Published while its dates lie ahead; they are moved to where the phase has them afterwards."""
    assignment = create_assignment(
        course=course,
        by=by,
        prompts=[("What is good about this submission?", False), ("What would make it better?", True)],
        title="One page on an everyday riddle",
        instructions=INSTRUCTIONS,
        in_teams=in_teams,
        reviews_per_student=4,
        **_dates(Phase.SETUP if phase == Phase.SETUP else Phase.SUBMITTING),
    )
    for name, described in RUBRIC.items():
        levels = [LevelDraft(str(points), points, text) for points, text in enumerate(described)]
        add_criterion(assignment=assignment, by=by, draft=CriterionDraft(name, levels))
    return assignment


def _dates(phase: Phase) -> dict[str, datetime]:
    now = timezone.now().replace(second=0, microsecond=0)
    names = ("due_at", "late_until", "reviews_due_at")
    return {name: now + days * DAY for name, days in zip(names, DATES[phase], strict=True)}


def _set_dates(assignment: Assignment, phase: Phase) -> None:
    """Straight into the row: nobody moved these dates, they only have to fit the phase."""
    Assignment.objects.filter(pk=assignment.pk).update(**_dates(phase))
    assignment.refresh_from_db()


def _submit(assignment: Assignment, members: list[Membership], by: Person, phase: Phase) -> None:
    """Published; half have submitted, and where that is over all but the late one and the absent one."""
    take_step(assignment=assignment, code="publish", by=by)
    count = STUDENTS // 2 if phase == Phase.SUBMITTING else STUDENTS
    step = TEAM_SIZE if assignment.in_teams else 1
    there = [number for number in range(0, count, step) if not _is_away(number, assignment.in_teams)]
    submissions.submit(assignment, [(number, members[number]) for number in there])


def _is_away(number: int, in_teams: bool) -> bool:
    """Whether nothing comes in time: of the late one, or their team, and of one who never submits."""
    late, absent = (place % STUDENTS for place in (LATE, ABSENT))
    if in_teams:
        return team_of(number) == team_of(late)
    return number in (late, absent)


def _allocate(assignment: Assignment, members: list[Membership], by: Person, phase: Phase) -> None:
    take_step(assignment=assignment, code="stop-submitting", by=by)
    _set_dates(assignment, Phase.ALLOCATING)


def _review(assignment: Assignment, members: list[Membership], by: Person, phase: Phase) -> None:
    """Lists are out; a late submission joins, one is reported, some have finished, one never comes."""
    options = Options.of(assignment)
    proposal = try_allocation(assignment=assignment, options=options, by=None)
    if proposal.problem is not None:
        raise Refused(f"the example could not be allocated: {proposal.problem['code']}")
    commit_allocation(assignment=assignment, options=options, by=by, expected=proposal.fingerprint)
    take_step(assignment=assignment, code="start-reviewing", by=by)
    _set_dates(assignment, Phase.REVIEWING)
    submissions.submit(assignment, [(STUDENTS, members[LATE])])  # and joins by itself
    _report_one(assignment, members[0])
    reviews.rank_and_comment(assignment, members, no_show=members[NO_SHOW], finished=phase in WITH_GRADES)


def _report_one(assignment: Assignment, member: Membership) -> None:
    review = member.reviews.filter(assignment=assignment, state="open").order_by("position").last()
    if review is not None:
        report_submission(review=review, reason="known", text="We share a flat.", by=member.person)


def _close(assignment: Assignment, members: list[Membership], by: Person, phase: Phase) -> None:
    """Reviewing is over, staff have graded a few submissions, and a first run waits for somebody to look."""
    take_step(assignment=assignment, code="close", by=by)
    _set_dates(assignment, Phase.CLOSED)
    reviews.grade_some(assignment, by)
    reviews.grade(assignment, by)


def _release(assignment: Assignment, members: list[Membership], by: Person, phase: Phase) -> None:
    """Grades are out; a third of the students have rated their comments and seen the grade."""
    reviews.release(assignment, by)
    _set_dates(assignment, Phase.RELEASED)
    reviews.reveal_grades(assignment, members[2::3])


STEPS = (  # from one phase to the next, in the order of phases
    ("students submit", _submit),
    ("submission ends", _allocate),
    ("students review", _review),
    ("reviewing ends, a grading run", _close),
    ("grades are released", _release),
)


def _links(staff: dict[str, Person], members: list[Membership], phase: Phase) -> list[tuple[str, str]]:
    """One for every role, and for the students with a story."""
    who: list[tuple[str, Person]] = list(staff.items())
    who.append(("student", members[1].person))
    if phase in (Phase.REVIEWING, *WITH_GRADES):
        who += [("student who reported a submission", members[0].person)]
        who += [("student who was late", members[LATE].person), ("no-show", members[NO_SHOW].person)]
    if phase == Phase.RELEASED:
        who += [("student who has seen the grade", members[2].person)]
    return [(word, make_link(kind=OneTimeLink.Kind.SIGN_IN, person=person)) for word, person in who]
