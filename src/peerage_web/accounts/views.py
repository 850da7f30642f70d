"""Signing in and out, one's own results, and a new password, where an instance asks people to sign in."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_http_methods

from peerage_web.accounts.forms import NewPassword
from peerage_web.accounts.services.sign_in_limits import (
    KNOWN_DAYS,
    TooManyGuesses,
    count_guess,
    forget_guess,
    make_mark,
)
from peerage_web.accounts.services.users import change_password, find_user
from peerage_web.shared.errors import Refused
from peerage_web.shared.views.errors import mark_refusal
from peerage_web.shared.visitors import visitor_of

View = Callable[..., HttpResponseBase]
MARK = "known"  # the cookie of a browser in which somebody has signed in before


def where_people_sign_in(view: View) -> View:
    """On an instance without accounts there is nothing at such an address."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **named: Any) -> HttpResponseBase:
        if settings.GRADE_A_FILE != "sign-in":
            raise Http404
        return view(request, *args, **named)

    return guarded


@method_decorator(where_people_sign_in, name="dispatch")
class SignIn(LoginView):
    """Name and password."""

    template_name = "accounts/sign_in.html"
    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: str, **named: Any) -> HttpResponse:
        """Count the try, then look at the password."""
        name = request.POST.get("username", "")
        mark = request.COOKIES.get(MARK, "")
        try:
            self.counted = count_guess(name=name, visitor=visitor_of(request), mark=mark)
        except TooManyGuesses as error:
            form = AuthenticationForm(request, initial={"username": name[:150]})
            page = self.render_to_response(self.get_context_data(form=form, refused=str(error)))
            return mark_refusal(page, error)
        return super().post(request, *args, **named)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """The password is right: the browser is known from now on."""
        forget_guess(counted=self.counted)
        response = super().form_valid(form)
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


@where_people_sign_in
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def password(request: HttpRequest) -> HttpResponse:
    """A new password for the one who is signed in; other browsers are signed out."""
    form = NewPassword(request.user, request.POST or None)
    if form.is_valid():
        try:
            change_password(name=request.user.get_username(), password=form.cleaned_data["new"])
        except Refused as error:
            form.add_error("new", str(error))
        else:
            update_session_auth_hash(request, find_user(name=request.user.get_username()))
            return redirect("password-changed")
    status = 422 if form.errors else 200
    return render(request, "accounts/password.html", {"form": form}, status=status)


@where_people_sign_in
@login_required
@require_http_methods(["GET", "HEAD"])
def password_changed(request: HttpRequest) -> HttpResponse:
    """It worked."""
    return render(request, "accounts/password_changed.html")
