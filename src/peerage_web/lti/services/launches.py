"""A launch: the login is used up, the word is checked, and the person gets to what the link opens."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.models import Assignment
from peerage_web.classes.words import STAFF, Phase, Role
from peerage_web.lti import words
from peerage_web.lti.models import LtiContext, LtiLogin, LtiPicking, LtiRegistration, LtiTicket
from peerage_web.lti.models.platforms import origin_of
from peerage_web.lti.services import contexts
from peerage_web.lti.services.logins import hashed, open_logins
from peerage_web.lti.services.people import language_of, person_of, take_place, told_by_launch
from peerage_web.lti.services.tokens import claims_of, text
from peerage_web.lti.told import Told
from peerage_web.shared.errors import Refused

TICKET_LASTS = timedelta(seconds=60)
PICKING_LASTS = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Launched:
    """Where a launch leads: to a page, or to a question that staff have to answer first."""

    person: Person
    registration: LtiRegistration
    path: str = ""
    picking: LtiPicking | None = None
    language: str = ""


def find_login(*, state: str) -> LtiLogin:
    """The login that a launch belongs to, if it can still be used."""
    login = open_logins().select_related("registration").filter(state_hash=hashed(state)).first()
    if login is None or login.registration.paused_at is not None:
        raise Refused(
            _("This launch was used already, or took longer than five minutes. Launch again from the course.")
        )
    return login


def accept_launch(*, login: LtiLogin, token: str, framed: bool) -> Launched:
    """Use up the login, then look at the token: whatever comes of it, the state is gone."""
    if not open_logins().filter(pk=login.pk).update(used_at=timezone.now()):
        raise Refused(_("This launch was used already. Launch again from your course."))
    claims = claims_of(token=token, login=login)
    deployment = contexts.deployment_of(registration=login.registration, claims=claims)
    return _lead(
        login.registration, contexts.context_of(deployment=deployment, claims=claims), claims, framed
    )


def _lead(
    registration: LtiRegistration, context: LtiContext, claims: dict[str, Any], framed: bool
) -> Launched:
    names = claims.get(words.ROLES)
    names = names if isinstance(names, list) else []
    if words.is_test_user(names):
        raise Refused(_("The platform's test student has no place here. Staff can look “As a student”."))
    role = words.role_of(names)
    told = told_by_launch(claims)
    if context.course is None:
        return _unconnected(registration, context, claims, told, role, framed)
    person = person_of(registration=registration, told=told)
    member = take_place(context=context, person=person, told=told, role=role)
    if member is None:
        raise Refused(_("You have no part in this course: neither as a student nor as staff."))
    found = Launched(person, registration, language=language_of(claims))
    if claims[words.MESSAGE_TYPE] == words.DEEP_LINKING:
        if member.role not in STAFF:
            raise Refused(_("Only staff of the course can choose what a link opens."))
        return _ask(found, _picking(context, person, claims, framed))
    link_id, custom, grades = _link(claims)
    with transaction.atomic():
        assignment = contexts.assignment_for(context=context, link_id=link_id, custom=custom, member=member)
        if assignment is not None:
            contexts.bind_link(context=context, link_id=link_id, assignment=assignment, grades=grades)
    if assignment is None and member.role in STAFF:
        return _ask(found, _picking(context, person, claims, framed))
    return Launched(person, registration, _path(context, assignment, Role(member.role)), None, found.language)


def _ask(found: Launched, picking: LtiPicking) -> Launched:
    return Launched(found.person, found.registration, "", picking, found.language)


def _unconnected(
    registration: LtiRegistration,
    context: LtiContext,
    claims: dict[str, Any],
    told: Told,
    role: Role | None,
    framed: bool,
) -> Launched:
    """Only an instructor can say which course it is to be; the others wait."""
    if role != Role.INSTRUCTOR:
        raise Refused(_("Your instructor has not set Peerage up for this course yet. Come back later."))
    person = person_of(registration=registration, told=told)
    found = Launched(person, registration, language=language_of(claims))
    return _ask(found, _picking(context, person, claims, framed))


def _link(claims: dict[str, Any]) -> tuple[str, dict[str, Any], dict[str, Any]]:
    link, custom, grades = (claims.get(one) for one in (words.RESOURCE_LINK, words.CUSTOM, words.GRADES))
    link_id = text(link.get("id")) if isinstance(link, dict) else ""
    if not link_id:
        raise Refused(_("This launch does not say which link of the course it belongs to."))
    return (
        link_id,
        custom if isinstance(custom, dict) else {},
        grades if isinstance(grades, dict) else {},
    )


def _path(context: LtiContext, assignment: Assignment | None, role: Role) -> str:
    assert context.course is not None
    if assignment is None:
        return reverse("course", args=[context.course.key])
    if role == Role.STUDENT and assignment.phase == Phase.SETUP:
        raise Refused(_("This assignment is not open yet. Come back later."))
    return reverse("assignment", args=[context.course.key, assignment.key])


def _picking(context: LtiContext, person: Person, claims: dict[str, Any], framed: bool) -> LtiPicking:
    fields: dict[str, Any] = {
        "subject": text(claims["sub"]),
        "framed": framed,
        "language": language_of(claims),
    }
    if claims[words.MESSAGE_TYPE] == words.DEEP_LINKING:
        fields |= _deep_linking(context, claims)
    else:
        link_id, _custom, grades = _link(claims)
        link = claims[words.RESOURCE_LINK]
        fields |= {"link_id": link_id, "link_title": text(link.get("title"), 1000)[:200], "grades": grades}
    return LtiPicking.objects.create(
        context=context, person=person, expires_at=timezone.now() + PICKING_LASTS, **fields
    )


def _deep_linking(context: LtiContext, claims: dict[str, Any]) -> dict[str, Any]:
    asked = claims.get(words.DEEP_LINK_SETTINGS)
    asked = asked if isinstance(asked, dict) else {}
    url = contexts.service_address(asked.get("deep_link_return_url"))
    taken = asked.get("accept_types")
    if not url:
        raise Refused(_("The learning platform does not say where the chosen link is to go."))
    if origin_of(url) not in context.deployment.registration.origins:
        raise Refused(
            _(
                "The chosen link would go to %(origin)s, which is not named in the registration. Those who"
                " run Peerage can add it there."
            )
            % {"origin": origin_of(url)}
        )
    if not isinstance(taken, list) or "ltiResourceLink" not in taken:
        raise Refused(_("The learning platform does not take links to assignments at this place."))
    return {
        "return_url": url,
        "data": text(asked.get("data"), 100_000),
        "takes_line_item": asked.get("accept_lineitem") is not False,
    }


def make_ticket(*, person: Person, path: str) -> str:
    """The way into a window of its own."""
    secret = secrets.token_urlsafe(32)
    LtiTicket.objects.create(
        hash=hashed(secret), person=person, path=path, expires_at=timezone.now() + TICKET_LASTS
    )
    return secret


def use_ticket(*, secret: str) -> LtiTicket:
    """Once, within its minute."""
    found = LtiTicket.objects.filter(hash=hashed(secret), used_at=None, expires_at__gt=timezone.now())
    if not found.update(used_at=timezone.now()):
        raise Refused(_("This way in was used already, or its minute is over. Launch again from the course."))
    ticket = LtiTicket.objects.select_related("person").get(hash=hashed(secret))
    if not ticket.person.is_active:
        raise Refused(_("This account is closed."))
    return ticket
