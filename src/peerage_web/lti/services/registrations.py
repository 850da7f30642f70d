"""Registering platforms: by a form, or by a link that an administrator of the platform opens."""

from __future__ import annotations

import json
import secrets
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.lti.models import LtiDeployment, LtiInvitation, LtiRegistration
from peerage_web.lti.models.platforms import origin_of
from peerage_web.lti.queries import described
from peerage_web.lti.services.logins import hashed
from peerage_web.lti.services.tokens import text
from peerage_web.lti.services.web import PlatformError, call, checked
from peerage_web.shared.errors import Refused

LASTS = timedelta(days=3)
ADDRESSES = ("auth_url", "token_url", "jwks_url")


def save_registration(
    *, registration: LtiRegistration, by: Person, deployments: list[str] | None = None
) -> LtiRegistration:
    """A new one, or a change; Refused where an address cannot be called, or the client is there already."""
    for name in ADDRESSES:
        try:
            checked(getattr(registration, name))
        except PlatformError as error:
            raise Refused(str(error)) from None
    if registration.pk is None:
        registration.created_by = by
    registration.jwks = {}  # of whatever address it was before
    try:
        with transaction.atomic():
            registration.save()
            for one in deployments or []:
                approve_deployment(registration=registration, name=one)
    except IntegrityError:
        raise Refused(_("This client of this platform is registered already.")) from None
    return registration


def approve_deployment(*, registration: LtiRegistration, name: str) -> None:
    """Launches from there are let in."""
    LtiDeployment.objects.update_or_create(
        registration=registration, deployment_id=name, defaults={"approved_at": timezone.now()}
    )


def make_invitation(*, by: Person) -> str:
    """The secret of a link by which a platform's administrator registers it, once."""
    secret = secrets.token_urlsafe(32)
    LtiInvitation.objects.create(hash=hashed(secret), made_by=by, expires_at=timezone.now() + LASTS)
    return secret


def find_invitation(*, secret: str) -> LtiInvitation | None:
    """The link, if it can still be used."""
    open_ones = LtiInvitation.objects.filter(used_at=None, expires_at__gt=timezone.now())
    return open_ones.select_related("made_by").filter(hash=hashed(secret)).first()


def register_by_link(*, invitation: LtiInvitation, configuration: str, token: str) -> LtiRegistration:
    """Dynamic registration: read what the platform says of itself, tell it of us, keep what it answers.

    The link is used up first: of two who open it at once, one registers.
    """
    taken = LtiInvitation.objects.filter(pk=invitation.pk, used_at=None)
    if not taken.update(used_at=timezone.now()):
        raise Refused(_("This link was used already. Ask for another."))
    try:
        registration, deployment = _exchange(configuration, token)
    except PlatformError as error:
        LtiInvitation.objects.filter(pk=invitation.pk).update(used_at=None)  # it did nothing
        raise Refused(_("The learning platform did not register Peerage: %(why)s") % {"why": error}) from None
    save_registration(
        registration=registration, by=invitation.made_by, deployments=[deployment] if deployment else []
    )
    LtiInvitation.objects.filter(pk=invitation.pk).update(registration=registration)
    return registration


def _exchange(configuration: str, token: str) -> tuple[LtiRegistration, str]:
    said = call("GET", checked(configuration), private=True).json()
    if not isinstance(said, dict):
        raise PlatformError("its description is none")
    issuer, endpoint = text(said.get("issuer")), text(said.get("registration_endpoint"), 1000)
    if urlsplit(checked(issuer)).hostname != urlsplit(configuration).hostname:
        raise PlatformError("its description is on another host than the issuer that it names")
    if urlsplit(checked(endpoint)).hostname != urlsplit(configuration).hostname:
        raise PlatformError("it wants to be told of us on another host")
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {_plain_token(token)}"
    body = json.dumps(described.registration()).encode()
    answer = call("POST", endpoint, headers=headers, body=body, private=True).json()
    return _registration(said, answer, configuration)


def _plain_token(token: str) -> str:
    if len(token) > 8000 or not token.isascii() or not token.isprintable():
        raise PlatformError("its token for the registration is none")
    return token


def _registration(said: dict[str, Any], answer: Any, configuration: str) -> tuple[LtiRegistration, str]:
    client = text(answer.get("client_id")) if isinstance(answer, dict) else ""
    if not client:
        raise PlatformError("its answer names no client_id")
    tool = answer.get("https://purl.imsglobal.org/spec/lti-tool-configuration")
    deployment = text(tool.get("deployment_id")) if isinstance(tool, dict) else ""
    platform = said.get("https://purl.imsglobal.org/spec/lti-platform-configuration")
    family = text(platform.get("product_family_code"), 40) if isinstance(platform, dict) else ""
    host = urlsplit(said["issuer"]).hostname or ""
    made = LtiRegistration(
        name=f"{family} {host}".strip()[:100],
        issuer=said["issuer"],
        client_id=client,
        auth_url=text(said.get("authorization_endpoint"), 500),
        token_url=text(said.get("token_endpoint"), 500),
        token_audience=text(said.get("authorization_server"), 500),
        jwks_url=text(said.get("jwks_uri"), 500),
        more_origins=[origin_of(configuration)],
    )
    return made, deployment
