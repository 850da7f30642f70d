"""The guard of the API for classes, and the kinds of values that its requests hold."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from functools import wraps
from typing import Annotated, Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from ninja import Schema
from ninja.decorators import decorate_view
from pydantic import AwareDatetime, BeforeValidator, ConfigDict, Field, StringConstraints

from peerage_web.api.access import token_of
from peerage_web.api.build import describe_errors
from peerage_web.api.problems import problem
from peerage_web.classes import permissions, visibility
from peerage_web.classes.permissions import Action
from peerage_web.classes.scope import RequestScope, Verdict

_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(:\d\d(\.\d{1,6})?)?([Zz]|[+-]\d\d:\d\d)")
NO_NUL = r"^[^\x00]*$"
MOST_PEOPLE = 5000  # of a roster sent at once
MOST_ROWS = 500  # of a list, in one answer


def _moment(value: Any) -> Any:
    if not isinstance(value, str) or not _MOMENT.fullmatch(value):
        raise ValueError("must be a date and time with its offset, such as 2027-02-01T23:59:00Z")
    try:
        at = datetime.fromisoformat(value.upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError("must be a date and time that exist") from None
    if not 2000 <= at.year <= 2199:
        raise ValueError("must be in the years 2000 to 2199")
    return at


Moment = Annotated[AwareDatetime, BeforeValidator(_moment)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=NO_NUL)]
Word = Annotated[str, StringConstraints(max_length=100, pattern=NO_NUL)]
Email = Annotated[str, StringConstraints(min_length=3, max_length=254, pattern=NO_NUL)]


class RequestBody(Schema):
    """A body: nothing unknown in it, and no text for a number."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ListPart(Schema):
    """Which page of a list to return."""

    limit: int = Field(100, ge=1, le=MOST_ROWS, description="Maximum number of rows.")
    offset: int = Field(0, ge=0, le=10**6, description="Number of rows to skip.")


# -- The guard: the token, the role of whoever made it, the table of permissions -----------------------
#
# A token is bound to one course and does what its author may do there, by the same table as the pages. The
# role is looked up at every request: whoever loses it takes their tokens along.


View = Callable[..., Any]
SCOPE = "peerage.scope"  # where the request keeps what the guard found; a header cannot reach this name
REFUSALS = describe_errors(
    {
        403: "The token is of no course, may only read, or its author's role does not allow it.",
        409: "Not in this phase of the assignment.",
    }
)


def scope_of(request: HttpRequest) -> RequestScope:
    scope: RequestScope = request.META[SCOPE]
    return scope


def opens(action: Action) -> Callable[[View], View]:
    """Declare under which rule an address stands; asked before anything of the body is read."""

    def decorate(run: View) -> View:
        @wraps(run)
        def guarded(request: HttpRequest, *args: Any, **named: Any) -> Any:
            refusal = _enter(request, action, named)
            return refusal if refusal is not None else run(request, *args, **named)

        return guarded

    def declare(view: View) -> View:
        view.rule = action  # type: ignore[attr-defined]
        declared: View = decorate_view(decorate)(view)
        return declared

    return declare


def _enter(request: HttpRequest, action: Action, named: dict[str, Any]) -> HttpResponse | None:
    """Look everything up through what the token's author may see; the answer where that ends it."""
    token = token_of(request)
    if not settings.CLASSES:
        return problem("not-found", "There are no classes on this service.")
    if token is None:
        return problem("token", "Classes need a token of the course: an instructor makes it on its page.")
    if token.course is None or token.made_by is None:
        return problem("forbidden", "This token is of no course; make one on the page of the course.")
    if named.get("course", token.course.key) != token.course.key:
        return _nothing()
    member = visibility.memberships_of(token.made_by).filter(course=token.course).first()
    if member is None:
        return problem("forbidden", "Whoever made this token is no longer in the course. Make another one.")
    scope = RequestScope(token.made_by, member, token=token)
    try:
        scope.enter(named)
    except Http404:
        return _nothing()
    request.META[SCOPE] = scope
    return _refusal(scope, action)


def _nothing() -> HttpResponse:
    return problem("not-found", "There is no such thing in the course that this token opens.")


def _refusal(scope: RequestScope, action: Action) -> HttpResponse | None:
    match scope.decide(action):
        case Verdict.ALLOWED:
            return None
        case Verdict.FORBIDDEN:
            return forbidden(scope, action)
        case Verdict.READ_ONLY:
            return problem("forbidden", "This token may only read. Make one that may write.")
        case Verdict.NOT_NOW:
            phases = ", ".join(permissions.when(action))
            now = scope.assignment.phase
            return problem(
                "not-now", f"The assignment is in the phase {now!r}; this can be done in: {phases}."
            )


def forbidden(scope: RequestScope, action: Action) -> HttpResponse:
    """The role of whoever made the token does not allow it."""
    role = scope.member.role
    detail = f"Whoever made this token has the role {role!r} in the course, which may not: {action.value}."
    return problem("forbidden", detail)
