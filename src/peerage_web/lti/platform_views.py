"""Addresses that platforms call: the login, the launch, the way into a window, registration, and our keys.

What is relaxed on them is so towards registered platforms alone: frames, forms and cookies.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from http.cookies import Morsel
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.accounts.services.sign_in import begin_session
from peerage_web.lti import oidc
from peerage_web.lti import registration as registrations
from peerage_web.lti.access import for_platforms, speak
from peerage_web.lti.keys import public_keys
from peerage_web.lti.launch import accept_launch, make_ticket, use_ticket
from peerage_web.lti.models import LtiLogin, LtiPicking, LtiRegistration, origin_of
from peerage_web.lti.oidc import PendingLogin, find_login, hash_secret, storage_origin
from peerage_web.shared.errors import Refused
from peerage_web.shared.middleware import POLICY

PATH = "/lti/"

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


# -- the login and the launch ------------------------------------------------------------------------


def refused(request: HttpRequest, error: Refused, registration: LtiRegistration | None) -> HttpResponse:
    """Why, in words for whoever launched; also inside the platform's frame."""
    page = render(request, "lti/refused.html", {"text": str(error)}, status=403)
    return in_frame(page, registration)


@for_platforms("leads nowhere but to a registered platform", "GET", "POST")
def login(request: HttpRequest) -> HttpResponse:
    """The platform asks to be asked."""
    parameters = request.POST if request.method == "POST" else request.GET
    try:
        login = oidc.begin_login(parameters={name: parameters[name] for name in parameters})
    except Refused as error:
        return refused(request, error, None)
    response: HttpResponse = redirect(login.address)
    if login.storage:
        response = in_frame(render(request, "lti/storing.html", {"begun": login}), login.registration)
    _remember(response, login)
    return response


def _remember(response: HttpResponse, login: PendingLogin) -> None:
    """In this browser, so that nobody can finish in another what was begun here."""
    seconds = int(oidc.LOGIN_LASTS.total_seconds())
    set_cookie(response, cookie_name(login.state), login.state, seconds, PATH)


def cookie_name(state: str) -> str:
    """One for each login: several may be on their way at once."""
    return f"lti-{hash_secret(state)[:16]}"


@for_platforms("a token that a registered platform signed for this login", "POST")
def launch(request: HttpRequest) -> HttpResponse:
    """The platform's word. Without our cookie, platform storage has to show that it is the same browser."""
    state = request.POST.get("state", "")
    login: LtiLogin | None = None
    try:
        login = find_login(state=state)
        _refuse_errors(request)
        kept = request.COOKIES.get(cookie_name(state), "")
        if hmac.compare_digest(kept.encode(), state.encode()):
            return _accept(request, login)
    except Refused as error:
        return refused(request, error, login.registration if login is not None else None)
    return _without_cookie(request, login, state)


def _refuse_errors(request: HttpRequest) -> None:
    if request.POST.get("error"):
        said = " ".join(request.POST.get(name, "")[:200] for name in ("error", "error_description"))
        raise Refused(_("The learning platform did not open Peerage: %(said)s") % {"said": said.strip()})


def _without_cookie(request: HttpRequest, login: LtiLogin, state: str) -> HttpResponse:
    """Ask platform storage, where there is one; begin again in a window of its own, where cookies work."""
    context = {
        "login": login,
        "state": state,
        "token": request.POST.get("id_token", ""),
        "origin": storage_origin(login.registration),
        "key": cookie_name(state),
        "again": f"{reverse('lti-login')}?{urlencode(login.asked)}",
    }
    return in_frame(render(request, "lti/checking.html", context), login.registration)


@for_platforms("the same, sent by our own page that has asked platform storage", "POST")
def launch_stored(request: HttpRequest) -> HttpResponse:
    """The second half of a launch without cookies."""
    login: LtiLogin | None = None
    try:
        login = find_login(state=request.POST.get("state", ""))
        if not is_from_our_page(request) or request.POST.get("stored") != request.POST.get("state"):
            raise Refused(
                _("This launch did not start in this browser. Open Peerage again from your course.")
            )
        return _accept(request, login)
    except Refused as error:
        return refused(request, error, login.registration if login is not None else None)


def _accept(request: HttpRequest, login: LtiLogin) -> HttpResponse:
    framed = is_framed(request)
    launch, target = accept_launch(login=login, token=request.POST.get("id_token", ""), framed=framed)
    speak(launch.language)
    if isinstance(target, LtiPicking):
        return redirect("lti-pick", target.key)
    return lead_on(
        request, person=launch.person, registration=launch.registration, path=target, framed=framed
    )


def lead_on(
    request: HttpRequest, *, person: Person, registration: LtiRegistration, path: str, framed: bool
) -> HttpResponse:
    """To the page itself, or from a frame to a window of its own: ranking needs the room, and cookies."""
    if not framed:
        begin_session(request=request, person=person)
        return redirect(path)
    ticket = make_ticket(person=person, path=path)
    page = render(request, "lti/opening.html", {"ticket": ticket})
    return in_frame(page, registration)


@for_platforms("a ticket of 60 seconds that works once, sent by our own page", "POST")
def open_window(request: HttpRequest) -> HttpResponse:
    """Sign in, in a window of its own."""
    try:
        if not is_from_our_page(request):
            raise Refused(
                _("You can open Peerage this way only from the page in your course. Open it again there.")
            )
        ticket = use_ticket(secret=request.POST.get("ticket", ""))
    except Refused as error:
        return refused(request, error, None)
    begin_session(request=request, person=ticket.person)
    return redirect(ticket.path)


# -- setting Peerage up ------------------------------------------------------------------------------


@for_platforms("public: our public keys", "GET")
def keys(request: HttpRequest) -> HttpResponse:
    """The list of our public keys."""
    return JsonResponse(public_keys(), headers={"Cache-Control": "public, max-age=300"})


@for_platforms("public: how to set Peerage up", "GET")
def canvas_json(request: HttpRequest) -> HttpResponse:
    """What Canvas is configured with."""
    return JsonResponse(registrations.canvas_description())


@for_platforms("a link that works once, made by those who run the service", "GET", "POST")
def register(request: HttpRequest, invitation: str) -> HttpResponse:
    """Looking does nothing; the button registers."""
    link = registrations.find_invitation(secret=invitation)
    if link is None:
        raise Http404
    parameters = request.POST if request.method == "POST" else request.GET
    configuration = parameters.get("openid_configuration", "")[:1000]
    token = parameters.get("registration_token", "")[:8000]
    # the page may be in a frame of whoever was given the link; nobody else knows its address
    around = LtiRegistration(issuer=configuration, auth_url=configuration)
    context = {"configuration": configuration, "token": token, "origin": origin_of(configuration)}
    if request.method == "POST":
        try:
            if not is_from_our_page(request):
                raise Refused("This form was not on our page.")
            made = registrations.register_by_link(invitation=link, configuration=configuration, token=token)
        except Refused as error:
            page = render(request, "lti/registering.html", {**context, "refused": str(error)}, status=422)
            return in_frame(page, around)
        return in_frame(render(request, "lti/registered.html", {**context, "made": made}), around)
    return in_frame(render(request, "lti/registering.html", context), around)
