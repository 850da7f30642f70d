"""Moving an assignment from phase to phase, by hand or because a date has come."""

import logging

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes import texts
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.allocation.models import AllocationRun, Review
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.enums import ORDER, Phase
from peerage_web.classes.grading.queries import approved_run
from peerage_web.classes.phases import readiness, state_machine
from peerage_web.classes.phases.state_machine import Step
from peerage_web.classes.progress.reminders import note_reviews_open
from peerage_web.classes.quarantine import course_by_course
from peerage_web.classes.release.services import confirm_run, end_release, make_release, release_again
from peerage_web.classes.reviewing.services import count_saved_rankings
from peerage_web.shared.errors import Refused

log = logging.getLogger(__name__)


def take_step(*, assignment: Assignment, code: str, by: Person | None) -> None:
    """Take a step; Refused with all that is in its way, or where the assignment has moved on meanwhile.

    `by` is None where a date took it. Whoever goes back stops the clock: the date that has passed would
    otherwise move the assignment on again at once.
    """
    step = state_machine.BY_CODE.get(code)
    if step is None or step.source != assignment.phase:
        raise Refused(_("The assignment is in a different phase now. Reload the page."))
    with transaction.atomic():
        # the row is locked first, so that what is looked up below still holds when the phase changes
        # with no_key, for whoever is submitting a ranking right now refers to it under a lock of their own
        rows = Assignment.objects.select_for_update(no_key=True, of=("self",)).select_related("course")
        locked = rows.filter(pk=assignment.pk, phase=step.source).first()
        if locked is None:
            raise Refused(_("The assignment is in a different phase now. Reload the page."))
        reasons = readiness.blockers(locked, step)
        if reasons:
            raise Refused(" ".join(texts.reason(reason.code, reason.figures) for reason in reasons))
        _move(locked, step, by)
    assignment.refresh_from_db()


def _move(assignment: Assignment, step: Step, by: Person | None) -> None:
    if step.code == "allocate-again":
        delete_allocation(assignment)
    if step.code == "close" and assignment.counts_saved:
        count_saved_rankings(assignment=assignment)
    assignment.phase = step.target
    assignment.phase_since = timezone.now()
    assignment.by_date = assignment.by_date and not step.is_back
    assignment.save(update_fields=["phase", "phase_since", "by_date"])
    record("phase-moved", by=by, assignment=assignment, before=step.source.value, after=step.target.value)
    if step.target == Phase.REVIEWING and not step.is_back:
        note_reviews_open(assignment)
    elif step.code == "release":
        make_release(assignment=assignment, by=by)
    elif step.code == "retract":
        end_release(assignment=assignment, by=by)


def delete_allocation(assignment: Assignment) -> None:
    """Nobody has begun (see readiness), so there is nothing in it but the lists."""
    Review.objects.filter(assignment=assignment).delete()
    AllocationRun.objects.filter(assignment=assignment).delete()


def take_due_steps() -> int:
    """Move on whatever a date has come for; how many steps. What is blocked waits, and its page says why."""
    waiting = Assignment.objects.filter(by_date=True, course__hidden_at=None).exclude(phase=ORDER[-1])
    return course_by_course(
        "phases", waiting.select_related("course"), lambda assignment: take_due_step(assignment=assignment)
    )


def take_due_step(*, assignment: Assignment) -> bool:
    """Move on an assignment if a date has come for it and nothing is in its way."""
    if assignment.course.hidden_at is not None:
        return False
    step = state_machine.is_due(assignment, timezone.now())
    if step is None or readiness.blockers(assignment, step):
        return False
    try:
        take_step(assignment=assignment, code=step.code, by=None)
    except Refused:  # somebody else has been faster
        return False
    return True


# -- The two buttons of the page of a release ----------------------------------------------------------


def release_grades(
    *, assignment: Assignment, by: Person, run: int, why: str = "", confirmed: bool = False
) -> None:
    """Release what the page showed; Refused where another run than the one shown is approved by now.

    `confirmed` says that what is unusual about the grades is meant so.
    """
    with transaction.atomic():
        locked = Assignment.objects.select_for_update().get(pk=assignment.pk)
        approved = approved_run(locked)
        if approved is None or approved.number != run:
            raise Refused(_("Another run has been approved in the meantime. Check its grades first."))
        if confirmed:
            confirm_run(run=approved, by=by)
        if locked.phase == Phase.RELEASED:
            release_again(assignment=locked, by=by, why=why)
        else:
            take_step(assignment=locked, code="release", by=by)


def confirm_approved(*, assignment: Assignment, by: Person) -> None:
    """What is unusual about the grades of the approved run is meant so; nothing where none is approved."""
    run = approved_run(assignment)
    if run is not None:
        confirm_run(run=run, by=by)


def retract_grades(*, assignment: Assignment, by: Person) -> None:
    take_step(assignment=assignment, code="retract", by=by)
