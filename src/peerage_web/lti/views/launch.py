"""Addresses that platforms call: the login, the launch, and the way into a window of its own."""

from __future__ import annotations

import hmac
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from peerage_web.accounts.services.sign_in import begin_session
from peerage_web.lti.models import LtiLogin, LtiRegistration
from peerage_web.lti.services import launches, logins
from peerage_web.lti.services.launches import Launched
from peerage_web.lti.services.logins import Begun, hashed, storage_origin
from peerage_web.lti.views.declared import for_platforms, speak
from peerage_web.lti.views.frames import in_frame, is_framed, is_from_our_page, set_cookie
from peerage_web.shared.errors import Refused

PATH = "/lti/"


def refused(request: HttpRequest, error: Refused, registration: LtiRegistration | None) -> HttpResponse:
    """Why, in words for whoever launched; also inside the platform's frame."""
    page = render(request, "lti/refused.html", {"text": str(error)}, status=403)
    return in_frame(page, registration)


@for_platforms("leads nowhere but to a registered platform", "GET", "POST")
def login(request: HttpRequest) -> HttpResponse:
    """The platform asks to be asked."""
    given = request.POST if request.method == "POST" else request.GET
    try:
        begun = logins.begin_login(given={name: given[name] for name in given})
    except Refused as error:
        return refused(request, error, None)
    response: HttpResponse = redirect(begun.address)
    if begun.storage:
        response = in_frame(render(request, "lti/storing.html", {"begun": begun}), begun.registration)
    _remember(response, begun)
    return response


def _remember(response: HttpResponse, begun: Begun) -> None:
    """In this browser, so that nobody can finish in another what was begun here."""
    seconds = int(logins.LASTS.total_seconds())
    set_cookie(response, cookie_name(begun.state), begun.state, seconds, PATH)


def cookie_name(state: str) -> str:
    """One for each login: several may be on their way at once."""
    return f"lti-{hashed(state)[:16]}"


@for_platforms("a token that a registered platform signed for this login", "POST")
def launch(request: HttpRequest) -> HttpResponse:
    """The platform's word. Without our cookie, platform storage has to show that it is the same browser."""
    state = request.POST.get("state", "")
    login: LtiLogin | None = None
    try:
        login = launches.find_login(state=state)
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
        raise Refused(_("The learning platform did not launch: %(said)s") % {"said": said.strip()})


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
        login = launches.find_login(state=request.POST.get("state", ""))
        if not is_from_our_page(request) or request.POST.get("stored") != request.POST.get("state"):
            raise Refused(_("This browser did not begin this launch. Launch again from your course."))
        return _accept(request, login)
    except Refused as error:
        return refused(request, error, login.registration if login is not None else None)


def _accept(request: HttpRequest, login: LtiLogin) -> HttpResponse:
    framed = is_framed(request)
    done = launches.accept_launch(login=login, token=request.POST.get("id_token", ""), framed=framed)
    speak(done.language)
    if done.picking is not None:
        return redirect("lti-pick", done.picking.key)
    return lead_on(request, done, framed)


def lead_on(request: HttpRequest, done: Launched, framed: bool) -> HttpResponse:
    """To the page itself, or from a frame to a window of its own: ranking needs the room, and cookies."""
    if not framed:
        begin_session(request=request, person=done.person)
        return redirect(done.path)
    ticket = launches.make_ticket(person=done.person, path=done.path)
    page = render(request, "lti/opening.html", {"ticket": ticket})
    return in_frame(page, done.registration)


@for_platforms("a ticket of 60 seconds that works once, sent by our own page", "POST")
def open_window(request: HttpRequest) -> HttpResponse:
    """Sign in, in a window of its own."""
    try:
        if not is_from_our_page(request):
            raise Refused(_("This way in is open from the page in your course only. Launch again there."))
        ticket = launches.use_ticket(secret=request.POST.get("ticket", ""))
    except Refused as error:
        return refused(request, error, None)
    begin_session(request=request, person=ticket.person)
    return redirect(ticket.path)
