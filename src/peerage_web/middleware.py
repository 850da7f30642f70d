"""Around every request: a log line, and headers that keep pages private."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable
from uuid import uuid4

from django.http import HttpRequest, HttpResponse

from peerage_web.logs import request_id

log = logging.getLogger("peerage_web.requests")
Answer = Callable[[HttpRequest], HttpResponse]
_KEY = re.compile(r"^(/j/|/api/v1/jobs/)[^/]+")
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


class RequestLog:
    """One line per request: its id, what was asked, the answer, how long it took. No visitor, no key."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer and log."""
        given = request.headers.get("X-Request-ID", "")
        identity = given if _ID.fullmatch(given) else uuid4().hex
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
            "path": _KEY.sub(r"\1…", request.path),
            "status": status,
            "ms": round(1000 * seconds, 1),
        }
        log.info("request", extra={"fields": fields})


class Privacy:
    """Nothing is indexed, nothing is kept by proxies, nothing runs that we did not write."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer with the headers."""
        response = self.get_response(request)
        headers = response.headers
        headers.setdefault("Content-Security-Policy", POLICY)
        headers.setdefault("X-Frame-Options", "DENY")
        headers.setdefault("Permissions-Policy", "geolocation=(), camera=(), microphone=()")
        headers.setdefault("X-Robots-Tag", "noindex, nofollow")
        headers.setdefault("Cache-Control", "private, no-store")
        return response
