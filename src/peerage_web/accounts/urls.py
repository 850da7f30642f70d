"""Addresses of signing in and out, of links that work once, and of one's own account."""

from __future__ import annotations

from django.urls import path

from peerage_web.accounts.views import account, links, password, reminders, sign_in

urlpatterns = [
    path("sign-in", sign_in.SignIn.as_view(), name="sign-in"),
    path("sign-out", sign_in.SignOut.as_view(), name="sign-out"),
    path("password", password.password, name="password"),
    path("password/changed", password.password_changed, name="password-changed"),
    path("link/<str:text>", links.one_time_link, name="one-time-link"),
    path("reminders/<str:text>", reminders.reminders_off, name="reminders-off"),
    path("reset", links.reset, name="reset"),
    path("account", account.account, name="account"),
    path("account/sessions/<int:number>/end", account.end_session, name="end-session"),
    path("account/sessions/end-others", account.end_other_sessions, name="end-other-sessions"),
]
