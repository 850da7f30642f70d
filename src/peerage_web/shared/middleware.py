"""Around every request: a log line, headers that keep pages private, a word to clients that were too slow."""

import logging
import re
import time
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.utils import timezone, translation

from peerage_web.configuration.logs import request_id, without_secrets
from peerage_web.shared.database import release_connections
from peerage_web.shared.traces import trace
from peerage_web.shared.views import pages

log = logging.getLogger("peerage_web.requests")
Answer = Callable[[HttpRequest], HttpResponse]
WATCHED: dict[str, Answer] = {"/healthz": pages.healthy, "/readyz": pages.ready}
_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")

POLICY = "; ".join(
    [
        "default-src 'none'",
        "style-src 'self'",
        "script-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)


class Middleware:
    """What Django asks of all of them."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response


class RequestLog(Middleware):
    """One line per request: its id, what was asked, the answer, how long it took. No visitor, no key."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        header = request.headers.get("X-Request-ID", "")
        identity = header if _ID.fullmatch(header) else uuid4().hex
        mark = request_id.set(identity)
        started = time.perf_counter()
        try:
            response = self.get_response(request)
            response.headers["X-Request-ID"] = identity
            self._write(request, response.status_code, time.perf_counter() - started)
            return response
        finally:
            request_id.reset(mark)

    @staticmethod
    def _write(request: HttpRequest, status: int, seconds: float) -> None:
        fields = {
            "method": request.method,
            "path": without_secrets(request.path),
            "status": status,
            "ms": round(1000 * seconds, 1),
        }
        # watchers ask every few seconds; only a bad answer is worth a line
        level = logging.DEBUG if request.path in WATCHED and status < 400 else logging.INFO
        log.log(level, "request", extra={"fields": fields})
        trace(request, status)


class ReleaseConnections(Middleware):
    """While an answer is on its way to a slow client, its connection to the database is somebody else's."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            return self.get_response(request)
        finally:
            release_connections()


class HealthChecks(Middleware):
    """Those who watch over the service ask by number, not by name, and without TLS: no host is checked."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        view = WATCHED.get(request.path, self.get_response)
        return view(request)


class Language(Middleware):
    """The language and the clock of a page: what its person chose, else what the browser asks for.

    Only parts whose pages are translated take part; a page of another part would be half English. `zone` is
    set by views that know a course, and is forgotten here after the answer.
    """

    TRANSLATED = ("peerage_web.accounts.", "peerage_web.classes.", "peerage_web.lti.")

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """English until the view is known, and again after the answer."""
        translation.activate(settings.LANGUAGE_CODE)
        try:
            response = self.get_response(request)
            response.headers.setdefault("Content-Language", translation.get_language())
            return response
        finally:
            translation.activate(settings.LANGUAGE_CODE)
            timezone.deactivate()

    def process_view(self, request: HttpRequest, view: Any, args: Any, named: Any) -> None:
        """Called by Django once it knows which view it will be."""
        if str(view.__module__).startswith(self.TRANSLATED):
            translation.activate(self._chosen(request))

    @staticmethod
    def _chosen(request: HttpRequest) -> str:
        language = getattr(request.user, "language", "") if request.user.is_authenticated else ""
        return language or translation.get_language_from_request(request)


class InterruptedRequests(Middleware):
    """A request whose body came too slowly or ended too early is answered as such, not as our mistake."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Whatever a view made of half a request, a client that was cut off for its pace hears why."""
        response = self.get_response(request)
        connection = request.META.get("gunicorn.socket")  # see operations.slow_clients
        if getattr(connection, "too_slow", False):
            return _plain("The upload came in too slowly and was stopped. Try again over a faster line.", 408)
        return response

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if isinstance(error, UnreadablePostError):
            return _plain("The request was broken off before all of it arrived.", 400)
        return None


def _plain(text: str, status: int) -> HttpResponse:
    return HttpResponse(text + "\n", status=status, content_type="text/plain; charset=utf-8")


class PrivacyHeaders(Middleware):
    """Nothing is indexed, nothing is kept by proxies, nothing runs that we did not write."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        headers = response.headers
        headers.setdefault("Content-Security-Policy", POLICY)
        if not getattr(response, "xframe_options_exempt", False):  # Django's own word for it
            headers.setdefault("X-Frame-Options", "DENY")
        headers.setdefault("Permissions-Policy", "geolocation=(), camera=(), microphone=()")
        headers.setdefault("X-Robots-Tag", "noindex, nofollow")
        headers.setdefault("Cache-Control", "private, no-store")
        return response
