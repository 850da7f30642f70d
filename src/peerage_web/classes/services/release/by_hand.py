"""The two buttons of the page of a release."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.models import Assignment
from peerage_web.classes.queries.grading.runs import approved_run
from peerage_web.classes.services.phases import take_step
from peerage_web.classes.services.release.releasing import release_again
from peerage_web.classes.words import Phase
from peerage_web.shared.errors import Refused


def release_grades(*, assignment: Assignment, by: Person, run: int, why: str = "") -> None:
    """Release what the page showed; Refused where another run than the one shown is approved by now."""
    with transaction.atomic():
        locked = Assignment.objects.select_for_update().get(pk=assignment.pk)
        approved = approved_run(locked)
        if approved is None or approved.number != run:
            raise Refused(_("Another run was approved meanwhile. Look at its grades first."))
        if locked.phase == Phase.RELEASED:
            release_again(assignment=locked, by=by, why=why)
        else:
            take_step(assignment=locked, code="release", by=by)


def retract_grades(*, assignment: Assignment, by: Person) -> None:
    """Take the grades back."""
    take_step(assignment=assignment, code="retract", by=by)
