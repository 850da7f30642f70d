"""Addresses of signing in and out, and of one's password."""

from __future__ import annotations

from django.urls import path

from peerage_web.accounts import views

urlpatterns = [
    path("sign-in", views.SignIn.as_view(), name="sign-in"),
    path("sign-out", views.SignOut.as_view(), name="sign-out"),
    path("password", views.password, name="password"),
    path("password/changed", views.password_changed, name="password-changed"),
]
