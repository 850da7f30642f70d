"""Addresses of LTI: those that platforms call, pages of a course, and those of the operator."""

from __future__ import annotations

from django.urls import path

from peerage_web.lti.views import described, launch, picking

urlpatterns = [
    # what platforms call, and what a launch leads to
    path("lti/login", launch.login, name="lti-login"),
    path("lti/launch", launch.launch, name="lti-launch"),
    path("lti/launch/stored", launch.launch_stored, name="lti-launch-stored"),
    path("lti/open", launch.open_window, name="lti-open"),
    path("lti/pick/<str:picking>", picking.pick, name="lti-pick"),
    path("lti/keys", described.keys, name="lti-keys"),
    path("lti/canvas.json", described.canvas_json, name="lti-canvas"),
]
