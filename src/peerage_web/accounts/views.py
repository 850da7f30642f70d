"""Signing in and out, where an instance asks for it."""

from __future__ import annotations

from django.contrib.auth.views import LoginView, LogoutView


class SignIn(LoginView):
    """Name and password."""

    template_name = "accounts/sign_in.html"
    redirect_authenticated_user = True


class SignOut(LogoutView):
    """Back to the first page."""
