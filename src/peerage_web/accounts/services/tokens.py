"""Tokens of the API: giving them out, knowing them again, taking them back."""

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import ApiToken, Person
from peerage_web.shared.errors import Refused

START = "prg_"
SHOWN = 12  # characters at the beginning that lists may show
MOST_DAYS = 3660
LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class Scope:
    """What a token opens: one course, for whoever made it; without these, what belongs to no course."""

    course_id: int | None = None
    made_by: Person | None = None
    may_write: bool = True


OF_THE_SERVICE = Scope()


def add_token(*, name: str, days: int, scope: Scope = OF_THE_SERVICE) -> str:
    """Make a token and return it; only its hash stays, so this is the one time it can be read."""
    name = name.strip()
    if not 0 < len(name) <= LONGEST_NAME:
        raise Refused(_("A token needs a name with 1 to %(most)d characters.") % {"most": LONGEST_NAME})
    if not 1 <= days <= MOST_DAYS:
        text = _("A token is valid for 1 to %(most)d days, not %(days)d.")
        raise Refused(text % {"most": MOST_DAYS, "days": days})
    with transaction.atomic():
        before = ApiToken.objects.filter(name=name, course=scope.course_id).first()
        if before is not None and is_valid(before):
            text = _("There is already a token named %(name)r. Revoke it first, or choose another name.")
            raise Refused(text % {"name": name})
        if before is not None:
            before.delete()
        return _make(name, days, scope)


def _make(name: str, days: int, scope: Scope) -> str:
    text = START + secrets.token_urlsafe(32)
    ApiToken.objects.create(
        course_id=scope.course_id,
        made_by=scope.made_by,
        may_write=scope.may_write,
        name=name,
        prefix=text[:SHOWN],
        hash=_hash(text),
        expires_at=timezone.now() + timedelta(days=days),
    )
    return text


def find_token(*, text: str) -> ApiToken | None:
    """The token, if it was given out, has not expired and was not revoked; remembers the day of its use."""
    candidates = ApiToken.objects.select_related("course", "made_by").filter(prefix=text[:SHOWN])
    token = candidates.first() if _is_plain(text) else None
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
    """From now on the token opens nothing. Tokens of courses are named by the letters they begin with."""
    wanted = name.strip()
    of_course = Q(course__isnull=False, prefix=wanted.rstrip("…"))
    token = ApiToken.objects.filter(Q(course__isnull=True, name=wanted) | of_course).first()
    if token is None:
        raise Refused(f"There is no token {name!r}. See: peerage token list")
    if token.revoked_at is not None:
        raise Refused(f"The token {name!r} was revoked on {token.revoked_at:%Y-%m-%d} already.")
    end_token(token=token)


def end_token(*, token: ApiToken) -> None:
    ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now())


def _hash(text: str) -> str:
    """Plain SHA-256: a token has 256 random bits, so there is nothing to guess and nothing to salt."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
