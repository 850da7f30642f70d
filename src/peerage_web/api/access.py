"""Access to the API: who may come in, the rate limit, and that every error leaves in the same form."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from http import HTTPStatus
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

from peerage_web.accounts.models import ApiToken
from peerage_web.accounts.services.tokens import find_token
from peerage_web.api.problems import as_problem, database_away, is_problem, problem
from peerage_web.shared.database import release_connections
from peerage_web.shared.errors import DATABASE_AWAY
from peerage_web.shared.services.rate_limits import MINUTE, count_request
from peerage_web.shared.visitors import visitor_of

log = logging.getLogger(__name__)
WHO = "peerage.who"  # where the request remembers it; a header cannot reach this name
TOKEN = "peerage.token"
# what a token of a course opens, beside what describes the API itself
OF_COURSES = ("/api/v1/courses", "/api/v1/problems/", "/api/v1/openapi.json")


def client_of(request: HttpRequest) -> str:
    """The visitor's mark or the token's, for limits."""
    return str(request.META[WHO])


def token_of(request: HttpRequest) -> ApiToken | None:
    """The token that came with the request."""
    token: ApiToken | None = request.META.get(TOKEN)
    return token


class ApiAccess:
    """Middleware for everything under /api."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not (request.path.startswith("/api/") or request.path == "/api"):
            return self.get_response(request)
        method = request.method
        if method == "HEAD":
            request.method = "GET"  # Ninja knows nothing of it
        try:
            response = self._answer(request)
        except DATABASE_AWAY:
            log.exception("the database does not answer")
            response = database_away()
        except Exception:  # the client still gets a problem it can read
            log.exception("the API failed before it could answer")
            response = problem("bug")
        request.method = method
        response = _with_other_methods(request, response)
        if response.status_code >= 400 and not is_problem(response):
            response = as_problem(request, response)
        patch_vary_headers(response, ["Authorization"])
        return response

    def _answer(self, request: HttpRequest) -> HttpResponse:
        if settings.API_ACCESS == "off":
            return problem("not-found", "The API of this service is switched off.")
        if _is_from_another_site(request):
            return problem(
                "forbidden", "Pages of other sites may not use this API through a visitor's browser."
            )
        who, refusal = _identify(request)
        request.META[WHO] = who
        rate = _RateLimit.count(who)
        release_connections()  # the body may take long to come in
        if rate.is_exceeded:
            response = problem("too-many", rate.sentence(), headers={"Retry-After": str(rate.reset)})
        else:
            response = refusal or self.get_response(request)
        for name, value in rate.headers().items():
            response.headers[name] = value
        return response


def _with_other_methods(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """HEAD wherever there is GET, without its body; OPTIONS says what an address takes."""
    if response.status_code == HTTPStatus.METHOD_NOT_ALLOWED and "Allow" in response.headers:
        methods = [name.strip() for name in response.headers["Allow"].split(",")]
        allowed = dict.fromkeys([*methods, *(["HEAD"] if "GET" in methods else []), "OPTIONS"])
        if request.method == "OPTIONS":
            response = HttpResponse(status=HTTPStatus.NO_CONTENT)
        response.headers["Allow"] = ", ".join(allowed)
    return _without_body(response) if request.method == "HEAD" else response


def _without_body(response: HttpResponse) -> HttpResponse:
    """What says how long the answer to GET would be; a file behind it is closed as usual."""
    length = response.headers.get("Content-Length") or str(len(getattr(response, "content", b"")))
    bare = HttpResponse(status=response.status_code, headers={**response.headers, "Content-Length": length})
    bare.close = response.close  # type: ignore[method-assign]
    return bare


def _is_from_another_site(request: HttpRequest) -> bool:
    """Whether a browser says that a page of another site asks: it may run on a machine that trusts itself."""
    if request.headers.get("Sec-Fetch-Site") in ("cross-site", "same-site") and request.method != "GET":
        return True
    origin = request.headers.get("Origin")
    try:
        return origin is not None and urlsplit(origin).netloc != request.get_host()
    except SuspiciousOperation:  # an odd host, which is refused for that
        return False
    except ValueError:
        return True


def _identify(request: HttpRequest) -> tuple[str, HttpResponse | None]:
    """Who it is, and why they may not come in."""
    scheme, _, text = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        token = find_token(text=text.strip())
        if token is not None:
            request.META[TOKEN] = token
            return f"token:{token.prefix}", _elsewhere(request, token)
        detail = "This token is not known, has expired or was revoked."
        return visitor_of(request), problem("token", detail)
    if settings.API_ACCESS == "token":
        detail = "This service takes requests with a token only: Authorization: Bearer prg_…"
        return visitor_of(request), problem("token", detail)
    return visitor_of(request), None


def _elsewhere(request: HttpRequest, token: ApiToken) -> HttpResponse | None:
    """A token of a course opens that course and nothing else."""
    if token.course_id is None or request.path.startswith(OF_COURSES):
        return None
    detail = "This token opens one course and nothing else; its addresses begin with /api/v1/courses/."
    return problem("forbidden", detail)


class _RateLimit:
    """What is left of this minute."""

    def __init__(self, used: int) -> None:
        self.most = settings.LIMITS.requests
        self.left = max(0, self.most - used)
        self.is_exceeded = used > self.most
        self.reset = max(1, round(60 - time.time() % 60))

    @classmethod
    def count(cls, who: str) -> _RateLimit:
        return cls(count_request(client=who, kind="api", window=MINUTE))

    def sentence(self) -> str:
        return f"{self.most} requests a minute are all this service takes. Try again in {self.reset} seconds."

    def headers(self) -> dict[str, str]:
        """How much is left, for clients that pace themselves."""
        return {
            "RateLimit-Limit": str(self.most),
            "RateLimit-Remaining": str(self.left),
            "RateLimit-Reset": str(self.reset),
        }
