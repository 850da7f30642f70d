"""Staff answer which assignment a link opens; with Deep Linking the answer goes back to the platform."""

import secrets
import time
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.assignments.services import create_assignment, default_dates, default_prompts
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import STAFF, Role
from peerage_web.lti import words
from peerage_web.lti.contexts import assignment_for, bind_link, service_address
from peerage_web.lti.keys import sign
from peerage_web.lti.line_items import scale_of
from peerage_web.lti.models import LtiLineItem, LtiPicking, LtiRegistration, origin_of
from peerage_web.lti.oidc import launch_url
from peerage_web.lti.words import clean_dict, clean_list, clean_text
from peerage_web.shared.errors import Refused

ANSWER_LASTS = 300  # seconds


def deep_linking_settings(registration: LtiRegistration, claims: dict[str, Any]) -> dict[str, Any]:
    """Where the chosen link is to go, and what goes with it; Refused where it cannot go there."""
    asked = clean_dict(claims.get(words.DEEP_LINK_SETTINGS))
    url = service_address(asked.get("deep_link_return_url"))
    if not url:
        raise Refused(_("The learning platform did not say where to send the chosen link."))
    if origin_of(url) not in registration.origins:
        raise Refused(
            _(
                "The chosen link would go to %(origin)s, which is not in the registration. The "
                "administrator of this Peerage site can add it."
            )
            % {"origin": origin_of(url)}
        )
    if "ltiResourceLink" not in clean_list(asked.get("accept_types")):
        raise Refused(_("The learning platform does not accept links to assignments here."))
    return {
        "return_url": url,
        "data": clean_text(asked.get("data"), 100_000),
        "link_title": clean_text(asked.get("title"), 1000)[:200],  # as the teacher has typed it there
        "takes_line_item": asked.get("accept_lineitem") is not False,
    }


def find_picking(*, key: str) -> LtiPicking | None:
    """The question, if it is still open."""
    pickings = LtiPicking.objects.filter(
        key=key,
        used_at=None,
        expires_at__gt=timezone.now(),
        person__is_active=True,
        context__deployment__registration__paused_at=None,
        context__deployment__approved_at__isnull=False,
    )
    related = ("person", "context__course", "context__deployment__registration")
    return pickings.select_related(*related).first()


def member_of(picking: LtiPicking) -> Membership:
    """Who answers, in the connected course; Refused where they are not its staff any more."""
    member = Membership.objects.filter(
        course=picking.context.course, person=picking.person, role__in=STAFF
    ).first()
    if member is None:
        raise Refused(_("Only course staff can choose what a link opens."))
    return member


def new_assignment(*, picking: LtiPicking, title: str) -> Assignment:
    """A new one with what is usual; everything can be changed on its page."""
    member = member_of(picking)
    prompts = [(prompt, place == 1) for place, prompt in enumerate(default_prompts())]
    dates = default_dates(timezone.localtime(timezone.now(), member.course.zone), Role(member.role))
    return create_assignment(
        course=member.course, by=picking.person, prompts=prompts, title=title.strip()[:200], **dates
    )


def carried_along(*, picking: LtiPicking) -> Assignment | None:
    """What the link of a copied course stands for, once the copy is connected: its own copy of that."""
    if picking.return_url:
        return None
    return assignment_for(
        context=picking.context, link_id=picking.link_id, custom=picking.custom, member=member_of(picking)
    )


def answer(*, picking: LtiPicking, assignment: Assignment) -> str:
    """Settle the question, once. With Deep Linking: the token that goes back to the platform; else empty."""
    member_of(picking)
    with transaction.atomic():
        settled = LtiPicking.objects.filter(pk=picking.pk, used_at=None).update(used_at=timezone.now())
        if not settled:
            raise Refused(_("You have already made this choice. Start again from your course."))
        if picking.return_url:
            return sign(_message(picking, assignment))
        bind_link(
            context=picking.context,
            link_id=picking.link_id,
            assignment=assignment,
            grades=picking.grades,
        )
    return ""


def _message(picking: LtiPicking, assignment: Assignment) -> dict[str, Any]:
    deployment, now = picking.context.deployment, int(time.time())
    claims: dict[str, Any] = {
        "iss": deployment.registration.client_id,
        "aud": deployment.registration.issuer,
        "iat": now,
        "exp": now + ANSWER_LASTS,
        "nonce": secrets.token_urlsafe(16),
        words.DEPLOYMENT: deployment.deployment_id,
        words.MESSAGE_TYPE: words.DEEP_LINKING_RESPONSE,
        words.LTI_VERSION: words.VERSION,
        words.DEEP_LINK_ITEMS: [content_item(assignment, with_column=picking.takes_line_item)],
    }
    if picking.data:
        claims[words.DEEP_LINK_DATA] = picking.data
    return claims


def content_item(assignment: Assignment, *, with_column: bool) -> dict[str, Any]:
    """The link as the platform keeps it: copies of its course carry it along, and with it what it names."""
    item: dict[str, Any] = {
        "type": "ltiResourceLink",
        "title": assignment.title,
        "url": launch_url(),
        "custom": {words.ASSIGNMENT_FIELD: assignment.key, **words.CUSTOM_FIELDS},
    }
    if with_column:
        item["lineItem"] = {
            "label": assignment.title,
            "scoreMaximum": int(scale_of(assignment).maximum(LtiLineItem.Kind.SUBMISSION)),
            "resourceId": assignment.key,
            "tag": LtiLineItem.Kind.SUBMISSION.value,
        }
    return item
