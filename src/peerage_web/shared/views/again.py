"""What somebody typed comes back to them when it could not be taken, so that they can send it again.

For views that say `keeps_typed`: the session has ended, the browser's token has changed with a sign-in, or
the database is away. Nothing here may need the database. Nothing is done before they press the button.
"""

from __future__ import annotations

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.utils.translation import gettext as _

from peerage_web.shared.errors import Full

TOKEN = "csrfmiddlewaretoken"
SHOWN = "comment-"  # how names of fields begin in which people write


def keeps_typed(request: HttpRequest) -> bool:
    """Whether the view asks for this."""
    match = request.resolver_match
    return match is not None and getattr(match.func, "keeps_typed", False)


def was_typed(request: HttpRequest) -> bool:
    """Whether a form came with anything in it."""
    return request.method == "POST" and any(name != TOKEN for name in request.POST)


def signed_out(request: HttpRequest) -> HttpResponse:
    """The session has ended meanwhile."""
    return _page(
        request,
        HTTPStatus.UNAUTHORIZED,
        _("You have been signed out"),
        _("What you typed is not lost: it is on this page. Sign in, come back here, and send it again."),
        sign_in=True,
    )


def token_changed(request: HttpRequest) -> HttpResponse:
    """Somebody has signed in since the page was loaded, so its token is an old one."""
    return _page(
        request,
        HTTPStatus.FORBIDDEN,
        _("Please send it once more"),
        _("You have signed in since this page was loaded. What you typed is here; look at it and send it."),
    )


def away(request: HttpRequest) -> HttpResponse:
    """The database is away or locked."""
    page = _page(
        request,
        HTTPStatus.SERVICE_UNAVAILABLE,
        _("This could not be saved just now"),
        _("Our database does not answer. What you typed is on this page. Send it again in a minute."),
    )
    page.headers["Retry-After"] = str(Full.retry_after)
    return page


def _page(
    request: HttpRequest, status: HTTPStatus, title: str, text: str, sign_in: bool = False
) -> HttpResponse:
    fields = [(name, value) for name, value in request.POST.items() if name != TOKEN]
    context = {
        "title": title,
        "text": text,
        "sign_in": sign_in,
        "token": get_token(request),
        "action": request.path,
        "shown": [(name, value) for name, value in fields if name.startswith(SHOWN) and value],
        "hidden": [(name, value) for name, value in fields if not (name.startswith(SHOWN) and value)],
    }
    return render(None, "shared/again.html", context, status=status)
