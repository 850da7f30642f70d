"""A platform's public keys: kept, and fetched again when it signs with one that is new."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from joserfc.errors import JoseError
from joserfc.jwk import RSAKey

from peerage_web.lti.models import LtiRegistration
from peerage_web.lti.services.web import PlatformError, call
from peerage_web.shared.services.rate_limits import MINUTE, count_request

MOST_FETCHES = 30  # a minute and registration: tokens with invented keys do not make us a nuisance


def key_named(registration: LtiRegistration, kid: str) -> RSAKey | None:
    """The key with this name; the list is fetched once more where it is not known."""
    return _among(registration.jwks, kid) or _among(_fetched(registration), kid)


def _among(keys: Any, kid: str) -> RSAKey | None:
    listed = keys.get("keys", []) if isinstance(keys, dict) else []
    for one in listed if isinstance(listed, list) else []:
        if isinstance(one, dict) and one.get("kid") == kid and one.get("kty") == "RSA":
            try:
                return RSAKey.import_key({name: one[name] for name in ("kty", "n", "e")})
            except (JoseError, ValueError, KeyError, TypeError):
                return None
    return None


def _fetched(registration: LtiRegistration) -> Any:
    client = f"registration {registration.pk}"
    if count_request(client=client, kind="lti-keys", window=MINUTE) > MOST_FETCHES:
        raise PlatformError("the platform's keys were fetched too often in this minute", 429)
    found = call("GET", registration.jwks_url, private=True).json()
    registration.jwks, registration.jwks_at = found, timezone.now()
    registration.save(update_fields=["jwks", "jwks_at"])
    return found
