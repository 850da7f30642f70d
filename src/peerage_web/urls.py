"""Every address. What belongs to a job stands under its key, which nobody can guess."""

from __future__ import annotations

from django.urls import include, path

from peerage_web.views import health

handler400 = "peerage_web.views.errors.bad_request"
handler403 = "peerage_web.views.errors.forbidden"
handler404 = "peerage_web.views.errors.not_found"
handler500 = "peerage_web.views.errors.broken"

urlpatterns = [
    path("", include("peerage_web.views.pages")),
    path("j/<str:key>/", include("peerage_web.views.results")),
    path("api/v1/", include("peerage_web.api")),
    path("healthz", health.healthy, name="healthz"),
    path("readyz", health.ready, name="readyz"),
]
