"""Calls to a platform's services in our name: one scope at a time, with a token of this registration."""

from __future__ import annotations

import json
import secrets
import threading
import time
from typing import Any
from urllib.parse import urlencode, urlsplit

from peerage_web.lti.models import LtiRegistration
from peerage_web.lti.services.keys import sign
from peerage_web.lti.services.web import Answer, PlatformError, call

ASSERTION_LASTS = 120  # seconds
MARGIN = 60.0  # seconds before a token ends in which it is not used any more
_JWT = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
_kept: dict[tuple[int, str], tuple[str, float]] = {}  # registration and scope to token and its end
_lock = threading.Lock()


def ask(
    registration: LtiRegistration,
    method: str,
    address: str,
    *,
    scope: str,
    accept: str,
    send: Any = None,
    kind: str = "application/json",
) -> Answer:
    """One call; a token that the platform does not know any more is asked for again, once."""
    try:
        return _call(registration, method, address, scope, accept, send, kind)
    except PlatformError as error:
        if error.status != 401:
            raise
        forget_token(registration, scope)
        return _call(registration, method, address, scope, accept, send, kind)


def _call(
    registration: LtiRegistration, method: str, address: str, scope: str, accept: str, send: Any, kind: str
) -> Answer:
    headers = {"Authorization": f"Bearer {_token(registration, scope)}", "Accept": accept}
    body = None
    if send is not None:
        headers["Content-Type"], body = kind, json.dumps(send).encode()
    own = (urlsplit(address).hostname or "") in registration.hosts
    return call(method, address, headers=headers, body=body, private=own)


def have_token(registration: LtiRegistration, scope: str) -> None:
    """Get one, so that the next call does not fail for want of it."""
    _token(registration, scope)


def forget_token(registration: LtiRegistration, scope: str) -> None:
    """The platform does not take it."""
    with _lock:
        _kept.pop((registration.pk, scope), None)


def _token(registration: LtiRegistration, scope: str) -> str:
    name = (registration.pk, scope)
    with _lock:
        token, ends = _kept.get(name, ("", 0.0))
    if token and ends > time.monotonic():
        return token
    token, seconds = _new_token(registration, scope)
    with _lock:
        _kept[name] = (token, time.monotonic() + seconds - MARGIN)
    return token


def _new_token(registration: LtiRegistration, scope: str) -> tuple[str, float]:
    now = int(time.time())
    assertion = sign(
        {
            "iss": registration.client_id,
            "sub": registration.client_id,
            "aud": registration.token_audience or registration.token_url,
            "iat": now,
            "exp": now + ASSERTION_LASTS,
            "jti": secrets.token_urlsafe(16),
        }
    )
    sent = {
        "grant_type": "client_credentials",
        "client_assertion_type": _JWT,
        "client_assertion": assertion,
        "scope": scope,
    }
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
    body = urlencode(sent).encode()
    try:
        found = call("POST", registration.token_url, headers=headers, body=body, private=True).json()
    except PlatformError as error:
        error.unsent = True
        raise
    token = found.get("access_token") if isinstance(found, dict) else None
    if not isinstance(token, str) or not token.isascii() or not token.isprintable() or len(token) > 8000:
        raise PlatformError("the platform's answer has no token in it")
    seconds = found.get("expires_in")
    return token, float(seconds) if isinstance(seconds, int | float) and seconds > 0 else 3600.0
