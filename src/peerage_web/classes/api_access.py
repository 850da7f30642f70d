"""Kinds of values in requests: what databases and clocks can hold, described for OpenAPI."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import wraps
from typing import Annotated, Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from ninja import Schema
from ninja.decorators import decorate_view
from pydantic import AwareDatetime, BeforeValidator, ConfigDict, Field, StringConstraints

from peerage_web.accounts.models import ApiToken, Person
from peerage_web.api.access import token_of
from peerage_web.api.build import describe_errors
from peerage_web.api.problems import problem
from peerage_web.classes import permissions, visibility
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.enums import Phase, Role
from peerage_web.classes.permissions import Action
from peerage_web.classes.phases.services import take_due_step

_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(:\d\d(\.\d{1,6})?)?([Zz]|[+-]\d\d:\d\d)")
NO_NUL = r"^[^\x00]*$"
MOST_PEOPLE = 5000  # of a roster sent at once
MOST_ROWS = 500  # of a list, in one answer


def _moment(value: Any) -> Any:
    if not isinstance(value, str) or not _MOMENT.fullmatch(value):
        raise ValueError("must be a date and time with its offset, such as 2027-02-01T23:59:00Z")
    try:
        found = datetime.fromisoformat(value.upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError("must be a date and time that exist") from None
    if not 2000 <= found.year <= 2199:
        raise ValueError("must be in the years 2000 to 2199")
    return found


Moment = Annotated[AwareDatetime, BeforeValidator(_moment)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=NO_NUL)]
Word = Annotated[str, StringConstraints(max_length=100, pattern=NO_NUL)]
Email = Annotated[str, StringConstraints(min_length=3, max_length=254, pattern=NO_NUL)]


class Asked(Schema):
    """A body: nothing unknown in it, and no text for a number."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Part(Schema):
    """Which part of a list is wanted."""

    limit: int = Field(100, ge=1, le=MOST_ROWS, description="So many at most.")
    offset: int = Field(0, ge=0, le=10**6, description="After so many.")


# -- What stands before every address of the API for classes: the token, its maker's role, the table of rules


View = Callable[..., Any]
ASKING = "peerage.asking"  # where the request remembers what was found; a header cannot reach this name
_KEY = re.compile(r"[A-Za-z0-9_-]{1,64}")  # see models.keys
# what stands in addresses beside the course and the assignment, and by which field it is found
OBJECTS: dict[str, tuple[Callable[[Membership], Any], str]] = {
    "member": (visibility.people_for, "pk"),
    "work": (visibility.works_for, "pk"),
    "run": (visibility.runs_for, "key"),
}
OF_AN_ASSIGNMENT = frozenset({"work", "run"})
REFUSALS = describe_errors(
    {
        403: "The token is of no course, may only read, or its maker's role does not allow it.",
        409: "Not in this phase of the assignment.",
    }
)


@dataclass(slots=True)
class Asking:
    """Who asks through which token, in which course and assignment, and the objects of the address."""

    token: ApiToken
    member: Membership
    at: Assignment | None = None
    objects: dict[str, Any] = field(default_factory=dict)

    @property
    def person(self) -> Person:
        """Whoever made the token; what it does, they do."""
        return self.member.person

    @property
    def course(self) -> Course:
        """The one that the token opens."""
        return self.member.course

    @property
    def assignment(self) -> Assignment:
        """The assignment of the address."""
        assert self.at is not None  # addresses without one do not ask
        return self.at

    def may(self, action: Action) -> bool:
        """Whether the table lets them, here and now."""
        phase = Phase(self.at.phase) if self.at is not None else None
        writes = permissions.PERMISSIONS[action].changes
        return permissions.may(action, Role(self.member.role), phase) and (self.token.may_write or not writes)


def asking(request: HttpRequest) -> Asking:
    """What the guard has found."""
    found: Asking = request.META[ASKING]
    return found


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
    """Look everything up through what the token's maker may see; the answer where that ends it."""
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
    found = Asking(token, member)
    if not _find(found, named):
        return _nothing()
    request.META[ASKING] = found
    return _refusal(found, action)


def _nothing() -> HttpResponse:
    return problem("not-found", "There is no such thing in the course that this token opens.")


def _find(found: Asking, named: dict[str, Any]) -> bool:
    if "assignment" in named:
        found.at = _one(visibility.assignments_for(found.member), key=named["assignment"])
        if found.at is None:
            return False
        take_due_step(assignment=found.at)
    for name in named.keys() & OBJECTS.keys():
        find, by = OBJECTS[name]
        within = {"assignment": found.at} if name in OF_AN_ASSIGNMENT else {}
        one = _one(find(found.member), **{by: named[name]}, **within)
        if one is None:
            return False
        found.objects[name] = one
    return True


def _one(those: Any, **which: Any) -> Any:
    """The one object; what cannot be a key never reaches the database, which refuses some characters."""
    odd = any(isinstance(value, str) and not _KEY.fullmatch(value) for value in which.values())
    return None if odd else those.filter(**which).first()


def _refusal(found: Asking, action: Action) -> HttpResponse | None:
    if found.may(action):
        return None
    role = Role(found.member.role)
    if not permissions.may(action, role):
        return forbidden(found, action)
    if permissions.PERMISSIONS[action].changes and not found.token.may_write:
        return problem("forbidden", "This token may only read. Make one that may write.")
    phases = ", ".join(permissions.when(action))
    now = found.assignment.phase
    return problem("not-now", f"The assignment is in the phase {now!r}; this can be done in: {phases}.")


def forbidden(found: Asking, action: Action) -> HttpResponse:
    """The maker's role does not allow it."""
    role = Role(found.member.role).value
    detail = f"Whoever made this token has the role {role!r} in the course, which may not: {action.value}."
    return problem("forbidden", detail)
