"""Answers that are JSON already when they reach the web process."""

from __future__ import annotations

from django.http import HttpResponse


def as_json(text: str | bytes, *, status: int = 200) -> HttpResponse:
    """A JSON document, sent as it is."""
    data = text.encode("utf-8", "replace") if isinstance(text, str) else text
    return HttpResponse(data, status=status, content_type="application/json")
