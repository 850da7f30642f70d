"""Being signed in, and how often somebody may guess a password.

Guessing takes too long to be worth it, and nobody is kept out by the guesses of others: wrong passwords are
counted for a name from one address, for an address, and for a name from everywhere. A browser that has
signed in under a name before carries a mark, and is counted by itself alone: whatever others do, its owner
can sign in.

A class shares an address, so guesses for names without an account count apart: they open nothing, and must
not keep a neighbour out. They have a limit because hashing costs memory and time. Beyond it, a refusal tells
such a name from one with an account; of those the limit for the address lets 40 be tried.
"""

import hashlib
import re
import secrets
from collections.abc import Iterator
from datetime import timedelta
from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib.auth import login
from django.core.signing import BadSignature, TimestampSigner
from django.db.models import F
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person, SignIn, normalize_address
from peerage_web.shared.errors import Busy
from peerage_web.shared.models import RequestCount
from peerage_web.shared.services.rate_limits import count_request, window_start

HOUR = timedelta(hours=1)
_BROWSERS = (
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
_SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def begin_session(*, request: HttpRequest, person: Person) -> None:
    """Sign somebody in, in this browser; every way of signing in ends here."""
    login(request, person, backend="django.contrib.auth.backends.ModelBackend")
    if request.session.session_key is None:
        request.session.create()
    SignIn.objects.update_or_create(
        session_key=request.session.session_key,
        defaults={"person": person, "browser": _browser(request), "seen_at": timezone.now()},
    )


def record_use(*, request: HttpRequest) -> None:
    """That the session is in use: one write an hour; the hour stands in the session, which is read anyway."""
    now = timezone.now()
    hour = int(now.timestamp() // HOUR.total_seconds())
    if request.session.get("seen") != hour:
        request.session["seen"] = hour
        SignIn.objects.filter(session_key=request.session.session_key).update(seen_at=now)


def end_session(*, person: Person, number: int) -> bool:
    """Sign one of a person's browsers out, at once; False where it is none of theirs."""
    sign_in = SignIn.objects.filter(person=person, pk=number).first()
    if sign_in is None:
        return False
    _store()(sign_in.session_key).delete()
    sign_in.delete()
    return True


def end_other_sessions(*, person: Person, but: str | None) -> int:
    """Sign all browsers out but one; how many there were."""
    others = SignIn.objects.filter(person=person).exclude(session_key=but)
    keys = list(others.values_list("session_key", flat=True))
    for key in keys:
        _store()(key).delete()
    others.delete()
    return len(keys)


def delete_sign_in(*, key: str | None) -> None:
    SignIn.objects.filter(session_key=key).delete()


def delete_expired_sign_ins() -> None:
    old = timezone.now() - timedelta(seconds=settings.SESSION_COOKIE_AGE) - HOUR
    SignIn.objects.filter(seen_at__lt=old, began_at__lt=old).delete()


def _store() -> Any:  # Django's engines have no common type
    return import_module(settings.SESSION_ENGINE).SessionStore


def _browser(request: HttpRequest) -> str:
    """In two words; the header itself would tell more than anybody needs."""
    text = request.headers.get("User-Agent", "")
    name = next((word for mark, word in _BROWSERS if mark in text), "")
    system = next((word for mark, word in _SYSTEMS if re.search(re.escape(mark), text)), "")
    return ", ".join(word for word in (name, system) if word)[:60]


# -- wrong passwords ------------------------------------------------------------------------------------

WINDOW = timedelta(minutes=15)
MOST = {
    "sign-in-name-here": 10,
    "sign-in-here": 40,
    "sign-in-nobody-here": 400,  # names without an account
    "sign-in-name": 100,
    "sign-in-known": 10,
    "old-password": 10,
}
KNOWN_DAYS = 90
_mark_signer = TimestampSigner(salt="peerage.known")


class TooManyGuesses(Busy):
    """So many wrong passwords that the next has to wait."""

    retry_after = int(WINDOW.total_seconds())


def count_guess(*, name: str, visitor: str, mark: str) -> list[RequestCount]:
    """Count a try before its password is looked at; :func:`forget_guess` takes back what was right."""
    said = _(
        "There were too many wrong passwords from here or for this e-mail address. "
        "Wait 15 minutes, then try again. In a browser where you have signed in "
        "before, you need not wait."
    )
    return [_count(kind, client, said) for kind, client in _clients(name, visitor, mark)]


def count_old_password(*, person: Person) -> list[RequestCount]:
    """As :func:`count_guess`, where somebody is signed in: an open browser is no place to guess, either."""
    said = _("There were too many wrong passwords. Wait 15 minutes, then try again.")
    return [_count("old-password", f"person {person.pk}", said)]


def _count(kind: str, client: str, said: str) -> RequestCount:
    if count_request(client=client, kind=kind, window=WINDOW) > MOST[kind]:
        raise TooManyGuesses(said)
    return RequestCount(client=client, kind=kind, window=window_start(WINDOW))


def forget_guess(*, counted: list[RequestCount]) -> None:
    for count in counted:
        row = RequestCount.objects.filter(
            client=count.client, kind=count.kind, window=count.window, count__gt=0
        )
        row.update(count=F("count") - 1)


def _clients(name: str, visitor: str, mark: str) -> Iterator[tuple[str, str]]:
    name = normalize_address(name)  # as it is compared: however it is spelt, it opens the same account
    browser = known_browser(mark, name)
    if browser is not None:
        yield "sign-in-known", browser
        return
    yield "sign-in-name-here", _hash_name(f"{name}:{visitor}")
    counts = _has_account(name) or _is_full("sign-in-here", visitor)
    yield ("sign-in-here" if counts else "sign-in-nobody-here"), visitor
    yield "sign-in-name", _hash_name(name)


def _is_full(kind: str, client: str) -> bool:
    """Then all names are refused alike: it would tell which of them have an account."""
    row = RequestCount.objects.filter(client=client, kind=kind, window=window_start(WINDOW)).first()
    return row is not None and row.count >= MOST[kind]


def _has_account(name: str) -> bool:
    # not every character can be asked for in a database
    return name.isprintable() and Person.objects.filter(email=name).exists()


def make_browser_mark(name: str) -> str:
    """What a browser keeps after signing in; it opens nothing."""
    return _mark_signer.sign(f"{secrets.token_hex(8)}:{_hash_name(normalize_address(name))}")


def known_browser(mark: str, name: str) -> str | None:
    """Which browser it is, if this name has signed in with it lately."""
    try:
        identity, _colon, whose = _mark_signer.unsign(mark, max_age=timedelta(days=KNOWN_DAYS)).partition(":")
    except BadSignature:
        return None
    return identity if whose == _hash_name(normalize_address(name)) else None


def _hash_name(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
