"""The login and the token of a launch (OpenID Connect).

A platform asks us to ask it for a launch: state, nonce and registration are bound together in a row that one
launch uses up. Then the token has to be the platform's, for us, for this login, and now.
"""

import hashlib
import hmac
import secrets
import time
from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from joserfc import jws, jwt
from joserfc.errors import JoseError
from joserfc.jwk import RSAKey

from peerage_web.lti import words
from peerage_web.lti.models import LtiLogin, LtiRegistration, origin_of
from peerage_web.lti.platform_client import PlatformError, call, read_json
from peerage_web.lti.words import clean_text
from peerage_web.shared.errors import Refused
from peerage_web.shared.services.rate_limits import MINUTE, count_request

LOGIN_LASTS = timedelta(minutes=5)
LAUNCH_PATH = "/lti/launch"
LONGEST_PARAMETER = 2000  # characters
_ASKED = ("iss", "client_id", "login_hint", "lti_message_hint", "target_link_uri", "lti_deployment_id")
LEEWAY = 60  # seconds by which clocks may differ
OLDEST = 3600  # seconds since a token was made, whatever it says itself
LONGEST_TOKEN = 200_000  # characters of a token
MOST_FETCHES = 30  # a minute and registration: tokens with invented keys do not make us a nuisance


@dataclass(frozen=True, slots=True)
class LaunchRequest:
    """What we ask the platform for: where to send the browser, and what it has to bring back."""

    address: str
    state: str
    nonce: str
    storage: str  # the frame of the platform that keeps it for us; empty: cookies have to do
    origin: str  # of the platform


def launch_url() -> str:
    """Where platforms send launches."""
    return settings.BASE_URL + LAUNCH_PATH


def begin_login(*, parameters: dict[str, str]) -> tuple[LtiLogin, str]:
    """A login, and the state that this browser has to bring back.

    Refused where it is from nobody we know, or would lead to somebody else.
    """
    asked = {name: parameters[name][:LONGEST_PARAMETER] for name in _ASKED if parameters.get(name)}
    registration = _registration(asked)
    if asked.get("target_link_uri") != launch_url():
        raise Refused(_("This launch is for an address outside Peerage. Check the link in your course."))
    if not asked.get("login_hint"):
        raise Refused(_("The learning platform did not say who you are. Try again from your course."))
    storage = parameters.get("lti_storage_target", "")
    storage = storage if storage.isascii() and storage.isprintable() and len(storage) <= 100 else ""
    state = secrets.token_urlsafe(24)
    login = LtiLogin.objects.create(
        state_hash=hash_secret(state),
        registration=registration,
        storage=storage,
        asked=asked,
        expires_at=timezone.now() + LOGIN_LASTS,
    )
    return login, state


def begin_again(*, state: str) -> tuple[LtiLogin, str]:
    """The same in another window, once. The platform has not been asked yet, so its hint still works."""
    login = find_login(state=state)
    if not open_logins().filter(pk=login.pk).update(used_at=timezone.now()):
        raise Refused(_("This launch was already used. Open Peerage again from your course."))
    return begin_login(parameters=login.asked)


def request_launch(*, login: LtiLogin, state: str) -> LaunchRequest:
    """What to ask the platform for, once this browser has shown that it keeps the state."""
    nonce = secrets.token_urlsafe(24)
    open_logins().filter(pk=login.pk).update(nonce_hash=hash_secret(nonce))
    address = _address(login.registration, login.asked, state, nonce)
    return LaunchRequest(address, state, nonce, login.storage, storage_origin(login.registration))


def _registration(asked: dict[str, str]) -> LtiRegistration:
    registrations = LtiRegistration.objects.filter(issuer=asked.get("iss", ""), paused_at=None)
    if "client_id" in asked:
        registrations = registrations.filter(client_id=asked["client_id"])
    clients = list(registrations[:2])
    if len(clients) == 1:
        return clients[0]
    if clients:
        raise Refused(
            _("Several clients of this learning platform are registered, and it did not say which one it is.")
        )
    raise Refused(
        _("This learning platform is not registered in Peerage. Ask the administrator of this Peerage site.")
    )


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
    return origin_of(registration.auth_url)


def open_logins() -> QuerySet[LtiLogin]:
    """Those that a launch can still use."""
    return LtiLogin.objects.filter(used_at=None, expires_at__gt=timezone.now())


def hash_secret(text: str) -> str:
    """What is kept of a secret; 192 random bits leave nothing to guess."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def find_login(*, state: str) -> LtiLogin:
    """The login that a launch belongs to, if it can still be used."""
    login = open_logins().select_related("registration").filter(state_hash=hash_secret(state)).first()
    if login is None or login.registration.paused_at is not None:
        raise Refused(
            _(
                "This launch was already used or took longer than five minutes. Open Peerage again "
                "from your course."
            )
        )
    return login


# -- the token of a launch ---------------------------------------------------------------------------


def claims_of(*, token: str, login: LtiLogin, messages: Collection[str]) -> dict[str, Any]:
    """What the platform says, in one of these messages; Refused where anything of it does not hold."""
    claims = _verified_claims(token, login.registration)
    _check_parties(claims, login.registration)
    _check_times(claims)
    if not hmac.compare_digest(hash_secret(str(claims.get("nonce", ""))), login.nonce_hash):
        raise _refused(_("it answers a different request (nonce)"))
    if claims.get(words.LTI_VERSION) != words.VERSION:
        raise _refused(_("it is not an LTI %(version)s message") % {"version": words.VERSION})
    if claims.get(words.MESSAGE_TYPE) not in messages:
        raise _refused(_("its message type is unknown"))
    if claims.get(words.TARGET) != launch_url():
        raise _refused(_("it is for another address (target_link_uri)"))
    if not clean_text(claims.get("sub")) or not clean_text(claims.get(words.DEPLOYMENT)):
        raise _refused(_("it does not say which user or deployment it comes from"))
    return claims


def _verified_claims(token: str, registration: LtiRegistration) -> dict[str, Any]:
    """Its claims, if a key of this platform has signed it with RS256; no other algorithm is tried."""
    if not token or len(token) > LONGEST_TOKEN:
        raise _refused(_("it is missing or too long"))
    try:
        header = jws.extract_compact(token.encode()).headers()
        if header.get("alg") != "RS256" or not isinstance(header.get("kid"), str):
            raise _refused(_("it is not signed with RS256 and a key ID"))
        key = key_named(registration, header["kid"])
        if key is None:
            raise _refused(_("its signing key is not in the platform’s list of keys"))
        return jwt.decode(token, key, algorithms=["RS256"]).claims
    except PlatformError as error:
        raise _refused(_("the platform’s keys cannot be fetched: %(why)s") % {"why": error}) from None
    except (JoseError, ValueError, TypeError):
        raise _refused(_("its signature is invalid")) from None


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
        raise _refused(_("it was requested by another client (azp)"))


def _check_times(claims: dict[str, Any]) -> None:
    made, ends, now = claims.get("iat"), claims.get("exp"), time.time()
    if not all(isinstance(moment, int | float) and not isinstance(moment, bool) for moment in (made, ends)):
        raise _refused(_("it does not say when it was issued and when it expires"))
    assert made is not None  # both are numbers, as was just seen
    assert ends is not None
    if ends < now - LEEWAY or made < now - OLDEST:
        raise _refused(_("it has expired"))
    if made > now + LEEWAY:
        raise _refused(_("it is dated in the future, so one of the two clocks is wrong"))


def _refused(why: str) -> Refused:
    return Refused(
        _("The learning platform’s message for this launch cannot be accepted: %(why)s.") % {"why": why}
    )


# -- the platform's public keys: kept, and fetched again when it signs with one that is new ----------


def key_named(registration: LtiRegistration, kid: str) -> RSAKey | None:
    """The key with this name; the list is fetched once more where it is not known."""
    return _find_key(registration.jwks, kid) or _find_key(_fetch_keys(registration), kid)


def _find_key(keys: Any, kid: str) -> RSAKey | None:
    for key in words.clean_list(words.clean_dict(keys).get("keys")):
        if isinstance(key, dict) and key.get("kid") == kid and key.get("kty") == "RSA":
            try:
                return RSAKey.import_key({name: key[name] for name in ("kty", "n", "e")})
            except (JoseError, ValueError, KeyError, TypeError):
                return None
    return None


def _fetch_keys(registration: LtiRegistration) -> Any:
    client = f"registration {registration.pk}"
    if count_request(client=client, kind="lti-keys", window=MINUTE) > MOST_FETCHES:
        raise PlatformError("the platform's keys were already fetched several times in the last minute", 429)
    keys = read_json(call("GET", registration.jwks_url, private=True))
    registration.jwks, registration.jwks_at = keys, timezone.now()
    registration.save(update_fields=["jwks", "jwks_at"])
    return keys
