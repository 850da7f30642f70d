"""Registering platforms, by a form or by a link that an administrator opens; and what we say of ourselves."""

import json
import secrets
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.lti import words
from peerage_web.lti.launch import HANDLERS
from peerage_web.lti.models import LtiDeployment, LtiInvitation, LtiRegistration, origin_of
from peerage_web.lti.oidc import hash_secret, launch_url
from peerage_web.lti.platform_client import PlatformError, call, checked, read_json
from peerage_web.lti.words import clean_dict, clean_text
from peerage_web.shared.errors import Refused

INVITATION_LASTS = timedelta(days=3)
ADDRESSES = ("auth_url", "token_url", "jwks_url")
NAME = "Peerage"
ABOUT = "Peer grading by rankings: students submit, review each other, and get grades with their certainty."


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
            for name in deployments or []:
                approve_deployment(registration=registration, name=name)
    except IntegrityError:
        raise Refused(_("This client is already registered for this platform.")) from None
    return registration


def approve_deployment(*, registration: LtiRegistration, name: str) -> None:
    LtiDeployment.objects.update_or_create(
        registration=registration, deployment_id=name, defaults={"approved_at": timezone.now()}
    )


def make_invitation(*, by: Person) -> str:
    """The secret of a link by which a platform's administrator registers it, once."""
    secret = secrets.token_urlsafe(32)
    LtiInvitation.objects.create(
        hash=hash_secret(secret), made_by=by, expires_at=timezone.now() + INVITATION_LASTS
    )
    return secret


def find_invitation(*, secret: str) -> LtiInvitation | None:
    """The link, if it can still be used."""
    open_ones = LtiInvitation.objects.filter(used_at=None, expires_at__gt=timezone.now())
    return open_ones.select_related("made_by").filter(hash=hash_secret(secret)).first()


def register_by_link(*, invitation: LtiInvitation, configuration: str, token: str) -> LtiRegistration:
    """Dynamic registration: read what the platform says of itself, tell it of us, keep what it answers.

    The link is used up first: of two who open it at once, one registers.
    """
    taken = LtiInvitation.objects.filter(pk=invitation.pk, used_at=None)
    if not taken.update(used_at=timezone.now()):
        raise Refused(_("This link was already used. Ask for a new one."))
    try:
        registration, deployment = _exchange(configuration, token)
    except PlatformError as error:
        LtiInvitation.objects.filter(pk=invitation.pk).update(used_at=None)  # it did nothing
        raise Refused(_("The learning platform did not register Peerage: %(why)s") % {"why": error}) from None
    registration = _updated(registration)
    save_registration(
        registration=registration, by=invitation.made_by, deployments=[deployment] if deployment else []
    )
    LtiInvitation.objects.filter(pk=invitation.pk).update(registration=registration)
    return registration


def _updated(registration: LtiRegistration) -> LtiRegistration:
    """A client that we know registers again (*Update* in Moodle): it stays, with what is said of it now."""
    clients = LtiRegistration.objects.filter(issuer=registration.issuer, client_id=registration.client_id)
    known = clients.first()
    if known is None:
        return registration
    for name in (*ADDRESSES, "token_audience"):
        setattr(known, name, getattr(registration, name))
    known.more_origins = sorted({*known.more_origins, *registration.more_origins})
    return known


def _exchange(configuration: str, token: str) -> tuple[LtiRegistration, str]:
    said = read_json(call("GET", checked(configuration), private=True))
    if not isinstance(said, dict):
        raise PlatformError("its configuration is not valid")
    issuer, endpoint = clean_text(said.get("issuer")), clean_text(said.get("registration_endpoint"), 1000)
    if urlsplit(checked(issuer)).hostname != urlsplit(configuration).hostname:
        raise PlatformError("its configuration is on a different host than its issuer")
    if urlsplit(checked(endpoint)).hostname != urlsplit(configuration).hostname:
        raise PlatformError("its registration address is on a different host")
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {_plain_token(token)}"
    body = json.dumps(tool_description()).encode()
    answer = read_json(call("POST", endpoint, headers=headers, body=body, private=True))
    return _registration(said, answer, configuration)


def _plain_token(token: str) -> str:
    if len(token) > 8000 or not token.isascii() or not token.isprintable():
        raise PlatformError("its registration token is not valid")
    return token


def _registration(said: dict[str, Any], answer: Any, configuration: str) -> tuple[LtiRegistration, str]:
    client = clean_text(clean_dict(answer).get("client_id"))
    if not client:
        raise PlatformError("its response contains no client_id")
    deployment = clean_text(clean_dict(answer.get(words.TOOL_CONFIGURATION)).get("deployment_id"))
    platform = clean_dict(said.get(words.PLATFORM_CONFIGURATION))
    family = clean_text(platform.get("product_family_code"), 40)
    host = urlsplit(said["issuer"]).hostname or ""
    registration = LtiRegistration(
        name=f"{family} {host}".strip()[:100],
        issuer=said["issuer"],
        client_id=client,
        auth_url=clean_text(said.get("authorization_endpoint"), 500),
        token_url=clean_text(said.get("token_endpoint"), 500),
        token_audience=clean_text(said.get("authorization_server"), 500),
        jwks_url=clean_text(said.get("jwks_uri"), 500),
        more_origins=[origin_of(configuration)],
    )
    return registration, deployment


# -- Peerage as platforms want it described: addresses, scopes, messages -------------------------------


def addresses() -> dict[str, str]:
    """What an administrator types into a form, by the names of the standard."""
    base = settings.BASE_URL
    return {
        "launch": launch_url(),
        "login": f"{base}/lti/login",
        "keys": f"{base}/lti/keys",
        "canvas": f"{base}/lti/canvas.json",
    }


def canvas_description() -> dict[str, Any]:
    """Canvas' own format."""
    own = addresses()
    host = urlsplit(settings.BASE_URL).hostname
    linking = {
        "text": NAME,
        "placement": "assignment_selection",
        "message_type": words.DEEP_LINKING_REQUEST,
        "target_link_uri": own["launch"],
    }
    return {
        "title": NAME,
        "description": ABOUT,
        "oidc_initiation_url": own["login"],
        "target_link_uri": own["launch"],
        "public_jwk_url": own["keys"],
        "scopes": list(words.SCOPES),
        "custom_fields": words.CUSTOM_FIELDS,
        "extensions": [
            {
                "platform": "canvas.instructure.com",
                "domain": host,
                "privacy_level": "public",
                "settings": {
                    "text": NAME,
                    "placements": [
                        linking,
                        {**linking, "placement": "link_selection"},
                        {
                            "text": NAME,
                            "placement": "course_navigation",
                            "message_type": words.RESOURCE_LINK_REQUEST,
                            "target_link_uri": own["launch"],
                            "default": "disabled",
                        },
                    ],
                },
            }
        ],
    }


def tool_description() -> dict[str, Any]:
    """What dynamic registration sends to a platform."""
    own = addresses()
    return {
        "application_type": "web",
        "response_types": ["id_token"],
        "grant_types": ["implicit", "client_credentials"],
        "initiate_login_uri": own["login"],
        "redirect_uris": [own["launch"]],
        "client_name": NAME,
        "jwks_uri": own["keys"],
        "token_endpoint_auth_method": "private_key_jwt",
        "scope": " ".join(words.SCOPES),
        words.TOOL_CONFIGURATION: {
            "domain": urlsplit(settings.BASE_URL).netloc,
            "description": ABOUT,
            "target_link_uri": own["launch"],
            "custom_parameters": words.CUSTOM_FIELDS,
            "claims": ["iss", "sub", "name", "given_name", "family_name", "email"],
            "messages": [
                {"type": message, "target_link_uri": own["launch"], "label": NAME} for message in HANDLERS
            ],
        },
    }
