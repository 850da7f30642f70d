"""Answers that are JSON already when they reach the web process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpResponse

from peerage_web.api.problems import problem
from peerage_web.sandbox.contract.errors import OutOfMemoryError, OutOfTimeError
from peerage_web.shared.services.sandbox_slots import ask


def as_json(text: str | bytes, *, status: int = 200) -> HttpResponse:
    """A JSON document, sent as it is."""
    data = text.encode("utf-8", "replace") if isinstance(text, str) else text
    return HttpResponse(data, status=status, content_type="application/json")


def answered(work: Callable[..., Any], *args: Any, command: str, visitor: str, cost: float) -> HttpResponse:
    """What `work` says; where it takes too much, the command that does it without limits."""
    try:
        return as_json(ask(work, *args, visitor=visitor, cost=cost))
    except OutOfTimeError:
        code, said = "time", f"It would take more than {settings.LIMITS.direct_seconds} seconds."
    except OutOfMemoryError:
        code, said = "memory", "It would need more memory than this service gives to one question."
    return problem(code, f"{said} On your own machine there is no such limit: {command}")
