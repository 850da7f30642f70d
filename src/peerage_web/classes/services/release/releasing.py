"""Releasing grades, releasing them again, and taking them back.

A release is a snapshot: what students were told at a moment stays, whatever is graded or overridden later.
It is made in the transaction that moves the assignment on (`services.phases`), by hand or by its date.
"""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.models import Assignment, Release, ReleasedGrade
from peerage_web.classes.queries.grading.final import final_grades
from peerage_web.classes.queries.grading.runs import approved_run
from peerage_web.classes.queries.release.current import current_release
from peerage_web.classes.queries.release.page import release_page
from peerage_web.classes.queries.release.told import differs, snapshot
from peerage_web.classes.services.record import record
from peerage_web.classes.words import Phase
from peerage_web.shared.errors import Refused


def make_release(*, assignment: Assignment, by: Person | None, why: str = "") -> Release:
    """Put the grades of the approved run before students, in place of what they saw before.

    Whoever calls it holds the assignment's row. Everybody is told by mail, later; after a release that this
    one replaces, only those for whom something is different.
    """
    run = approved_run(assignment)
    if run is None:
        raise Refused(_("No grading run was approved for release yet."))
    before = current_release(assignment)
    known = {one.membership_id: one for one in before.grades.all()} if before is not None else {}
    now = timezone.now()
    Release.objects.filter(assignment=assignment, ended_at=None).update(ended_at=now)
    last = Release.objects.filter(assignment=assignment).aggregate(last=Max("number"))["last"] or 0
    release = Release.objects.create(assignment=assignment, number=last + 1, run=run, why=why, made_by=by)
    grades = [snapshot(one, release) for one in final_grades(run)]
    for one in grades:
        earlier = known.get(one.membership_id)
        if earlier is not None and not differs(earlier, one):
            one.told_at = earlier.told_at
    ReleasedGrade.objects.bulk_create(grades)
    said: dict[str, Any] = {"count": len(grades), "number": release.number, "reason": why}
    verb = "grades-released-again" if why else "grades-released"
    record(verb, by=by, assignment=assignment, **said)
    return release


def end_release(*, assignment: Assignment, by: Person | None) -> None:
    """Students see nothing of it any more; the snapshot stays."""
    release = current_release(assignment)
    if release is None:
        return
    release.ended_at = timezone.now()
    release.save(update_fields=["ended_at"])
    record("grades-retracted", by=by, assignment=assignment, number=release.number)


def release_again(*, assignment: Assignment, by: Person, why: str, unchanged: bool = False) -> Release:
    """A second and later release while grades are out: another run, overrides, or ratings that came in.

    `why` is read by students. Refused where nothing would change for anybody, unless `unchanged` is fine.
    """
    if not why.strip():
        raise Refused(_("Say why the grades change: students read it."))
    with transaction.atomic():
        locked = Assignment.objects.select_for_update().filter(pk=assignment.pk, phase=Phase.RELEASED).first()
        if locked is None:
            raise Refused(_("The assignment is not in that phase any more. Load the page again."))
        if not unchanged and not release_page(locked).changed:
            raise Refused(_("Nothing has changed since the last release."))
        return make_release(assignment=locked, by=by, why=why.strip()[:300])
