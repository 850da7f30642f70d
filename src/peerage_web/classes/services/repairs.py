"""No-shows: what they hold goes to others, and comes back to them if they do. Nothing is deleted."""

from __future__ import annotations

from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.models import AllocationRun, Assignment, Membership, Review
from peerage_web.classes.services.mending import Changes, Wish, commit_changes, find_changes
from peerage_web.classes.services.record import record
from peerage_web.classes.services.replacing import locked_lists
from peerage_web.shared.errors import Refused

State = Review.State


def preview_repair(*, assignment: Assignment, wish: Wish, by: Person) -> Changes:
    """Who would lose which reviews, and who would get them."""
    if not wish.leaving:
        raise Refused(_("Choose whose reviews shall go to others."))
    return find_changes(assignment=assignment, wish=wish, by=by)


def commit_repair(*, assignment: Assignment, wish: Wish, by: Person, expected: str) -> Changes:
    """Do what the preview showed."""
    if not wish.leaving:
        raise Refused(_("Choose whose reviews shall go to others."))
    return commit_changes(
        assignment=assignment, wish=wish, by=by, expected=expected or "none", kind=AllocationRun.Kind.REPAIR
    )


def give_back(*, assignment: Assignment, member: Membership, by: Person) -> int:
    """A no-show came back: their list is open again as they left it. Those who got the works keep them."""
    with locked_lists(assignment):
        theirs = Review.objects.filter(
            assignment=assignment, reviewer=member, state=State.RELEASED, work__taken_out_at=None
        )
        count = theirs.update(state=State.OPEN, ended_at=None)
        if not count:
            raise Refused(_("Nothing was taken from them."))
        record("given-back", by=by, assignment=assignment, subject=member, count=count)
    return count
