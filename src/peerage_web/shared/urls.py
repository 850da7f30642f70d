"""Addresses that belong to no part of the service in particular."""

from django.urls import path

from peerage_web.shared.views import pages
from peerage_web.shared.views.manual import manual

urlpatterns = [
    path("help", pages.help_page, name="help"),
    path("help/", manual, name="manual"),
    path("help/<path:page>", manual, name="manual-page"),
    path("privacy", pages.privacy, name="privacy"),
    path("robots.txt", pages.robots, name="robots"),
    path("healthz", pages.healthy, name="healthz"),
    path("readyz", pages.ready, name="readyz"),
]
