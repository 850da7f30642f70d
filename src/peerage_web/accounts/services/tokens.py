"""Tokens of the API: giving them out, knowing them again, taking them back."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from peerage_web.accounts.models import ApiToken
from peerage_web.shared.errors import Refused

START = "prg_"
SHOWN = 12  # characters at the beginning that lists may show
MOST_DAYS = 3660
LONGEST_NAME = 100


def add_token(*, name: str, days: int) -> str:
    """Make a token and return it; only its hash stays, so this is the one time it can be read."""
    name = name.strip()
    if not 0 < len(name) <= LONGEST_NAME:
        raise Refused(f"A token needs a name of 1 to {LONGEST_NAME} characters.")
    if not 1 <= days <= MOST_DAYS:
        raise Refused(f"A token lasts from 1 to {MOST_DAYS} days, not {days}.")
    with transaction.atomic():
        before = ApiToken.objects.filter(name=name).first()
        if before is not None and is_valid(before):
            raise Refused(f"There is a token {name!r} already. Revoke it first, or choose another name.")
        if before is not None:
            before.delete()
        return _make(name, days)


def _make(name: str, days: int) -> str:
    text = START + secrets.token_urlsafe(32)
    ApiToken.objects.create(
        name=name,
        prefix=text[:SHOWN],
        hash=_hash(text),
        expires_at=timezone.now() + timedelta(days=days),
    )
    return text


def find_token(*, text: str) -> ApiToken | None:
    """The token, if it was given out, has not expired and was not revoked; remembers the day of its use."""
    token = ApiToken.objects.filter(prefix=text[:SHOWN]).first() if _is_plain(text) else None
    # compared even where there is none, so that the time taken does not tell which beginnings exist
    same = hmac.compare_digest(_hash(text), token.hash if token is not None else _hash(""))
    if token is None or not same or not is_valid(token):
        return None
    _remember_use(token)
    return token


def _is_plain(text: str) -> bool:
    """Whether it can be a token at all; a database is not asked for anything else."""
    return text.startswith(START) and text.isascii() and text.isprintable()


def is_valid(token: ApiToken) -> bool:
    """Whether it is neither expired nor revoked."""
    expired = token.expires_at is not None and token.expires_at <= timezone.now()
    return token.revoked_at is None and not expired


def _remember_use(token: ApiToken) -> None:
    """The day, not the moment: one write a day, and no diary of its owner."""
    today = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    if token.used_at != today:
        ApiToken.objects.filter(pk=token.pk).update(used_at=today)


def revoke_token(*, name: str) -> None:
    """From now on the token opens nothing."""
    token = ApiToken.objects.filter(name=name.strip()).first()
    if token is None:
        raise Refused(f"There is no token {name!r}. See: peerage token list")
    if token.revoked_at is not None:
        raise Refused(f"The token {name!r} was revoked on {token.revoked_at:%Y-%m-%d} already.")
    ApiToken.objects.filter(pk=token.pk).update(revoked_at=timezone.now())


def _hash(text: str) -> str:
    """Plain SHA-256: a token has 256 random bits, so there is nothing to guess and nothing to salt."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
