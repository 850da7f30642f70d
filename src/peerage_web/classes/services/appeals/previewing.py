"""What an answer would change: the class graded once more with what staff would give the work.

The points are tried in the preview alone. Where fewer works than the library needs have a staff grade, or
this one was set by hand before, an estimate cannot follow them: accepting then sets the grade of this work by
hand, which moves no other.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.models import Appeal, Assignment, GradingRun
from peerage_web.classes.queries.appeals.movement import (
    Movement,
    is_set_by_hand,
    movement_by_hand,
    movement_by_run,
)
from peerage_web.classes.queries.grading.plans import options_of, plan_of, weights_of
from peerage_web.classes.queries.grading.runs import approved_run
from peerage_web.classes.services.appeals.asking import refuse_phase
from peerage_web.classes.services.grading.inputs import ANCHORS, ExtraGrade, inputs_of
from peerage_web.classes.services.grading.runs import Purpose, lock_name, start_run
from peerage_web.classes.services.grading.staff_grades import refuse_beyond
from peerage_web.classes.services.record import record
from peerage_web.shared.database import exclusively
from peerage_web.shared.errors import Refused


def preview_appeal(*, appeal: Appeal, by: Person, points: float | None, reason: str) -> None:
    """See what accepting would change. Without points the class is graded again as it is now."""
    with exclusively(lock_name(appeal.assignment)):
        refuse_phase(appeal.assignment)
        _lock_open(appeal)
        if points is not None:
            refuse_beyond(points, plan_of(appeal.assignment))
        appeal.proposed_points, appeal.proposed_by = points, by
        appeal.proposed_reason, appeal.previewed_at = reason.strip(), timezone.now()
        appeal.preview = None
        if not goes_by_hand(appeal):
            appeal.preview = start_run(
                assignment=appeal.assignment,
                by=by,
                purpose=Purpose.APPEAL,
                extra=extra_of(appeal),
                seed=seed_of(appeal.assignment),
            )
        appeal.save()
        record(
            "appeal-previewed",
            by=by,
            assignment=appeal.assignment,
            subject=appeal.membership,
            appeal=appeal.key,
            after="" if points is None else f"{points:.10g}",
        )


def _lock_open(appeal: Appeal) -> None:
    if not Appeal.objects.select_for_update().filter(pk=appeal.pk, state=Appeal.State.OPEN).exists():
        raise Refused(_("This appeal is not open any more."))


def goes_by_hand(appeal: Appeal) -> bool:
    """Whether accepting sets the grade by hand, for no estimate would follow what staff gave."""
    if appeal.proposed_points is None:
        return False
    if is_set_by_hand(appeal):
        return True
    return ANCHORS not in inputs_of(appeal.assignment, extra_of(appeal)).files


def extra_of(appeal: Appeal) -> list[ExtraGrade]:
    """What the preview tries."""
    if appeal.proposed_points is None or appeal.proposed_by_id is None:
        return []
    return [ExtraGrade(appeal.work_id, appeal.proposed_by_id, appeal.proposed_points)]


def seed_of(assignment: Assignment) -> int:
    """As in the run that is out: another seed would move everybody a little."""
    run = approved_run(assignment)
    return int(run.options.get("seed") or 0) if run is not None else 0


def fits(appeal: Appeal, run: GradingRun) -> bool:
    """Whether the preview is still what would come out now; other answers or late works may have come."""
    inputs, plan = inputs_of(appeal.assignment, extra_of(appeal)), plan_of(appeal.assignment)
    options = options_of(plan, seed=seed_of(appeal.assignment), staff_grades=ANCHORS in inputs.files)
    asked, weights = options.to_dict(), weights_of(plan)
    return (run.inputs_sha256, run.options, run.plan) == (inputs.sha256, asked, weights)


@dataclass(frozen=True, slots=True)
class Preview:
    """Where the preview of an appeal stands, for the page."""

    state: str  # none, waiting, failed, outdated, ready
    by_hand: bool = False
    movement: Movement | None = None


def preview_of(appeal: Appeal) -> Preview:
    """What would change, as soon as it is known."""
    if appeal.previewed_at is None:
        return Preview("none")
    if goes_by_hand(appeal):
        return Preview("ready", by_hand=True, movement=movement_by_hand(appeal))
    run = appeal.preview
    if run is None:
        return Preview("outdated")
    if run.drawn_at is None:
        return Preview("waiting" if run.job.state in ("queued", "running", "done") else "failed")
    if not fits(appeal, run):
        return Preview("outdated")
    return Preview("ready", movement=movement_by_run(appeal, run))
