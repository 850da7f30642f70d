"""Grades that staff set by hand, with a reason. None is deleted; one that is taken back keeps its row."""

from __future__ import annotations

from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.models import Assignment, Membership, Override, Work
from peerage_web.classes.queries.grading.plans import plan_of
from peerage_web.classes.queries.makers import makers_of
from peerage_web.classes.rules import Action, when
from peerage_web.classes.services.grading.runs import lock_name
from peerage_web.classes.services.grading.staff_grades import first_maker, refuse_beyond
from peerage_web.classes.services.record import record
from peerage_web.shared.database import exclusively
from peerage_web.shared.errors import Refused


def set_grade(
    *, work: Work, by: Person, points: float, reason: str, membership: Membership | None = None
) -> Override:
    """Set the grade of a work, or of one member of its team; it replaces one that was set before."""
    with exclusively(lock_name(work.assignment)):
        _refuse_phase(work.assignment)
        if not reason.strip():
            raise Refused(_("Say why: who asks later will want to know."))
        refuse_beyond(points, plan_of(work.assignment))
        makers = makers_of(work).members
        if membership is not None and membership.pk not in {one.pk for one in makers}:
            raise Refused(_("This student did not make the work."))
        _end(work, membership)
        made = Override.objects.create(
            work=work, membership=membership, points=points, reason=reason.strip(), by=by
        )
        record(
            "grade-set",
            by=by,
            assignment=work.assignment,
            subject=membership or first_maker(work),
            after=f"{points:.10g}",
            reason=reason.strip(),
        )
    return made


def unset_grade(*, override: Override, by: Person) -> None:
    """The run's grade counts again."""
    with exclusively(lock_name(override.work.assignment)):
        _refuse_phase(override.work.assignment)
        if not _end(override.work, override.membership):
            return
        record(
            "grade-unset",
            by=by,
            assignment=override.work.assignment,
            subject=override.membership or first_maker(override.work),
            before=f"{override.points:.10g}",
        )


def _end(work: Work, membership: Membership | None) -> bool:
    standing = Override.objects.filter(work=work, membership=membership, withdrawn_at=None)
    return bool(standing.update(withdrawn_at=timezone.now()))


def _refuse_phase(assignment: Assignment) -> None:
    if not Assignment.objects.filter(pk=assignment.pk, phase__in=when(Action.OVERRIDE)).exists():
        raise Refused(_("The assignment is not in that phase any more. Load the page again."))
