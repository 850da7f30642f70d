"""Answering an appeal. Accepting one changes the grades and releases them in one step, or nothing happens."""

from __future__ import annotations

from django.utils import timezone, translation
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.models import Appeal, GradingRun
from peerage_web.classes.queries.release.page import release_page
from peerage_web.classes.services.appeals.asking import refuse_phase
from peerage_web.classes.services.appeals.mail import tell
from peerage_web.classes.services.appeals.previewing import preview_of
from peerage_web.classes.services.grading.overrides import set_grade
from peerage_web.classes.services.grading.runs import Purpose, approve_run, lock_name
from peerage_web.classes.services.grading.staff_grades import grade_work
from peerage_web.classes.services.record import record
from peerage_web.classes.services.release.releasing import release_again
from peerage_web.shared.database import exclusively
from peerage_web.shared.errors import Refused


def decline(*, appeal: Appeal, by: Person, answer: str) -> None:
    """The grade stays; the student is told that there is an answer."""
    with exclusively(lock_name(appeal.assignment)):
        refuse_phase(appeal.assignment)
        _end(appeal, Appeal.State.DECLINED, by, answer)
        record(
            "appeal-declined",
            by=by,
            assignment=appeal.assignment,
            subject=appeal.membership,
            appeal=appeal.key,
        )
        tell(appeal=appeal)


def accept(*, appeal: Appeal, by: Person, answer: str, seen: str) -> int:
    """Make what was previewed true, and release it; for how many students something changes.

    `seen` is `mark_of` the preview that the page showed: whoever accepts has seen who else would move. Those
    for whom something changes are told by the release, and the student of the appeal in any case.
    """
    with exclusively(lock_name(appeal.assignment)):
        refuse_phase(appeal.assignment)
        fresh = Appeal.objects.select_for_update(of=("self",)).select_related(
            "assignment__course", "membership__person", "work", "preview__job", "proposed_by"
        )
        appeal = fresh.get(pk=appeal.pk)
        found = preview_of(appeal)
        if found.state != "ready" or seen != mark_of(appeal):
            raise Refused(_("Look at what would change first: this is not what the last preview showed."))
        if found.by_hand:
            _by_hand(appeal, by, answer)
        else:
            _by_run(appeal, by)
        _end(appeal, Appeal.State.ACCEPTED, by, answer)
        changed = len(release_page(appeal.assignment).changed)
        record(
            "appeal-accepted",
            by=by,
            assignment=appeal.assignment,
            subject=appeal.membership,
            appeal=appeal.key,
            count=changed,
        )
        if changed:
            release_again(assignment=appeal.assignment, by=by, why=_why(appeal))
        tell(appeal=appeal)
    return changed


def mark_of(appeal: Appeal) -> str:
    """Of the preview that a page shows."""
    at = appeal.previewed_at
    return "" if at is None else at.isoformat()


def _by_hand(appeal: Appeal, by: Person, answer: str) -> None:
    reason = appeal.proposed_reason or answer
    points = appeal.proposed_points or 0.0
    set_grade(work=appeal.work, by=by, points=points, reason=reason[:1000])
    # what was set for one member of a team would stand before it
    for one in appeal.work.overrides.filter(withdrawn_at=None, membership__isnull=False):
        set_grade(work=appeal.work, by=by, points=points, reason=reason[:1000], membership=one.membership)


def _by_run(appeal: Appeal, by: Person) -> None:
    """The staff grade becomes one, and the preview, which was made with it, a run like others."""
    run = appeal.preview
    assert run is not None  # it is ready
    if appeal.proposed_points is not None and appeal.proposed_by is not None:
        appeal.staff_grade = grade_work(
            work=appeal.work,
            by=appeal.proposed_by,
            points=appeal.proposed_points,
            reason=appeal.proposed_reason,
        )
    GradingRun.objects.filter(pk=run.pk).update(purpose=Purpose.GRADES)
    approve_run(run=run, by=by)


def _why(appeal: Appeal) -> str:
    """What students read; it names nobody."""
    with translation.override(appeal.assignment.course.language or None):
        return _("An appeal was accepted, so some grades have changed.")


def _end(appeal: Appeal, state: str, by: Person, answer: str) -> None:
    if not answer.strip():
        raise Refused(_("Write an answer: the student reads it."))
    waiting = Appeal.objects.select_for_update().filter(pk=appeal.pk, state=Appeal.State.OPEN)
    if not waiting.exists():
        raise Refused(_("This appeal is not open any more."))
    appeal.state, appeal.answer = state, answer.strip()
    appeal.answered_by, appeal.ended_at = by, timezone.now()
    appeal.save()
