"""Who launches: known again by what the platform calls them, never by an e-mail address; and their place."""

import secrets
from dataclasses import dataclass
from typing import Any, TypeVar

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils import timezone
from django.utils.translation import get_supported_language_variant
from django.utils.translation import gettext as _

from peerage_web.accounts.models import ELSEWHERE, Identity, Person
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Role
from peerage_web.classes.roster.services import change_role
from peerage_web.lti import words
from peerage_web.lti.models import LtiContext, LtiLineItem, LtiPlace, LtiRegistration
from peerage_web.lti.words import clean_dict, clean_text
from peerage_web.shared.database import exclusively
from peerage_web.shared.errors import Refused


@dataclass(frozen=True, slots=True)
class PlatformUser:
    """Somebody as a platform describes them: what it calls them, and what else it says, if anything."""

    subject: str
    name: str = ""
    email: str = ""
    number: str = ""
    language: str = ""


def user_of_launch(claims: dict[str, Any]) -> PlatformUser:
    """Who launches, by the launch's own claims."""
    number = clean_dict(claims.get(words.LIS)).get("person_sourcedid")
    return PlatformUser(
        subject=clean_text(claims.get("sub")),
        name=full_name(claims),
        email=usable_address(claims.get("email")),
        number=clean_text(number, 100),
        language=language_of(claims),
    )


def full_name(claims: dict[str, Any]) -> str:
    parts = (clean_text(claims.get("given_name"), 100), clean_text(claims.get("family_name"), 100))
    return clean_text(claims.get("name"), 200) or " ".join(part for part in parts if part)


def usable_address(value: Any) -> str:
    """An address that mail can go to; empty where it cannot be one."""
    address = clean_text(value, 254)
    try:
        validate_email(address)
    except ValidationError:
        return ""
    return address


def language_of(claims: dict[str, Any]) -> str:
    """In which the platform shows itself, if our pages have it."""
    locale = clean_text(clean_dict(claims.get(words.PRESENTATION)).get("locale"), 20)
    try:
        return get_supported_language_variant(locale.replace("_", "-").lower()) if locale else ""
    except LookupError:
        return ""


def person_of(*, registration: LtiRegistration, user: PlatformUser) -> Person:
    """Whoever the platform means; somebody new at their first time. Refused where the account is closed."""
    issuer = registration.identity_issuer
    with exclusively(f"{issuer} {user.subject}"):
        identities = Identity.objects.filter(issuer=issuer, subject=user.subject)
        identity = identities.select_related("person").first()
        if identity is None:
            person = Person.objects.create_user(f"{secrets.token_hex(12)}{ELSEWHERE}")
            Identity.objects.create(person=person, issuer=issuer, subject=user.subject)
        else:
            person = identity.person
        identities.update(used_at=timezone.now())
        _learn(person, user)
    if not person.is_active:
        raise Refused(_("This account is closed."))
    return person


def _learn(person: Person, user: PlatformUser) -> None:
    """Name and address of somebody whom only platforms know; others have said themselves what they are."""
    if not person.is_from_elsewhere:
        return
    news = {"name": user.name or person.name, "mail_to": user.email or person.mail_to}
    news["language"] = person.language or user.language
    if any(getattr(person, name) != value for name, value in news.items()):
        for name, value in news.items():
            setattr(person, name, value)
        person.save(update_fields=list(news))


def take_place(
    *,
    context: LtiContext,
    person: Person,
    user: PlatformUser,
    role: Role | None,
    by: Person | None = None,
    from_roster: bool = False,
) -> Membership | None:
    """Their place in the connected course, as the platform has it now; None where they have none.

    The roster decides: a role that it takes away is gone, the last instructor's included. What a launch says
    beside it counts as `_word_of_launch` has it. As long as the platform's word is the same, what staff here
    decided stays.
    """
    assert context.course is not None  # who launches into nothing has no place
    with exclusively(f"roster of course {context.course_id}"):
        place = _place(context, person, user.subject)
        if place is None:
            place = _first_place(context, person, user, role, by) if role is not None else None
        elif (word := role if from_roster else _word_of_launch(place, role)) != (place.platform_role or None):
            change_role(member=place.membership, by=by, role=word or Role.DROPPED, even_the_last=True)
            place.platform_role, place.is_from_roster = word or "", False
            place.save()
            look_again(context)
        if place is None:
            return None
        if from_roster and not place.is_from_roster:
            LtiPlace.objects.filter(pk=place.pk).update(is_from_roster=True)
        _fill_in(place.membership, user)
    return None if role is None or place.membership.role == Role.DROPPED else place.membership


_AnyRole = TypeVar("_AnyRole", Role, Role | None)
_RISING = (None, Role.DROPPED, Role.OBSERVER, Role.STUDENT, Role.ASSISTANT, Role.INSTRUCTOR)


def higher_role(one: _AnyRole, other: _AnyRole) -> _AnyRole:
    """The one that may do more."""
    return max(one, other, key=_RISING.index)


def _word_of_launch(place: LtiPlace, role: Role | None) -> Role | None:
    """What holds after a launch that names this role.

    Moodle calls a non-editing teacher Instructor at a launch and Learner on the roster, and a teacher who
    looks at the course as a student Learner at a launch. So, where there is a roster, a launch takes nothing
    away, and it gives nothing but a student's place to people whom the roster calls otherwise.
    """
    before = Role(place.platform_role) if place.platform_role else None
    if not place.context.memberships_url:
        return role
    if place.is_from_roster and (before is not None or role != Role.STUDENT):
        return before
    return higher_role(before, role)


def _place(context: LtiContext, person: Person, subject: str) -> LtiPlace | None:
    places = LtiPlace.objects.filter(context=context, subject=subject).select_related(
        "membership__course", "context"
    )
    place = places.first()
    if place is not None and place.membership.person_id != person.pk:
        place.delete()  # the place in the course has become somebody else's
        return None
    return place


def _first_place(
    context: LtiContext, person: Person, user: PlatformUser, role: Role, by: Person | None
) -> LtiPlace:
    course = context.course
    assert course is not None
    member, made = Membership.objects.get_or_create(
        course=course, person=person, defaults={"role": role, "name": user.name}
    )
    if made:
        record("member-added", by=by, course=course, subject=member, role=role.value)
    elif member.role == Role.DROPPED:
        change_role(member=member, by=by, role=role)
    LtiPlace.objects.filter(context=context, membership=member).delete()  # under a name it has no more
    look_again(context)
    return LtiPlace.objects.create(
        context=context, subject=user.subject, membership=member, platform_role=role
    )


def look_again(context: LtiContext) -> None:
    """Grades that were released before somebody came are theirs, too."""
    LtiLineItem.objects.filter(context=context).update(is_current=False)


def _fill_in(member: Membership, user: PlatformUser) -> None:
    """Name and number where the roster has none; a number that is somebody else's stays theirs."""
    changes = {}
    if user.name and user.name != member.name and (not member.name or member.person.is_from_elsewhere):
        changes["name"] = user.name
    if user.number and not member.student_id:
        taken = Membership.objects.filter(course=member.course_id, student_id=user.number).exists()
        changes |= {} if taken else {"student_id": user.number}
    if changes:
        Membership.objects.filter(pk=member.pk).update(**changes)
        for name, value in changes.items():
            setattr(member, name, value)
