"""The platform's roster (Names and Roles): fetch it, show what would change, and do what was shown."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Identity, Person
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Role
from peerage_web.classes.names import name_key
from peerage_web.classes.roster.imports import RosterChange, RosterChanges
from peerage_web.classes.roster.services import change_role
from peerage_web.lti import words
from peerage_web.lti.models import LtiContext, LtiLineItem, LtiPlace
from peerage_web.lti.people import PlatformUser, full_name, person_of, take_place, usable_address
from peerage_web.lti.platform_client import PlatformError, ask, next_page, read_json, with_query
from peerage_web.lti.words import clean_dict, clean_list, clean_text
from peerage_web.shared.database import exclusively
from peerage_web.shared.errors import Refused
from peerage_web.shared.services.rate_limits import refuse_too_many_looks

PER_PAGE = 200  # asked for; platforms choose
MOST_PAGES = 500
MOST_PEOPLE = 20_000
_KIND = "application/vnd.ims.lti-nrps.v2.membershipcontainer+json"


@dataclass(frozen=True, slots=True)
class PlatformMember:
    """Somebody of the platform's course; no role: nothing that gives a place, or not active."""

    user: PlatformUser
    role: Role | None


@dataclass(slots=True)
class PlatformRoster:
    """Everybody, and how many test users we left out."""

    people: list[PlatformMember] = field(default_factory=list)
    test_users: int = 0


# -- fetching it, page by page, within one origin ------------------------------------------------------


def fetch_members(*, context: LtiContext) -> PlatformRoster:
    """Everybody of the platform's course; PlatformError where the list does not come whole."""
    if not context.memberships_url:
        raise PlatformError("the platform does not offer a member list for this course")
    first = with_query(context.memberships_url, limit=str(PER_PAGE))
    roster, address, seen = PlatformRoster(), first, set[str]()
    while address:
        if address in seen or len(seen) >= MOST_PAGES:
            raise PlatformError("the platform's member list has too many pages")
        seen.add(address)
        address = _read_page(context, address, roster)
        if len(roster.people) > MOST_PEOPLE:
            raise PlatformError(f"the platform's member list has more than {MOST_PEOPLE:,} people")
    return roster


def _read_page(context: LtiContext, address: str, roster: PlatformRoster) -> str:
    """Take one page in; the address of the next, or nothing."""
    registration = context.deployment.registration
    answer = ask(registration, "GET", address, scope=words.SCOPE_MEMBERS, accept=_KIND)
    members = clean_dict(read_json(answer)).get("members")
    if not isinstance(members, list):
        raise PlatformError("the platform's member list contains no members")
    for member in members:
        if isinstance(member, dict):
            _read_member(member, roster)
    return next_page(context.memberships_url, address, answer.headers.get("link", ""))


def _read_member(member: dict[str, Any], roster: PlatformRoster) -> None:
    subject = clean_text(member.get("user_id"))
    names = clean_list(member.get("roles"))
    if not subject:
        return
    if words.is_test_user(names):
        roster.test_users += 1
        return
    user = PlatformUser(
        subject,
        full_name(member),
        usable_address(member.get("email")),
        clean_text(member.get("lis_person_sourcedid"), 100),
    )
    active = member.get("status", "Active") == "Active"
    roster.people.append(PlatformMember(user, words.role_of(names) if active else None))


# -- what it would change: the same kinds of change as a file has ------------------------------------


def changes_of(context: LtiContext, people: Iterable[PlatformMember], by: Person) -> RosterChanges:
    """Compare the list with the course. Each change's row carries what the platform says, under `listed`.

    People are known again by what the platform calls them. A student who came by a file is taken to be the
    same where number or address agree: staff see that here before it is done.
    """
    changes = RosterChanges()
    course = _CourseMembers(context)
    seen: set[int] = set()
    for line, listed in enumerate(people, start=1):
        member, moved = course.find(listed)
        if member is not None and (listed.role is not None or listed.user.subject in course.last_roles):
            seen.add(member.pk)
        _sort(listed, line, member, moved, course, changes)
    missing = (member for member in course.expected(by) if member.pk not in seen)
    changes.missing = sorted(missing, key=lambda member: (member.role, name_key(member.shown_name)))
    return changes


class _CourseMembers:
    """Who is in the course, under all the names by which they could be meant."""

    def __init__(self, context: LtiContext) -> None:
        members = Membership.objects.filter(course=context.course).select_related("person", "course")
        self.members = {member.pk: member for member in members}
        everywhere = LtiPlace.objects.filter(context__course=context.course)
        places = [place for place in everywhere if place.context_id == context.pk]
        self.named_elsewhere = {
            place.membership_id
            for place in everywhere
            if place.context_id != context.pk and place.platform_role
        }
        self.last_roles = {place.subject: place.platform_role for place in places}
        self.by_subject = {place.subject: place.membership_id for place in places}
        issuer = context.deployment.registration.identity_issuer
        identities = Identity.objects.filter(issuer=issuer, person__memberships__course=context.course)
        by_person = {member.person_id: member.pk for member in self.members.values()}
        self.by_identity = {identity.subject: by_person.get(identity.person_id) for identity in identities}
        placed = set(self.by_subject.values()) | set(self.by_identity.values())
        free = [
            member
            for member in self.members.values()
            if member.pk not in placed and member.role != Role.DROPPED
        ]
        self.by_number = {member.student_id: member.pk for member in free if member.student_id}
        self.by_email = {member.person.email: member.pk for member in free}

    def expected(self, by: Person) -> list[Membership]:
        """Who should be on the list: students, and staff who came from this platform, for an instructor.

        Other staff were added here by hand, and whoever looks stays: so a course keeps an instructor.
        """
        own = {member.pk: member for member in self.members.values() if member.person_id == by.pk}
        ours = set(self.by_subject.values()) - set(own)
        drops_staff = any(member.role == Role.INSTRUCTOR for member in own.values())
        return [
            member
            for member in self.members.values()
            if member.pk not in self.named_elsewhere
            and (
                member.role == Role.STUDENT
                or (drops_staff and member.role != Role.DROPPED and member.pk in ours)
            )
        ]

    def find(self, listed: PlatformMember) -> tuple[Membership | None, bool]:
        """Whom the platform means, and whether their place would move to the platform's account."""
        user = listed.user
        pk = self.by_subject.get(user.subject) or self.by_identity.get(user.subject)
        if pk is not None:
            return self.members.get(pk), False
        pk = self.by_number.get(user.number) if user.number else None
        pk = pk or (self.by_email.get(user.email.lower()) if user.email else None)
        member = self.members.get(pk) if pk is not None else None
        same = member is not None and member.role == Role.STUDENT and listed.role == Role.STUDENT
        return (member, True) if same else (None, False)


def _sort(
    listed: PlatformMember,
    line: int,
    member: Membership | None,
    moved: bool,
    course: _CourseMembers,
    changes: RosterChanges,
) -> None:
    user = listed.user
    row = {
        "line": line,
        "name": user.name,
        "email": user.email,
        "student_id": user.number,
        "section": "",
        "group": "",
        "role": listed.role or "",
        "listed": listed,
    }
    if member is None:
        if listed.role is not None:
            changes.add.append(RosterChange(row))
        return
    fields = _differences(listed, member, moved, course)
    if member.role == Role.DROPPED and "role" in fields and listed.role is not None:
        changes.take_back.append(RosterChange(row, member, fields))
    elif fields:
        changes.update.append(RosterChange(row, member, fields))
    else:
        changes.same += 1


def _differences(
    listed: PlatformMember, member: Membership, moved: bool, course: _CourseMembers
) -> dict[str, tuple[str, str]]:
    fields: dict[str, tuple[str, str]] = {}
    before = course.last_roles.get(listed.user.subject)
    said = listed.role or Role.DROPPED
    if (
        before != (listed.role or "")
        and said != member.role
        and not (before is None and member.role != Role.DROPPED)
    ):
        fields["role"] = (str(Role(member.role).label), str(said.label))
    if moved:
        fields["account"] = (member.person.email, listed.user.subject)
    if (
        listed.user.name
        and listed.user.name != member.name
        and (not member.name or member.person.is_from_elsewhere)
    ):
        fields["name"] = (member.name, listed.user.name)
    return fields


# -- taking it over ----------------------------------------------------------------------------------


def preview_roster(*, context: LtiContext, by: Person) -> tuple[PlatformRoster, RosterChanges]:
    """Fetch the list and compare; Refused with the platform's own words where it does not come."""
    refuse_too_many_looks(visitor=f"person {by.pk}")
    try:
        roster = fetch_members(context=context)
    except PlatformError as error:
        raise Refused(
            _("The roster could not be fetched from the learning platform: %(why)s") % {"why": error}
        ) from None
    return roster, changes_of(context, roster.people, by)


def fingerprint(changes: RosterChanges) -> str:
    """What a preview showed, in short."""
    parts = [
        *(f"+{_listed(change).user.subject}:{change.row['role']}" for change in changes.add),
        *(f"~{_listed(change).user.subject}:{sorted(change.fields.items())}" for change in changes.update),
        *(f"<{_listed(change).user.subject}:{change.row['role']}" for change in changes.take_back),
        *(f"-{member.pk}" for member in changes.missing),
    ]
    return hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()[:16]


def _listed(change: RosterChange) -> PlatformMember:
    listed: PlatformMember = change.row["listed"]
    return listed


def commit_roster(
    *, context: LtiContext, by: Person, drop_missing: bool, move_places: bool, expected: str
) -> tuple[RosterChanges, int]:
    """Do what the preview showed; Refused where list or course have changed since.

    A number or an address alone moves nobody's place: without `move_places` such people are added anew.
    """
    roster, _changes = preview_roster(context=context, by=by)
    with exclusively(f"roster of course {context.course_id}"):
        changes = changes_of(context, roster.people, by)
        if fingerprint(changes) != expected:
            raise Refused(
                _("The roster or the course has changed since you opened this page. Check the changes again.")
            )
        for change in changes.update if move_places else ():
            if "account" in change.fields:
                _move(context, change)
        for listed in roster.people:
            _apply(context, listed, by)
        dropped = _drop(context, changes.missing, by) if drop_missing else 0
        counts: dict[str, Any] = {
            "added": len(changes.add) + len(changes.take_back),
            "updated": len(changes.update),
        }
        record("lti-roster", by=by, course=context.course, **counts, dropped=dropped)
        LtiContext.objects.filter(pk=context.pk).update(synced_at=timezone.now())
    return changes, dropped


def _move(context: LtiContext, change: RosterChange) -> None:
    """The place in the course becomes the platform's account's; the other account keeps all else."""
    member, listed = change.member, _listed(change)
    assert member is not None
    person = person_of(registration=context.deployment.registration, user=listed.user)
    if not Membership.objects.filter(course=member.course, person=person).exists():
        member.person = person
        member.save(update_fields=["person"])


def _apply(context: LtiContext, listed: PlatformMember, by: Person) -> None:
    if listed.role is None and not LtiPlace.objects.filter(context=context, subject=listed.user.subject):
        return
    try:
        person = person_of(registration=context.deployment.registration, user=listed.user)
    except Refused:  # their account is closed here, and stays so
        return
    take_place(context=context, person=person, user=listed.user, role=listed.role, by=by, from_roster=True)


def _drop(context: LtiContext, missing: list[Membership], by: Person) -> int:
    """Who is not on the list any more."""
    for member in missing:
        change_role(member=member, by=by, role=Role.DROPPED)
    LtiPlace.objects.filter(context=context, membership__in=missing).update(
        platform_role="", is_from_roster=False
    )
    LtiLineItem.objects.filter(context=context).update(is_current=False)
    return len(missing)
