"""The guard of pages: sign-in, the objects of the address, the table of permissions; and rendering a page."""

from collections.abc import Callable
from dataclasses import dataclass
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
from peerage_web.accounts.services.mail import has_mail_server
from peerage_web.accounts.services.sign_in import record_use
from peerage_web.classes import permissions, visibility
from peerage_web.classes.enums import Phase
from peerage_web.classes.navigation import navigation_of
from peerage_web.classes.permissions import Action
from peerage_web.classes.scope import RequestScope, Verdict, find_one
from peerage_web.shared.views import errors

View = Callable[..., HttpResponseBase]


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
            return view(request, find_one(Person.objects.filter(is_active=True), calendar_key=calendar_key))

        guarded.rule = Declared(action, ("GET",), by_key=True)  # type: ignore[attr-defined]
        return guarded

    return declare


def _find(person: Person, named: dict[str, Any]) -> RequestScope:
    here = RequestScope(person)
    if "course" in named:
        memberships = visibility.memberships_of(person).select_related(None).select_related("course")
        here.membership = find_one(memberships, course__key=named["course"])
        here.membership.person = person  # who is known already
        timezone.activate(here.course.zone)
    here.enter(named)
    return here


def _refusal(request: HttpRequest, here: RequestScope, action: Action) -> HttpResponseBase | None:
    verdict = here.decide(action)
    if verdict == Verdict.ALLOWED:
        return None
    if verdict == Verdict.FORBIDDEN:
        raise PermissionDenied
    phases = ", ".join(str(phase.label) for phase in permissions.when(action))
    assert here.at is not None  # only the phase can be in the way
    text = _("The assignment is in the phase “%(now)s”. This is possible only in: %(phases)s.") % {
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
    whole = {"here": here, "may": May(here), "course": None, "assignment": here.at}
    whole |= {"has_mail_server": has_mail_server(), **context}
    if here.membership is not None:
        whole["course"] = here.course
        if here.may(Action.SEE_PEOPLE):
            match = request.resolver_match
            whole["navigation"] = navigation_of(here, match.url_name or "" if match is not None else "")
    return render(request, f"{template}.html", whole, status=status)


def plain(text: str) -> str:
    """What somebody typed outside of a form, without the character that PostgreSQL refuses."""
    return text.replace("\0", "").strip()[:100]
