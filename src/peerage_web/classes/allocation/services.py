"""The allocation: previewed as often as one likes, committed once, all of it or nothing."""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.activity_log.services import changed_fields, record
from peerage_web.classes.allocation.models import AllocationRun, Review
from peerage_web.classes.allocation.queries import AllocationInput, allocation_input, number_of, roster_of
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.enums import Phase
from peerage_web.classes.phases import state_machine
from peerage_web.classes.phases.services import delete_allocation, take_due_step
from peerage_web.classes.quarantine import course_by_course
from peerage_web.classes.reassignment.lists import AT_ONCE, label_of, locked_lists, new_run
from peerage_web.sandbox.contract.errors import SandboxError
from peerage_web.sandbox.work.allocation import allocate_class
from peerage_web.shared.errors import Busy, Refused
from peerage_web.shared.services.sandbox_slots import NOBODY, ask_sandbox

log = logging.getLogger(__name__)
Design = Assignment.Design
FEWEST = 3  # submissions
REPEATS = ((2_000, 20), (20_000, 6))  # simulated classes, up to so many reviews; two beyond
REVIEWS_A_SECOND = 5_000  # about how fast they are allocated and tried


@dataclass(frozen=True, slots=True)
class Options:
    design: str
    reviews_per_student: int
    reviews_per_staff: int
    anchors: int
    sections: str
    seed: int

    @classmethod
    def of(cls, assignment: Assignment) -> Options:
        return cls(**{name: getattr(assignment, name) for name in cls.__slots__})


@dataclass(frozen=True, slots=True)
class TrialAllocation:
    """An allocation that was tried: `problem` (a code, and who is in the way), or lists and figures."""

    fingerprint: str
    options: Options
    problem: dict[str, Any] | None
    lists: dict[int, list[int]]  # reviewer to submissions, in their order
    quality: dict[str, Any]
    forecast: dict[str, Any] | None = None
    anchors: tuple[int, ...] = ()


def try_allocation(*, assignment: Assignment, options: Options, by: Person | None) -> TrialAllocation:
    """What the library makes of the class as it is now, with what to expect of it. Nothing is kept.

    The same class and the same options give the same lists. Refused (Busy) where it cannot be tried now.
    """
    room = allocation_input(assignment)
    fingerprint = room.fingerprint(asdict(options))
    problem = _plain_problem(room, options)
    if problem is not None:
        return TrialAllocation(fingerprint, options, problem, {}, {})
    people, rules = _asked(room, options)
    reviews = len(people["student"]) * options.reviews_per_student
    repeats = next((number for most, number in REPEATS if reviews <= most), 2)
    try:
        answer = ask_sandbox(
            allocate_class,
            people,
            options.reviews_per_student,
            rules,
            repeats,
            cost=reviews / REVIEWS_A_SECOND,
            visitor=f"person {by.pk}" if by is not None else NOBODY,
        )
    except SandboxError as error:
        log.warning("an allocation could not be tried: %s", type(error).__name__)
        raise Busy(_("The allocation could not be calculated just now. Try again in a moment.")) from None
    if answer["problem"] is not None:
        return TrialAllocation(fingerprint, options, answer["problem"], {}, {})
    lists: dict[int, list[int]] = {}
    for who, submission in answer["reviews"]:
        lists.setdefault(number_of(who), []).append(number_of(submission))
    anchors = tuple(number_of(anchor) for anchor in answer["anchors"])
    return TrialAllocation(fingerprint, options, None, lists, answer["quality"], answer["forecast"], anchors)


def _plain_problem(room: AllocationInput, options: Options) -> dict[str, Any] | None:
    """What needs no library to be told."""
    submissions = len(room.authors)
    if submissions < FEWEST:
        return {"code": "few-submissions", "count": submissions, "least": FEWEST}
    if options.design == Design.CALIBRATED and options.anchors > submissions - 1:
        return {"code": "many-anchors", "count": options.anchors, "most": submissions - 1}
    if options.design == Design.STAFF and not options.reviews_per_staff:
        return {"code": "staff-without-reviews"}
    if options.sections == Assignment.Sections.APART:
        without = [student.pk for student in room.students if not student.section]
        if without:
            return {"code": "without-section", "graders": [f"m{student}" for student in without]}
        mixed = [
            student.pk
            for student in room.students
            if student.section != room.sections.get(student.submission or 0)
        ]
        if mixed:
            return {"code": "team-across-sections", "graders": [f"m{student}" for student in mixed]}
    return None


def _asked(room: AllocationInput, options: Options) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    """Roster and rules. Staff are in where they have reviews to give or review common submissions."""
    calibrated = options.design == Design.CALIBRATED
    staff = room.staff if options.reviews_per_staff or calibrated else []
    rules: dict[str, Any] = {
        "design": options.design,
        "seed": options.seed,
        "sections": options.sections,
        "anchors": options.anchors,
        "per_staff": options.reviews_per_staff or (None if calibrated else 0),
    }
    return roster_of([*room.students, *staff], room.authors), rules


def commit_allocation(*, assignment: Assignment, options: Options, by: Person | None, expected: str) -> int:
    """Give out the lists that the preview showed (`expected` is its fingerprint); how many reviews.

    Refused where the class has changed since, the rules cannot be kept, or lists were given out already.
    """
    trial = try_allocation(assignment=assignment, options=options, by=by)
    if trial.fingerprint != expected:
        raise Refused(_("The class has changed since your preview. This is the updated preview."))
    if trial.problem is not None:
        raise Refused(_("This allocation is not possible. The preview says why."))
    with locked_lists(assignment):
        locked = Assignment.objects.select_for_update(of=("self",)).get(pk=assignment.pk)
        _refuse_late(locked)
        if allocation_input(locked).fingerprint(asdict(options)) != expected:
            raise Refused(_("The class has changed since your preview. This is the updated preview."))
        _remember_options(locked, options, by)
        count = _give_out(locked, trial, by)
    assignment.refresh_from_db()
    return count


def _refuse_late(assignment: Assignment) -> None:
    """Once: whoever comes second, from another tab or desk, is told."""
    if Review.objects.filter(assignment=assignment).exists():
        raise Refused(
            _("Reviews are already allocated, perhaps from another window. The allocation is shown below.")
        )
    if assignment.phase != Phase.ALLOCATING:
        raise Refused(_("The assignment is in a different phase now. Reload the page."))


def _remember_options(assignment: Assignment, options: Options, by: Person | None) -> None:
    changed = changed_fields(assignment, asdict(options))
    for field, (before, after) in changed.items():
        setattr(assignment, field, after)
        record("assignment-changed", by=by, assignment=assignment, field=field, before=before, after=after)
    if changed:
        assignment.save(update_fields=list(changed))


def _give_out(assignment: Assignment, trial: TrialAllocation, by: Person | None) -> int:
    """Labels and positions follow the library's order, which is shuffled for every reviewer."""
    run = new_run(
        assignment,
        AllocationRun.Kind.FIRST,
        by,
        options=asdict(trial.options),
        quality={**trial.quality, "forecast": trial.forecast, "anchors": list(trial.anchors)},
    )
    reviews = [
        Review(
            assignment=assignment,
            reviewer_id=who,
            submission_id=submission,
            run=run,
            label=label_of(place),
            position=place + 1,
        )
        for who, submissions in trial.lists.items()
        for place, submission in enumerate(submissions)
    ]
    Review.objects.bulk_create(reviews, batch_size=AT_ONCE)
    record("allocated", by=by, assignment=assignment, count=len(reviews), people=len(trial.lists))
    return len(reviews)


def discard_allocation(*, assignment: Assignment, by: Person) -> None:
    """Take an allocation back that nobody has seen yet; another can be made, by hand."""
    with locked_lists(assignment):
        locked = (
            Assignment.objects.select_for_update(of=("self",)).select_related("course").get(pk=assignment.pk)
        )
        if locked.phase != Phase.ALLOCATING:
            raise Refused(_("The assignment is in a different phase now. Reload the page."))
        count = Review.objects.filter(assignment=locked).count()
        if not count:
            return
        delete_allocation(locked)
        record("allocation-discarded", by=by, assignment=locked, count=count)
        if locked.allocates_itself:  # or the same would be there again within a minute
            locked.allocates_itself = False
            locked.save(update_fields=["allocates_itself"])
            change: dict[str, Any] = {"field": "allocates_itself", "before": True, "after": False}
            record("assignment-changed", by=by, assignment=locked, **change)
    assignment.refresh_from_db()


# -- by itself -------------------------------------------------------------------------------------------


def allocate_waiting() -> int:
    """Allocate what is to be allocated by itself, and start reviewing; how many assignments moved on."""
    waiting = Assignment.objects.filter(
        phase=Phase.ALLOCATING, by_date=True, allocates_itself=True, course__hidden_at=None, reviews=None
    )
    return course_by_course("allocation", waiting.select_related("course"), _allocate_one)


def _allocate_one(assignment: Assignment) -> bool:
    """What cannot be is recorded once, and tried again when the class or the settings have changed."""
    if state_machine.is_due(assignment, timezone.now()) is None:
        return False
    options = Options.of(assignment)
    fingerprint = allocation_input(assignment).fingerprint(asdict(options))
    failures = Event.objects.filter(assignment=assignment, verb="allocation-impossible")
    if failures.filter(data__fingerprint=fingerprint).exists():
        return False
    try:
        trial = try_allocation(assignment=assignment, options=options, by=None)
        if trial.problem is not None:
            code = trial.problem["code"]
            record(
                "allocation-impossible",
                by=None,
                assignment=assignment,
                fingerprint=trial.fingerprint,
                reason=code,
            )
            return False
        commit_allocation(assignment=assignment, options=options, by=None, expected=trial.fingerprint)
    except Refused:  # somebody else has been faster, or there is no slot: the next round finds out
        return False
    return take_due_step(assignment=assignment)
