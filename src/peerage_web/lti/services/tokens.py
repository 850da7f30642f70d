"""A launch's token: whether it is the platform's, for us, for this login, and now."""

from __future__ import annotations

import hmac
import time
from typing import Any

from django.utils.translation import gettext as _
from joserfc import jws, jwt
from joserfc.errors import JoseError

from peerage_web.lti import words
from peerage_web.lti.models import LtiLogin, LtiRegistration
from peerage_web.lti.services.logins import hashed, launch_url
from peerage_web.lti.services.platform_keys import key_named
from peerage_web.lti.services.web import PlatformError
from peerage_web.shared.errors import Refused

LEEWAY = 60  # seconds by which clocks may differ
OLDEST = 3600  # seconds since a token was made, whatever it says itself
LONGEST = 200_000  # characters of a token
MESSAGES = (words.LAUNCH, words.DEEP_LINKING)


def claims_of(*, token: str, login: LtiLogin) -> dict[str, Any]:
    """What the platform says; Refused where anything of it does not hold."""
    claims = _signed(token, login.registration)
    _check_parties(claims, login.registration)
    _check_times(claims)
    if not hmac.compare_digest(hashed(str(claims.get("nonce", ""))), login.nonce_hash):
        raise _refused(_("it answers another question (nonce)"))
    if claims.get(words.LTI_VERSION) != words.VERSION:
        raise _refused(_("it is not LTI %(version)s") % {"version": words.VERSION})
    if claims.get(words.MESSAGE_TYPE) not in MESSAGES:
        raise _refused(_("its kind of message is not known"))
    if claims.get(words.TARGET) != launch_url():
        raise _refused(_("it is for another address (target_link_uri)"))
    if not text(claims.get("sub")) or not text(claims.get(words.DEPLOYMENT)):
        raise _refused(_("it does not say who launches, or from which deployment"))
    return claims


def _signed(token: str, registration: LtiRegistration) -> dict[str, Any]:
    """Its claims, if a key of this platform has signed it with RS256; no other algorithm is tried."""
    if not token or len(token) > LONGEST:
        raise _refused(_("there is none, or it is too long"))
    try:
        header = jws.extract_compact(token.encode()).headers()
        if header.get("alg") != "RS256" or not isinstance(header.get("kid"), str):
            raise _refused(_("it is not signed with RS256 by a key with a name"))
        key = key_named(registration, header["kid"])
        if key is None:
            raise _refused(_("the platform's list of keys does not have the one that signed it"))
        return jwt.decode(token, key, algorithms=["RS256"]).claims
    except PlatformError as error:
        raise _refused(_("the platform's keys cannot be fetched: %(why)s") % {"why": error}) from None
    except (JoseError, ValueError, TypeError):
        raise _refused(_("its signature is wrong")) from None


def _check_parties(claims: dict[str, Any], registration: LtiRegistration) -> None:
    """From this issuer, for this client."""
    if claims.get("iss") != registration.issuer:
        raise _refused(_("it is from another platform (iss)"))
    audience = claims.get("aud")
    audiences = audience if isinstance(audience, list) else [audience]
    if registration.client_id not in audiences:
        raise _refused(_("it is for another client (aud)"))
    azp = claims.get("azp")
    if (azp is not None or len(audiences) > 1) and azp != registration.client_id:
        raise _refused(_("it was asked for by another client (azp)"))


def _check_times(claims: dict[str, Any]) -> None:
    made, ends, now = claims.get("iat"), claims.get("exp"), time.time()
    if not all(isinstance(one, int | float) and not isinstance(one, bool) for one in (made, ends)):
        raise _refused(_("it does not say when it was made and until when it holds"))
    assert made is not None  # both are numbers, as was just seen
    assert ends is not None
    if ends < now - LEEWAY or made < now - OLDEST:
        raise _refused(_("it has expired"))
    if made > now + LEEWAY:
        raise _refused(_("it is from the future; one of the two clocks is wrong"))


def _refused(why: str) -> Refused:
    return Refused(_("The learning platform's word for this launch cannot be taken: %(why)s.") % {"why": why})


def text(value: Any, most: int = 255) -> str:
    """A claim as a text that a database takes; empty where it is none, or longer than any of ours."""
    if not isinstance(value, str) or len(value) > most:
        return ""
    return value.replace("\0", "").strip()
