"""When a page cannot be shown: what happened and what to do, in plain words.

What somebody typed comes back to them when it could not be taken, so that they can send it again. This is for
views that say `keeps_typed`: the session has ended, the browser's token has changed with a sign-in, or the
database is away. Nothing is done before they press the button.
"""

import sys
from collections.abc import Callable
from functools import partial
from http import HTTPStatus

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import DisallowedHost, RequestDataTooBig
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.utils.translation import gettext as _

from peerage_web.configuration.logs import request_id
from peerage_web.shared import uploads
from peerage_web.shared.errors import DATABASE_AWAY, Busy, Full, Refused


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """The request makes no sense, or is too large."""
    if isinstance(exception, RequestDataTooBig):
        return too_large(request)
    if isinstance(exception, DisallowedHost):
        return _page(
            request,
            HTTPStatus.BAD_REQUEST,
            _("This site has another address"),
            _("The address you typed is not one of this site. Whoever runs it can add it to PEERAGE_HOSTS."),
        )
    return _page(
        request,
        HTTPStatus.BAD_REQUEST,
        _("This request could not be understood"),
        _("Go to the start page and try again."),
    )


def too_large(request: HttpRequest) -> HttpResponse:
    """More was sent than this service takes."""
    title, text = _("The file is too large for this site"), str(uploads.too_large())
    return _page(request, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, title, text)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _page(
        request,
        HTTPStatus.FORBIDDEN,
        _("You do not have access to this page"),
        _("Sign in with another account."),
    )


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The form did not come from a page of ours that this browser has open."""
    if keeps_typed(request) and was_typed(request):
        return token_changed(request)
    return _page(
        request,
        HTTPStatus.FORBIDDEN,
        _("We could not verify that this form came from our page"),
        _(
            "This happens when cookies are turned off or the page was open for very long. Allow "
            "cookies for this site; one is enough, and it tracks nobody. Then reload the page "
            "and send the form again."
        ),
    )


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """No such page, or no longer."""
    match = request.resolver_match
    if match is not None and str(match.func.__module__).startswith("peerage_web.classes."):
        text = _("It may have been removed, or you may not have access to it. Start from your courses.")
        return _page(request, HTTPStatus.NOT_FOUND, _("There is nothing at this address"), text)
    if settings.GRADE_A_FILE == "off":
        text = "Grading files in the browser is turned off on this site."
        return _page(request, HTTPStatus.NOT_FOUND, "There is nothing at this address", text)
    return _page(
        request,
        HTTPStatus.NOT_FOUND,
        "There is nothing at this address",
        "Results are deleted when they expire, or when somebody who has the address deletes them. If you"
        " typed or pasted the address, check that it is complete.",
    )


def not_now(request: HttpRequest, text: str) -> HttpResponse:
    """What is asked for can be done at another time only."""
    return _page(request, HTTPStatus.CONFLICT, _("This cannot be done right now"), text)


def broken(request: HttpRequest) -> HttpResponse:
    """An error of ours. Nothing here may need the database, which may be what is broken."""
    if isinstance(sys.exception(), DATABASE_AWAY):
        typed = keeps_typed(request) and was_typed(request)
        return away_with_form(request) if typed else away()
    text = _(
        "The error was logged without your data. Try again in a minute. If it happens again, "
        "give the administrator of this site the error number: %(number)s."
    )
    page = _page(
        None,
        HTTPStatus.INTERNAL_SERVER_ERROR,
        _("Something went wrong on our side"),
        text % {"number": request_id.get() or _("not available, but the time is enough")},
    )
    page.headers["X-Robots-Tag"] = "noindex, nofollow"
    return page


def away() -> HttpResponse:
    page = _page(
        None,
        HTTPStatus.SERVICE_UNAVAILABLE,
        _("This site is not available right now"),
        _("The database is not responding. Nothing that was already saved is lost. Try again in a minute."),
    )
    page.headers["Retry-After"] = str(Full.retry_after)
    page.headers["X-Robots-Tag"] = "noindex, nofollow"
    return page


def refused(request: HttpRequest, error: Refused) -> HttpResponse:
    """A page of its own for a refusal that no form can show."""
    page = _page(request, HTTPStatus.UNPROCESSABLE_ENTITY, _("This cannot be done right now"), str(error))
    return mark_refusal(page, error)


def mark_refusal(response: HttpResponse, error: Refused) -> HttpResponse:
    """The status of a refusal: later it can be served, or not as it is."""
    if isinstance(error, Busy):
        response.status_code = error.status
        response.headers["Retry-After"] = str(error.retry_after)
    else:
        response.status_code = HTTPStatus.UNPROCESSABLE_ENTITY
    return response


class RefusalShown:
    """`with`: what a service refuses is shown, and the rest of the block left out."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if isinstance(error, Refused):
            self._show(str(error))
        return isinstance(error, Refused)


def refusal_as_message(request: HttpRequest) -> RefusalShown:
    """On the next page."""
    return RefusalShown(partial(messages.error, request))


def refusal_on(form: BaseForm) -> RefusalShown:
    """Above the fields of the form, which is drawn again."""
    return RefusalShown(partial(form.add_error, None))


def _page(request: HttpRequest | None, status: HTTPStatus, title: str, text: str) -> HttpResponse:
    context = {"title": title, "text": text, "code": status.value}
    return render(request, "shared/error.html", context, status=status)


# -- what was typed comes back --------------------------------------------------------------------------

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
    return _page_with_form(
        request,
        HTTPStatus.UNAUTHORIZED,
        _("You have been signed out"),
        _("What you typed is not lost: it is on this page. Sign in, come back here and send it again."),
        sign_in=True,
    )


def token_changed(request: HttpRequest) -> HttpResponse:
    """Somebody has signed in since the page was loaded, so its token is an old one."""
    return _page_with_form(
        request,
        HTTPStatus.FORBIDDEN,
        _("Send your text again"),
        _("You signed in after this page was loaded. What you typed is below. Check it and send it again."),
    )


def away_with_form(request: HttpRequest) -> HttpResponse:
    page = _page_with_form(
        request,
        HTTPStatus.SERVICE_UNAVAILABLE,
        _("This could not be saved right now"),
        _("Our database is not responding. What you typed is on this page. Send it again in a minute."),
    )
    page.headers["Retry-After"] = str(Full.retry_after)
    return page


def _page_with_form(
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
