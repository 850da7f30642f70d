"""A student appeals, or takes it back; staff open an appeal for a student."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.models import Appeal, Assignment, Membership, ReleasedGrade
from peerage_web.classes.queries.appeals.window import window_of
from peerage_web.classes.queries.release.current import current_grade
from peerage_web.classes.rules import Action, when
from peerage_web.classes.sentences import APPEAL_CLOSED
from peerage_web.classes.services.appeals.mail import tell
from peerage_web.classes.services.record import record
from peerage_web.shared.database import exclusively
from peerage_web.shared.errors import Refused


def lock(assignment: Assignment, member: Membership) -> str:
    """Under which one student's appeals are counted and made."""
    return f"appeals {assignment.pk} {member.pk}"


def ask(*, assignment: Assignment, member: Membership, reason: str) -> Appeal:
    """Appeal against one's own grade, within the window and the number that staff allow."""
    with exclusively(lock(assignment, member)):
        refuse_phase(assignment)
        window = window_of(assignment, member)
        if window.closed or window.grade is None:
            raise Refused(str(APPEAL_CLOSED[window.closed or "no-grade"]))
        made = _open(window.grade, reason, by=member.person)
        record("appeal-opened", by=member.person, assignment=assignment, subject=member, appeal=made.key)
    return made


def open_for(*, assignment: Assignment, member: Membership, by: Person, reason: str) -> Appeal:
    """Staff open one for a student, whenever and as often as they like."""
    with exclusively(lock(assignment, member)):
        refuse_phase(assignment)
        grade = current_grade(assignment, member)
        if grade is None or grade.work_id is None or grade.points is None:
            raise Refused(_("This student has no grade for a work, so there is nothing to appeal against."))
        waiting = Appeal.objects.filter(assignment=assignment, membership=member, state=Appeal.State.OPEN)
        if waiting.exists():
            raise Refused(_("This student has an appeal that waits for an answer already."))
        made = _open(grade, reason, by=by)
        record("appeal-opened-for", by=by, assignment=assignment, subject=member, appeal=made.key)
        tell(appeal=made)
    return made


def _open(grade: ReleasedGrade, reason: str, by: Person) -> Appeal:
    if not reason.strip():
        raise Refused(_("Say why the grade should be looked at again."))
    assert grade.work is not None  # whoever calls has looked
    return Appeal.objects.create(
        assignment=grade.release.assignment,
        membership=grade.membership,
        work=grade.work,
        release=grade.release,
        reason=reason.strip(),
        opened_by=by,
    )


def withdraw(*, appeal: Appeal, by: Person) -> None:
    """Take it back; one that was answered meanwhile stays as it is."""
    with exclusively(lock(appeal.assignment, appeal.membership)):
        waiting: Any = Appeal.objects.filter(pk=appeal.pk, state=Appeal.State.OPEN)
        if not waiting.update(state=Appeal.State.WITHDRAWN, ended_at=timezone.now()):
            raise Refused(_("This appeal is not open any more."))
        record(
            "appeal-withdrawn",
            by=by,
            assignment=appeal.assignment,
            subject=appeal.membership,
            appeal=appeal.key,
        )


def refuse_phase(assignment: Assignment) -> None:
    """Appeals are about grades that students see."""
    if not Assignment.objects.filter(pk=assignment.pk, phase__in=when(Action.APPEAL)).exists():
        raise Refused(_("The assignment is not in that phase any more. Load the page again."))
