"""Addresses of LTI: those that platforms call, pages of a course, and those of the operator."""

from __future__ import annotations

from django.urls import path

from peerage_web.lti.views import described, launch, operator, picking, registering
from peerage_web.lti.views.course import platform

urlpatterns = [
    # what platforms call, and what a launch leads to
    path("lti/login", launch.login, name="lti-login"),
    path("lti/launch", launch.launch, name="lti-launch"),
    path("lti/launch/stored", launch.launch_stored, name="lti-launch-stored"),
    path("lti/open", launch.open_window, name="lti-open"),
    path("lti/pick/<str:picking>", picking.pick, name="lti-pick"),
    path("lti/keys", described.keys, name="lti-keys"),
    path("lti/canvas.json", described.canvas_json, name="lti-canvas"),
    path("lti/register/<str:invitation>", registering.register, name="lti-register"),
    # pages of a course
    path("c/<str:course>/platform", platform.overview, name="lti-course"),
    path("c/<str:course>/platform/roster", platform.roster, name="lti-roster"),
    path("c/<str:course>/platform/grades", platform.decide, name="lti-decide"),
    path("c/<str:course>/platform/disconnect", platform.take_away, name="lti-disconnect"),
    # pages of those who run the service
    path("operator/platforms/", operator.platforms, name="lti-platforms"),
    path("operator/platforms/new", operator.new_platform, name="lti-platform-new"),
    path("operator/platforms/invite", operator.invite, name="lti-invite"),
    path("operator/platforms/keys", operator.replace_keys, name="lti-replace-keys"),
    path("operator/platforms/deployments/<int:deployment>/approve", operator.approve, name="lti-approve"),
    path("operator/platforms/scores/<int:score>/again", operator.resend, name="lti-resend"),
    path("operator/platforms/<str:registration>/", operator.platform, name="lti-platform"),
    path("operator/platforms/<str:registration>/pause", operator.pause, name="lti-pause"),
]
