"""The stepper: what is done, what comes next and when, what is in its way, what will happen."""

from dataclasses import dataclass
from datetime import datetime

from peerage_web.classes import texts
from peerage_web.classes.allocation.models import Review
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import ORDER, Phase, Role
from peerage_web.classes.phases import readiness, state_machine
from peerage_web.classes.phases.state_machine import Step
from peerage_web.classes.reviewing.models import SubmittedRanking


@dataclass(frozen=True, slots=True)
class PhaseView:
    phase: Phase
    state: str  # past, now or to come
    until: datetime | None  # the date by which it ends by itself


@dataclass(frozen=True, slots=True)
class StepOffer:
    """A step that can be taken, or what is in its way."""

    step: Step
    button: str
    happens: str
    at: datetime | None
    blockers: list[str]
    warnings: list[str]


def steps(assignment: Assignment) -> list[PhaseView]:
    here = ORDER.index(Phase(assignment.phase))
    words = ("past", "now", "to come")
    return [
        PhaseView(phase, words[(number >= here) + (number > here)], _ends(assignment, phase))
        for number, phase in enumerate(ORDER)
    ]


def _ends(assignment: Assignment, phase: Phase) -> datetime | None:
    """The date as staff set it; the minutes of grace after a due date are for uploads that began in time."""
    if phase == Phase.SUBMITTING:
        return assignment.due_at if assignment.by_date else None
    step = state_machine.onward(phase)
    return state_machine.date_of(step, assignment) if step is not None else None


def next_step(assignment: Assignment) -> StepOffer | None:
    """The step onward; None in the last phase."""
    return _offer(assignment, state_machine.onward(Phase(assignment.phase)))


def previous_step(assignment: Assignment) -> StepOffer | None:
    """The step back; None in the first phase."""
    return _offer(assignment, state_machine.backward(Phase(assignment.phase)))


def _offer(assignment: Assignment, step: Step | None) -> StepOffer | None:
    if step is None:
        return None
    button, happens = texts.STEPS[step.code]
    blockers = readiness.blockers(assignment, step)
    warnings = readiness.warnings(assignment, step)
    return StepOffer(
        step,
        str(button),
        str(happens),
        state_machine.date_of(step, assignment),
        [texts.reason(blocker.code, blocker.figures) for blocker in blockers],
        [texts.reason(warning.code, warning.figures) for warning in warnings],
    )


def figures(assignment: Assignment) -> dict[str, int]:
    reviews = Review.objects.filter(assignment=assignment, state=Review.State.OPEN)
    submitted = SubmittedRanking.objects.filter(ranking__assignment=assignment)
    return {
        "students": Membership.objects.filter(course=assignment.course_id, role=Role.STUDENT).count(),
        "authors": readiness.authors(assignment),
        "submissions": readiness.submissions_in(assignment),
        "reviewers": reviews.order_by().values("reviewer").distinct().count(),
        "rankings": submitted.order_by().values("ranking").distinct().count(),
    }
