"""Who launches: known again by what the platform calls them, never by an e-mail address; and their place."""

from __future__ import annotations

import secrets
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils import timezone
from django.utils.translation import get_supported_language_variant
from django.utils.translation import gettext as _

from peerage_web.accounts.models import ELSEWHERE, Identity, Person
from peerage_web.classes.models import Membership
from peerage_web.classes.services.people import change_role
from peerage_web.classes.services.record import record
from peerage_web.classes.words import Role
from peerage_web.lti import words
from peerage_web.lti.models import LtiContext, LtiLineItem, LtiPlace, LtiRegistration
from peerage_web.lti.services.tokens import text
from peerage_web.lti.told import Told
from peerage_web.shared.database import exclusively
from peerage_web.shared.errors import Refused


def told_by_launch(claims: dict[str, Any]) -> Told:
    """Out of a launch."""
    lis = claims.get(words.LIS)
    number = lis.get("person_sourcedid") if isinstance(lis, dict) else ""
    return Told(
        subject=text(claims.get("sub")),
        name=full_name(claims),
        email=usable_address(claims.get("email")),
        number=text(number, 100),
        language=language_of(claims),
    )


def full_name(given: dict[str, Any]) -> str:
    """As a whole, or put together from its parts."""
    parts = (text(given.get("given_name"), 100), text(given.get("family_name"), 100))
    return text(given.get("name"), 200) or " ".join(one for one in parts if one)


def usable_address(value: Any) -> str:
    """An address that mail can go to; empty where it cannot be one."""
    address = text(value, 254)
    try:
        validate_email(address)
    except ValidationError:
        return ""
    return address


def language_of(claims: dict[str, Any]) -> str:
    """In which the platform shows itself, if our pages have it."""
    given = claims.get(words.PRESENTATION)
    locale = text(given.get("locale"), 20) if isinstance(given, dict) else ""
    try:
        return get_supported_language_variant(locale.replace("_", "-").lower()) if locale else ""
    except LookupError:
        return ""


def person_of(*, registration: LtiRegistration, told: Told) -> Person:
    """Whoever the platform means; somebody new at their first time. Refused where the account is closed."""
    issuer = registration.identity_issuer
    with exclusively(f"{issuer} {told.subject}"):
        found = Identity.objects.filter(issuer=issuer, subject=told.subject)
        known = found.select_related("person").first()
        person = known.person if known is not None else _new_person()
        if known is None:
            Identity.objects.create(person=person, issuer=issuer, subject=told.subject)
        found.update(used_at=timezone.now())
        _learn(person, told)
    if not person.is_active:
        raise Refused(_("This account is closed."))
    return person


def _new_person() -> Person:
    return Person.objects.create_user(f"{secrets.token_hex(12)}{ELSEWHERE}")


def _learn(person: Person, told: Told) -> None:
    """Name and address of somebody whom only platforms know; others have said themselves what they are."""
    if not person.is_from_elsewhere:
        return
    news = {"name": told.name or person.name, "mail_to": told.email or person.mail_to}
    news["language"] = person.language or told.language
    if any(getattr(person, name) != value for name, value in news.items()):
        for name, value in news.items():
            setattr(person, name, value)
        person.save(update_fields=list(news))


def take_place(
    *, context: LtiContext, person: Person, told: Told, role: Role | None, by: Person | None = None
) -> Membership | None:
    """Their place in the connected course, as the platform has it now; None where they have none.

    What the platform says holds when it has changed: a role that it takes away is gone, the last instructor's
    included. As long as it says the same, what staff here decided stays.
    """
    assert context.course is not None  # who launches into nothing has no place
    with exclusively(f"roster of course {context.course_id}"):
        place = _place(context, person, told.subject)
        if place is None:
            place = _first_place(context, person, told, role, by) if role is not None else None
        elif place.told != (role or ""):
            change_role(member=place.membership, by=by, role=role or Role.DROPPED, even_the_last=True)
            place.told = role or ""
            place.save()
            _look_again(context)
        if place is None:
            return None
        _fill_in(place.membership, told)
    return None if place.membership.role == Role.DROPPED else place.membership


def _place(context: LtiContext, person: Person, subject: str) -> LtiPlace | None:
    places = LtiPlace.objects.filter(context=context, subject=subject).select_related("membership__course")
    place = places.first()
    if place is not None and place.membership.person_id != person.pk:
        place.delete()  # the place in the course has become somebody else's
        return None
    return place


def _first_place(context: LtiContext, person: Person, told: Told, role: Role, by: Person | None) -> LtiPlace:
    course = context.course
    assert course is not None
    member, made = Membership.objects.get_or_create(
        course=course, person=person, defaults={"role": role, "name": told.name}
    )
    if made:
        record("member-added", by=by, course=course, subject=member, role=role.value)
    elif member.role == Role.DROPPED:
        change_role(member=member, by=by, role=role)
    LtiPlace.objects.filter(context=context, membership=member).delete()  # under a name it has no more
    _look_again(context)
    return LtiPlace.objects.create(context=context, subject=told.subject, membership=member, told=role)


def _look_again(context: LtiContext) -> None:
    """Grades that were released before somebody came are theirs, too."""
    LtiLineItem.objects.filter(context=context).update(is_current=False)


def _fill_in(member: Membership, told: Told) -> None:
    """Name and number where the roster has none; a number that is somebody else's stays theirs."""
    changes = {}
    if told.name and told.name != member.name and (not member.name or member.person.is_from_elsewhere):
        changes["name"] = told.name
    if told.number and not member.student_id:
        taken = Membership.objects.filter(course=member.course_id, student_id=told.number).exists()
        changes |= {} if taken else {"student_id": told.number}
    if changes:
        Membership.objects.filter(pk=member.pk).update(**changes)
        for name, value in changes.items():
            setattr(member, name, value)
