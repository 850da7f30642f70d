"""A launch: the login is used up, its token is checked, and the handler of its message says where it leads.

A new message of the standard is one more handler, and its line in `HANDLERS`: tokens are checked against the
table, and platforms are told of it at their registration.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import STAFF, Phase, Role
from peerage_web.lti import contexts, words
from peerage_web.lti.deep_linking import deep_linking_settings
from peerage_web.lti.models import LtiContext, LtiLogin, LtiPicking, LtiRegistration, LtiTicket
from peerage_web.lti.oidc import claims_of, hash_secret, open_logins
from peerage_web.lti.people import language_of, person_of, take_place, user_of_launch
from peerage_web.lti.words import clean_dict, clean_list, clean_text
from peerage_web.shared.errors import Refused

TICKET_LASTS = timedelta(seconds=60)
PICKING_LASTS = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Launch:
    """Who comes, from which course of the platform, and what the platform says."""

    registration: LtiRegistration
    context: LtiContext
    person: Person
    member: Membership | None  # None: an instructor, from a course that is not connected yet
    claims: dict[str, Any]
    framed: bool

    @property
    def language(self) -> str:
        """In which the platform shows itself, if our pages have it."""
        return language_of(self.claims)


def accept_launch(*, login: LtiLogin, token: str, framed: bool) -> tuple[Launch, str | LtiPicking]:
    """Use up the login, then look at the token: whatever comes of it, the state is gone.

    A launch leads to a page, or to a question that staff have to answer first.
    """
    if not open_logins().filter(pk=login.pk).update(used_at=timezone.now()):
        raise Refused(_("This launch was already used. Open Peerage again from your course."))
    claims = claims_of(token=token, login=login, messages=HANDLERS)
    deployment = contexts.deployment_of(registration=login.registration, claims=claims)
    context = contexts.context_of(deployment=deployment, claims=claims)
    launch = _let_in(login.registration, context, claims, framed)
    return launch, HANDLERS[claims[words.MESSAGE_TYPE]](launch)


def _let_in(
    registration: LtiRegistration, context: LtiContext, claims: dict[str, Any], framed: bool
) -> Launch:
    names = clean_list(claims.get(words.ROLES))
    if words.is_test_user(names):
        raise Refused(
            _("The platform’s test student cannot use Peerage. Staff can use “View as student” instead.")
        )
    role, user = words.role_of(names), user_of_launch(claims)
    if context.course is None and role != Role.INSTRUCTOR:  # only they can say which course it is to be
        raise Refused(_("Your instructor has not set up Peerage for this course yet. Come back later."))
    person = person_of(registration=registration, user=user)
    member = None
    if context.course is not None:
        member = take_place(context=context, person=person, user=user, role=role)
        if member is None:
            raise Refused(_("You are neither a student nor staff in this course."))
        if context.course.hidden_at is not None and member.role not in STAFF:
            raise Refused(_("Your instructor has hidden this course. Ask them when it opens again."))
    return Launch(registration, context, person, member, claims, framed)


# -- messages ---------------------------------------------------------------------------------------


def open_link(launch: Launch) -> str | LtiPicking:
    """LtiResourceLinkRequest: to the assignment of the link; staff say which, where that is not known."""
    context, member = launch.context, launch.member
    link = clean_dict(launch.claims.get(words.RESOURCE_LINK))
    custom, grades = (clean_dict(launch.claims.get(name)) for name in (words.CUSTOM, words.GRADES))
    link_id = clean_text(link.get("id"))
    if not link_id:
        raise Refused(_("The learning platform did not say which link in the course you opened."))
    assignment = None
    if member is not None:
        with transaction.atomic():
            assignment = contexts.assignment_for(
                context=context, link_id=link_id, custom=custom, member=member
            )
            if assignment is not None:
                contexts.bind_link(context=context, link_id=link_id, assignment=assignment, grades=grades)
    if member is None or (assignment is None and member.role in STAFF):
        title = clean_text(link.get("title"), 1000)[:200]
        return _ask_staff(launch, link_id=link_id, link_title=title, grades=grades, custom=custom)
    return _path(context, assignment, Role(member.role))


def _path(context: LtiContext, assignment: Assignment | None, role: Role) -> str:
    assert context.course is not None
    if assignment is None:
        return reverse("course", args=[context.course.key])
    if role == Role.STUDENT and assignment.phase == Phase.SETUP:
        raise Refused(_("This assignment is not open yet. Come back later."))
    return reverse("assignment", args=[context.course.key, assignment.key])


def choose_link(launch: Launch) -> str | LtiPicking:
    """LtiDeepLinkingRequest: staff choose the assignment of a link that is being made."""
    if launch.member is not None and launch.member.role not in STAFF:
        raise Refused(_("Only course staff can choose what a link opens."))
    return _ask_staff(launch, **deep_linking_settings(launch.registration, launch.claims))


def _ask_staff(launch: Launch, **fields: Any) -> LtiPicking:
    """Which assignment is meant, on a page of its own."""
    return LtiPicking.objects.create(
        context=launch.context,
        person=launch.person,
        subject=clean_text(launch.claims["sub"]),
        framed=launch.framed,
        language=launch.language,
        expires_at=timezone.now() + PICKING_LASTS,
        **fields,
    )


HANDLERS: dict[str, Callable[[Launch], str | LtiPicking]] = {
    words.RESOURCE_LINK_REQUEST: open_link,
    words.DEEP_LINKING_REQUEST: choose_link,
}


# -- the way from a frame into a window of its own -----------------------------------------------------


def make_ticket(*, person: Person, path: str) -> str:
    """The way into a window of its own."""
    secret = secrets.token_urlsafe(32)
    LtiTicket.objects.create(
        hash=hash_secret(secret), person=person, path=path, expires_at=timezone.now() + TICKET_LASTS
    )
    return secret


def use_ticket(*, secret: str) -> LtiTicket:
    """Once, within its minute."""
    tickets = LtiTicket.objects.filter(hash=hash_secret(secret), used_at=None, expires_at__gt=timezone.now())
    if not tickets.update(used_at=timezone.now()):
        raise Refused(
            _(
                "This link was already used or is more than one minute old. Open Peerage again "
                "from your course."
            )
        )
    ticket = LtiTicket.objects.select_related("person").get(hash=hash_secret(secret))
    if not ticket.person.is_active:
        raise Refused(_("This account is closed."))
    return ticket
