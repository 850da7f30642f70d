"""Staff grades and staff rankings, of which the newest per person counts; and grades set by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.grading.models import GradingPlan, Override, StaffGrade, StaffRanking
from peerage_web.classes.grading.queries import plan_of
from peerage_web.classes.grading.services import lock_name
from peerage_web.classes.permissions import Action, when
from peerage_web.classes.record.services import record
from peerage_web.classes.submissions.models import Work
from peerage_web.classes.submissions.queries import authors_of
from peerage_web.shared.database import exclusively
from peerage_web.shared.errors import Refused

FEWEST = 2  # works in a ranking


def grade_work(*, work: Work, by: Person, points: float, reason: str = "") -> StaffGrade:
    """Say what a work is worth; what the same person said before stays, with its end."""
    with exclusively(lock_name(work.assignment)):
        _refuse_phase(work.assignment)
        refuse_beyond(points, plan_of(work.assignment))
        if not work.submissions.filter(handed_in_at__isnull=False).exists():
            raise Refused(_("Nothing has been submitted, so there is nothing to grade."))
        _end_grade(work, by)
        given = StaffGrade.objects.create(work=work, by=by, points=points, reason=reason)
        _record("staff-graded", work, by, after=f"{points:.10g}")
    return given


def withdraw_grade(*, work: Work, by: Person) -> bool:
    """Take back what one said; whether there was something."""
    with exclusively(lock_name(work.assignment)):
        _refuse_phase(work.assignment)
        ended = _end_grade(work, by)
        if ended:
            _record("staff-grade-withdrawn", work, by)
    return ended


def _end_grade(work: Work, by: Person) -> bool:
    before = StaffGrade.objects.filter(work=work, by=by, withdrawn_at=None)
    return bool(before.update(withdrawn_at=timezone.now()))


def refuse_beyond(points: float, plan: GradingPlan) -> None:
    """Grades of staff are on the scale of the plan."""
    if not math.isfinite(points) or not plan.scale_low <= points <= plan.scale_high:
        text = _("%(points)s is outside the scale, which goes from %(low)s to %(high)s.")
        ends = {"low": f"{plan.scale_low:.10g}", "high": f"{plan.scale_high:.10g}"}
        raise Refused(text % {"points": f"{points:.10g}", **ends})


def rank_works(*, assignment: Assignment, by: Person, bins: Sequence[Sequence[int]]) -> StaffRanking:
    """Put some works in order, best first; works in one place are tied. It replaces one's order before."""
    full = [sorted(place) for place in bins if place]
    wanted = [work for place in full for work in place]
    with exclusively(lock_name(assignment)):
        _refuse_phase(assignment)
        if len(wanted) < FEWEST or len(full) < FEWEST:
            raise Refused(_("Give at least two submissions different ranks."))
        here = Work.objects.filter(
            assignment=assignment, pk__in=wanted, taken_out_at=None, submissions__handed_in_at__isnull=False
        ).distinct()
        if len(set(wanted)) != len(wanted) or here.count() != len(wanted):
            raise Refused(_("One of these submissions is no longer available. Reload the page."))
        _end_rankings(assignment, by)
        given = StaffRanking.objects.create(assignment=assignment, by=by, bins=full)
        record("staff-ranked", by=by, assignment=assignment, count=len(wanted))
    return given


def withdraw_ranking(*, assignment: Assignment, by: Person) -> bool:
    """Take back one's order; whether there was one."""
    with exclusively(lock_name(assignment)):
        _refuse_phase(assignment)
        ended = _end_rankings(assignment, by)
        if ended:
            record("staff-ranking-withdrawn", by=by, assignment=assignment)
    return ended


def _end_rankings(assignment: Assignment, by: Person) -> bool:
    before = StaffRanking.objects.filter(assignment=assignment, by=by, withdrawn_at=None)
    return bool(before.update(withdrawn_at=timezone.now()))


def _refuse_phase(assignment: Assignment) -> None:
    if not Assignment.objects.filter(pk=assignment.pk, phase__in=when(Action.JUDGE_WORKS)).exists():
        raise Refused(_("The assignment is in a different phase now. Reload the page."))


def _record(verb: str, work: Work, by: Person, **data: Any) -> None:
    record(verb, by=by, assignment=work.assignment, subject=first_maker(work), **data)


def first_maker(work: Work) -> Membership | None:
    """Whom the record names for a work; of a team the first."""
    return next(iter(authors_of(work).members), None)


# -- Grades that staff set by hand, with a reason. None is deleted; one that is taken back keeps its row


def set_grade(
    *, work: Work, by: Person, points: float, reason: str, membership: Membership | None = None
) -> Override:
    """Set the grade of a work, or of one member of its team; it replaces one that was set before."""
    with exclusively(lock_name(work.assignment)):
        _refuse_override_phase(work.assignment)
        if not reason.strip():
            raise Refused(_("Give a reason: someone may ask about it later."))
        refuse_beyond(points, plan_of(work.assignment))
        makers = authors_of(work).members
        if membership is not None and membership.pk not in {one.pk for one in makers}:
            raise Refused(_("This student is not an author of the submission."))
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
        _refuse_override_phase(override.work.assignment)
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


def _refuse_override_phase(assignment: Assignment) -> None:
    if not Assignment.objects.filter(pk=assignment.pk, phase__in=when(Action.OVERRIDE)).exists():
        raise Refused(_("The assignment is in a different phase now. Reload the page."))
