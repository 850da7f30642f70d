"""Addresses of the pages on the way to grades."""

from __future__ import annotations

from django.urls import path

from peerage_web.views import about, accounts, progress, setup, start

urlpatterns = [
    path("", start.start, name="start"),
    path("example", start.example, name="example"),
    path("privacy", about.privacy, name="privacy"),
    path("robots.txt", about.robots, name="robots"),
    path("sign-in", accounts.SignIn.as_view(), name="sign-in"),
    path("sign-out", accounts.SignOut.as_view(), name="sign-out"),
    path("j/<str:key>/look", setup.look, name="look"),
    path("j/<str:key>/again", setup.again, name="again"),
    path("j/<str:key>/grade", setup.grade, name="grade"),
    path("j/<str:key>/progress", progress.progress, name="progress"),
    path("j/<str:key>/cancel", progress.cancel, name="cancel"),
]
