"""Addresses that belong to no part of the service in particular."""

from __future__ import annotations

from django.urls import path

from peerage_web.shared.views import pages

urlpatterns = [
    path("help", pages.help_page, name="help"),
    path("privacy", pages.privacy, name="privacy"),
    path("robots.txt", pages.robots, name="robots"),
    path("healthz", pages.healthy, name="healthz"),
    path("readyz", pages.ready, name="readyz"),
]
