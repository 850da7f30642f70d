"""Our keys: made, shown, signed with, followed by the next."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta
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
    """Those of our list."""
    return LtiKey.objects.filter(Q(shown_until=None) | Q(shown_until__gt=timezone.now()))


def public_keys() -> dict[str, Any]:
    """The list that platforms fetch; there is always one in it."""
    _signing_key()
    return {"keys": [one.public for one in shown_keys()]}


def sign(claims: dict[str, Any]) -> str:
    """A token of ours."""
    key = _signing_key()
    return jwt.encode({"alg": "RS256", "kid": key.kid}, claims, _opened(key), algorithms=["RS256"])


def _signing_key() -> LtiKey:
    found = shown_keys().filter(signs_from__lte=timezone.now()).first()
    if found is not None and _opened_or_none(found) is not None:
        return found
    with exclusively("lti keys"):
        found = shown_keys().filter(signs_from__lte=timezone.now()).first()
        if found is None or _opened_or_none(found) is None:  # none yet, or under another secret key
            found = make_key(signs_from=timezone.now())
    return found


def make_key(*, signs_from: datetime) -> LtiKey:
    """A new pair; those before it stop signing when it begins, and are shown for a while after."""
    kid = secrets.token_urlsafe(12)
    pair = RSAKey.generate_key(BITS, {"kid": kid, "alg": "RS256", "use": "sig"})
    sealed = jwe.encrypt_compact(_ENCRYPTION, pair.as_pem(private=True), _sealing_key())
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


def _opened(key: LtiKey) -> RSAKey:
    opened = _opened_or_none(key)
    assert opened is not None  # `_signing_key` has looked
    return opened


def _opened_or_none(key: LtiKey) -> RSAKey | None:
    try:
        pem = jwe.decrypt_compact(key.private, _sealing_key()).plaintext
        return RSAKey.import_key(pem or b"")
    except (JoseError, ValueError):
        return None


def _sealing_key() -> OctKey:
    """Who has the database alone, such as a backup, cannot sign in our name."""
    return OctKey.import_key(hashlib.sha256(b"lti keys " + settings.SECRET_KEY.encode()).digest())
