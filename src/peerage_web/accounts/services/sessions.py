"""Being signed in: in which browsers, since when, and ending it."""

from __future__ import annotations

import re
from datetime import timedelta
from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib.auth import login
from django.http import HttpRequest
from django.utils import timezone

from peerage_web.accounts.models import Person, SignIn

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


def remember_use(*, request: HttpRequest) -> None:
    """That the session is in use: one write an hour; the hour stands in the session, which is read anyway."""
    now = timezone.now()
    hour = int(now.timestamp() // HOUR.total_seconds())
    if request.session.get("seen") != hour:
        request.session["seen"] = hour
        SignIn.objects.filter(session_key=request.session.session_key).update(seen_at=now)


def end_session(*, person: Person, number: int) -> bool:
    """Sign one of a person's browsers out, at once; False where it is none of theirs."""
    found = SignIn.objects.filter(person=person, pk=number).first()
    if found is None:
        return False
    _store()(found.session_key).delete()
    found.delete()
    return True


def end_other_sessions(*, person: Person, but: str | None) -> int:
    """Sign all browsers out but one; how many there were."""
    others = SignIn.objects.filter(person=person).exclude(session_key=but)
    keys = list(others.values_list("session_key", flat=True))
    for key in keys:
        _store()(key).delete()
    others.delete()
    return len(keys)


def forget_session(*, key: str | None) -> None:
    """The person signed out."""
    SignIn.objects.filter(session_key=key).delete()


def forget_old_sessions() -> None:
    """Those whose cookie has expired."""
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
