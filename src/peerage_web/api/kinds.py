"""GET problems/{code}: what a kind of problem means. The `type` of every problem leads here."""

from __future__ import annotations

from django.http import Http404, HttpRequest
from ninja import Router

from peerage_web.api.problems import HOME, KINDS
from peerage_web.api.schemas import ProblemKind

router = Router(tags=["problems"])


@router.get("/problems/{code}", response=ProblemKind, summary="A kind of problem", operation_id="problem")
def kind(request: HttpRequest, code: str) -> ProblemKind:
    """What it means and what to do."""
    if code not in KINDS:
        raise Http404
    found = KINDS[code]
    return ProblemKind(type=HOME + code, title=found.title, status=found.status, meaning=found.meaning)
