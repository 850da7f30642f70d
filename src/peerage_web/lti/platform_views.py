"""Addresses that platforms call: the login, the launch, the way into a window, registration, and our keys.

What is relaxed on them is so towards registered platforms alone: frames, forms and cookies.
"""

import hmac
from collections.abc import Iterable
from http.cookies import Morsel
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from peerage_web.accounts.models import Person
from peerage_web.accounts.services.mail import find_reader
from peerage_web.accounts.services.sign_in import begin_session
from peerage_web.lti import oidc, words
from peerage_web.lti import registration as registrations
from peerage_web.lti.access import for_platforms, speak
from peerage_web.lti.contexts import courses_there, note_course_page
from peerage_web.lti.keys import public_keys
from peerage_web.lti.launch import accept_launch, make_ticket, use_ticket
from peerage_web.lti.models import LtiLogin, LtiPicking, LtiRegistration, origin_of
from peerage_web.lti.oidc import find_login, hash_secret, storage_origin
from peerage_web.shared.errors import Refused
from peerage_web.shared.middleware import POLICY

PATH = "/lti/"
_NOT_THIS_BROWSER = gettext_lazy(
    "This launch did not start in this browser, or the browser did not keep it. Open Peerage again from your "
    "course."
)

# Python knows the word from 3.14 on
Morsel._reserved.setdefault("partitioned", "Partitioned")  # type: ignore[attr-defined]
Morsel._flags.add("partitioned")  # type: ignore[attr-defined]


def in_frame(
    response: HttpResponse, registration: LtiRegistration, forms: Iterable[str] = ()
) -> HttpResponse:
    """Let the platform's own pages show this one, and its form go to `forms` beside us; nobody else's."""
    return _framed_by(response, " ".join(registration.origins), forms)


def _framed_by(response: HttpResponse, around: str, forms: Iterable[str] = ()) -> HttpResponse:
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


def refused(
    request: HttpRequest, error: Refused, registration: LtiRegistration | None = None, status: int = 403
) -> HttpResponse:
    """Why, in words for whoever launched; also inside the platform's frame.

    Where the platform is not known, any page may show them: there is nothing on it to press or to learn, and
    a frame that stays empty helps nobody.
    """
    page = render(request, "lti/refused.html", {"text": str(error)}, status=status)
    return in_frame(page, registration) if registration is not None else _framed_by(page, "*")


@for_platforms("leads nowhere but to a registered platform", "GET", "POST")
def login(request: HttpRequest) -> HttpResponse:
    """The platform asks to be asked. In a frame, see first whether the browser keeps our cookie there."""
    parameters = request.POST if request.method == "POST" else request.GET
    try:
        if "again" in request.GET:
            login, state = oidc.begin_again(state=request.GET["again"])
        else:
            login, state = oidc.begin_login(parameters={name: parameters[name] for name in parameters})
    except Refused as error:
        return refused(request, error)
    if is_framed(request):
        response = redirect(f"{reverse('lti-login-check')}?{urlencode({'state': state})}")
    else:
        response = redirect(oidc.request_launch(login=login, state=state).address)
    # in this browser, so that nobody can finish in another what was begun here
    set_cookie(response, cookie_name(state), state, int(oidc.LOGIN_LASTS.total_seconds()), PATH)
    return response


@for_platforms("the state of a login that has just begun", "GET")
def check_cookie(request: HttpRequest) -> HttpResponse:
    """To the platform, if the cookie came back; else its storage, or a window of its own, takes its place.

    This comes before the platform is asked: its hint may work only once (Moodle), and in the window a launch
    has to begin with it.
    """
    state = request.GET.get("state", "")
    try:
        login = find_login(state=state)
    except Refused as error:
        return refused(request, error)
    if has_cookie(request, state):
        return redirect(oidc.request_launch(login=login, state=state).address)
    context: dict[str, Any] = {"again": f"{reverse('lti-login')}?{urlencode({'again': state})}"}
    if login.storage:
        context["asking"] = oidc.request_launch(login=login, state=state)
    return in_frame(render(request, "lti/no_cookies.html", context), login.registration)


def cookie_name(state: str) -> str:
    """One for each login: several may be on their way at once."""
    return f"lti-{hash_secret(state)[:16]}"


def has_cookie(request: HttpRequest, state: str) -> bool:
    """Whether the login with this state began in this browser."""
    return hmac.compare_digest(request.COOKIES.get(cookie_name(state), "").encode(), state.encode())


@for_platforms("a token that a registered platform signed for this login", "POST")
def launch(request: HttpRequest) -> HttpResponse:
    """The platform's word. Without our cookie, platform storage has to show that it is the same browser."""
    state = request.POST.get("state", "")
    login: LtiLogin | None = None
    try:
        login = find_login(state=state)
        _refuse_errors(request)
        if has_cookie(request, state):
            return _accept(request, login)
        if login.storage:
            return _ask_storage(request, login, state)
        raise Refused(_NOT_THIS_BROWSER)
    except Refused as error:
        return refused(request, error, login.registration if login is not None else None)


def _refuse_errors(request: HttpRequest) -> None:
    if request.POST.get("error"):
        said = " ".join(request.POST.get(name, "")[:200] for name in ("error", "error_description"))
        raise Refused(_("The learning platform did not open Peerage: %(said)s") % {"said": said.strip()})


def _ask_storage(request: HttpRequest, login: LtiLogin, state: str) -> HttpResponse:
    context = {
        "login": login,
        "state": state,
        "token": request.POST.get("id_token", ""),
        "origin": storage_origin(login.registration),
        "silence": _NOT_THIS_BROWSER,
    }
    return in_frame(render(request, "lti/checking.html", context), login.registration)


@for_platforms("the same, sent by our own page that has asked platform storage", "POST")
def launch_stored(request: HttpRequest) -> HttpResponse:
    """The second half of a launch without cookies."""
    login: LtiLogin | None = None
    try:
        login = find_login(state=request.POST.get("state", ""))
        if not is_from_our_page(request) or request.POST.get("stored") != request.POST.get("state"):
            raise Refused(_NOT_THIS_BROWSER)
        return _accept(request, login)
    except Refused as error:
        return refused(request, error, login.registration if login is not None else None)


def _accept(request: HttpRequest, login: LtiLogin) -> HttpResponse:
    framed = is_framed(request)
    launch, target = accept_launch(login=login, token=request.POST.get("id_token", ""), framed=framed)
    speak(launch.language)
    note_course_page(context=launch.context, claims=launch.claims)
    if isinstance(target, LtiPicking):
        zone = words.time_zone_of(launch.claims)  # of a course that may be made there
        query = f"?{urlencode({'zone': zone})}" if zone else ""
        return redirect(reverse("lti-pick", args=[target.key]) + query)
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
    try:
        if not is_from_our_page(request):
            raise Refused(
                _("You can open Peerage this way only from the page in your course. Open it again there.")
            )
        ticket = use_ticket(secret=request.POST.get("ticket", ""))
    except Refused as error:
        return refused(request, error)
    begin_session(request=request, person=ticket.person)
    return redirect(ticket.path)


@for_platforms("opens nothing: it says where on the platform its person finds the course", "GET")
def way_back(request: HttpRequest, person: str, path: str) -> HttpResponse:
    """Mail to people from a platform leads here: to its page, if they are signed in; else to their course."""
    whose, target = find_reader(text=person), f"/{path}"
    if whose is None or not url_has_allowed_host_and_scheme(target, allowed_hosts=None):
        raise Http404
    if request.user.is_authenticated:
        return redirect(target)
    speak(whose.language)
    return render(request, "lti/way_back.html", {"courses": courses_there(person=whose, path=target)})


# -- setting Peerage up ------------------------------------------------------------------------------


@for_platforms("public: our public keys", "GET")
def keys(request: HttpRequest) -> HttpResponse:
    return JsonResponse(public_keys(), headers={"Cache-Control": "public, max-age=300"})


@for_platforms("public: how to set Peerage up", "GET")
def canvas_json(request: HttpRequest) -> HttpResponse:
    return JsonResponse(registrations.canvas_description())


@for_platforms("a link that works once, made by those who run the service", "GET", "POST")
def register(request: HttpRequest, invitation: str) -> HttpResponse:
    """Looking does nothing; the button registers."""
    link = registrations.find_invitation(secret=invitation)
    if link is None:
        text = _("This registration link was already used or has expired. Ask for a new one.")
        return refused(request, Refused(text), status=404)
    parameters = request.POST if request.method == "POST" else request.GET
    configuration = parameters.get("openid_configuration", "")[:1000]
    token = parameters.get("registration_token", "")[:8000]
    # the page may be in a frame of whoever was given the link; nobody else knows its address
    around = LtiRegistration(issuer=configuration, auth_url=configuration)
    context = {"configuration": configuration, "token": token, "origin": origin_of(configuration)}
    if request.method == "POST":
        try:
            if not is_from_our_page(request):
                raise Refused(_("This form did not come from our page. Start again from your course."))
            made = registrations.register_by_link(invitation=link, configuration=configuration, token=token)
        except Refused as error:
            page = render(request, "lti/registering.html", {**context, "refused": str(error)}, status=422)
            return in_frame(page, around)
        return in_frame(render(request, "lti/registered.html", {**context, "made": made}), around)
    return in_frame(render(request, "lti/registering.html", context), around)
