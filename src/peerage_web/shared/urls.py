"""Addresses that belong to no part of the service in particular."""

from __future__ import annotations

from django.urls import path

from peerage_web.shared.views import about, health

urlpatterns = [
    path("help", about.help_page, name="help"),
    path("privacy", about.privacy, name="privacy"),
    path("robots.txt", about.robots, name="robots"),
    path("healthz", health.healthy, name="healthz"),
    path("readyz", health.ready, name="readyz"),
]
