"""Our keys: made, shown, signed with, followed by the next."""

import hashlib
import secrets
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import timezone
from joserfc import jwe, jwt
from joserfc.errors import JoseError
from joserfc.jwk import OctKey, RSAKey

from peerage_web.lti.models import LtiKey
from peerage_web.shared.database import exclusively

BITS = 2048
SHOWN_FIRST = timedelta(days=2)  # before it signs: platforms keep copies of our list
SHOWN_AFTER = timedelta(days=14)  # after it has stopped
SIGNS_FOR = timedelta(days=180)
_ENCRYPTION = {"alg": "dir", "enc": "A256GCM"}


def shown_keys() -> QuerySet[LtiKey]:
    return LtiKey.objects.filter(Q(shown_until=None) | Q(shown_until__gt=timezone.now()))


def public_keys() -> dict[str, Any]:
    """The list that platforms fetch; there is always one in it."""
    _signing_key()
    return {"keys": [key.public for key in shown_keys()]}


def sign(claims: dict[str, Any]) -> str:
    kid, private = _signing_key()
    return jwt.encode({"alg": "RS256", "kid": kid}, claims, private, algorithms=["RS256"])


def _signing_key() -> tuple[str, RSAKey]:
    """Its name and its private half; made where there is none yet, or only under another secret key."""
    usable = _usable_key()
    if usable is not None:
        return usable
    with exclusively("lti keys"):
        usable = _usable_key()
        if usable is None:
            make_key(signs_from=timezone.now())
            usable = _usable_key()
    assert usable is not None
    return usable


def _usable_key() -> tuple[str, RSAKey] | None:
    key = shown_keys().filter(signs_from__lte=timezone.now()).first()
    private = _unsealed(key.private, settings.SECRET_KEY) if key is not None else None
    return (key.kid, private) if key is not None and private is not None else None


def make_key(*, signs_from: datetime) -> LtiKey:
    """A new pair; those before it stop signing when it begins, and are shown for a while after."""
    kid = secrets.token_urlsafe(12)
    pair = RSAKey.generate_key(BITS, {"kid": kid, "alg": "RS256", "use": "sig"})
    sealed = jwe.encrypt_compact(_ENCRYPTION, pair.as_pem(private=True), _sealing_key(settings.SECRET_KEY))
    LtiKey.objects.filter(shown_until=None).update(shown_until=signs_from + SHOWN_AFTER)
    public: Any = pair.as_dict(private=False)
    return LtiKey.objects.create(kid=kid, public=public, private=sealed, signs_from=signs_from)


def rotate_keys() -> None:
    """Once a key has signed for half a year: the next is shown, and signs when platforms have seen it."""
    with exclusively("lti keys"):
        newest = LtiKey.objects.first()
        if newest is not None and newest.signs_from < timezone.now() - SIGNS_FOR:
            make_key(signs_from=timezone.now() + SHOWN_FIRST)
    LtiKey.objects.filter(shown_until__lt=timezone.now()).delete()


def replace_keys() -> None:
    """The operator does not trust them any more: another signs from now on, and no other is shown."""
    with exclusively("lti keys"):
        LtiKey.objects.all().delete()
        make_key(signs_from=timezone.now())


@lru_cache(maxsize=4)
def _unsealed(sealed: str, secret: str) -> RSAKey | None:
    """Once for each key: reading one checks its primes, which takes longer than all else of a call."""
    try:
        pem = jwe.decrypt_compact(sealed, _sealing_key(secret)).plaintext
        return RSAKey.import_key(pem or b"")
    except (JoseError, ValueError):
        return None


def _sealing_key(secret: str) -> OctKey:
    """Who has the database alone, such as a backup, cannot sign in our name."""
    return OctKey.import_key(hashlib.sha256(b"lti keys " + secret.encode()).digest())
