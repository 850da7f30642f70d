"""Where there are accounts at all."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase

from peerage_web.accounts.models import Person

View = Callable[..., HttpResponseBase]


def where_people_sign_in(view: View) -> View:
    """On an instance without accounts there is nothing at such an address."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **named: Any) -> HttpResponseBase:
        if settings.GRADE_A_FILE != "sign-in" and not settings.CLASSES:
            raise Http404
        return view(request, *args, **named)

    return guarded


def person_of(request: HttpRequest) -> Person:
    """Who has signed in; for views that nobody else reaches."""
    if not isinstance(request.user, Person):
        raise Http404
    return request.user
