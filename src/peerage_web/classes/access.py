"""What stands before every view: who asks, which objects exist for them, and whether the table lets them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.accounts.services.sign_in import record_use
from peerage_web.classes import permissions, visibility
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.enums import Phase, Role
from peerage_web.classes.navigation import navigation_of
from peerage_web.classes.permissions import Action
from peerage_web.classes.phases.services import take_due_step
from peerage_web.shared.views import errors

_KEY = re.compile(r"[A-Za-z0-9_-]{1,64}")  # see models.keys
View = Callable[..., HttpResponseBase]

# what stands in addresses beside the course and the assignment: where it is looked for, and by which field
OBJECTS: dict[str, tuple[Callable[[Membership], Any], str]] = {
    "member": (visibility.people_for, "pk"),
    "team": (visibility.teams_for, "pk"),
    "extension": (visibility.extensions_for, "pk"),
    "work": (visibility.works_for, "pk"),
    "review": (visibility.reviews_for, "key"),
    "roster_import": (visibility.roster_imports_for, "key"),
    "handed_in": (visibility.handed_in_rankings_for, "receipt"),
    "example": (visibility.examples_for, "key"),
    "question": (visibility.questions_for, "pk"),
    # release
    "comment": (visibility.comments_for, "pk"),
    "token": (visibility.tokens_for, "pk"),
    "webhook": (visibility.webhooks_for, "pk"),
    "run": (visibility.runs_for, "key"),
    "appeal": (visibility.appeals_for, "key"),
}
OF_AN_ASSIGNMENT = frozenset({"team", "extension", "work", "review", "example", "question", "run", "appeal"})


@dataclass(slots=True)
class RequestScope:
    """Where a request is: who asks, in which course and assignment, and the objects of its address."""

    person: Person
    membership: Membership | None = None
    at: Assignment | None = None
    objects: dict[str, Any] = field(default_factory=dict)

    @property
    def member(self) -> Membership:
        """Their place in the course."""
        assert self.membership is not None  # addresses without a course do not ask
        return self.membership

    @property
    def course(self) -> Course:
        """The course of the address."""
        return self.member.course

    @property
    def assignment(self) -> Assignment:
        """The assignment of the address."""
        assert self.at is not None  # addresses without one do not ask
        return self.at

    @property
    def role(self) -> Role | None:
        """What they are in the course."""
        return Role(self.membership.role) if self.membership is not None else None

    def may(self, action: Action) -> bool:
        """Whether the table lets them, here and now; pages hide what they may not do."""
        return permissions.may(action, self.role, Phase(self.at.phase) if self.at is not None else None)


@dataclass(frozen=True, slots=True)
class Declared:
    """What a view declares: the rule it stands under, and the methods it answers."""

    action: Action
    methods: tuple[str, ...]
    by_key: bool = False  # a secret in the address stands for the sign-in


def allowed(action: Action, *methods: str, keeps_typed: bool = False) -> Callable[[View], View]:
    """Declare what a view does. It is called with `here` instead of the keys in its address.

    Without a sign-in it leads there (a script gets 401); what the person may not see is not found; what
    the table forbids is forbidden, or not possible now where another phase would allow it. `keeps_typed`:
    what a form brings is handed back to be sent again where the person has to sign in first.
    """
    answered = methods or ("GET",)
    taken = {*answered, "HEAD"} if "GET" in answered else set(answered)

    def declare(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, **named: Any) -> HttpResponseBase:
            if not settings.CLASSES:
                raise Http404
            if request.method not in taken:
                return HttpResponseNotAllowed(answered)
            if not request.user.is_authenticated:
                return _signed_out(request, keeps_typed)
            record_use(request=request)
            here = _find(request.user, named)
            refusal = _refusal(request, here, action)
            return refusal if refusal is not None else view(request, here)

        guarded.rule = Declared(action, answered)  # type: ignore[attr-defined]
        guarded.keeps_typed = keeps_typed  # type: ignore[attr-defined]
        return guarded

    return declare


def opened_by_key(action: Action) -> Callable[[View], View]:
    """Declare a view for programs that cannot sign in: a person's secret in the address opens it, to read.

    It is called with that person. A secret that was taken back, or whose person may not sign in any more,
    leads nowhere.
    """

    def declare(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, calendar_key: str) -> HttpResponseBase:
            if not settings.CLASSES:
                raise Http404
            if request.method not in ("GET", "HEAD"):
                return HttpResponseNotAllowed(("GET",))
            return view(request, _one(Person.objects.filter(is_active=True), calendar_key=calendar_key))

        guarded.rule = Declared(action, ("GET",), by_key=True)  # type: ignore[attr-defined]
        return guarded

    return declare


def _find(person: Person, named: dict[str, Any]) -> RequestScope:
    """Look everything up through what the person may see; Http404 for the rest."""
    here = RequestScope(person)
    if "course" in named:
        here.membership = _one(visibility.memberships_of(person), course__key=named.pop("course"))
        timezone.activate(here.course.zone)
    if "assignment" in named:
        here.at = _one(visibility.assignments_for(here.member), key=named.pop("assignment"))
        take_due_step(assignment=here.at)
    for name, value in named.items():
        find, by = OBJECTS[name]
        within = {"assignment": here.at} if name in OF_AN_ASSIGNMENT else {}
        here.objects[name] = _one(find(here.member), **{by: value}, **within)
    return here


def _one(found: Any, **which: Any) -> Any:
    """The one object; what cannot be a key never reaches the database, which refuses some characters."""
    odd = any(isinstance(value, str) and not _KEY.fullmatch(value) for value in which.values())
    one = None if odd else found.filter(**which).first()
    if one is None:
        raise Http404
    return one


def _refusal(request: HttpRequest, here: RequestScope, action: Action) -> HttpResponseBase | None:
    if here.may(action):
        return None
    if not permissions.may(action, here.role):
        raise PermissionDenied
    phases = ", ".join(str(phase.label) for phase in permissions.when(action))
    assert here.at is not None  # only the phase can be in the way
    text = _("The assignment is in the phase “%(now)s”. This is possible in: %(phases)s.") % {
        "now": Phase(here.at.phase).label,
        "phases": phases,
    }
    if _is_script(request):
        return JsonResponse({"code": "phase", "detail": text}, status=409)
    return errors.not_now(request, text)


def _signed_out(request: HttpRequest, keeps_typed: bool = False) -> HttpResponseBase:
    """To the sign-in; a form that was sent is not sent again, so it leads to the list of courses then."""
    if _is_script(request):
        return JsonResponse({"code": "signed-out", "detail": _("Sign in again.")}, status=401)
    if keeps_typed and errors.was_typed(request):
        return errors.signed_out(request)
    return redirect_to_login(request.get_full_path() if request.method in ("GET", "HEAD") else "/courses")


def _is_script(request: HttpRequest) -> bool:
    """Whether a script of ours asks, which says that it wants JSON."""
    return request.headers.get("Accept", "").startswith("application/json")


# -- What every page of a class is drawn with ----------------------------------------------------------


class May:
    """For templates: `{% if may.edit_course %}` asks the table."""

    def __init__(self, here: RequestScope) -> None:
        self._here = here

    def __getitem__(self, name: str) -> bool:
        """Whether the action of this name may be done here; a name that is none is a mistake, not a no."""
        return self._here.may(Action[name.upper()])


def page(
    request: HttpRequest, here: RequestScope, template: str, status: int = 200, **context: Any
) -> HttpResponse:
    """Render a page with what it may show."""
    whole = {"here": here, "may": May(here), "course": None, "assignment": here.at, **context}
    if here.membership is not None:
        whole["course"] = here.course
        if here.may(Action.SEE_PEOPLE):
            match = request.resolver_match
            whole["navigation"] = navigation_of(here, match.url_name or "" if match is not None else "")
    return render(request, f"{template}.html", whole, status=status)


def plain(text: str) -> str:
    """What somebody typed outside of a form, without the character that PostgreSQL refuses."""
    return text.replace("\0", "").strip()[:100]
