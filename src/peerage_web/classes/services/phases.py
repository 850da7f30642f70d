"""Moving an assignment from phase to phase, by hand or because a date has come."""

from __future__ import annotations

import logging

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes import phases, sentences
from peerage_web.classes.models import AllocationRun, Assignment, Review
from peerage_web.classes.phases import Step
from peerage_web.classes.queries import readiness
from peerage_web.classes.services.record import record
from peerage_web.classes.services.release.releasing import end_release, make_release
from peerage_web.classes.words import Phase
from peerage_web.shared.errors import Refused

log = logging.getLogger(__name__)


def take_step(*, assignment: Assignment, code: str, by: Person | None) -> None:
    """Take a step; Refused with all that is in its way, or where the assignment has moved on meanwhile.

    `by` is None where a date took it. Whoever goes back stops the clock: the date that has passed would
    otherwise move the assignment on again at once.
    """
    step = phases.BY_CODE.get(code)
    if step is None or step.source != assignment.phase:
        raise Refused(_("The assignment is not in that phase any more. Load the page again."))
    with transaction.atomic():
        # the row is locked first, so that what is looked up below still holds when the phase changes
        locked = Assignment.objects.select_for_update().filter(pk=assignment.pk, phase=step.source).first()
        if locked is None:
            raise Refused(_("The assignment is not in that phase any more. Load the page again."))
        reasons = readiness.blockers(locked, step)
        if reasons:
            raise Refused(" ".join(sentences.reason(one.code, one.figures) for one in reasons))
        _move(locked, step, by)
    assignment.refresh_from_db()


def _move(assignment: Assignment, step: Step, by: Person | None) -> None:
    if step.code == "allocate-again":
        _throw_away_allocation(assignment)
    assignment.phase = step.target
    assignment.phase_since = timezone.now()
    assignment.by_date = assignment.by_date and not step.is_back
    assignment.save(update_fields=["phase", "phase_since", "by_date"])
    record("phase-moved", by=by, assignment=assignment, before=step.source.value, after=step.target.value)
    if step.code == "release":
        make_release(assignment=assignment, by=by)
    elif step.code == "retract":
        end_release(assignment=assignment, by=by)


def _throw_away_allocation(assignment: Assignment) -> None:
    """Nobody has begun (see readiness), so there is nothing in it but the lists."""
    Review.objects.filter(assignment=assignment).delete()
    AllocationRun.objects.filter(assignment=assignment).delete()


def take_due_steps() -> int:
    """Move on whatever a date has come for; how many steps. What is blocked waits, and its page says why."""
    taken = 0
    waiting = Assignment.objects.filter(by_date=True, course__archived_at=None).exclude(phase=Phase.RELEASED)
    for assignment in waiting.select_related("course"):
        taken += take_due_step(assignment=assignment)
    return taken


def take_due_step(*, assignment: Assignment) -> bool:
    """Move on an assignment if a date has come for it and nothing is in its way."""
    step = phases.is_due(assignment, timezone.now())
    if step is None or readiness.blockers(assignment, step):
        return False
    try:
        take_step(assignment=assignment, code=step.code, by=None)
    except Refused:  # somebody else has been faster
        return False
    return True
