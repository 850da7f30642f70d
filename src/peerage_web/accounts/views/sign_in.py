"""Signing in and out."""

from __future__ import annotations

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect

from peerage_web.accounts.forms import SignInForm
from peerage_web.accounts.services.sessions import begin_session, forget_session


class SignIn(LoginView):
    """Address and password."""

    template_name = "accounts/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def form_valid(self, form: AuthenticationForm) -> HttpResponseRedirect:
        """The one way in, which the list of sessions knows."""
        begin_session(request=self.request, person=form.get_user())
        return HttpResponseRedirect(self.get_success_url())


class SignOut(LogoutView):
    """Back to the first page."""

    def post(self, request: HttpRequest, *args: object, **named: object) -> HttpResponseBase:
        """The session is off the list, too."""
        forget_session(key=request.session.session_key)
        return super().post(request, *args, **named)
