"""Addresses of LTI: those that platforms call, pages of a course, and those of the operator_views."""

from __future__ import annotations

from django.urls import path

from peerage_web.lti import course_views, deep_linking_views, joining_views, operator_views, platform_views

urlpatterns = [
    # what platforms call, and what a launch leads to
    path("lti/login", platform_views.login, name="lti-login"),
    path("lti/login/check", platform_views.check_cookie, name="lti-login-check"),
    path("lti/launch", platform_views.launch, name="lti-launch"),
    path("lti/launch/stored", platform_views.launch_stored, name="lti-launch-stored"),
    path("lti/open", platform_views.open_window, name="lti-open"),
    path("lti/pick/<str:picking>", deep_linking_views.pick, name="lti-pick"),
    path("lti/back/<str:person>/<path:path>", platform_views.way_back, name="lti-back"),
    path("lti/keys", platform_views.keys, name="lti-keys"),
    path("lti/canvas.json", platform_views.canvas_json, name="lti-canvas"),
    path("lti/register/<str:invitation>", platform_views.register, name="lti-register"),
    path("lti/join", joining_views.join, name="lti-join"),
    # pages of a course
    path("c/<str:course>/platform", course_views.overview, name="lti-course"),
    path("c/<str:course>/platform/roster", course_views.roster, name="lti-roster"),
    path("c/<str:course>/platform/grades", course_views.decide, name="lti-decide"),
    path("c/<str:course>/platform/columns", course_views.columns, name="lti-columns"),
    path("c/<str:course>/platform/disconnect", course_views.take_away, name="lti-disconnect"),
    # pages of those who run the service
    path("operator/platforms/", operator_views.platforms, name="lti-platforms"),
    path("operator/platforms/new", operator_views.new_platform, name="lti-platform-new"),
    path("operator/platforms/invite", operator_views.invite, name="lti-invite"),
    path("operator/platforms/keys", operator_views.replace_keys, name="lti-replace-keys"),
    path(
        "operator/platforms/deployments/<int:deployment>/approve", operator_views.approve, name="lti-approve"
    ),
    path("operator/platforms/scores/<int:score>/again", operator_views.resend, name="lti-resend"),
    path("operator/platforms/<str:registration>/", operator_views.platform, name="lti-platform"),
    path("operator/platforms/<str:registration>/pause", operator_views.pause, name="lti-pause"),
]
