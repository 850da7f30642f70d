"""Guessing passwords takes too long to be worth it, and nobody is kept out by the guesses of others.

Wrong passwords are counted for a name from one address, for an address, and for a name from everywhere. A
browser that has signed in under a name before carries a mark, and is counted by itself alone: whatever others
do, its owner can sign in.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator
from datetime import timedelta

from django.core.signing import BadSignature, TimestampSigner
from django.db.models import F
from django.utils.translation import gettext as _

from peerage_web.shared.errors import Busy
from peerage_web.shared.models import RequestCount
from peerage_web.shared.services.rate_limits import count_request, window_start

WINDOW = timedelta(minutes=15)
MOST = {"sign-in-name-here": 10, "sign-in-here": 40, "sign-in-name": 100, "sign-in-known": 10}
KNOWN_DAYS = 90
_signer = TimestampSigner(salt="peerage.known")


class TooManyGuesses(Busy):
    """So many wrong passwords that the next has to wait."""

    retry_after = int(WINDOW.total_seconds())


def count_guess(*, name: str, visitor: str, mark: str) -> list[RequestCount]:
    """Count a try before its password is looked at; :func:`forget_guess` takes back what was right."""
    counted = []
    for kind, client in _clients(name, visitor, mark):
        tries = count_request(client=client, kind=kind, window=WINDOW)
        counted.append(RequestCount(client=client, kind=kind, window=window_start(WINDOW)))
        if tries > MOST[kind]:
            raise TooManyGuesses(
                _(
                    "There were too many wrong passwords from here or for this name. Wait a quarter of an"
                    " hour, then try again. Browsers in which you have signed in before do not have to wait."
                )
            )
    return counted


def forget_guess(*, counted: list[RequestCount]) -> None:
    """It was the right password."""
    for one in counted:
        mine = RequestCount.objects.filter(client=one.client, kind=one.kind, window=one.window, count__gt=0)
        mine.update(count=F("count") - 1)


def _clients(name: str, visitor: str, mark: str) -> Iterator[tuple[str, str]]:
    name = name.strip().casefold()
    known = identity_of(mark, name)
    if known is not None:
        yield "sign-in-known", known
        return
    yield "sign-in-name-here", _hash(f"{name}:{visitor}")
    yield "sign-in-here", visitor
    yield "sign-in-name", _hash(name)


def make_mark(name: str) -> str:
    """What a browser keeps after signing in; it opens nothing."""
    return _signer.sign(f"{secrets.token_hex(8)}:{_hash(name.strip().casefold())}")


def identity_of(mark: str, name: str) -> str | None:
    """Which browser it is, if this name has signed in with it lately."""
    try:
        identity, _colon, whose = _signer.unsign(mark, max_age=timedelta(days=KNOWN_DAYS)).partition(":")
    except BadSignature:
        return None
    return identity if whose == _hash(name.strip().casefold()) else None


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
