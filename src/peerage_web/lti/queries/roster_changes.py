"""What the platform's list of people would change in the course: the same kinds of change as a file has."""

from __future__ import annotations

from collections.abc import Iterable

from peerage_web.accounts.models import Identity
from peerage_web.classes.models import Membership
from peerage_web.classes.queries.roster_changes import Change, Changes
from peerage_web.classes.words import Role
from peerage_web.lti.models import LtiContext, LtiPlace
from peerage_web.lti.told import Listed


def changes_of(context: LtiContext, people: Iterable[Listed]) -> Changes:
    """Compare the list with the course. Each change's row carries what the platform says, under `listed`.

    People are known again by what the platform calls them. A student who came by a file is taken to be the
    same where number or address agree: staff see that here before it is done.
    """
    found = Changes()
    known = _Known(context)
    seen: set[int] = set()
    for line, one in enumerate(people, start=1):
        member, moved = known.member(one)
        if member is not None and one.role is not None:
            seen.add(member.pk)
        _sort(one, line, member, moved, known, found)
    found.missing = sorted(
        (one for one in known.members.values() if one.role == Role.STUDENT and one.pk not in seen),
        key=lambda one: one.shown_name,
    )
    return found


class _Known:
    """Who is in the course, under all the names by which they could be meant."""

    def __init__(self, context: LtiContext) -> None:
        members = Membership.objects.filter(course=context.course).select_related("person", "course")
        self.members = {one.pk: one for one in members}
        places = LtiPlace.objects.filter(context=context)
        self.told = {one.subject: one.told for one in places}
        self.by_subject = {one.subject: one.membership_id for one in places}
        issuer = context.deployment.registration.identity_issuer
        identities = Identity.objects.filter(issuer=issuer, person__memberships__course=context.course)
        by_person = {one.person_id: one.pk for one in self.members.values()}
        self.by_identity = {one.subject: by_person.get(one.person_id) for one in identities}
        placed = set(self.by_subject.values()) | set(self.by_identity.values())
        free = [one for one in self.members.values() if one.pk not in placed and one.role != Role.DROPPED]
        self.by_number = {one.student_id: one.pk for one in free if one.student_id}
        self.by_email = {one.person.email: one.pk for one in free}

    def member(self, one: Listed) -> tuple[Membership | None, bool]:
        """Whom the platform means, and whether their place would move to the platform's account."""
        told = one.told
        pk = self.by_subject.get(told.subject) or self.by_identity.get(told.subject)
        if pk is not None:
            return self.members.get(pk), False
        pk = self.by_number.get(told.number) if told.number else None
        pk = pk or (self.by_email.get(told.email.lower()) if told.email else None)
        found = self.members.get(pk) if pk is not None else None
        same = found is not None and found.role == Role.STUDENT and one.role == Role.STUDENT
        return (found, True) if same else (None, False)


def _sort(
    one: Listed, line: int, member: Membership | None, moved: bool, known: _Known, found: Changes
) -> None:
    told = one.told
    row = {
        "line": line,
        "name": told.name,
        "email": told.email,
        "student_id": told.number,
        "section": "",
        "group": "",
        "role": one.role or "",
        "listed": one,
    }
    if member is None:
        if one.role is not None:
            found.add.append(Change(row))
        return
    fields = _differences(one, member, moved, known)
    if member.role == Role.DROPPED and "role" in fields and one.role is not None:
        found.take_back.append(Change(row, member, fields))
    elif fields:
        found.update.append(Change(row, member, fields))
    else:
        found.same += 1


def _differences(one: Listed, member: Membership, moved: bool, known: _Known) -> dict[str, tuple[str, str]]:
    fields: dict[str, tuple[str, str]] = {}
    told = known.told.get(one.told.subject)
    said = one.role or Role.DROPPED
    if (
        told != (one.role or "")
        and said != member.role
        and not (told is None and member.role != Role.DROPPED)
    ):
        fields["role"] = (str(Role(member.role).label), str(said.label))
    if moved:
        fields["account"] = (member.person.email, one.told.subject)
    if (
        one.told.name
        and one.told.name != member.name
        and (not member.name or member.person.is_from_elsewhere)
    ):
        fields["name"] = (member.name, one.told.name)
    return fields
