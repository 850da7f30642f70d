"""The login: a platform asks us to ask it for a launch. State, nonce and registration are bound together."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlencode

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.lti.models import LtiLogin, LtiRegistration
from peerage_web.shared.errors import Refused

LASTS = timedelta(minutes=5)
LAUNCH_PATH = "/lti/launch"
_LONGEST = 2000
_ASKED = ("iss", "client_id", "login_hint", "lti_message_hint", "target_link_uri", "lti_deployment_id")


@dataclass(frozen=True, slots=True)
class Begun:
    """A login on its way: where to send the browser, and what it has to bring back."""

    address: str
    state: str
    nonce: str
    storage: str  # the frame of the platform that keeps it for us; empty: cookies have to do
    origin: str  # of the platform
    registration: LtiRegistration


def launch_url() -> str:
    """Where platforms send launches."""
    return settings.BASE_URL + LAUNCH_PATH


def begin_login(*, given: dict[str, str]) -> Begun:
    """Answer a login; Refused where it is from nobody we know, or would lead to somebody else."""
    asked = {name: given[name][:_LONGEST] for name in _ASKED if given.get(name)}
    registration = _registration(asked)
    if asked.get("target_link_uri") != launch_url():
        raise Refused(_("This launch is for an address that is not ours. Check the link in your course."))
    if not asked.get("login_hint"):
        raise Refused(_("The learning platform did not say who launches. Try again from your course."))
    storage = given.get("lti_storage_target", "")
    storage = storage if storage.isascii() and storage.isprintable() and len(storage) <= 100 else ""
    state, nonce = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
    LtiLogin.objects.create(
        state_hash=hashed(state),
        nonce_hash=hashed(nonce),
        registration=registration,
        storage=storage,
        asked=asked,
        expires_at=timezone.now() + LASTS,
    )
    address = _address(registration, asked, state, nonce)
    return Begun(address, state, nonce, storage, storage_origin(registration), registration)


def _registration(asked: dict[str, str]) -> LtiRegistration:
    found = LtiRegistration.objects.filter(issuer=asked.get("iss", ""), paused_at=None)
    if "client_id" in asked:
        found = found.filter(client_id=asked["client_id"])
    known = list(found[:2])
    if len(known) == 1:
        return known[0]
    if known:
        raise Refused(
            _("Several clients of this learning platform are registered, and it does not say which it is.")
        )
    raise Refused(_("This learning platform is not registered here. Ask those who run this service."))


def _address(registration: LtiRegistration, asked: dict[str, str], state: str, nonce: str) -> str:
    query = {
        "scope": "openid",
        "response_type": "id_token",
        "response_mode": "form_post",
        "prompt": "none",
        "client_id": registration.client_id,
        "redirect_uri": launch_url(),
        "login_hint": asked["login_hint"],
        "state": state,
        "nonce": nonce,
    }
    if "lti_message_hint" in asked:
        query["lti_message_hint"] = asked["lti_message_hint"]
    mark = "&" if "?" in registration.auth_url else "?"
    return f"{registration.auth_url}{mark}{urlencode(query)}"


def storage_origin(registration: LtiRegistration) -> str:
    """Who keeps things for us: the origin of the platform's own address for launches, and nobody else."""
    from peerage_web.lti.models.platforms import origin_of

    return origin_of(registration.auth_url)


def open_logins() -> QuerySet[LtiLogin]:
    """Those that a launch can still use."""
    return LtiLogin.objects.filter(used_at=None, expires_at__gt=timezone.now())


def hashed(text: str) -> str:
    """What is kept of a secret; 192 random bits leave nothing to guess."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
