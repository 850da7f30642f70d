"""Addresses of signing in and out, of links that work once, and of one's own account."""

from django.urls import path

from peerage_web.accounts import views

urlpatterns = [
    path("sign-in", views.SignInView.as_view(), name="sign-in"),
    path("sign-out", views.SignOutView.as_view(), name="sign-out"),
    path("password", views.password, name="password"),
    path("account/address", views.address, name="address"),
    path("password/changed", views.password_changed, name="password-changed"),
    path("link/<str:text>", views.one_time_link, name="one-time-link"),
    path("reminders/<str:text>", views.reminders_off, name="reminders-off"),
    path("reset", views.reset, name="reset"),
    path("account", views.account, name="account"),
    path("account/sessions/<int:number>/end", views.end_session, name="end-session"),
    path("account/sessions/end-others", views.end_other_sessions, name="end-other-sessions"),
]
