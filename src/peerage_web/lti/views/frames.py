"""What is relaxed on LTI addresses, and towards whom: frames, forms and cookies of registered platforms."""

from __future__ import annotations

from collections.abc import Iterable
from http.cookies import Morsel
from typing import Any

from django.http import HttpRequest, HttpResponse

from peerage_web.lti.models import LtiRegistration
from peerage_web.shared.middleware import POLICY

# Python knows the word from 3.14 on
Morsel._reserved.setdefault("partitioned", "Partitioned")  # type: ignore[attr-defined]
Morsel._flags.add("partitioned")  # type: ignore[attr-defined]


def in_frame(
    response: HttpResponse, registration: LtiRegistration | None, forms: Iterable[str] = ()
) -> HttpResponse:
    """Let the platform's own pages show this one, and its form go to `forms` beside us; nobody else's."""
    around = " ".join(registration.origins) if registration is not None else ""
    policy = POLICY.replace("frame-ancestors 'none'", f"frame-ancestors {around}") if around else POLICY
    for origin in forms:
        policy = policy.replace("form-action 'self'", f"form-action 'self' {origin}")
    response.headers["Content-Security-Policy"] = policy
    if around:
        response.xframe_options_exempt = True  # the policy says it better
        # platforms that open a window keep what we ask them to keep in the page that opened it
        response.headers["Cross-Origin-Opener-Policy"] = "unsafe-none"
    return response


def is_framed(request: HttpRequest) -> bool:
    """Whether the page will be inside another; browsers that do not say are taken to be."""
    return request.headers.get("Sec-Fetch-Dest", "iframe") != "document"


def is_from_our_page(request: HttpRequest) -> bool:
    """Whether the form was on a page of ours; others cannot sign anybody in as somebody else."""
    own = f"{request.scheme}://{request.get_host()}"
    return request.headers.get("Origin", "") == own


def set_cookie(response: HttpResponse, name: str, value: str, seconds: int, path: str) -> None:
    """A cookie that also comes back inside a frame, and stays apart for every platform."""
    response.set_cookie(name, value, max_age=seconds, path=path, secure=True, httponly=True, samesite="None")
    cookie: Any = response.cookies[name]
    cookie["partitioned"] = True
