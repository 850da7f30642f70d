"""Signing in and out."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.decorators import method_decorator

from peerage_web.accounts.forms import SignInForm
from peerage_web.accounts.services.sessions import begin_session, forget_session
from peerage_web.accounts.services.sign_in_limits import (
    KNOWN_DAYS,
    TooManyGuesses,
    count_guess,
    forget_guess,
    make_mark,
)
from peerage_web.accounts.views.access import where_people_sign_in
from peerage_web.shared.views.errors import mark_refusal
from peerage_web.shared.visitors import visitor_of

MARK = "known"  # the cookie of a browser in which somebody has signed in before


@method_decorator(where_people_sign_in, name="dispatch")
class SignIn(LoginView):
    """Address and password."""

    template_name = "accounts/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True
    http_method_names = ["get", "head", "post"]  # Django's own also takes PUT for POST

    def get_default_redirect_url(self) -> str:
        """To one's courses, where there are any; else to the first page."""
        return super().get_default_redirect_url() if settings.CLASSES else "/"

    def post(self, request: HttpRequest, *args: str, **named: Any) -> HttpResponse:
        """Count the try, then look at the password."""
        name = request.POST.get("username", "")
        mark = request.COOKIES.get(MARK, "")
        try:
            self.counted = count_guess(name=name, visitor=visitor_of(request), mark=mark)
        except TooManyGuesses as error:
            form = SignInForm(request, initial={"username": name[:254]})
            page = self.render_to_response(self.get_context_data(form=form, refused=str(error)))
            return mark_refusal(page, error)
        return super().post(request, *args, **named)

    def form_valid(self, form: AuthenticationForm) -> HttpResponseRedirect:
        """The password is right: the session is on the list, and the browser is known from now on."""
        forget_guess(counted=self.counted)
        begin_session(request=self.request, person=form.get_user())
        response = HttpResponseRedirect(self.get_success_url())
        response.set_cookie(
            MARK,
            make_mark(form.get_user().get_username()),
            max_age=KNOWN_DAYS * 24 * 3600,
            secure=settings.HTTPS,
            httponly=True,
            samesite="Lax",
            path="/sign-in",
        )
        return response


@method_decorator(where_people_sign_in, name="dispatch")
class SignOut(LogoutView):
    """Back to the first page."""

    def post(self, request: HttpRequest, *args: object, **named: object) -> HttpResponse:
        """The session is off the list, and copies that pages keep on the device are gone, too."""
        forget_session(key=request.session.session_key)
        response = super().post(request, *args, **named)
        response.headers["Clear-Site-Data"] = '"storage"'  # browsers heed it over TLS; see also leaving.js
        return response
