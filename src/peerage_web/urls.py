"""Every address: each part of the service has its own list."""

from django.urls import include, path

from peerage_web.demo.views import demo

handler400 = "peerage_web.shared.views.errors.bad_request"
handler403 = "peerage_web.shared.views.errors.forbidden"
handler404 = "peerage_web.shared.views.errors.not_found"
handler500 = "peerage_web.shared.views.errors.broken"

urlpatterns = [
    path("", include("peerage_web.files.urls")),
    path("", include("peerage_web.accounts.urls")),
    path("", include("peerage_web.classes.urls")),
    path("", include("peerage_web.lti.urls")),
    path("demo", demo, name="demo"),
    path("", include("peerage_web.operators.urls")),
    path("", include("peerage_web.shared.urls")),
    path("api/v1/", include("peerage_web.api_urls")),
]
