"""What platforms read about us: our keys, and how to set us up."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse

from peerage_web.lti.queries.described import canvas
from peerage_web.lti.services.keys import public_keys
from peerage_web.lti.views.declared import for_platforms


@for_platforms("public: our public keys", "GET")
def keys(request: HttpRequest) -> HttpResponse:
    """The list of our public keys."""
    return JsonResponse(public_keys(), headers={"Cache-Control": "public, max-age=300"})


@for_platforms("public: how to set Peerage up", "GET")
def canvas_json(request: HttpRequest) -> HttpResponse:
    """What Canvas is configured with."""
    return JsonResponse(canvas())
