"""Bodies: which kind an address takes, asked before anything of it is read; and answers in JSON."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from ninja.decorators import decorate_view

from peerage_web.api.problems import problem
from peerage_web.sandbox.contract.errors import OutOfMemoryError, OutOfTimeError
from peerage_web.shared.services.sandbox_slots import ask_sandbox

LARGEST_SEED = 2**31 - 1
JSON_BYTES = 4 << 20  # 5,000 people with groups and conflicts need about one megabyte
View = Callable[..., HttpResponse]
Decorator = Callable[[View], View]


def takes_form() -> Decorator:
    """A form with files. Their size is watched by the upload handler."""
    return _taking("multipart/form-data", lambda request: None)


def takes_json() -> Decorator:
    """A JSON document of bounded size."""
    return _taking("application/json", _too_long)


def _taking(kind: str, check: Callable[[HttpRequest], HttpResponse | None]) -> Decorator:
    def decorate(run: View) -> View:
        @wraps(run)
        def guarded(request: HttpRequest, *args: Any, **named: Any) -> HttpResponse:
            if request.content_type != kind:
                sent = request.content_type or "nothing"
                return problem("media-type", f"Send {kind}, not {sent}.", headers={"Accept-Post": kind})
            return check(request) or run(request, *args, **named)

        return guarded

    taking: Decorator = decorate_view(decorate)
    return taking


def _too_long(request: HttpRequest) -> HttpResponse | None:
    # Django reads no more than this header says
    length = request.META.get("CONTENT_LENGTH") or "0"
    if length.isdecimal() and int(length) <= JSON_BYTES:
        return None
    return problem("too-large", f"A JSON body may have {JSON_BYTES >> 20} MB here.")


def as_json(text: str | bytes, *, status: int = 200) -> HttpResponse:
    """A JSON document, sent as it is."""
    data = text.encode("utf-8", "replace") if isinstance(text, str) else text
    return HttpResponse(data, status=status, content_type="application/json")


def answer_from_sandbox(
    work: Callable[..., Any], *args: Any, command: str, visitor: str, cost: float
) -> HttpResponse:
    """What `work` says; where it takes too much, the command that does it without limits."""
    try:
        return as_json(ask_sandbox(work, *args, visitor=visitor, cost=cost))
    except OutOfTimeError:
        code, reason = "time", f"It would take more than {settings.LIMITS.direct_seconds} seconds."
    except OutOfMemoryError:
        code, reason = "memory", "It would need more memory than this service gives to one question."
    return problem(code, f"{reason} On your own machine there is no such limit: {command}")
