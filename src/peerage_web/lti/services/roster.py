"""Taking over the platform's roster: fetch, show what would change, and do what was shown."""

from __future__ import annotations

import hashlib
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.models import Membership
from peerage_web.classes.queries.roster_changes import Change, Changes
from peerage_web.classes.services.people import change_role
from peerage_web.classes.services.record import record
from peerage_web.classes.words import Role
from peerage_web.lti.models import LtiContext, LtiLineItem, LtiPlace
from peerage_web.lti.queries.roster_changes import changes_of
from peerage_web.lti.services.members import Fetched, fetch_members
from peerage_web.lti.services.people import person_of, take_place
from peerage_web.lti.services.web import PlatformError
from peerage_web.lti.told import Listed
from peerage_web.shared.database import exclusively
from peerage_web.shared.errors import Refused
from peerage_web.shared.services.rate_limits import refuse_too_many_looks


def preview_roster(*, context: LtiContext, by: Person) -> tuple[Fetched, Changes]:
    """Fetch the list and compare; Refused with the platform's own words where it does not come."""
    refuse_too_many_looks(visitor=f"person {by.pk}")
    try:
        fetched = fetch_members(context=context)
    except PlatformError as error:
        raise Refused(_("The learning platform's list cannot be fetched: %(why)s") % {"why": error}) from None
    return fetched, changes_of(context, fetched.people)


def fingerprint(changes: Changes) -> str:
    """What a preview showed, in short."""
    parts = [
        *(f"+{_listed(one).told.subject}:{one.row['role']}" for one in changes.add),
        *(f"~{_listed(one).told.subject}:{sorted(one.fields.items())}" for one in changes.update),
        *(f"<{_listed(one).told.subject}:{one.row['role']}" for one in changes.take_back),
        *(f"-{one.pk}" for one in changes.missing),
    ]
    return hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()[:16]


def _listed(change: Change) -> Listed:
    listed: Listed = change.row["listed"]
    return listed


def commit_roster(
    *, context: LtiContext, by: Person, drop_missing: bool, expected: str
) -> tuple[Changes, int]:
    """Do what the preview showed; Refused where list or course have changed since."""
    fetched, _changes = preview_roster(context=context, by=by)
    with exclusively(f"roster of course {context.course_id}"):
        changes = changes_of(context, fetched.people)
        if fingerprint(changes) != expected:
            raise Refused(_("The list or the course has changed since you looked. Look again, please."))
        for one in changes.update:
            if "account" in one.fields:
                _move(context, one)
        for listed in fetched.people:
            _apply(context, listed, by)
        dropped = _drop(context, changes.missing, by) if drop_missing else 0
        counts: dict[str, Any] = {
            "added": len(changes.add) + len(changes.take_back),
            "updated": len(changes.update),
        }
        record("lti-roster", by=by, course=context.course, **counts, dropped=dropped)
        LtiContext.objects.filter(pk=context.pk).update(synced_at=timezone.now())
    return changes, dropped


def _move(context: LtiContext, change: Change) -> None:
    """The place in the course becomes the platform's account's; the other account keeps all else."""
    member, listed = change.member, _listed(change)
    assert member is not None
    person = person_of(registration=context.deployment.registration, told=listed.told)
    if not Membership.objects.filter(course=member.course, person=person).exists():
        member.person = person
        member.save(update_fields=["person"])


def _apply(context: LtiContext, listed: Listed, by: Person) -> None:
    if listed.role is None and not LtiPlace.objects.filter(context=context, subject=listed.told.subject):
        return
    try:
        person = person_of(registration=context.deployment.registration, told=listed.told)
    except Refused:  # their account is closed here, and stays so
        return
    take_place(context=context, person=person, told=listed.told, role=listed.role, by=by)


def _drop(context: LtiContext, missing: list[Membership], by: Person) -> int:
    """Who is not on the list any more."""
    for member in missing:
        change_role(member=member, by=by, role=Role.DROPPED)
    LtiPlace.objects.filter(context=context, membership__in=missing).update(told="")
    LtiLineItem.objects.filter(context=context).update(is_current=False)
    return len(missing)
