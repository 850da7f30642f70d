"""GET methods: what there is to choose from."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.http import HttpRequest
from ninja import Router

from peerage_web.planning.api.schemas import Method
from peerage_web.sandbox.work.allocation import list_methods
from peerage_web.shared.services.sandbox_slots import ask

router = Router(tags=["methods"])


@router.get("/methods", response=list[Method], summary="The methods", operation_id="methods")
def methods(request: HttpRequest) -> Any:
    """Every method, with one honest line, what it takes, and its parameters."""
    return _methods()


@cache
def _methods() -> Any:
    """They do not change while the service runs."""
    return ask(list_methods)
