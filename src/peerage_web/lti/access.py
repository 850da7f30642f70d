"""What stands before views that platforms call: no sign-in, but something else that opens them."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from django.utils import translation
from django.views.decorators.csrf import csrf_exempt

from peerage_web.accounts.services.sign_in import record_use
from peerage_web.accounts.views import person_of

View = Callable[..., HttpResponseBase]


def for_platforms(why: str, *methods: str) -> Callable[[View], View]:
    """An address of the protocol; `why` says what guards it instead of a sign-in and Django's own token."""

    def declare(view: View) -> View:
        @csrf_exempt
        @wraps(view)
        def guarded(request: HttpRequest, **named: Any) -> HttpResponseBase:
            refusal = _refusal(request, methods)
            return refusal if refusal is not None else view(request, **named)

        guarded.opened_by = why  # type: ignore[attr-defined]
        guarded.methods = methods  # type: ignore[attr-defined]
        return guarded

    return declare


def for_people(*methods: str) -> Callable[[View], View]:
    """A page for whoever is signed in, about themselves."""
    return _for_signed_in("people_only", methods)


def for_operators(*methods: str) -> Callable[[View], View]:
    """A page of those who run this service; for everybody else there is nothing."""
    return _for_signed_in("operators_only", methods)


def _for_signed_in(mark: str, methods: tuple[str, ...]) -> Callable[[View], View]:
    def declare(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, **named: Any) -> HttpResponseBase:
            refusal = _refusal(request, methods)
            if refusal is not None:
                return refusal
            if not request.user.is_authenticated:
                return redirect_to_login(request.get_full_path())
            if mark == "operators_only" and not person_of(request).is_operator:
                raise Http404
            record_use(request=request)
            return view(request, **named)

        setattr(guarded, mark, True)
        guarded.methods = methods  # type: ignore[attr-defined]
        return guarded

    return declare


def _refusal(request: HttpRequest, methods: tuple[str, ...]) -> HttpResponseBase | None:
    if not settings.CLASSES:
        raise Http404
    taken = {*methods, "HEAD"} if "GET" in methods else set(methods)
    return None if request.method in taken else HttpResponseNotAllowed(methods)


def speak(language: str) -> None:
    """The platform's language, where it names one that we have; the middleware puts it back."""
    if language:
        translation.activate(language)
